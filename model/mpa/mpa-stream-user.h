/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_STREAM_USER_H
#define MPA_STREAM_USER_H

#include "mpa-connection-event.h"
#include "mpa-receiver.h"

#include "ns3/packet.h"
#include "ns3/ptr.h"
#include "ns3/record-placement.h"

#include <cstdint>

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

    /// Tell whether the layer is ready for Full Operation. @return true if ULPDUs may come;
    /// MpaStream::Accept() is refused otherwise (RFC 5044 section 7.1: a DDP endpoint is bound when
    /// Full Operation begins)
    virtual bool TakesUlpdus() const
    {
        return true;
    }

    /// Tell whether a stream may be started. @return true if it takes ULPDUs now, or may see to
    /// that in HandleEvent(); the stream does not start otherwise
    virtual bool AcceptsUlpdus() const
    {
        return true;
    }

    /**
     * @brief Something happened to the connection.
     *
     * On CONNECT_REQUEST and CONNECT_RESPONSE the user calls Accept(), Reject() or Close() of the
     * stream, now or later. Without an override, each peer is accepted.
     * @param stream which
     * @param event what; its kinds from CONNECT_REQUEST to DISCONNECTED but UNANSWERED
     */
    virtual void HandleEvent(MpaStream& stream, const MpaConnectionEvent& event);

    /// A ULPDU is validated and may be placed. @param stream which @param ulpdu it; its octets are
    /// valid during the call only @param placements receives where its payload goes, if hardware
    /// asks for that; if nothing is said, all of it goes to memory of the connection itself
    virtual void HandleUlpdu(MpaStream& stream,
                             const MpaUlpdu& ulpdu,
                             RecordPlacementList* placements)
    {
    }

    /// ULPDUs are complete in the peer's order and may be delivered. @param stream which
    /// @param count the next so many
    virtual void HandleDeliver(MpaStream& stream, uint32_t count)
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
