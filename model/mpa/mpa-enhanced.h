/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_ENHANCED_H
#define MPA_ENHANCED_H

#include "mpa-error.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-mpa
/// @brief Ready-to-receive indications: what an Initiator sends first (RFC 6581 section 9.2).
enum class MpaRtr : uint8_t
{
    NONE,  //!< nothing of its own; the first ordinary FPDU serves
    SEND,  //!< Send without payload
    WRITE, //!< RDMA Write without payload
    READ,  //!< RDMA Read of no octets
};

/// @ingroup iwarp-mpa
/// @brief Some kinds of ready-to-receive indication.
struct MpaRtrSet
{
    bool send{false};  //!< flag B
    bool write{false}; //!< flag C
    bool read{false};  //!< flag D

    /// Tell whether the set is empty. @return true if there is none
    bool Empty() const;

    /**
     * @brief Find the kinds that two sets share.
     * @param other another set
     * @return the kinds that are in both
     */
    MpaRtrSet Common(const MpaRtrSet& other) const;
};

/// @ingroup iwarp-mpa
/// @brief A kind of ready-to-receive indication, as users choose it.
struct MpaRtrKind
{
    const char* name;      //!< its name
    bool MpaRtrSet::*flag; //!< its place in a set
    const char* help;      //!< what it is, for people
};

/// @ingroup iwarp-mpa
/// @brief List the kinds of ready-to-receive indication. @return all of them
const std::vector<MpaRtrKind>& MpaRtrKinds();

/**
 * @ingroup iwarp-mpa
 * @brief The four octets of RFC 6581 section 9 that open the Private Data of an enhanced frame.
 *
 * The codec keeps what is on the wire; it is the negotiation that clears or ignores flags.
 */
struct MpaEnhancedWord
{
    static constexpr std::size_t SIZE = 4;            //!< octets
    static constexpr uint16_t UNSPECIFIED = 0x3FFF;   //!< IRD or ORD that the ULP sees to
    static constexpr uint16_t LARGEST_DEPTH = 0x3FFE; //!< largest IRD or ORD

    bool peerToPeer{false}; //!< A: peer-to-peer rather than client-server model
    MpaRtrSet rtr;          //!< B, C, D
    uint16_t ird{0};        //!< IRD, 14 bits
    uint16_t ord{0};        //!< ORD, 14 bits

    /// Write the word as it stands on the wire. @param out receives SIZE octets
    void Encode(uint8_t* out) const;

    /// Read a word from the wire. @param data SIZE octets @return what they say
    static MpaEnhancedWord Decode(const uint8_t* data);
};

/// @ingroup iwarp-mpa
/// @brief What an endpoint wants from enhanced connection establishment.
struct MpaEnhancedConfig
{
    bool wanted{true};      //!< an Initiator of revision 2 asks for it; a Responder always answers
    uint16_t ird{16};       //!< inbound reads to be ready for, or UNSPECIFIED
    uint16_t maxIrd{128};   //!< inbound reads for which there are resources
    uint16_t ord{16};       //!< outbound reads wanted, or UNSPECIFIED
    uint16_t minOrd{0};     //!< a Responder cannot do with fewer outbound reads than these
    bool peerToPeer{false}; //!< an Initiator asks for the peer-to-peer model
    MpaRtrSet rtr{false, true, true}; //!< kinds that this end can send and take; at least one
    bool strictIrd{
        false}; //!< fewer reads at the Responder than the Initiator asked for are an error
};

/// @ingroup iwarp-mpa
/// @brief What enhanced connection establishment has settled.
struct MpaEnhancedResult
{
    bool used{false}; //!< both frames were enhanced; if not, ird and ord are as configured
    uint16_t ird{0};  //!< inbound reads to be ready for; UNSPECIFIED if the ULP sees to it
    uint16_t ord{0};  //!< outbound reads allowed at a time; UNSPECIFIED if the ULP sees to it
    uint16_t peerIrd{MpaEnhancedWord::UNSPECIFIED}; //!< IRD as the peer said it, for the ULP
    uint16_t peerOrd{MpaEnhancedWord::UNSPECIFIED}; //!< ORD as the peer said it, for the ULP
    bool peerToPeer{false};         //!< the Initiator sends an indication before anything else
    MpaRtrSet rtrKinds;             //!< kinds in both frames, what a Responder has to expect
    MpaRtr rtr{MpaRtr::NONE};       //!< Initiator: the indication to send
    MpaError error{MpaError::NONE}; //!< why there can be no connection
};

/**
 * @ingroup iwarp-mpa
 * @brief Reasons why a configuration cannot work.
 * @param config what an endpoint wants
 * @return nullptr if it can, else what to change, for people
 */
const char* MpaCheckEnhanced(const MpaEnhancedConfig& config);

/**
 * @ingroup iwarp-mpa
 * @brief The word in an Initiator's Request.
 * @param config what the Initiator wants
 * @return the word
 */
MpaEnhancedWord MpaMakeOffer(const MpaEnhancedConfig& config);

/**
 * @ingroup iwarp-mpa
 * @brief A Responder's answer to an Initiator's word (RFC 6581 sections 9.1 and 9.2).
 *
 * The IRD follows the Initiator's ORD upwards as far as there are resources, the ORD stays within
 * the Initiator's IRD, and the kinds of indication that this end has are listed. Send is left out
 * if another kind will do (section 9.2 allows it): it takes a receive buffer, and where it is
 * listed alone the Responder knows that the first Send is the indication, and gives it one of its
 * own.
 * @param config what the Responder wants
 * @param offer the Initiator's word
 * @param [out] answer the word for the Reply, or for a Reject if the result has an error
 * @return what is settled at the Responder
 */
MpaEnhancedResult MpaMakeAnswer(const MpaEnhancedConfig& config,
                                const MpaEnhancedWord& offer,
                                MpaEnhancedWord& answer);

/**
 * @ingroup iwarp-mpa
 * @brief What an Initiator makes of an accepting answer (RFC 6581 sections 9.1 to 9.3).
 * @param config what the Initiator wants
 * @param answer the Responder's word
 * @return what is settled at the Initiator; with an error, that of the Terminate to send
 */
MpaEnhancedResult MpaProcessAnswer(const MpaEnhancedConfig& config, const MpaEnhancedWord& answer);

} // namespace ns3

#endif // MPA_ENHANCED_H
