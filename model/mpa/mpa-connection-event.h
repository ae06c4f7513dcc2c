/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_CONNECTION_EVENT_H
#define MPA_CONNECTION_EVENT_H

#include "mpa-error.h"
#include "mpa-negotiation.h"
#include "mpa-startup-frame.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-mpa
 * @brief Something that happened to a connection, told by MpaStream and passed upwards unchanged:
 * by RdmapStream, RdmaQueuePair and RdmaConnection to the application. Each of them adds the kinds
 * that it alone knows.
 */
struct MpaConnectionEvent
{
    /// Kinds of event.
    enum class Kind : uint8_t
    {
        // of RdmaConnection, before there is a stream
        ADDRESS_RESOLVED, //!< there is a way to the peer
        ADDRESS_ERROR,    //!< there is none
        ROUTE_RESOLVED,   //!< the route is known
        UNREACHABLE,      //!< TCP could not connect

        // of startup
        CONNECT_REQUEST,  //!< the peer's Request is valid: accept, reject or close, now or later
        CONNECT_RESPONSE, //!< the peer's Reply is valid and accepts: the Initiator does as above
        ESTABLISHED,      //!< work goes out; told once
        REJECTED,         //!< the peer rejected; TCP is open unless MpaStream.CloseOnReject is set
        UNANSWERED,       //!< of RdmapStream: TCP ended without an answer to an enhanced Request,
                          //!< the peer may know revision 1 only (RFC 6581 section 10).
                          //!< CONNECT_ERROR follows unless the layer above takes another stream
        CONNECT_ERROR,    //!< MPA could not start

        // of Full Operation
        FAILED,       //!< an error of RFC 5044 section 8, the loss of TCP among them; from
                      //!< RdmaConnection also those of DDP and RDMAP, and the peer's Terminate
        DISCONNECTED, //!< the peer sends no more; this side still may. From RdmaConnection also
                      //!< when the connection is lost
        CLOSED,       //!< of RdmapStream: both directions are over; told once
    };

    /**
     * @brief Make an event about the peer's startup frame.
     * @param kind CONNECT_REQUEST, CONNECT_RESPONSE, ESTABLISHED or REJECTED
     * @param frame the peer's frame
     * @param result what startup settled, or will
     * @return the event
     */
    static MpaConnectionEvent FromFrame(Kind kind,
                                        const MpaStartupFrame& frame,
                                        const MpaStartupResult& result)
    {
        MpaConnectionEvent event{kind};
        event.reason = kind == Kind::REJECTED ? "the peer rejected the connection" : "";
        event.privateData = frame.privateData;
        event.version = result.version;
        event.peerIrd = result.enhanced.used ? result.enhanced.peerIrd : 0;
        event.peerOrd = result.enhanced.used ? result.enhanced.peerOrd : 0;
        return event;
    }

    Kind kind;          //!< what
    uint8_t version{1}; //!< CONNECT_REQUEST to ESTABLISHED: protocol version of DDP and RDMAP; 0
                        //!< with a peer that follows the RDMA Consortium (RFC 5044 section C.2)
    MpaError error{
        MpaError::NONE};  //!< CONNECT_ERROR, FAILED, DISCONNECTED: code; NONE if it has none
    std::string reason{}; //!< of errors and ends, for people
    std::vector<uint8_t> privateData{}; //!< CONNECT_REQUEST to REJECTED: the peer's Private Data
    uint16_t peerIrd{0};                //!< CONNECT_REQUEST to REJECTED: IRD as the peer said it
    uint16_t peerOrd{0};                //!< CONNECT_REQUEST to REJECTED: ORD as the peer said it
};

} // namespace ns3

#endif // MPA_CONNECTION_EVENT_H
