/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_NETWORK_H
#define IWARP_NETWORK_H

#include "ns3/address.h"
#include "ns3/data-rate.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/queue-size.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief A network of routers, and of hosts with one link each, joined by point-to-point links.
 *
 * Routers and links come first, then hosts, then InstallRoutes(). Packets take the path of least
 * propagation delay. A link's queue is a drop-tail queue at each of its two devices; there is no
 * queue disc. Hosts have the MPA-aware TCP beside ns-3's own.
 *
 * Addresses: host j of router k has 10.k.0.0 + 4j + 2 (IPv4), or fd00:0:(k+1):j::2 (IPv6).
 */
class IwarpNetwork
{
  public:
    /// A link, the same in both directions.
    struct Link
    {
        DataRate rate{"10Gbps"};  //!< rate
        Time delay{0};            //!< propagation delay
        QueueSize queue{"1000p"}; //!< queue at each end
        uint32_t mtu{1500};       //!< largest IP datagram, octets
    };

    explicit IwarpNetwork(bool ipv6 = false); //!< @param ipv6 use IPv6 rather than IPv4
    virtual ~IwarpNetwork();
    IwarpNetwork(const IwarpNetwork&) = delete;
    IwarpNetwork& operator=(const IwarpNetwork&) = delete;

    uint32_t AddRouter(); //!< @return the new router's index, from 0

    /**
     * @brief Join two routers.
     * @param a index of a router
     * @param b index of another router
     * @param link the link
     * @return index of the link, from 0
     */
    uint32_t AddLink(uint32_t a, uint32_t b, const Link& link);

    /**
     * @brief Add a host.
     * @param router index of its router
     * @param link the link between them
     * @return index of the host, from 0
     */
    uint32_t AddHost(uint32_t router, const Link& link);

    void InstallRoutes(); //!< Compute and set all routes, once, when everything is there

    bool IsIpv6() const;                            //!< @return whether the network uses IPv6
    uint32_t GetNHosts() const;                     //!< @return hosts
    Ptr<Node> GetRouter(uint32_t i) const;          //!< @param i router @return its node
    Ptr<Node> GetHost(uint32_t i) const;            //!< @param i host @return its node
    Ptr<NetDevice> GetHostDevice(uint32_t i) const; //!< @param i host @return its device
    /// @param i link @return its devices, at router a and at router b
    NetDeviceContainer GetLinkDevices(uint32_t i) const;
    /// @param i host @return its Ipv4Address or Ipv6Address
    Address GetHostAddress(uint32_t i) const;
    /// @param i host @param port TCP port @return InetSocketAddress or Inet6SocketAddress
    Address GetHostSocketAddress(uint32_t i, uint16_t port) const;
    /// @param port TCP port @return address to listen on at any host
    Address GetAnySocketAddress(uint16_t port) const;
    /// @param a host @param b another host @return propagation delay of the path between them;
    /// after InstallRoutes()
    Time GetPathDelay(uint32_t a, uint32_t b) const;

  private:
    /// A link between routers
    struct Edge
    {
        uint32_t a;                 //!< router
        uint32_t b;                 //!< router
        Time delay;                 //!< propagation delay
        NetDeviceContainer devices; //!< at a, at b
    };

    /// A host
    struct Host
    {
        Ptr<Node> node;        //!< node
        uint32_t router;       //!< its router
        Ptr<NetDevice> device; //!< its device
        Time delay;            //!< propagation delay to its router
        Address address;       //!< its address
    };

    Ptr<Node> MakeNode() const; //!< @return a node with IP and TCP
    /// Make a link. @param a node @param b node @param link what it is @return devices
    static NetDeviceContainer Join(Ptr<Node> a, Ptr<Node> b, const Link& link);
    /// Give a device an address in a network of 30 (IPv4) or 64 bits. @param device device
    /// @param v4 IPv4 address @param v6 halves of the IPv6 address
    void Assign(Ptr<NetDevice> device, uint32_t v4, std::pair<uint64_t, uint64_t> v6) const;
    /// Route packets for the hosts of one router to it, at all others. @param target router
    void InstallRoutesTo(uint32_t target);
    /// Add a route at a router. @param at router @param via link @param target router whose hosts
    /// it leads to
    void AddRoute(uint32_t at, uint32_t via, uint32_t target);

    bool m_ipv6;                             //!< IPv6 rather than IPv4
    NodeContainer m_routers;                 //!< routers
    std::vector<Edge> m_edges;               //!< links between routers
    std::vector<Host> m_hosts;               //!< hosts
    std::vector<uint32_t> m_hostsOf;         //!< hosts of each router
    std::vector<std::vector<Time>> m_delays; //!< path delay between routers
};

} // namespace ns3

#endif // IWARP_NETWORK_H
