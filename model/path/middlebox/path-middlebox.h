/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_MIDDLEBOX_H
#define PATH_MIDDLEBOX_H

#include "ns3/address.h"
#include "ns3/net-device.h"
#include "ns3/object.h"
#include "ns3/packet.h"
#include "ns3/path-direction.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup iwarp-path
 * @brief Base class of a box in the middle of a link, which sees every packet that crosses it.
 *
 * It has two ports, A and B. A packet that comes in at one of them is given to Pass(), which
 * decides what goes out at the other by calling Forward() once, not at all, or several times, at
 * once or later. IP does not see the box: it has no addresses, decrements no TTL and answers no
 * ICMP unless a subclass does.
 *
 * A kind of middlebox is a subclass with attributes of its own, registered with ns-3 and named
 * Path...Middlebox. IwarpNetwork::InsertMiddlebox() puts one into a link.
 */
class PathMiddlebox : public Object
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    PathMiddlebox();
    ~PathMiddlebox() override;

    /**
     * @brief Take two devices of a node as ports; once. The node then holds the box.
     *
     * A port is a PointToPointNetDevice, or any device that can send frames from addresses of
     * others as a bridge does (NetDevice::SupportsSendFrom()), such as those of CSMA and
     * SimpleNetDevice: frames keep the link-layer addresses with which they came.
     *
     * @param a device of port A, which IP does not know
     * @param b device of port B, of the same node
     */
    void Install(Ptr<NetDevice> a, Ptr<NetDevice> b);

    /**
     * @brief Fix the random streams.
     * @param stream first stream number
     * @return number of streams used: 0 unless a subclass draws random numbers
     */
    virtual int64_t AssignStreams(int64_t stream);

    /**
     * @brief Tell whether packets pass as if this were not there.
     * @return "" if they do not, or a subclass does not say; else the attribute that above all
     * would have them changed
     */
    virtual std::string GetIdleAttribute() const;

  protected:
    void DoDispose() override;

    /**
     * @brief Decide what becomes of a packet.
     * @param packet the datagram, its IP header first, for this box alone: it may change it and
     * pass it on
     * @param protocol EtherType: 0x0800 for IPv4, 0x86DD for IPv6
     * @param direction of the packet
     */
    virtual void Pass(Ptr<Packet> packet, uint16_t protocol, PathDirection direction) = 0;

    /**
     * @brief Send a packet on.
     * @param packet datagram, its IP header first, no larger than the MTU of the port. It is the
     * one that came, a copy or a fragment of it, so that its link-layer addresses are known;
     * another goes to all of the link
     * @param protocol EtherType
     * @param direction PathDirection::A_TO_B sends at port B
     * @return false if the port's queue drops it
     */
    bool Forward(Ptr<Packet> packet, uint16_t protocol, PathDirection direction);

    /// Get the MTU where packets leave. @param direction of packets @return octets
    uint16_t GetMtu(PathDirection direction) const;

  private:
    /// @param direction of packets @return port where they leave
    const Ptr<NetDevice>& GetPort(PathDirection direction) const;
    /// A packet comes in. @param device port @param packet packet @param protocol EtherType
    /// @param from link-layer address @param to link-layer address
    void Receive(Ptr<NetDevice> device,
                 Ptr<const Packet> packet,
                 uint16_t protocol,
                 const Address& from,
                 const Address& to,
                 NetDevice::PacketType);

    Ptr<NetDevice> m_a; //!< port A
    Ptr<NetDevice> m_b; //!< port B
};

} // namespace ns3

#endif // PATH_MIDDLEBOX_H
