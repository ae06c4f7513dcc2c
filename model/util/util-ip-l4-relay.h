/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef UTIL_IP_L4_RELAY_H
#define UTIL_IP_L4_RELAY_H

#include "util-ip-traits.h"

#include "ns3/ip-l4-protocol.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-util
 * @brief An ICMP message about a datagram that this node has sent, as IP hands it to the protocol
 * of that.
 * @tparam V Ipv4Traits or Ipv6Traits
 */
template <typename V>
struct IpIcmpMessage
{
    typename V::Address source; //!< who has sent the message
    uint8_t ttl;                //!< hops left of it
    uint8_t type;               //!< its type
    uint8_t code;               //!< its code
    uint32_t info;              //!< what it says besides: an MTU, if there is one
    typename V::Address from;   //!< source of the datagram
    typename V::Address to;     //!< destination of the datagram
    const uint8_t* payload;     //!< 8 octets of the datagram behind its IP header

    /// Hand the message on. @param protocol gets it
    void HandTo(IpL4Protocol& protocol) const
    {
        protocol.ReceiveIcmp(source, ttl, type, code, info, from, to, payload);
    }
};

/**
 * @ingroup iwarp-util
 * @brief An IpL4Protocol that stands before another one, which IP would deliver to, and hands
 * everything on. A class derived from it looks at what it hides of these, one function for both
 * versions of IP: DoReceive() and DoReceiveIcmp().
 * @tparam Self the class derived from it
 * @tparam Base what it is besides, for those that ask IP for the protocol as what it is
 */
template <typename Self, typename Base = IpL4Protocol>
class IpL4Relay : public Base
{
  public:
    using RxStatus = IpL4Protocol::RxStatus;                       //!< see there
    using DownTargetCallback = IpL4Protocol::DownTargetCallback;   //!< see there
    using DownTargetCallback6 = IpL4Protocol::DownTargetCallback6; //!< see there

    /// Stand before a protocol. @param next it; nullptr if nothing is handed on
    explicit IpL4Relay(Ptr<IpL4Protocol> next = nullptr)
        : m_next(next)
    {
    }

    RxStatus Receive(Ptr<Packet> packet,
                     const Ipv4Header& header,
                     Ptr<Ipv4Interface> interface) override
    {
        return GetSelf().DoReceive(packet, header, interface);
    }

    RxStatus Receive(Ptr<Packet> packet,
                     const Ipv6Header& header,
                     Ptr<Ipv6Interface> interface) override
    {
        return GetSelf().DoReceive(packet, header, interface);
    }

    void ReceiveIcmp(Ipv4Address source,
                     uint8_t ttl,
                     uint8_t type,
                     uint8_t code,
                     uint32_t info,
                     Ipv4Address from,
                     Ipv4Address to,
                     const uint8_t payload[8]) override
    {
        GetSelf().DoReceiveIcmp(
            IpIcmpMessage<Ipv4Traits>{source, ttl, type, code, info, from, to, payload});
    }

    void ReceiveIcmp(Ipv6Address source,
                     uint8_t ttl,
                     uint8_t type,
                     uint8_t code,
                     uint32_t info,
                     Ipv6Address from,
                     Ipv6Address to,
                     const uint8_t payload[8]) override
    {
        GetSelf().DoReceiveIcmp(
            IpIcmpMessage<Ipv6Traits>{source, ttl, type, code, info, from, to, payload});
    }

    void SetDownTarget(DownTargetCallback callback) override
    {
        if (m_next)
        {
            m_next->SetDownTarget(callback);
        }
    }

    void SetDownTarget6(DownTargetCallback6 callback) override
    {
        if (m_next)
        {
            m_next->SetDownTarget6(callback);
        }
    }

    DownTargetCallback GetDownTarget() const override
    {
        return m_next ? m_next->GetDownTarget() : DownTargetCallback();
    }

    DownTargetCallback6 GetDownTarget6() const override
    {
        return m_next ? m_next->GetDownTarget6() : DownTargetCallback6();
    }

  protected:
    void DoDispose() override
    {
        m_next = nullptr;
        Base::DoDispose();
    }

    /// A datagram has come in. @param packet behind its IP header @param header of IP
    /// @param interface where it came in @return status
    template <typename H, typename I>
    RxStatus DoReceive(const Ptr<Packet>& packet, const H& header, const Ptr<I>& interface)
    {
        return m_next->Receive(packet, header, interface);
    }

    /// ICMP tells of a datagram. @param message what it says
    template <typename V>
    void DoReceiveIcmp(const IpIcmpMessage<V>& message)
    {
        message.HandTo(*m_next);
    }

    Ptr<IpL4Protocol> m_next; //!< before which this stands, or nullptr

  private:
    /// @return this as what it is
    Self& GetSelf()
    {
        return static_cast<Self&>(*this);
    }
};

} // namespace ns3

#endif // UTIL_IP_L4_RELAY_H
