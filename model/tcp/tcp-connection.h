/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_CONNECTION_H
#define TCP_CONNECTION_H

#include "tcp-tuple.h"

#include "ns3/ipv4-header.h"
#include "ns3/ipv4-interface.h"
#include "ns3/ipv4-route.h"
#include "ns3/ipv6-header.h"
#include "ns3/ipv6-interface.h"
#include "ns3/ipv6-route.h"
#include "ns3/sequence-number.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <functional>

namespace ns3
{

class Ipv4EndPoint;
class Ipv6EndPoint;
class TcpEndPointTable;

/**
 * @ingroup iwarp-tcp
 * @brief A connection or a listener in a TcpEndPointTable, and the way of its segments.
 *
 * Segments go straight between IP and the socket. Hardware below TCP makes connections of a class
 * of its own, which sends them through its pipelines; in that class it also offers the interfaces
 * that the layers above TCP define, and they find them by dynamic_cast.
 */
class TcpConnection : public SimpleRefCount<TcpConnection>
{
  public:
    /// Hears of payload in host memory. Parameters: memory region, 0 for that of the connection
    /// itself; address of the first octet in it; octets.
    using SourceFunction = std::function<void(uint32_t region, uint64_t address, uint64_t octets)>;

    /// What a connection asks its socket.
    class Owner
    {
      public:
        /// Get the IPv4 endpoint. @return where the socket is bound for IPv4; nullptr if it is not,
        /// or not any more
        virtual Ipv4EndPoint* GetEndPoint() const = 0;
        /// Get the IPv6 endpoint. @return where the socket is bound for IPv6; nullptr if it is not,
        /// or not any more
        virtual Ipv6EndPoint* GetEndPoint6() const = 0;
        /**
         * @brief Tell how much of a segment need not be read from host memory.
         * @param seq sequence number of its first octet
         * @param size octets of its payload
         * @return of these, octets that hardware got together with the work request, and that have
         *         not been sent before
         */
        virtual uint32_t GetInlineOctets(SequenceNumber32 seq, uint32_t size) const = 0;
        /**
         * @brief Tell where payload of a segment lies in host memory.
         * @param seq sequence number of its first octet
         * @param size octets of its payload
         * @param visit called for each run of it
         */
        virtual void ForEachSource(SequenceNumber32 seq,
                                   uint32_t size,
                                   const SourceFunction& visit) const = 0;
        /// Tell what hardware has to know of before a segment, to work on the record that goes on
        /// in it. @param seq sequence number of its first octet @return octets of the record in
        /// front of it; 0 where there are no records
        virtual uint32_t GetRecordPart(SequenceNumber32 seq) const = 0;
        /// Tell whether a segment is on its way, so that ICMP may speak of it (RFC 5927 section 4).
        /// @param seq sequence number of its first octet @return it was sent, and no ACK has come
        virtual bool IsOutstanding(SequenceNumber32 seq) const = 0;
        /// A segment was too large, as who tells is to be believed: the node itself, and no ICMP
        /// message that anybody can forge. @param mtu octets of a datagram that fit
        virtual void NotifyPathMtu(uint32_t mtu) = 0;
        /**
         * @brief A segment has come, for the IPv4 endpoint.
         * @param packet segment, with its TCP header
         * @param header its IP header
         * @param port source port
         * @param interface where it came in
         */
        virtual void Deliver(const Ptr<Packet>& packet,
                             const Ipv4Header& header,
                             uint16_t port,
                             const Ptr<Ipv4Interface>& interface) = 0;
        /// As above, for the IPv6 endpoint. @param packet segment @param header its IP header; that
        /// of an IPv4 peer has IPv4-mapped addresses @param port source port @param interface where
        /// it came in; nullptr for IPv4
        virtual void Deliver(const Ptr<Packet>& packet,
                             const Ipv6Header& header,
                             uint16_t port,
                             const Ptr<Ipv6Interface>& interface) = 0;
        /// ICMP speaks of a segment on its way. @param from who sent the message @param ttl its
        /// time to live @param type ICMP type @param code ICMP code @param info next-hop MTU among
        /// others
        virtual void DeliverIcmp(Ipv4Address from,
                                 uint8_t ttl,
                                 uint8_t type,
                                 uint8_t code,
                                 uint32_t info) = 0;
        /// As above, for ICMPv6. @param from who sent the message @param ttl its hop limit
        /// @param type ICMP type @param code ICMP code @param info MTU among others
        virtual void DeliverIcmp(Ipv6Address from,
                                 uint8_t ttl,
                                 uint8_t type,
                                 uint8_t code,
                                 uint32_t info) = 0;

      protected:
        ~Owner() = default;
    };

    virtual ~TcpConnection() = default;

    /// Ask the socket for its IPv4 endpoint. @return it, nullptr if there is none
    Ipv4EndPoint* GetEndPoint() const;
    /// Ask the socket for its IPv6 endpoint. @return it, nullptr if there is none
    Ipv6EndPoint* GetEndPoint6() const;
    /// Tell whether the socket is unbound or gone. @return true if it has no endpoint
    bool IsClosed() const;
    /// Ask the endpoint for addresses and ports. @return those of now; all 0 if closed
    TcpTuple FindTuple() const;

    /// As Owner::GetInlineOctets(). @param seq sequence number @param size octets @return octets
    uint32_t GetInlineOctets(SequenceNumber32 seq, uint32_t size) const;
    /// As Owner::ForEachSource(). @param seq sequence number @param size octets @param visit called
    void ForEachSource(SequenceNumber32 seq, uint32_t size, const SourceFunction& visit) const;
    /// As Owner::GetRecordPart(). @param seq sequence number @return octets
    uint32_t GetRecordPart(SequenceNumber32 seq) const;

    /**
     * @brief A segment comes in.
     * @param table where the connection was found
     * @param head of the segment
     * @param packet segment, with its TCP header; its checksum is good
     * @param header its IP header
     * @param interface where it came in
     */
    virtual void Receive(TcpEndPointTable& table,
                         const TcpSegmentHead& head,
                         Ptr<Packet> packet,
                         const Ipv4Header& header,
                         Ptr<Ipv4Interface> interface);
    /// As above, for IPv6. @param table table @param head head @param packet segment
    /// @param header IP header @param interface where it came in
    virtual void Receive(TcpEndPointTable& table,
                         const TcpSegmentHead& head,
                         Ptr<Packet> packet,
                         const Ipv6Header& header,
                         Ptr<Ipv6Interface> interface);

    /**
     * @brief A segment goes out. Called only where TcpEndPointTable::InterceptSending() was.
     * @param table where the connection was found
     * @param head of the segment
     * @param packet segment, with its TCP header
     * @param from source address
     * @param to destination address
     * @param route route, or nullptr
     */
    virtual void Send(TcpEndPointTable& table,
                      const TcpSegmentHead& head,
                      Ptr<Packet> packet,
                      Ipv4Address from,
                      Ipv4Address to,
                      Ptr<Ipv4Route> route);
    /// As above, for IPv6. @param table table @param head head @param packet segment
    /// @param from source @param to destination @param route route, or nullptr
    virtual void Send(TcpEndPointTable& table,
                      const TcpSegmentHead& head,
                      Ptr<Packet> packet,
                      Ipv6Address from,
                      Ipv6Address to,
                      Ptr<Ipv6Route> route);

    /// Its socket is gone; the connection stays until what is under way has come.
    virtual void Removed();

  private:
    friend class TcpEndPointTable;

    Owner* m_owner{nullptr};          //!< its socket, nullptr once that is gone
    const TcpTuple* m_tuple{nullptr}; //!< its key in the table, while it is there
};

} // namespace ns3

#endif // TCP_CONNECTION_H
