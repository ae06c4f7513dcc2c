/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_NEGOTIATION_H
#define MPA_NEGOTIATION_H

#include "mpa-enhanced.h"
#include "mpa-startup-frame.h"

#include <cstddef>
#include <cstdint>

namespace ns3
{

/// @ingroup iwarp-mpa
/// @brief Who sends the Request; independent of who sent the TCP SYN (RFC 5044 section 7.1).
enum class MpaRole : uint8_t
{
    INITIATOR,
    RESPONDER,
};

/// @ingroup iwarp-mpa
/// @brief Kinds of RNIC in the sense of RFC 5044 Appendix C.
enum class MpaPersonality : uint8_t
{
    IETF,       //!< non-permissive IETF RNIC: revision 1 (or 2) only
    PERMISSIVE, //!< permissive IETF RNIC: falls back to revision 0 for an RDMAC peer
    RDMAC,      //!< RDMA Consortium RNIC with a frame agent: revision 0, Markers and CRC on
    LINUX,      //!< IETF RNIC that asks for no Markers, as Linux's siw, cxgb4 and irdma do
};

/// @ingroup iwarp-mpa
/// @brief What an endpoint wants from startup.
struct MpaStartupConfig
{
    MpaRole role{MpaRole::INITIATOR};                 //!< role
    MpaPersonality personality{MpaPersonality::IETF}; //!< kind of RNIC
    bool markers{true};  //!< M: Markers wanted in what this end receives
    bool crc{true};      //!< C: CRC wanted
    bool echoCrc{true};  //!< a Reply to C=1 has C=1: CRC is in force then, wanted or not
    uint8_t revision{1}; //!< highest revision this end speaks, 1 or 2
    std::size_t privateDataLimit{
        MpaStartupFrame::MAX_PRIVATE_DATA}; //!< octets the ULP's buffer takes
    bool closeOnReject{false}; //!< an Initiator closes TCP on R=1 (7.1.4.2), not leaves it open
    /**
     * A Responder sends nothing before it has validated an FPDU (7.1.2 rule 4), and an Initiator
     * takes octets right behind an accepting Reply for a wrong PD_Length. Without it, they are
     * FPDUs that the Initiator's receiver has to cope with.
     */
    bool waitForFirstFpdu{true};
    MpaEnhancedConfig enhanced; //!< for revision 2 (RFC 6581)
};

/// @ingroup iwarp-mpa
/// @brief What startup has settled.
struct MpaStartupResult
{
    uint8_t version{1};         //!< protocol version to report to DDP: 1, or 0 with an RDMAC peer
    uint8_t peerRevision{1};    //!< Rev of the peer's frame
    bool txMarkers{false};      //!< Markers in what this end sends
    bool rxMarkers{false};      //!< Markers in what this end receives
    bool crc{true};             //!< CRC generated and checked in both directions
    MpaEnhancedResult enhanced; //!< IRD, ORD and ready-to-receive indication (RFC 6581)
};

/// @ingroup iwarp-mpa
/// @brief What to do about the Rev field of the peer's frame.
enum class MpaRevisionVerdict : uint8_t
{
    USABLE,      //!< go on
    CLOSE,       //!< close gracefully, send nothing
    REPLY_CLOSE, //!< send a Reply with the own Rev, then close gracefully (C.2.1)
};

/**
 * @ingroup iwarp-mpa
 * @brief Judge the Rev field of a received frame (RFC 5044 section 7.1.1 and Appendix C).
 * @param config what this end wants
 * @param revision Rev of the peer's frame
 * @return what to do
 */
MpaRevisionVerdict MpaCheckRevision(const MpaStartupConfig& config, uint8_t revision);

/**
 * @ingroup iwarp-mpa
 * @brief The Request that an Initiator sends, without the ULP's Private Data.
 *
 * Revision 2 goes with the enhanced word; an Initiator that does not want it sends revision 1.
 * @param config what the Initiator wants
 * @return the frame
 */
MpaStartupFrame MpaMakeRequest(const MpaStartupConfig& config);

/**
 * @ingroup iwarp-mpa
 * @brief The accepting Reply that a Responder sends, without any Private Data.
 *
 * It is in the Initiator's revision, enhanced if the Request is.
 * A permissive RNIC answers revision 0 with what an RDMAC RNIC would send (C.2.4), whatever it
 * would like for itself. C says what is in force if MpaStartupConfig::echoCrc is set, else what
 * this end prefers (section 7.1.1): the two frames settle the same either way.
 * @param config what the Responder wants
 * @param request the Initiator's frame
 * @return the frame
 */
MpaStartupFrame MpaMakeReply(const MpaStartupConfig& config, const MpaStartupFrame& request);

/**
 * @ingroup iwarp-mpa
 * @brief What the two frames together say; both ends come to the same, each seen from its side.
 * @param role the side that asks
 * @param request the Initiator's frame
 * @param reply the Responder's frame
 * @return Markers in each direction, CRC and version
 */
MpaStartupResult MpaNegotiate(MpaRole role,
                              const MpaStartupFrame& request,
                              const MpaStartupFrame& reply);

} // namespace ns3

#endif // MPA_NEGOTIATION_H
