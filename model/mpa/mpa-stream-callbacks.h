/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_STREAM_CALLBACKS_H
#define MPA_STREAM_CALLBACKS_H

#include "mpa-stream.h"

#include <string>

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
    /// @param behind user that gets what has no callback; outlives this, or is replaced
    explicit MpaStreamCallbacks(MpaStreamUser* behind);

    MpaStreamUser* behind; //!< user that gets what has no callback

    MpaStream::StartupCallback startup;     //!< see MpaStream::SetStartupCallback()
    MpaStream::StreamCallback established;  //!< see MpaStream::SetEstablishedCallback()
    MpaStream::RejectedCallback rejected;   //!< see MpaStream::SetRejectedCallback()
    MpaStream::UlpduCallback ulpdu;         //!< see MpaStream::SetUlpduCallback()
    MpaStream::DeliverCallback deliver;     //!< see MpaStream::SetDeliverCallback()
    MpaStream::ErrorCallback error;         //!< see MpaStream::SetErrorCallback()
    MpaStream::TerminateCallback terminate; //!< see MpaStream::SetTerminateCallback()
    MpaStream::StreamingCallback streaming; //!< see MpaStream::SetStreamingCallback()
    MpaStream::SendCallback send;           //!< see MpaStream::SetSendCallback()
    MpaStream::StreamCallback mulpdu;       //!< see MpaStream::SetMulpduCallback()

    bool TakesUlpdus() const override;
    bool WillTakeUlpdus() const override;
    void HandleStartup(MpaStream& stream, const MpaStartupFrame& frame) override;
    void HandleEstablished(MpaStream& stream) override;
    void HandleRejected(MpaStream& stream, const MpaStartupFrame& frame) override;
    uint64_t HandleUlpdu(MpaStream& stream, const MpaUlpdu& ulpdu) override;
    void HandleDeliver(MpaStream& stream, uint32_t count) override;
    void HandleError(MpaStream& stream, MpaError error, const std::string& reason) override;
    void HandleTerminate(MpaStream& stream, MpaError error) override;
    void HandleStreaming(MpaStream& stream, Ptr<Packet> octets) override;
    void HandleRoom(MpaStream& stream, uint32_t room) override;
    void HandleMulpdu(MpaStream& stream) override;
};

} // namespace ns3

#endif // MPA_STREAM_CALLBACKS_H
