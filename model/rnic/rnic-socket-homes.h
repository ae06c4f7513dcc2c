/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_SOCKET_HOMES_H
#define RNIC_SOCKET_HOMES_H

#include "ns3/node.h"
#include "ns3/tcp-l4-protocol.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-rnic
 * @brief Where the sockets of many connections keep their endpoints, at a cost that does not grow.
 *
 * TcpL4Protocol walks a list of all its endpoints or sockets whenever one is added, removed or
 * given a port. So connections are spread over as many TcpL4Protocols as it takes for each to have
 * a few. None of them is asked to receive anything: the RNIC finds endpoints by itself.
 */
class RnicSocketHomes
{
  public:
    static constexpr uint32_t SOCKETS_PER_HOME = 64; //!< sockets that share a TcpL4Protocol

    /**
     * @param node node
     * @param down way down for IPv4
     * @param down6 way down for IPv6
     */
    void Install(Ptr<Node> node,
                 const IpL4Protocol::DownTargetCallback& down,
                 const IpL4Protocol::DownTargetCallback6& down6);

    Ptr<TcpL4Protocol> Take();           //!< @return one with room for a socket more
    void Leave(Ptr<TcpL4Protocol> home); //!< @param home that Take() returned, not needed now
    std::size_t GetHomes() const;        //!< @return TcpL4Protocols in existence
    void Dispose();                      //!< closes all sockets

  private:
    Ptr<Node> m_node;                                             //!< node
    IpL4Protocol::DownTargetCallback m_down;                      //!< way down for IPv4
    IpL4Protocol::DownTargetCallback6 m_down6;                    //!< way down for IPv6
    std::unordered_map<const TcpL4Protocol*, uint32_t> m_tenants; //!< sockets of each home
    std::vector<Ptr<TcpL4Protocol>> m_homes;                      //!< all of them
    std::vector<Ptr<TcpL4Protocol>> m_vacant;                     //!< those with room
};

} // namespace ns3

#endif // RNIC_SOCKET_HOMES_H
