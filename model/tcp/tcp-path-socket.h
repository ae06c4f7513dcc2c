/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_PATH_SOCKET_H
#define TCP_PATH_SOCKET_H

#include "tcp-end-point-lease.h"
#include "tcp-end-point-pair.h"
#include "tcp-path-mtu-discovery.h"

#include "ns3/tcp-socket-base.h"
#include "ns3/util-lazy-trace.h"

#include <cstdint>
#include <optional>

namespace ns3
{

class Ipv4Header;
class Ipv4Interface;
class Ipv6Header;
class Ipv6Interface;
class Rfc9293TcpSocketFactory;
class TcpOptionInserter;

/**
 * @ingroup iwarp-tcp
 * @brief A TCP socket in its place: in its node's table of endpoints, and on its path, from which
 * the size of its segments follows. What Rfc9293TcpSocket is built upon first.
 *
 * The EMSS follows from the MTU of the route and of the path (RFC 1191, RFC 8201, RFC 4821), from
 * the options in use and from the peer's MSS option (RFC 6691); TcpSocket's attribute SegmentSize
 * has no effect. SYN segments carry an MSS option, which TcpSocketBase's do not, unless MssOption
 * is off.
 */
class TcpPathSocket : public TcpSocketBase, private TcpConnection::Owner
{
  public:
    TcpPathSocket();
    TcpPathSocket(const TcpPathSocket& other); //!< for Fork() @param other listening socket

    /// Add the attributes and trace sources. @param tid type of a socket @return the same
    static TypeId AddAttributes(TypeId tid);

    /// Find the size of a full segment. @return EMSS now: octets of payload the next segment takes;
    /// 536 until the route is known
    uint32_t GetEmss() const;

    /**
     * @brief Tell the MTU of the path, as path MTU discovery would; before or after connecting.
     *
     * The MTU of the route's first link stays an upper limit.
     * @param mtu octets of an IP datagram, at least 68
     */
    void SetPathMtu(uint32_t mtu);

    /**
     * @brief Keep endpoint, port and connection in a table; before the socket is bound.
     * @param table the node's, or nullptr for none; sockets forked for a peer inherit it
     */
    void SetEndPointTable(Ptr<TcpEndPointTable> table);

    /// Find what the node's endpoint table has of the socket. @return the connection; nullptr
    /// before it is being set up
    TcpConnection* GetConnection() const;

    int Bind() override;
    int Bind6() override;
    int Bind(const Address& address) override;

  protected:
    /// Find who has the settings of the node's sockets of this kind. @return the node's factory
    virtual Ptr<Rfc9293TcpSocketFactory> GetFactory() const;

    /// Use another EMSS. @param emss octets @return octets that a segment takes
    virtual uint32_t UpdateSegmentSize(uint32_t emss);

    /// Segments take another number of octets. @param emss what GetEmss() returns
    virtual void NotifyEmss(uint32_t emss);

    /// Find the size of the oldest segment. @return octets of the first segment that is not
    /// acknowledged, as far as it is full
    virtual uint32_t GetFirstSegment() const;

    /// Look at a segment, which TcpSocketBase may drop. @param packet TCP segment that has come
    virtual void PreviewSegment(const Ptr<const Packet>& packet) = 0;

    /// Process a segment quickly, if that can be. @param packet TCP segment that has come
    /// @return false if it has to go through DoForwardUp()
    virtual bool ReceiveFast(Ptr<Packet> packet) = 0;

    virtual void ResendAll() = 0; //!< Send again what did not fit the path

    /// Enter the connection into the node's endpoint table. @param listening or the listener
    virtual void EnterTable(bool listening);

    /// Get the endpoint. @return it
    TcpEndPointPair GetEnds() const
    {
        return {m_endPoint, m_endPoint6};
    }

    /**
     * @brief Tell whether a segment may have a plain header, and go straight to IP.
     * @return true if it has neither checksum nor tag, and the socket is known to the node's
     * endpoint table
     */
    bool CanSendPlain() const;

    /// Send a segment with a plain header. @param packet payload @param fields of the header, but
    /// for the ports
    void SendPlain(const Ptr<Packet>& packet, const TcpHeaderFields& fields) const;

    /// Find what keeps segments whole. @return to mark datagrams with; nullptr for none
    TcpDontFragment* GetDontFragment() const
    {
        return m_place.GetDontFragment();
    }

    void EnterShard();    //!< Move to a shard for the endpoint
    void WatchEndPoint(); //!< Get the segments and ICMP messages of the endpoint

    /// A SYN is about to be sent: find the route and the EMSS. @param option set to what adds the
    /// MSS option as long as it is there
    void PrepareSyn(std::optional<TcpOptionInserter>& option);

    void LearnPeerMss(const TcpHeader& header); //!< Heed an option @param header of the peer's SYN

    /// Find the EMSS, and have it used. @param timestamps option in use
    void UpdateEmss(bool timestamps);

    void OfferProbe(); //!< Have a probe made of octets to come, if one is due
    void EndProbe();   //!< There is no probe any more

    /// A segment is sent again. @param seq its first octet @param size octets
    void NotifyLost(SequenceNumber32 seq, uint32_t size);
    void NotifyAcknowledged(); //!< Something new was acknowledged
    void NotifyTimeout();      //!< The retransmission timer has run out

    void NotifyPathMtu(uint32_t mtu) override;
    uint32_t GetInlineOctets(SequenceNumber32 seq, uint32_t size) const override;
    void ForEachSource(SequenceNumber32 seq,
                       uint32_t size,
                       const TcpConnection::SourceFunction& visit) const override;
    uint32_t GetRecordPart(SequenceNumber32 seq) const override;

    LazyTracedValue<uint32_t> m_emss{536}; //!< EMSS
    TcpPathMtuDiscovery m_path;            //!< what it follows from, and how it is found

  private:
    void SetPathOverhead(uint32_t octets); //!< @param octets for each segment
    uint32_t GetPathOverhead() const;      //!< @return octets for each segment
    void SetMaxEmss(uint32_t octets);      //!< @param octets upper limit
    uint32_t GetMaxEmss() const;           //!< @return upper limit

    uint32_t FindRouteMtu() const; //!< @return what the route's device leaves to TCP, or 0
    uint32_t GetHeaders() const;   //!< @return octets of a datagram around its payload
    /// Have IPv6, which knows of a path that took less once, not cut what is larger now.
    /// @param mtu that segments may have now
    void RaiseIpPathMtu(uint32_t mtu);
    void UsePathMtu();               //!< has segments follow from the path's MTU, which is another
    uint16_t AcquirePort(bool ipv6); //!< @param ipv6 for IPv6 @return ephemeral port, 0 if none

    /// DeliverIcmp() of that version of IP.
    template <typename A>
    using IcmpHandler = void (TcpPathSocket::*)(A, uint8_t, uint8_t, uint8_t, uint32_t);

    /// As Deliver(), for the endpoint's callback. @param packet TCP segment @param header its IP
    /// header @param port source port @param interface where it came in
    void Receive(Ptr<Packet> packet,
                 Ipv4Header header,
                 uint16_t port,
                 Ptr<Ipv4Interface> interface);
    /// As Receive(), for IPv6. @param packet TCP segment @param header its IP header @param port
    /// source port @param interface where it came in
    void Receive6(Ptr<Packet> packet,
                  Ipv6Header header,
                  uint16_t port,
                  Ptr<Ipv6Interface> interface);
    void Deliver(const Ptr<Packet>& packet,
                 const Ipv4Header& header,
                 uint16_t port,
                 const Ptr<Ipv4Interface>& interface) override;
    void Deliver(const Ptr<Packet>& packet,
                 const Ipv6Header& header,
                 uint16_t port,
                 const Ptr<Ipv6Interface>& interface) override;
    void DeliverIcmp(Ipv4Address from,
                     uint8_t ttl,
                     uint8_t type,
                     uint8_t code,
                     uint32_t info) override;
    void DeliverIcmp(Ipv6Address from,
                     uint8_t ttl,
                     uint8_t type,
                     uint8_t code,
                     uint32_t info) override;
    Ipv4EndPoint* GetEndPoint() const override;
    Ipv6EndPoint* GetEndPoint6() const override;
    bool IsOutstanding(SequenceNumber32 seq) const override;

    TcpEndPointLease m_place;         //!< what the socket has of the node's endpoint table
    uint32_t m_minPathMtu{576};       //!< least path MTU believed (IPv4)
    uint32_t m_minPathMtu6{1280};     //!< least path MTU believed (IPv6)
    uint32_t m_peerMssDefault{65535}; //!< MSS of a peer that sends no option
    bool m_mssOption{true};           //!< SYN segments carry an MSS option
};

} // namespace ns3

#endif // TCP_PATH_SOCKET_H
