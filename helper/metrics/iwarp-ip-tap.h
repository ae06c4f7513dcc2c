/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_IP_TAP_H
#define IWARP_IP_TAP_H

#include "ns3/ipsec-selector.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/simple-ref-count.h"

#include <array>
#include <cstdint>
#include <unordered_map>

namespace ns3
{

struct RoceHead;

namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief Counts the TCP and RoCE traffic that a host sends, at its IP. Each pair of ports is a
 * connection.
 *
 * The same for any TCP, so that different ones can be compared. Where the host has IPsec, it has to
 * have it before Attach().
 */
class IpTap : public SimpleRefCount<IpTap>
{
  public:
    /// Octets of UDP's header and of a RoCE packet's, or of TCP's
    static constexpr uint32_t HEAD = 36;

    /// Leave out TCP segments from or to some ports, those of other traffic. @param first port
    /// @param behind the first one that counts again; ephemeral ports count in any case
    void LeaveOut(uint16_t first, uint16_t behind);

    /// Begin to count at a host. @param node host, with IPv4 or IPv6 or both
    void Attach(Ptr<Node> node);

    uint64_t GetSegments() const; //!< Count the data segments. @return segments with payload
    /// Sum up the datagrams of both, headers included. @return octets of IP
    uint64_t GetOctets() const;
    uint64_t GetRetransmitted() const; //!< Sum up what was sent again. @return octets of payload

  private:
    /// A datagram, or a fragment of one
    struct Datagram
    {
        uint8_t protocol{0}; //!< of the payload
        uint32_t headers{0}; //!< octets in front of it
        uint32_t payload{0}; //!< octets of it that are here
        uint32_t offset{0};  //!< octets of it in front of those
        bool last{true};     //!< none follow
    };

    void Tx4(Ptr<const Packet> packet, Ptr<Ipv4> ip, uint32_t interface); //!< Ipv4's Tx
    void Tx6(Ptr<const Packet> packet, Ptr<Ipv6> ip, uint32_t interface); //!< Ipv6's Tx
    /// @param datagram what goes out @param payload its first octets, at least HEAD to be read
    void Process(const Datagram& datagram, const uint8_t* payload);
    /// IpsecStack's Sealed. @param payload that is protected @param flow of it @param octets that
    /// go out
    void Sealed(Ptr<const Packet> payload, const IpsecFlow& flow, uint32_t octets);
    /// @param tcp its header @return whether a TCP segment is one that is left out
    bool IsLeftOut(const uint8_t* tcp) const;
    /// Count a TCP segment. @param tcp its header @param size octets of header and payload
    void Count(const uint8_t* tcp, uint32_t size);
    /// Count a RoCE packet. @param head its header @param udp that of the datagram it is in
    /// @param size octets of that
    void CountRoce(const RoceHead& head, const uint8_t* udp, uint32_t size);

    std::array<uint8_t, HEAD> m_head{}; //!< first octets of a datagram whose fragments go out
    uint16_t m_asideFirst{0};           //!< first port that is left out
    uint16_t m_asideBehind{0};          //!< the one behind the last
    uint64_t m_segments{0};             //!< see GetSegments()
    uint64_t m_octets{0};               //!< see GetOctets()
    uint64_t m_retransmitted{0};        //!< see GetRetransmitted()
    /// Sequence number behind all that was sent, by both ports
    std::unordered_map<uint32_t, uint32_t> m_next;
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_IP_TAP_H
