/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_RECOVERY_OF_H
#define TCP_RECOVERY_OF_H

#include "ns3/ns3-compat.h"
#include "ns3/tcp-recovery-ops.h"

#include <cstdint>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-tcp
 * @brief A recovery of ns-3 whose DoRecovery() is Recover(), which has the arguments of ns-3 3.43
 * and later in all releases.
 * @tparam Base a TcpRecoveryOps
 */
template <typename Base, bool SINCE_3_43 = TCP_SINCE_3_43>
class RecoveryOf : public Base
{
  public:
    /// As TcpRecoveryOps. @param state of the socket @param delivered octets @param isDupAck of
    /// this ACK
    void DoRecovery(Ptr<TcpSocketState> state, uint32_t delivered, bool isDupAck) override
    {
        Recover(state, delivered, isDupAck);
    }

  protected:
    /// As Base. @param state of the socket @param delivered octets @param isDupAck of this ACK
    virtual void Recover(Ptr<TcpSocketState> state, uint32_t delivered, bool isDupAck)
    {
        Base::DoRecovery(state, delivered, isDupAck);
    }
};

/// Before 3.43
template <typename Base>
class RecoveryOf<Base, false> : public Base
{
  public:
    /// As TcpRecoveryOps. @param state of the socket @param delivered octets
    void DoRecovery(Ptr<TcpSocketState> state, uint32_t delivered) override
    {
        Recover(state, delivered, false);
    }

  protected:
    /// As Base. @param state of the socket @param delivered octets
    virtual void Recover(Ptr<TcpSocketState> state, uint32_t delivered, bool /* isDupAck */)
    {
        Base::DoRecovery(state, delivered);
    }
};

} // namespace iwarp
} // namespace ns3

#endif // TCP_RECOVERY_OF_H
