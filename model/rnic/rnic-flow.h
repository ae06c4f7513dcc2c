/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_FLOW_H
#define RNIC_FLOW_H

#include "rnic-datapath.h"
#include "rnic-retirement.h"

#include "ns3/ipv4-address.h"
#include "ns3/ipv6-address.h"
#include "ns3/mpa-offload.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace ns3
{

class Rnic;

/// @ingroup iwarp-rnic
/// @brief Addresses and ports of a connection, seen from the node. A listener has no peer.
struct RnicTuple
{
    std::array<uint64_t, 4> address{}; //!< local and peer's, IPv4 as IPv4-mapped
    uint32_t ports{0};                 //!< local, then the peer's

    RnicTuple() = default;
    /// @param local address @param localPort port @param peer address @param peerPort port
    RnicTuple(Ipv4Address local, uint16_t localPort, Ipv4Address peer, uint16_t peerPort);
    /// @param local address @param localPort port @param peer address @param peerPort port
    RnicTuple(const Ipv6Address& local,
              uint16_t localPort,
              const Ipv6Address& peer,
              uint16_t peerPort);

    /// @param other another @return true if they are equal
    bool operator==(const RnicTuple& other) const
    {
        return ports == other.ports && address == other.address;
    }

    /// Spreads tuples over a table.
    struct Hash
    {
        /// @param tuple a tuple @return its hash
        std::size_t operator()(const RnicTuple& tuple) const;
    };
};

/**
 * @ingroup iwarp-rnic
 * @brief A connection or a listener of an RNIC.
 */
class RnicFlow : public MpaOffloadFlow
{
  public:
    /// @param rnic its RNIC @param key unique among the RNIC's flows
    /// @param endPoint where its socket keeps its IPv4 endpoint @param endPoint6 IPv6 endpoint
    RnicFlow(Rnic* rnic,
             uint64_t key,
             Ipv4EndPoint* const* endPoint,
             Ipv6EndPoint* const* endPoint6);

    bool HasMemoryLimit() const override;
    uint64_t GetMemoryRoom(bool inOrder) const override;
    void Segment(const MpaSegmentReport& report,
                 uint32_t size,
                 uint64_t placed,
                 uint64_t held) override;
    Time Post(uint64_t octets) override;
    Time Complete() override;
    Time GetTimeToHost() const override;
    uint64_t GetUnretired() override;
    Time GetTimeToRetire(uint64_t octets) override;
    void SetRegion(uint64_t region) override;

    void Detach();                      //!< its socket is gone
    Ipv4EndPoint* GetEndPoint() const;  //!< @return endpoint for IPv4, nullptr if it has none
    Ipv6EndPoint* GetEndPoint6() const; //!< @return endpoint for IPv6, nullptr if it has none
    RnicTuple FindTuple() const;        //!< @return its addresses now

    uint32_t inlineOctets{0};        //!< octets to be sent that came with a doorbell
    RnicDatapath::Flow path;         //!< what the datapath remembers
    const RnicTuple* tuple{nullptr}; //!< its key in the table, while it is there
    RnicTime placedAt{0};            //!< ps, when all that was placed so far has left for the host
    RnicTime visibleAt{0};           //!< ps, when the host's CPUs see all of that
    std::unique_ptr<RnicRetirement> retirement; //!< what has not been retired, if that is counted
    uint64_t held{0};                           //!< octets that wait for the rest of their FPDU
    uint64_t region{0};                         //!< translation entry that its payload needs

  private:
    Rnic* m_rnic;                     //!< its RNIC
    Ipv4EndPoint* const* m_endPoint;  //!< its socket's; nullptr once that is gone
    Ipv6EndPoint* const* m_endPoint6; //!< its socket's; nullptr once that is gone
};

/// @ingroup iwarp-rnic
/// @brief Connections and listeners by addresses and ports.
using RnicFlowTable = std::unordered_map<RnicTuple, Ptr<RnicFlow>, RnicTuple::Hash>;

} // namespace ns3

#endif // RNIC_FLOW_H
