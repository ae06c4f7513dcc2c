/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_END_POINT_TABLE_H
#define TCP_END_POINT_TABLE_H

#include "tcp-connection.h"
#include "tcp-dont-fragment.h"
#include "tcp-end-point-shards.h"
#include "tcp-header-fields.h"
#include "tcp-tuple.h"

#include "ns3/util-ip-l4-relay.h"

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-tcp
 * @brief Stands between IP and a node's TcpL4Protocol, and leads segments straight to the endpoints
 * of the connections that it knows.
 *
 * It knows the connections and listeners that sockets Add(): those of MpaTcpSocket, whose factory
 * installs it. A segment of such a connection costs a look into a hash table, and neither a walk
 * through all endpoints of the node nor a parse of the TCP header. Everything else goes on to
 * TcpL4Protocol, so that plain sockets are untouched.
 *
 * It also keeps what costs TcpL4Protocol walks through lists: ephemeral ports, those that the node
 * would choose without it, and endpoints, in shards. Sockets there are in the shards' lists:
 * `/NodeList/N/$ns3::TcpEndPointTable/ShardList/N/SocketList/N` for Config.
 */
class TcpEndPointTable : public IpL4Relay<TcpEndPointTable>
{
  public:
    /// Makes a connection object.
    using ConnectionFactory = std::function<Ptr<TcpConnection>()>;

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

    /// Tell whether a node is complete enough for a table. @param node node @return true if it has
    /// TCP over some IP
    static bool IsPossible(Ptr<const Node> node);

    /**
     * @brief Give a node the table, unless it has it.
     * @param node a node with an internet stack; NS_ABORT otherwise
     * @return the node's table
     */
    static Ptr<TcpEndPointTable> Install(Ptr<Node> node);

    // For hardware below TCP

    /// Have connections made by hardware, from now on. @param factory makes them; nullptr: plain
    /// ones
    void SetConnectionFactory(ConnectionFactory factory);
    /// Find what keeps segments of connections from being fragmented, see DontFragment.
    /// @return it; nullptr if they may be
    TcpDontFragment* GetDontFragment();
    void InterceptSending(); //!< Have TcpConnection::Send() called for what connections send
    /// Send a segment to IP, below whatever intercepts. @param packet segment @param from source
    /// @param to destination @param route route, or nullptr
    void SendDown(Ptr<Packet> packet, Ipv4Address from, Ipv4Address to, Ptr<Ipv4Route> route);
    /// Send a segment to IP, below whatever intercepts. @param packet segment @param from source
    /// @param to destination @param route route, or nullptr
    void SendDown(Ptr<Packet> packet, Ipv6Address from, Ipv6Address to, Ptr<Ipv6Route> route);
    /**
     * @brief Hand a segment to the socket of its connection; to TcpL4Protocol if that is closed.
     * @param connection to which it belongs
     * @param head of the segment
     * @param packet segment, with its TCP header
     * @param header its IP header
     * @param interface where it came in
     */
    void Deliver(const TcpConnection& connection,
                 const TcpSegmentHead& head,
                 Ptr<Packet> packet,
                 const Ipv4Header& header,
                 Ptr<Ipv4Interface> interface);
    /// As above, for IPv6. @param connection to which it belongs @param head head
    /// @param packet segment @param header IP header @param interface where it came in
    void Deliver(const TcpConnection& connection,
                 const TcpSegmentHead& head,
                 Ptr<Packet> packet,
                 const Ipv6Header& header,
                 Ptr<Ipv6Interface> interface);

    /**
     * @brief Tell a connection that a segment of its own is too large, as the node itself has
     * found.
     * @param from source of the segment
     * @param to destination of the segment
     * @param payload first octets of the segment
     * @param mtu octets of a datagram that fit
     */
    void NotifyTooBig(Ipv4Address from, Ipv4Address to, const uint8_t payload[8], uint32_t mtu);
    /// As above, for IPv6. @param from source @param to destination @param payload first octets
    /// @param mtu octets of a datagram that fit
    void NotifyTooBig(Ipv6Address from, Ipv6Address to, const uint8_t payload[8], uint32_t mtu);

    // For sockets

    /**
     * @brief Send a segment, as TcpL4Protocol::SendPacket() does, with a plain header.
     * @param connection that sends it, in the table
     * @param tcp of its socket
     * @param packet payload
     * @param fields of the header, but for the ports
     * @param bound device that the socket is bound to, or nullptr
     */
    void SendPlain(TcpConnection& connection,
                   const TcpL4Protocol& tcp,
                   const Ptr<Packet>& packet,
                   TcpHeaderFields fields,
                   const Ptr<NetDevice>& bound);

    /// Tell whether segments have checksums. @return ns-3's ChecksumEnabled, as of when a
    /// connection has been added last
    bool HasChecksums() const
    {
        return m_checksums;
    }

    /**
     * @brief Enter a socket that listens, or whose connection is being set up: its addresses are
     * known.
     * @param owner the socket, which stays until Remove()
     * @param listening it listens; a listener bound to a device is left to TcpL4Protocol's lookup
     * @return the connection
     */
    Ptr<TcpConnection> Add(TcpConnection::Owner& owner, bool listening);
    void Remove(Ptr<TcpConnection> connection); //!< Its socket is gone. @param connection of Add()

    /// Get a place for the endpoint of a socket more. @return shard that has room for it
    Ptr<TcpL4Protocol> AcquireShard();
    void ReleaseShard(Ptr<TcpL4Protocol> shard); //!< A socket is gone. @param shard it was there

    /// Choose an ephemeral port. @param ipv6 for IPv6 @return a port that nobody uses; 0 if there
    /// is none
    uint16_t AcquirePort(bool ipv6);
    /// Give a port back. @param ipv6 for IPv6 @param port that AcquirePort() returned
    void ReleasePort(bool ipv6, uint16_t port);

    uint64_t GetConnections() const; //!< Count the entries. @return connections and listeners known
    uint32_t GetNShards() const;     //!< Count the shards. @return how many exist
    /// Get a shard. @param i index, below GetNShards() @return the shard
    Ptr<TcpL4Protocol> GetShard(uint32_t i) const;

    // From IpL4Protocol

    int GetProtocolNumber() const override;
    void SetDownTarget(DownTargetCallback callback) override;
    void SetDownTarget6(DownTargetCallback6 callback) override;
    DownTargetCallback GetDownTarget() const override;
    DownTargetCallback6 GetDownTarget6() const override;

  protected:
    void NotifyNewAggregate() override;
    void DoDispose() override;

  private:
    friend class IpL4Relay<TcpEndPointTable>; // calls DoReceive() and DoReceiveIcmp()

    /// @param tuple addresses @return the connection or nullptr
    TcpConnection* Find(const TcpTuple& tuple);
    /// @param from source of a segment @param to its destination @param payload first octets of it
    /// @param mtu octets of a datagram that fit
    template <typename A>
    void DoTellTooBig(const A& from, const A& to, const uint8_t payload[8], uint32_t mtu);
    /// @param connection that ICMP speaks of @param payload first octets of the segment in question
    /// @return that is on its way, for all that can be seen
    static bool IsCredible(const TcpConnection& connection, const uint8_t payload[8]);
    /// @param head of a segment @param local its destination @param peer its source
    /// @param interface where it came in @return the connection that takes it, or nullptr
    template <typename A, typename I>
    TcpConnection* FindReceiver(const TcpSegmentHead& head,
                                const A& local,
                                const A& peer,
                                const Ptr<I>& interface);
    /// @param packet segment @param header of IP @param interface where it came in @return status
    template <typename H, typename I>
    RxStatus DoReceive(const Ptr<Packet>& packet, const H& header, const Ptr<I>& interface);
    /// @param message of ICMP, which goes to the connection that it is about
    template <typename V>
    void DoReceiveIcmp(const IpIcmpMessage<V>& message);
    /// @return what routes for that version of IP, or nullptr
    template <typename V>
    Ptr<typename V::RoutingProtocol> RoutingOf();
    /// @param connection that sends @param endPoint of it @param tcp of its socket @param packet
    /// payload @param fields of the header, but for the ports @param bound device or nullptr
    template <typename V, typename E>
    void DoSendPlain(TcpConnection& connection,
                     E& endPoint,
                     const TcpL4Protocol& tcp,
                     const Ptr<Packet>& packet,
                     TcpHeaderFields& fields,
                     const Ptr<NetDevice>& bound);
    /// @param packet segment @param from source @param to destination @param route route
    template <typename A, typename R>
    void DoSend(Ptr<Packet> packet, const A& from, const A& to, Ptr<R> route);
    /// A segment goes down and is intercepted. @param packet segment @param from source
    /// @param to destination @param protocol TCP @param route route
    void Send(Ptr<Packet> packet,
              Ipv4Address from,
              Ipv4Address to,
              uint8_t protocol,
              Ptr<Ipv4Route> route);
    /// A segment goes down and is intercepted. @param packet segment @param from source
    /// @param to destination @param protocol TCP @param route route
    void Send6(Ptr<Packet> packet,
               Ipv6Address from,
               Ipv6Address to,
               uint8_t protocol,
               Ptr<Ipv6Route> route);
    void PointDown(const DownTargetCallback& down);   //!< @param down what TCP and shards call
    void PointDown6(const DownTargetCallback6& down); //!< @param down what TCP and shards call

    Ptr<TcpL4Protocol> m_tcp;     //!< the node's own, for what is not in the table
    bool m_intercepts{false};     //!< what goes down comes by
    bool m_checksums{false};      //!< segments have checksums, as of the last connection's start
    bool m_dontFragment{true};    //!< see DontFragment
    Ptr<Ipv4> m_ipv4;             //!< the node's, once segments go by it
    Ptr<Ipv6> m_ipv6;             //!< the node's, once segments go by it
    Ptr<TcpDontFragment> m_whole; //!< keeps segments whole, from the first one on
    DownTargetCallback m_down;    //!< way to IPv4, where the table intercepts
    DownTargetCallback6 m_down6;  //!< way to IPv6, where the table intercepts
    ConnectionFactory m_factory;  //!< makes connections, or none
    TcpEndPointShards m_shards;   //!< where connections keep their endpoints
    std::vector<bool> m_ports[2]; //!< ephemeral ports in use, IPv4 and IPv6
    std::unordered_map<TcpTuple, Ptr<TcpConnection>, TcpTuple::Hash> m_connections; //!< the table
};

} // namespace ns3

#endif // TCP_END_POINT_TABLE_H
