/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_END_POINT_SHARDS_H
#define TCP_END_POINT_SHARDS_H

#include "ns3/node.h"
#include "ns3/tcp-l4-protocol.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-tcp
 * @brief Keeps the endpoints of many connections at a cost that does not grow with their number.
 *
 * TcpL4Protocol walks a list of all its endpoints or sockets whenever one is added, removed or
 * given a port. So connections are spread over as many of them as it takes for each to have a few:
 * the shards. None of them is asked to receive anything: TcpEndPointTable finds endpoints by
 * itself.
 */
class TcpEndPointShards
{
  public:
    static constexpr uint32_t SOCKETS_PER_SHARD = 64; //!< sockets that share a TcpL4Protocol

    /**
     * @brief Get a shard with room for a socket more; a new one if there is none.
     * @param node node, for a new one
     * @param down way down for IPv4, for a new one
     * @param down6 way down for IPv6, for a new one
     * @return the shard, until Release()
     */
    Ptr<TcpL4Protocol> Acquire(Ptr<Node> node,
                               const IpL4Protocol::DownTargetCallback& down,
                               const IpL4Protocol::DownTargetCallback6& down6);
    void Release(Ptr<TcpL4Protocol> shard); //!< Give a shard back. @param shard of Acquire()

    /// List the shards. @return all in existence
    const std::vector<Ptr<TcpL4Protocol>>& GetAll() const;
    void Dispose(); //!< Close all sockets

  private:
    std::unordered_map<const TcpL4Protocol*, uint32_t> m_used; //!< sockets of each shard
    std::vector<Ptr<TcpL4Protocol>> m_shards;                  //!< all of them
    std::vector<Ptr<TcpL4Protocol>> m_vacant;                  //!< those with room
};

} // namespace ns3

#endif // TCP_END_POINT_SHARDS_H
