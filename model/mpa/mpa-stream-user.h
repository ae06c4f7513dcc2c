/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_STREAM_USER_H
#define MPA_STREAM_USER_H

#include "mpa-receiver.h"
#include "mpa-startup.h"

#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <string>

namespace ns3
{

class MpaStream;

/**
 * @ingroup iwarp-mpa
 * @brief The layer above an MpaStream, or above many of them.
 *
 * A layer overrides what it wants to know. It may call the stream from within all of these, close
 * it and let go of it.
 */
class MpaStreamUser
{
  public:
    virtual ~MpaStreamUser() = default;

    /// @return true if ULPDUs may come; MpaStream::Accept() is refused otherwise (RFC 5044 section
    /// 7.1: a DDP endpoint is bound when Full Operation begins)
    virtual bool TakesUlpdus() const
    {
        return true;
    }

    /// @return true if it takes ULPDUs now, or may see to that in HandleStartup(); the stream does
    /// not start otherwise
    virtual bool WillTakeUlpdus() const
    {
        return true;
    }

    /// The peer's startup frame is valid: accept, reject or close, now or later. Without an
    /// override, each is accepted. @param stream which @param frame the peer's
    virtual void HandleStartup(MpaStream& stream, const MpaStartupFrame& frame);

    /// ULPDUs may be sent. Called once. @param stream which
    virtual void HandleEstablished(MpaStream& stream)
    {
    }

    /// The peer rejected the connection; MPA is off, TCP stays open unless CloseOnReject is set.
    /// @param stream which @param frame the peer's
    virtual void HandleRejected(MpaStream& stream, const MpaStartupFrame& frame)
    {
    }

    /// A ULPDU is validated and may be placed. @param stream which @param ulpdu it; its octets are
    /// valid during the call only @return key of the memory region that it goes to, above 2^32; 0
    /// for that of the connection itself
    virtual uint64_t HandleUlpdu(MpaStream& stream, const MpaUlpdu& ulpdu)
    {
        return 0;
    }

    /// ULPDUs are complete in the peer's order and may be delivered. @param stream which
    /// @param count the next so many
    virtual void HandleDeliver(MpaStream& stream, uint32_t count)
    {
    }

    /// An error (RFC 5044 section 8). @param stream which @param error code; NONE is a local error
    /// without one @param reason for people
    virtual void HandleError(MpaStream& stream, MpaError error, const std::string& reason)
    {
    }

    /// Enhanced establishment failed (RFC 6581 section 8). A Terminate is sent from within the
    /// call; TCP closes behind it. @param stream which @param error code of the Terminate
    virtual void HandleTerminate(MpaStream& stream, MpaError error)
    {
    }

    /// Octets came behind a rejecting Reply: streaming data again. @param stream which
    /// @param octets they
    virtual void HandleStreaming(MpaStream& stream, Ptr<Packet> octets)
    {
    }

    /// There is room for more ULPDUs. @param stream which @param room octets of send buffer
    virtual void HandleRoom(MpaStream& stream, uint32_t room)
    {
    }

    /// EMSS and with it MULPDU changed. @param stream which
    virtual void HandleMulpdu(MpaStream& stream)
    {
    }
};

} // namespace ns3

#endif // MPA_STREAM_USER_H
