/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_STREAM_CALLBACKS_H
#define MPA_STREAM_CALLBACKS_H

#include "mpa-stream.h"

namespace ns3
{

/**
 * @ingroup iwarp-mpa
 * @brief The callbacks of an MpaStream, as its user. What has no callback goes to the user that
 * stands behind.
 */
class MpaStreamCallbacks : public MpaStreamUser
{
  public:
    /// Begin without callbacks. @param behind user that gets what has no callback; outlives this,
    /// or is replaced
    explicit MpaStreamCallbacks(MpaStreamUser* behind);

    MpaStreamUser* behind; //!< user that gets what has no callback

    MpaStream::EventCallback event;         //!< see MpaStream::SetEventCallback()
    MpaStream::UlpduCallback ulpdu;         //!< see MpaStream::SetUlpduCallback()
    MpaStream::DeliverCallback deliver;     //!< see MpaStream::SetDeliverCallback()
    MpaStream::TerminateCallback terminate; //!< see MpaStream::SetTerminateCallback()
    MpaStream::StreamingCallback streaming; //!< see MpaStream::SetStreamingCallback()
    MpaStream::SendCallback send;           //!< see MpaStream::SetSendCallback()
    MpaStream::StreamCallback mulpdu;       //!< see MpaStream::SetMulpduCallback()

    bool TakesUlpdus() const override;
    bool WillTakeUlpdus() const override;
    void HandleEvent(MpaStream& stream, const MpaConnectionEvent& what) override;
    void HandleUlpdu(MpaStream& stream,
                     const MpaUlpdu& ulpdu,
                     RecordPlacementList* places) override;
    void HandleDeliver(MpaStream& stream, uint32_t count) override;
    void HandleTerminate(MpaStream& stream, MpaError error) override;
    void HandleStreaming(MpaStream& stream, Ptr<Packet> octets) override;
    void HandleRoom(MpaStream& stream, uint32_t room) override;
    void HandleMulpdu(MpaStream& stream) override;
};

} // namespace ns3

#endif // MPA_STREAM_CALLBACKS_H
