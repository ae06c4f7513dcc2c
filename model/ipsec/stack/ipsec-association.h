/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPSEC_ASSOCIATION_H
#define IPSEC_ASSOCIATION_H

#include "ipsec-address.h"
#include "ipsec-selector.h"

#include "ns3/esp-codec.h"
#include "ns3/esp-format.h"
#include "ns3/esp-replay-window.h"
#include "ns3/nstime.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace ns3
{

/// @ingroup iwarp-ipsec
/// @brief Why a datagram is not let through.
enum class IpsecDrop : uint8_t
{
    NONE,           //!< it is let through
    POLICY,         //!< a policy discards it, or wants it protected and it is not
    NO_ASSOCIATION, //!< no association has its SPI, or none is there yet to protect it
    TRUNCATED,      //!< too short for an ESP packet, or not aligned
    REPLAYED,       //!< received before
    TOO_OLD,        //!< left of the anti-replay window
    BAD_ICV,        //!< forged, or changed on the way
    BAD_PADDING,    //!< padding is not as RFC 4303 section 2.4 has it
    EXPIRED,        //!< the association's hard lifetime is over
    EXHAUSTED,      //!< sequence numbers are used up (RFC 4303 section 3.3.3)
    TOO_BIG,        //!< the protected datagram does not fit, and must not be fragmented
    COUNT,          //!< how many there are
};

/// @ingroup iwarp-ipsec
/// @brief Name a reason. @param drop any but COUNT @return as traces and tables show it
std::string ToString(IpsecDrop drop);

/// @ingroup iwarp-ipsec
/// @brief A bound on what an association does (RFC 4301 section 4.4.2.1). 0 bounds nothing.
struct IpsecLifetime
{
    uint64_t octets{0};  //!< that the cipher works on, padding and trailer included
    uint64_t packets{0}; //!< sent or received
    Time time;           //!< since the association was made
};

/// @ingroup iwarp-ipsec
/// @brief How far an association is in its life.
enum class IpsecAge : uint8_t
{
    VALID, //!< in use
    SOFT,  //!< in use, and its successor is due: behind the soft lifetime, or four fifths of the
           //!< sequence numbers that there were
    HARD,  //!< not to be used any more: behind the hard lifetime or the last sequence number
};

/// @ingroup iwarp-ipsec
/// @brief What an association is made of.
struct IpsecAssociationConfig
{
    uint32_t spi{0};                        //!< security parameters index, from 256
    uint64_t number{0};                     //!< see EspWork::association; IpsecStack counts them
    IpsecAddress source;                    //!< of its packets: the tunnel's ends in tunnel mode
    IpsecAddress destination;               //!< of its packets
    IpsecMode mode{IpsecMode::TRANSPORT};   //!< what is protected
    IpsecSelector selector;                 //!< inbound: what comes out of it has to be of this
    const EspTransform* transform{nullptr}; //!< cipher and integrity
    EspKeys keys;                           //!< of the sizes that the transform says
    EspCodec::Mode codec{EspCodec::Mode::MODELLED}; //!< what the octets of packets are
    bool extended{false};                           //!< sequence numbers have 64 bits
    uint64_t sequence{0};                  //!< last sequence number used: 0 for a new association
    uint32_t replayWindow{64};             //!< packets; 0: no anti-replay service
    IpsecLifetime soft;                    //!< behind it a successor is due
    IpsecLifetime hard;                    //!< behind it nothing goes through
    uint32_t tfcLength{0};                 //!< see EspEncapsulation::tfcLength
    bool udp{false};                       //!< ESP goes in UDP (RFC 3948)
    bool udpEntropy{false};                //!< the source port is GetIpsecUdpPort(), not udpSource
    uint16_t udpSource{ESP_UDP_PORT};      //!< port, if it goes in UDP
    uint16_t udpDestination{ESP_UDP_PORT}; //!< port, if it goes in UDP

    /// Check that an association can be made of it. @return what is wrong with it and what to do
    /// about it; empty if nothing is
    std::string Check() const;

    /// Find what protection makes of sizes. @return the rules of size of this association
    EspEncapsulation GetEncapsulation() const;
};

/**
 * @ingroup iwarp-ipsec
 * @brief A security association: one direction of protected traffic (RFC 4301 section 4.1), with
 * its keys, its sequence numbers, its lifetimes and what it counted.
 *
 * Outbound: Begin(), then GetCodec().Seal() or SealModelled(). Inbound: Admit(), then
 * GetCodec().Open() or OpenModelled(), then Finish().
 */
class IpsecAssociation : public std::enable_shared_from_this<IpsecAssociation>
{
  public:
    /**
     * @brief Make an association.
     * @param config what it is made of: Check() finds nothing wrong with it
     * @param now time of its making, from which lifetimes count
     */
    IpsecAssociation(const IpsecAssociationConfig& config, Time now);

    /// @return what it was made of
    const IpsecAssociationConfig& GetConfig() const;

    /// @return what enciphers and deciphers
    const EspCodec& GetCodec() const;

    /// @return what protection makes of sizes
    const EspEncapsulation& GetEncapsulation() const;

    /**
     * @brief Begin to protect a datagram: take the next sequence number and count it.
     * @param ciphered octets that the cipher will work on, EspSizes::GetCiphered()
     * @param now current time
     * @param[out] fields receives SPI and sequence number
     * @return NONE, or EXPIRED or EXHAUSTED
     */
    IpsecDrop Begin(uint32_t ciphered, Time now, EspFields& fields);

    /**
     * @brief Judge a received packet before it is authenticated.
     * @param low sequence number in the packet
     * @param now current time
     * @param[out] sequence whole sequence number
     * @return NONE, or EXPIRED, REPLAYED or TOO_OLD
     */
    IpsecDrop Admit(uint32_t low, Time now, uint64_t& sequence);

    /**
     * @brief Take a received packet that has been opened: note its sequence number and count it.
     * @param sequence as Admit() told
     * @param ciphered octets that the cipher worked on
     * @param result what the codec found
     * @param now current time
     * @return NONE, or what is wrong; REPLAYED where a packet of the same number was opened
     * meanwhile
     */
    IpsecDrop Finish(uint64_t sequence, uint32_t ciphered, EspResult result, Time now);

    /// Find how far it is in its life. @param now current time @return its age
    IpsecAge GetAge(Time now) const;

    /// @return when it last protected or received a packet; when it was made, if it never did
    Time GetLastUse() const;

    /// @return octets that the cipher worked on
    uint64_t GetOctets() const;

    /// @return packets sent, or received and found good
    uint64_t GetPackets() const;

    /// @param drop a reason @return packets dropped for it
    uint64_t GetDropped(IpsecDrop drop) const;

    /// @return highest sequence number sent or received
    uint64_t GetSequence() const;

  private:
    /// @param sequence of a received packet @return NONE, or why it may not be taken, counted
    IpsecDrop Validate(uint64_t sequence);
    /// @param drop a reason @return the same, counted
    IpsecDrop Count(IpsecDrop drop);

    IpsecAssociationConfig m_config;  //!< what it was made of
    EspEncapsulation m_encapsulation; //!< rules of size
    EspCodec m_codec;                 //!< keys
    EspReplayWindow m_window;         //!< of packets received
    Time m_made;                      //!< when it was made
    Time m_used;                      //!< last use
    uint64_t m_sequence{0};           //!< last sequence number sent
    uint64_t m_last;                  //!< last sequence number there is
    uint64_t m_ageing;                //!< sequence number from which on a successor is due
    uint64_t m_octets{0};             //!< that the cipher worked on
    uint64_t m_packets{0};            //!< good ones
    std::array<uint64_t, static_cast<std::size_t>(IpsecDrop::COUNT)> m_dropped{}; //!< by reason
};

} // namespace ns3

#endif // IPSEC_ASSOCIATION_H
