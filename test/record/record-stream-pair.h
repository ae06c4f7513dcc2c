/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RECORD_STREAM_PAIR_H
#define RECORD_STREAM_PAIR_H

#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/mpa-tcp-socket-factory.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/packet.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/record-stream.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <boost/endian/conversion.hpp>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

/// Records made by hand, and two hosts that exchange them.
namespace recordtest
{

using namespace ns3;

/// Records of a tag of 3 octets, a length of 4 that counts all of the record, and two octets behind
/// the payload.
class TaggedFraming : public RecordFraming
{
  public:
    const char* GetName() const override
    {
        return "tagged";
    }

    uint32_t GetHeadSize() const override
    {
        return HEAD;
    }

    RecordHead ReadHead(const uint8_t* head) const override
    {
        const uint32_t size = boost::endian::load_little_u32(head + 3);
        const bool good = std::memcmp(head, "TAG", 3) == 0 && size >= HEAD + TAIL;
        return good ? RecordHead{size, size - HEAD - TAIL, HEAD} : RecordHead{};
    }

    /// @param payload octets @return octets of a record
    static std::vector<uint8_t> Make(uint32_t payload)
    {
        std::vector<uint8_t> record(HEAD + payload + TAIL);
        std::memcpy(record.data(), "TAG", 3);
        boost::endian::store_little_u32(record.data() + 3, static_cast<uint32_t>(record.size()));
        for (std::size_t i = HEAD; i < record.size(); i++)
        {
            record[i] = static_cast<uint8_t>(i * 31 + payload);
        }
        return record;
    }

    static constexpr uint32_t HEAD = 7; //!< octets of the head
    static constexpr uint32_t TAIL = 2; //!< octets behind the payload
};

inline const TaggedFraming g_tagged; //!< of all streams here

/// @param sizes of payloads @return octets of records, one behind the other
inline std::vector<uint8_t>
MakeRecords(const std::vector<uint32_t>& sizes)
{
    std::vector<uint8_t> octets;
    for (const uint32_t size : sizes)
    {
        const auto record = TaggedFraming::Make(size);
        octets.insert(octets.end(), record.begin(), record.end());
    }
    return octets;
}

/// Two hosts on a link, each with a record stream.
class RecordStreamPair
{
  public:
    /// One end.
    struct End : RecordStream::User
    {
        Ptr<RecordStream> stream;                  //!< its stream
        std::vector<std::vector<uint8_t>> records; //!< that have come
        std::vector<uint32_t> payloads;            //!< of these, as their heads say
        uint64_t payload{0};                       //!< that has come
        uint32_t rooms{0};                         //!< times that there was room
        std::vector<RecordStream::End> ends;       //!< of the stream

        /// Called with each record, if set.
        std::function<void(const std::vector<uint8_t>&)> onRecord;

        void HandleRecord(const Ptr<Packet>& record, const RecordHead& head) override
        {
            std::vector<uint8_t> octets(record->GetSize());
            record->CopyData(octets.data(), record->GetSize());
            if (onRecord)
            {
                onRecord(octets);
            }
            records.push_back(octets);
            payloads.push_back(head.payload);
        }

        void HandlePayload(uint64_t octets) override
        {
            payload += octets;
        }

        void HandleRoom() override
        {
            rooms++;
        }

        void HandleEnd(RecordStream::End end) override
        {
            ends.push_back(end);
        }
    };

    /// What is done to the hosts before sockets are made.
    using Prepare = std::function<void(const NodeContainer&, const NetDeviceContainer&)>;

    /// @param factory of the sockets @param ipv6 over IPv6 @param prepare hosts, if need be
    explicit RecordStreamPair(const std::string& factory = "ns3::MpaTcpSocketFactory",
                              bool ipv6 = false,
                              const Prepare& prepare = nullptr)
    {
        NodeContainer nodes(2);
        PointToPointHelper link;
        link.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
        link.SetChannelAttribute("Delay", StringValue("50us"));
        const NetDeviceContainer devices = link.Install(nodes);
        InternetStackHelper().Install(nodes);
        for (uint32_t i = 0; i < nodes.GetN(); i++)
        {
            MpaTcpSocketFactory::Install(nodes.Get(i));
            Rfc9293TcpSocketFactory::Install(nodes.Get(i));
        }
        Address to;
        Address any = InetSocketAddress(Ipv4Address::GetAny(), PORT);
        if (ipv6)
        {
            const auto interfaces =
                Ipv6AddressHelper(Ipv6Address("2001:db8::"), Ipv6Prefix(64)).Assign(devices);
            to = Inet6SocketAddress(interfaces.GetAddress(1, 1), PORT);
            any = Inet6SocketAddress(Ipv6Address::GetAny(), PORT);
        }
        else
        {
            const auto interfaces = Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(devices);
            to = InetSocketAddress(interfaces.GetAddress(1), PORT);
        }
        if (prepare)
        {
            prepare(nodes, devices);
        }
        const TypeId type = TypeId::LookupByName(factory);
        m_listener = Socket::CreateSocket(nodes.Get(1), type);
        m_listener->Bind(any);
        m_listener->Listen();
        m_listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                      MakeCallback(&RecordStreamPair::HandleAccept, this));
        m_socket = Socket::CreateSocket(nodes.Get(0), type);
        m_socket->SetAttribute("SndBufSize", UintegerValue(SEND_BUFFER));
        m_socket->SetConnectCallback(MakeCallback(&RecordStreamPair::HandleConnect, this),
                                     MakeNullCallback<void, Ptr<Socket>>());
        Simulator::Schedule(Seconds(2), [this, to] { m_socket->Connect(to); });
    }

    ~RecordStreamPair()
    {
        left.stream = nullptr;
        right.stream = nullptr;
        m_socket = nullptr;
        m_listener = nullptr;
        Simulator::Destroy();
    }

    std::function<void()> onConnected; //!< called when both ends are there
    End left;                          //!< that has connected
    End right;                         //!< that was connected to

    static constexpr uint16_t PORT = 4420;         //!< that is listened on
    static constexpr uint32_t SEND_BUFFER = 20000; //!< octets

  private:
    void HandleAccept(Ptr<Socket> socket, const Address& /* from */)
    {
        right.stream = Create<RecordStream>(g_tagged, right);
        right.stream->Open(socket);
        Begin();
    }

    void HandleConnect(Ptr<Socket> socket)
    {
        left.stream = Create<RecordStream>(g_tagged, left);
        left.stream->Open(socket);
        Begin();
    }

    void Begin()
    {
        if (left.stream && right.stream)
        {
            Simulator::ScheduleNow(onConnected);
        }
    }

    Ptr<Socket> m_listener; //!< of the right host
    Ptr<Socket> m_socket;   //!< of the left host
};

/// @param octets of a record @return a packet
inline Ptr<Packet>
MakePacket(const std::vector<uint8_t>& octets)
{
    return Create<Packet>(octets.data(), static_cast<uint32_t>(octets.size()));
}

} // namespace recordtest

#endif // RECORD_STREAM_PAIR_H
