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
Tell(const C& callback, MpaStreamUser* user, F handle, MpaStream& stream, A&&... arguments)
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
    return !startup.IsNull() || !ulpdu.IsNull() || behind->WillTakeUlpdus();
}

void
MpaStreamCallbacks::HandleStartup(MpaStream& stream, const MpaStartupFrame& frame)
{
    Tell(startup, behind, &MpaStreamUser::HandleStartup, stream, frame);
}

void
MpaStreamCallbacks::HandleEstablished(MpaStream& stream)
{
    Tell(established, behind, &MpaStreamUser::HandleEstablished, stream);
}

void
MpaStreamCallbacks::HandleRejected(MpaStream& stream, const MpaStartupFrame& frame)
{
    Tell(rejected, behind, &MpaStreamUser::HandleRejected, stream, frame);
}

uint64_t
MpaStreamCallbacks::HandleUlpdu(MpaStream& stream, const MpaUlpdu& what)
{
    if (ulpdu.IsNull())
    {
        return behind->HandleUlpdu(stream, what);
    }
    ulpdu(Ptr<MpaStream>(&stream), what);
    return 0;
}

void
MpaStreamCallbacks::HandleDeliver(MpaStream& stream, uint32_t count)
{
    Tell(deliver, behind, &MpaStreamUser::HandleDeliver, stream, count);
}

void
MpaStreamCallbacks::HandleError(MpaStream& stream, MpaError code, const std::string& reason)
{
    Tell(error, behind, &MpaStreamUser::HandleError, stream, code, reason);
}

void
MpaStreamCallbacks::HandleTerminate(MpaStream& stream, MpaError code)
{
    Tell(terminate, behind, &MpaStreamUser::HandleTerminate, stream, code);
}

void
MpaStreamCallbacks::HandleStreaming(MpaStream& stream, Ptr<Packet> octets)
{
    Tell(streaming, behind, &MpaStreamUser::HandleStreaming, stream, octets);
}

void
MpaStreamCallbacks::HandleRoom(MpaStream& stream, uint32_t room)
{
    Tell(send, behind, &MpaStreamUser::HandleRoom, stream, room);
}

void
MpaStreamCallbacks::HandleMulpdu(MpaStream& stream)
{
    Tell(mulpdu, behind, &MpaStreamUser::HandleMulpdu, stream);
}

} // namespace ns3
