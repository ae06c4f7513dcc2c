/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-stream-callbacks.h"

namespace ns3
{

namespace
{

/// Call back, or tell the user. @param callback of the event @param user if there is none
/// @param handle its function for the event @param stream which @param arguments of the event
template <typename C, typename F, typename... A>
void
TellUser(const C& callback, MpaStreamUser* user, F handle, MpaStream& stream, A&&... arguments)
{
    if (callback.IsNull())
    {
        (user->*handle)(stream, arguments...);
    }
    else
    {
        callback(Ptr<MpaStream>(&stream), arguments...);
    }
}

} // namespace

MpaStreamCallbacks::MpaStreamCallbacks(MpaStreamUser* user)
    : behind(user)
{
}

bool
MpaStreamCallbacks::TakesUlpdus() const
{
    return !ulpdu.IsNull() || behind->TakesUlpdus();
}

bool
MpaStreamCallbacks::WillTakeUlpdus() const
{
    return !event.IsNull() || !ulpdu.IsNull() || behind->WillTakeUlpdus();
}

void
MpaStreamCallbacks::HandleEvent(MpaStream& stream, const MpaConnectionEvent& what)
{
    TellUser(event, behind, &MpaStreamUser::HandleEvent, stream, what);
}

void
MpaStreamCallbacks::HandleUlpdu(MpaStream& stream,
                                const MpaUlpdu& what,
                                RecordPlacementList* places)
{
    if (ulpdu.IsNull())
    {
        behind->HandleUlpdu(stream, what, places);
        return;
    }
    ulpdu(Ptr<MpaStream>(&stream), what);
}

void
MpaStreamCallbacks::HandleDeliver(MpaStream& stream, uint32_t count)
{
    TellUser(deliver, behind, &MpaStreamUser::HandleDeliver, stream, count);
}

void
MpaStreamCallbacks::HandleTerminate(MpaStream& stream, MpaError code)
{
    TellUser(terminate, behind, &MpaStreamUser::HandleTerminate, stream, code);
}

void
MpaStreamCallbacks::HandleStreaming(MpaStream& stream, Ptr<Packet> octets)
{
    TellUser(streaming, behind, &MpaStreamUser::HandleStreaming, stream, octets);
}

void
MpaStreamCallbacks::HandleRoom(MpaStream& stream, uint32_t room)
{
    TellUser(send, behind, &MpaStreamUser::HandleRoom, stream, room);
}

void
MpaStreamCallbacks::HandleMulpdu(MpaStream& stream)
{
    TellUser(mulpdu, behind, &MpaStreamUser::HandleMulpdu, stream);
}

MpaStreamCallbacks&
MpaStream::Callbacks()
{
    if (!m_callbacks)
    {
        m_callbacks = std::make_unique<MpaStreamCallbacks>(m_user);
        m_user = m_callbacks.get();
    }
    return *m_callbacks;
}

void
MpaStream::SetEventCallback(EventCallback callback)
{
    Callbacks().event = callback;
}

void
MpaStream::SetUlpduCallback(UlpduCallback callback)
{
    Callbacks().ulpdu = callback;
}

void
MpaStream::SetDeliverCallback(DeliverCallback callback)
{
    Callbacks().deliver = callback;
}

void
MpaStream::SetTerminateCallback(TerminateCallback callback)
{
    Callbacks().terminate = callback;
}

void
MpaStream::SetStreamingCallback(StreamingCallback callback)
{
    Callbacks().streaming = callback;
}

void
MpaStream::SetSendCallback(SendCallback callback)
{
    Callbacks().send = callback;
}

void
MpaStream::SetMulpduCallback(StreamCallback callback)
{
    Callbacks().mulpdu = callback;
}

} // namespace ns3
