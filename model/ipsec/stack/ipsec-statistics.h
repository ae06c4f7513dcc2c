/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPSEC_STATISTICS_H
#define IPSEC_STATISTICS_H

#include "ipsec-association.h"
#include "ipsec-selector.h"

#include "ns3/packet.h"
#include "ns3/traced-callback.h"

#include <array>
#include <cstdint>

namespace ns3
{

/// @ingroup iwarp-ipsec
/// @brief What IPsec of a node has done.
struct IpsecCounters
{
    uint64_t sealed{0};       //!< packets protected
    uint64_t sealedOctets{0}; //!< octets of them, from the first of IP's on
    uint64_t added{0};        //!< of these, octets that protection has added
    uint64_t opened{0};       //!< packets received and found good
    /// packets dropped, by reason
    std::array<uint64_t, static_cast<std::size_t>(IpsecDrop::COUNT)> dropped{};

    /// @param drop a reason @return packets dropped for it
    uint64_t GetDropped(IpsecDrop drop) const
    {
        return dropped.at(static_cast<std::size_t>(drop));
    }
};

/**
 * @ingroup iwarp-ipsec
 * @brief Counts what IPsec of a node does, and tells its trace sources.
 */
class IpsecStatistics
{
  public:
    using SealedTrace = TracedCallback<Ptr<const Packet>, const IpsecFlow&, uint32_t>; //!< Sealed
    using DropTrace = TracedCallback<IpsecDrop, Ptr<const Packet>>;                    //!< Drop

    /// Count from 0. @param sealedTrace of packets protected @param dropTrace of packets dropped;
    /// both outlive this
    IpsecStatistics(const SealedTrace& sealedTrace, const DropTrace& dropTrace);

    /// Count and trace a packet that is dropped. @param reason why @param packet without IP header
    void Drop(IpsecDrop reason, const Ptr<const Packet>& packet);
    /// Trace a datagram that is protected. @param payload without IP header @param flow of it
    /// @param octets that go out for it
    void TraceSealed(const Ptr<const Packet>& payload,
                     const IpsecFlow& flow,
                     uint32_t octets) const;
    /// Count a packet that is protected. @param octets from the first of IP's on @param added of
    /// these, by protection
    void CountSealed(uint32_t octets, uint32_t added);
    void CountOpened(); //!< Count a packet received and found good.
    /// Tell what was done. @return counts
    const IpsecCounters& GetCounters() const;

  private:
    const SealedTrace& m_sealedTrace; //!< of packets protected
    const DropTrace& m_dropTrace;     //!< of packets dropped
    IpsecCounters m_counters;         //!< counts
};

} // namespace ns3

#endif // IPSEC_STATISTICS_H
