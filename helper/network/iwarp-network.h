/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_NETWORK_H
#define IWARP_NETWORK_H

#include "iwarp-address-plan.h"
#include "iwarp-shortest-paths.h"

#include "ns3/address.h"
#include "ns3/data-rate.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/path-direction.h"
#include "ns3/path-framing.h"
#include "ns3/path-ip-input.h"
#include "ns3/path-pause.h"
#include "ns3/queue-size.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

class LogComponent;
class PathImpairment;
class PathMiddlebox;
class QueueDisc;
struct PathLinkChange;

/**
 * @ingroup iwarp-helper
 * @brief A network of routers, and of hosts with one link each, to a router or to another host.
 *
 * A datagram takes a link for as long as an Ethernet frame does, unless the link says otherwise;
 * pcap files at devices show PPP all the same.
 *
 * Routers and links come first, then hosts, then InstallRoutes(). Packets take the path of least
 * propagation delay and, among such, of fewest links; several such paths share the flows: each
 * router picks the next one by a hash of the flow, so that packets of a flow stay in order. A
 * link's queue is a drop-tail queue at each of its two devices or, where the link says so, a queue
 * disc in front of a device that holds one packet more. Where a link has priorities, pauses or a
 * router's shared memory, that is a PathPriorityQueueDisc with such a disc for each priority, a
 * FIFO if the link names none. Hosts have the MPA-aware TCP beside ns-3's
 * own.
 *
 * Middleboxes and impairments can stand on every link, those of hosts included.
 *
 * In a run of several ranks (ns3::ranks) routers take turns: router k, its hosts and the
 * middleboxes at end A of its links are of rank k modulo their number. Applications go on the
 * rank's own nodes.
 *
 * Addresses: host j of router k has 10.k.0.0 + 4j + 2 (IPv4), or fd00:0:(k+1):j::2 (IPv6), where k
 * counts, in a network of more than 256 routers, only those with hosts; the hosts of pair j without
 * a router have 192.168.0.0 + 4j + 1 and + 2, or fd00:0:101:j::1 and ::2.
 */
class IwarpNetwork
{
  public:
    static constexpr uint32_t MAX_ROUTERS = 4096;                      //!< most routers
    static constexpr uint32_t MAX_PLACES = iwarp::AddressPlan::PLACES; //!< most that have hosts

    /// A link, the same in both directions.
    struct Link
    {
        DataRate rate{"10Gbps"};                    //!< rate
        Time delay{0};                              //!< propagation delay
        QueueSize queue{"1000p"};                   //!< queue at each end without a queue disc
        uint32_t mtu{1500};                         //!< largest IP datagram, octets
        PathFraming framing{PathFraming::ETHERNET}; //!< what a datagram costs
        /// Makes the queue disc at each end, a QueueDisc with its MaxSize; none if it has no type
        ObjectFactory queueDisc{};
        /// When routers have the other end of the link pause
        PathPause::Thresholds pause{};
        /// Reckon pause.headroom by GetPauseHeadroom()
        bool hasAutoHeadroom{false};
        PathPriorities priorities{}; //!< of the queues at each end
        /// Memory of a router with this link; all its links, or the first of them, say the same
        PathBuffer::Settings buffer{};
    };

    /// A link in one direction.
    struct Hop
    {
        uint32_t link;           //!< index of the link
        PathDirection direction; //!< direction
    };

    /// Look at a propagation delay. @param delay it @return "", or what is wrong with it: below 0 s
    /// or above 1,000,000 s, of which even the longest path can have many
    static std::string CheckDelay(Time delay);

    /// Look at a link. @param link it @param ipv6 whether it is to carry IPv6 @return "", or what
    /// is wrong with it, in one line
    static std::string CheckLink(const Link& link, bool ipv6);

    /// Make an empty network. @param ipv6 use IPv6 rather than IPv4
    explicit IwarpNetwork(bool ipv6 = false);
    ~IwarpNetwork();
    IwarpNetwork(const IwarpNetwork&) = delete;
    IwarpNetwork& operator=(const IwarpNetwork&) = delete;

    /// Have cables of links that come longer than their delays say, by which paths are still chosen
    /// and told. @param more gives, once for each link, propagation delay on top of its own
    void LengthenCables(std::function<Time()> more);

    uint32_t AddRouter(); //!< Add a router. @return its index, from 0

    /**
     * @brief Join two routers. Two routers may have several links.
     * @param a index of a router, the link's end A
     * @param b index of another router, the link's end B
     * @param link the link
     * @return index of the link, from 0 over all links, those of hosts included
     */
    uint32_t AddLink(uint32_t a, uint32_t b, const Link& link);

    /**
     * @brief Add a host and its link, whose end A is the router and whose end B is the host.
     * @param router index of its router
     * @param link the link between them
     * @return index of the host, from 0
     */
    uint32_t AddHost(uint32_t router, const Link& link);

    /**
     * @brief Add two hosts and the link that joins them, without a router.
     * @param link the link between them
     * @return index of the host at the link's end A; that at its end B comes next
     */
    uint32_t AddHosts(const Link& link);

    /// Tell for how long routers had the other ends of their links pause. @return time, those of
    /// all directions of links added
    Time GetPaused() const;
    /// Tell for how long an end of a link paused, any priority. @param link index @param end 0 for
    /// A, 1 for B @return time
    Time GetPaused(uint32_t link, uint32_t end) const;
    /// Get the memories of routers whose links have pauses or share memory. @return one for each
    /// router, nullptr for others; maybe none for the last routers
    const std::vector<Ptr<PathPause>>& GetMemories() const;

    /// Tell whether all links that were asked for can be; one that cannot is there as Link{} is.
    /// @return "", or what is wrong with the first that cannot
    const std::string& GetProblem() const;

    /// Have a host's adapter give datagrams without a DSCP one, by which queues of links with
    /// priorities choose. @param host its index @param dscp 1 to 63, or 0 for none
    void SetDscp(uint32_t host, uint8_t dscp);

    /// Have all nodes that are there give what they send by IPv6 flow labels, those of what is in
    /// it to what goes into tunnels (Ipv6FlowLabels)
    void UseFlowLabels();

    /// Compute and set all routes, once, when everything is there; NS_ABORT with a GetProblem()
    void InstallRoutes();

    /**
     * @brief Put a middlebox into a link: a node that IP does not see, with a device towards each
     * end.
     *
     * The two halves of the link have its rate, queue and MTU, and half its delay each, so that a
     * packet is sent once more. A further middlebox of the same link stands between the last one
     * and end B.
     * @param link index of the link
     * @param middlebox not yet installed; its port A is towards the link's end A
     * @return the middlebox's node: device 0 is port A, device 1 port B
     */
    Ptr<Node> InsertMiddlebox(uint32_t link, Ptr<PathMiddlebox> middlebox);

    /**
     * @brief Put an impairment on a link in one direction, where its packets arrive, behind the
     * impairments that are there.
     * @param link index of the link
     * @param direction packets that it concerns
     * @param impairment not yet installed
     */
    void Impair(uint32_t link, PathDirection direction, Ptr<PathImpairment> impairment);

    /**
     * @brief Have a link change while packets cross it.
     *
     * Routes stay as they are. From now on GetLink() tells the greatest rate that it will have.
     * Rates and MTUs are those of middleboxes' ports, too, and parts with boxes between share the
     * delay alike.
     * @param link index of the link
     * @param changes what happens when, from now on
     */
    void ScheduleChanges(uint32_t link, const std::vector<PathLinkChange>& changes);

    /**
     * @brief Fix the random streams of impairments, then of middleboxes, each in the order in which
     * they were put there, then of queue discs.
     * @param stream first stream number
     * @return number of streams used
     */
    int64_t AssignStreams(int64_t stream);

    bool IsIpv6() const;          //!< Tell the version of IP. @return whether it is IPv6
    uint32_t GetNRouters() const; //!< Count the routers. @return how many
    uint32_t GetNHosts() const;   //!< Count the hosts. @return how many
    uint32_t GetNLinks() const;   //!< Count the links, those of hosts included. @return how many
    Ptr<Node> GetRouter(uint32_t i) const; //!< Get a router. @param i its index @return its node
    Ptr<Node> GetHost(uint32_t i) const;   //!< Get a host. @param i its index @return its node
    /// Get a host's device. @param i index of the host @return its device
    Ptr<NetDevice> GetHostDevice(uint32_t i) const;
    /// Get a host's link. @param i index of the host @return index of the link
    uint32_t GetHostLink(uint32_t i) const;
    /// Get what a link is. @param i index of the link @return it
    const Link& GetLink(uint32_t i) const;
    /// Get the ends of a link. @param i index of the link @return its devices, at end A and end B
    NetDeviceContainer GetLinkDevices(uint32_t i) const;
    /// Get the queue disc at an end of a link. @param device of the link @return it, or nullptr
    static Ptr<QueueDisc> GetQueueDisc(Ptr<NetDevice> device);
    /// Get a host's address. @param i index of the host @return its Ipv4Address or Ipv6Address
    Address GetHostAddress(uint32_t i) const;
    /// Get the address of a port at a host. @param i index of the host @param port TCP port
    /// @return InetSocketAddress or Inet6SocketAddress
    Address GetHostSocketAddress(uint32_t i, uint16_t port) const;
    /// Get an address to listen on at any host. @param port TCP port @return the address
    Address GetAnySocketAddress(uint16_t port) const;
    /// Count the routers that a packet crosses, after InstallRoutes(). @param a host @param b
    /// another host, to which there is a path @return routers on each shortest path between them
    uint32_t CountRouters(uint32_t a, uint32_t b) const;
    /// Tell how far two hosts are apart, after InstallRoutes(). @param a host @param b another host
    /// @return propagation delay of the path between them, Time::Max() if there is none
    Time GetPathDelay(uint32_t a, uint32_t b) const;
    /**
     * @brief List the links that packets between two hosts may take, after InstallRoutes().
     * @param from index of a host
     * @param to index of another host
     * @return links with the packets' direction: first that of the host from, last that of the host
     *         to, between them all of all shortest paths, none twice; empty if there is no path
     */
    std::vector<Hop> GetPath(uint32_t from, uint32_t to) const;

    /// What the paths between hosts of the same two routers have in common
    struct Route
    {
        bool divides{false};      //!< a router of it has several next hops
        std::vector<Hop> between; //!< GetPath() without the links of the hosts
    };

    /// Find what a path has in common with others, after InstallRoutes(). @param from index of a
    /// host @param to index of another host, to which there is a path @return it: the same object
    /// for all such pairs of hosts, there as long as the network
    const Route& GetRoute(uint32_t from, uint32_t to) const;
    /// Get a host's link as its packets take it. @param host its index @param sent those it sends,
    /// or else those that come @return link with the packets' direction
    Hop GetHostHop(uint32_t host, bool sent) const;

  private:
    /// A link
    struct Cable
    {
        NetDeviceContainer devices; //!< at ends A and B
        Link link;                  //!< what it is
    };

    /// A host
    struct Host
    {
        Ptr<Node> node;  //!< node
        uint32_t router; //!< its router, or NONE
        uint32_t link;   //!< its link
        Address address; //!< its address
        bool isA{false}; //!< it is the link's end A
    };

    static constexpr uint32_t NONE = 0xFFFFFFFF; //!< no router, no place

    /// Walk the links between two routers. @param from router @param to router of hosts, reachable
    /// @return all of all shortest paths, in the order of packets
    Route Walk(uint32_t from, uint32_t to) const;

    /// Look at a link, and keep what is wrong. @param link asked for @return it, or Link{}
    const Link& Accept(const Link& link);
    Link Lengthen(const Link& link) const; //!< @param link it @return it with its cable's delay
    /// @param router or host @param place number in the turn of ranks @return a node with IP and
    /// TCP
    Ptr<Node> MakeNode(bool router, uint32_t place) const;
    /// Make a link. @param a node @param b node @param link what it is @return devices
    NetDeviceContainer Join(Ptr<Node> a, Ptr<Node> b, const Link& link) const;
    /// Have a router's memory hold what waits at an end of a link, and pause the other end, if the
    /// link says so. @param router its index
    /// @param devices of the link @param end the router's @param link what it is
    void Control(uint32_t router,
                 const NetDeviceContainer& devices,
                 uint32_t end,
                 const Link& link);
    /// Give a device its address. @param device device @param address addresses, one is taken
    void Assign(Ptr<NetDevice> device, const iwarp::AddressPlan::Pair& address) const;
    /// Give a router's device its address, and what it receives to IP. @param router its index
    /// @param device device @param address addresses, one is taken
    void AssignRouter(uint32_t router,
                      const Ptr<NetDevice>& device,
                      const iwarp::AddressPlan::Pair& address);
    /// Enter a host, whose link is the next to be listed. @param node it @param router its router
    /// or NONE @param address its address @param gateway where it sends to
    void Enter(Ptr<Node> node,
               uint32_t router,
               const iwarp::AddressPlan::Pair& address,
               const iwarp::AddressPlan::Pair& gateway);
    /// Tell whether there is a path. @param from host @param to host @return whether there is
    bool IsJoined(const Host& from, const Host& to) const;
    /// Add a route at a router. @param at router @param via number of the link between routers
    /// @param target router whose hosts it leads to @param several it is one of several next hops
    void AddRoute(uint32_t at, uint32_t via, uint32_t target, bool several);
    /// Add the route from a router to a host of its own. @param router its index @param device of
    /// the router on the host's link @param address of the host
    void AddHostRoute(uint32_t router,
                      const Ptr<NetDevice>& device,
                      const iwarp::AddressPlan::Pair& address);
    /// Route differently at each router and in each run. @param router whose hash gets its seed
    void SetHashSeed(uint32_t router);

    bool m_ipv6;                                         //!< IPv6 rather than IPv4
    std::string m_problem;                               //!< see GetProblem()
    std::function<Time()> m_more;                        //!< see LengthenCables()
    NodeContainer m_routers;                             //!< routers
    std::vector<Ptr<PathIpInput<Ipv4Traits>>> m_inputs4; //!< of routers, with IPv4
    std::vector<Ptr<PathIpInput<Ipv6Traits>>> m_inputs6; //!< of routers, with IPv6
    std::vector<Ptr<PathPause>> m_memories;              //!< of routers, where links have it
    std::vector<Cable> m_cables;                         //!< all links
    std::vector<uint32_t> m_between;                     //!< indices of the links between routers
    std::vector<Host> m_hosts;                           //!< hosts
    std::vector<uint32_t> m_hostsOf;                     //!< hosts of each router
    std::vector<uint32_t> m_places; //!< number of each router in addresses, or NONE
    uint32_t m_nPlaces{0};          //!< routers with hosts
    uint32_t m_nLines{0};           //!< pairs of hosts without a router
    iwarp::ShortestPaths m_paths;   //!< paths between routers
    /// Routes that were asked for, by routers, or by the link of two hosts without one
    mutable std::map<std::pair<uint32_t, uint32_t>, Route> m_routes;
    std::vector<Ptr<PathMiddlebox>> m_middleboxes; //!< middleboxes
};

} // namespace ns3

#endif // IWARP_NETWORK_H
