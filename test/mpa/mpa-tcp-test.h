/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_TCP_TEST_H
#define MPA_TCP_TEST_H

#include "ns3/mpa-tcp-socket-factory.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/tcp-header.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

/**
 * @file
 * @ingroup iwarp-test
 * Two hosts on a link and one TCP connection that carries records, over MpaTcpSocket or over plain
 * ns-3 TCP, with everything seen at both ends noted down.
 */

/// What one run is to be like.
struct MpaTcpSetup
{
    bool mpa{true};                           //!< sender: MpaTcpSocket, or plain ns-3 TCP
    bool mpaReceiver{true};                   //!< receiver: the same
    bool ipv6{false};                         //!< IPv6 instead of IPv4
    bool realOctets{false};                   //!< payload with a pattern, which is checked
    std::string congestion{"ns3::TcpCubic"};  //!< congestion control
    std::string rate{"1Gbps"};                //!< of the link
    ns3::Time delay{ns3::MicroSeconds(50)};   //!< of the link
    uint32_t mtu{1500};                       //!< of the link
    uint32_t queue{10000};                    //!< packets that the link's queue takes
    uint32_t sndBuf{131072};                  //!< send buffer
    uint32_t rcvBuf{131072};                  //!< receive buffer
    uint32_t segmentSize{1448};               //!< SegmentSize of plain TCP
    bool sack{true};                          //!< SACK
    bool timestamps{true};                    //!< timestamps option
    bool scaling{true};                       //!< window scaling
    bool noDelay{true};                       //!< TcpNoDelay
    uint32_t delAck{2};                       //!< segments an ACK
    bool ecn{false};                          //!< ECN
    bool closeAtEnd{true};                    //!< the sender closes behind the last record
    std::vector<uint32_t> records;            //!< sizes in octets
    ns3::Time stop{ns3::Seconds(100)};        //!< latest end
    double loss{0};                           //!< share of packets lost at the receiver
    std::map<std::string, uint32_t> integers; //!< more attributes of the MpaTcpSocket
    std::map<std::string, bool> booleans;     //!< more attributes of the MpaTcpSocket
};

/// One segment as the sender handed it to IP.
struct MpaTcpSegment
{
    int64_t time{0};    //!< nanoseconds
    uint32_t seq{0};    //!< sequence number
    uint32_t size{0};   //!< octets of payload
    uint32_t ack{0};    //!< acknowledgement number
    uint16_t window{0}; //!< window field
    uint8_t flags{0};   //!< flags

    /// @param o another one @return true if they are the same
    bool operator==(const MpaTcpSegment& o) const;
};

/// One payload segment as SegmentSent tells of it.
struct MpaTcpCut
{
    uint32_t seq{0};           //!< sequence number
    uint32_t size{0};          //!< octets
    bool headerAligned{false}; //!< begins with a record
    bool recordAligned{false}; //!< whole records only
    bool again{false};         //!< retransmission
};

/// One run.
class MpaTcpRun
{
  public:
    explicit MpaTcpRun(const MpaTcpSetup& setup); //!< @param setup what it is like
    ~MpaTcpRun();
    void Run(); //!< until the stop time or the end of all events, then Simulator::Destroy()

    std::vector<MpaTcpSegment> sent; //!< what the sender sent
    std::vector<MpaTcpSegment> acks; //!< what the receiver sent
    std::vector<MpaTcpCut> cuts;     //!< SegmentSent, of an MpaTcpSocket
    std::map<ns3::MpaTcpSocket::CutReason, uint32_t> cutReasons; //!< RecordCut, counted
    std::vector<uint32_t> emss; //!< values of Emss, the first one before connecting
    uint32_t heldBack{0};       //!< HeldBack, counted
    uint32_t heldFitting{0};    //!< of these what the window has room for
    uint32_t windowUpdates{0};  //!< WindowUpdate at the receiver, counted
    uint64_t received{0};       //!< octets that the receiver read
    bool intact{true};          //!< they were the right ones
    bool closed{false};         //!< the receiver saw the end
    ns3::Time lastReceived;     //!< when it read the last ones

    /// @return segments with payload that were sent
    uint32_t CountData() const;

    ns3::NodeContainer nodes;                               //!< sender and receiver
    ns3::NetDeviceContainer devices;                        //!< their devices
    ns3::Ptr<ns3::Socket> sender;                           //!< sending socket
    ns3::Ptr<ns3::Socket> receiver;                         //!< receiving socket, once connected
    std::function<void(ns3::Ptr<ns3::Socket>)> onCreated;   //!< sender, before it connects
    std::function<void(ns3::Ptr<ns3::Socket>)> onListening; //!< listening socket
    std::function<void()> onReadable;                       //!< in place of reading all at once
    std::function<void(ns3::Ptr<ns3::MpaTcpSocket>)> onAccepted; //!< receiving MpaTcpSocket
    void Read(uint32_t atMost = UINT32_MAX); //!< reads and checks @param atMost octets

    /// @param offset place in the stream @return the octet there
    static uint8_t Pattern(uint64_t offset);

  private:
    void Configure(ns3::Ptr<ns3::Socket> socket, bool mpa);
    void Start();
    void Fill(ns3::Ptr<ns3::Socket> socket, uint32_t room);
    void Accepted(ns3::Ptr<ns3::Socket> socket, const ns3::Address& from);
    void Readable(ns3::Ptr<ns3::Socket> socket);
    void Closed(ns3::Ptr<ns3::Socket> socket);
    void Sent(ns3::Ptr<const ns3::Packet> p,
              const ns3::TcpHeader& h,
              ns3::Ptr<const ns3::TcpSocketBase> s);
    void Acked(ns3::Ptr<const ns3::Packet> p,
               const ns3::TcpHeader& h,
               ns3::Ptr<const ns3::TcpSocketBase> s);
    void Cut(ns3::SequenceNumber32 seq, uint32_t size, bool header, bool whole, bool again);
    void Record(ns3::SequenceNumber32 seq, uint32_t size, ns3::MpaTcpSocket::CutReason reason);
    void Held(ns3::SequenceNumber32 seq, uint32_t size, uint32_t window);
    void Emss(uint32_t before, uint32_t now);
    void WindowUpdate(uint32_t window);

    MpaTcpSetup m_setup;              //!< what it is like
    ns3::Ptr<ns3::Socket> m_listener; //!< listening socket
    ns3::Address m_peer;              //!< receiver's address
    size_t m_next{0};                 //!< record to be sent next
    uint64_t m_offset{0};             //!< octets handed over
    bool m_filling{false};            //!< Fill() runs
};

#endif // MPA_TCP_TEST_H
