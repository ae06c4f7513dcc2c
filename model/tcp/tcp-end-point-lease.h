/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_END_POINT_LEASE_H
#define TCP_END_POINT_LEASE_H

#include "tcp-end-point-table.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-tcp
 * @brief What one socket has of its node's TcpEndPointTable; given back when the socket goes.
 */
class TcpEndPointLease
{
  public:
    TcpEndPointLease() = default;
    ~TcpEndPointLease();
    TcpEndPointLease(const TcpEndPointLease&) = delete;
    TcpEndPointLease& operator=(const TcpEndPointLease&) = delete;

    void SetTable(Ptr<TcpEndPointTable> table); //!< Name the table. @param table table, or nullptr
    /// Get the table that was named. @return table, nullptr if there is none
    const Ptr<TcpEndPointTable>& GetTable() const;

    /// Get a place for the endpoint. @return shard; nullptr without a table, or if it has one
    /// already
    Ptr<TcpL4Protocol> AcquireShard();

    /// Choose an ephemeral port, once. @param ipv6 for IPv6 @return port; 0 without a table, if
    /// there is none left, or if it has one already
    uint16_t AcquirePort(bool ipv6);

    /// Enter the connection, in place of what was entered before; nothing without a table.
    /// @param owner the socket @param listening it listens
    void Enter(TcpConnection::Owner& owner, bool listening);

    /// Find what keeps the socket's segments from being fragmented. @return it; nullptr if they may
    /// be, or without a table
    TcpDontFragment* GetDontFragment() const
    {
        return m_table ? m_table->GetDontFragment() : nullptr;
    }

    /// Get what was entered into the table. @return the connection, nullptr before Enter()
    TcpConnection* GetConnection() const
    {
        return PeekPointer(m_connection);
    }

  private:
    Ptr<TcpEndPointTable> m_table;   //!< table, or none
    Ptr<TcpConnection> m_connection; //!< the connection there, or none
    Ptr<TcpL4Protocol> m_shard;      //!< shard, or none
    uint16_t m_port{0};              //!< ephemeral port, or 0
    bool m_portIpv6{false};          //!< that is one of IPv6
};

} // namespace ns3

#endif // TCP_END_POINT_LEASE_H
