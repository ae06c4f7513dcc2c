/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMAP_STREAM_FIXTURE_H
#define RDMAP_STREAM_FIXTURE_H

#include "../ddp/ddp-counted-stags.h"
#include "../mpa/mpa-stream-fixture.h"

#include "ns3/rdmap-stream.h"
#include "ns3/simulator.h"
#include "ns3/tcp-header.h"
#include "ns3/uinteger.h"

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

/// One end of a connection, with a record of what it tells.
struct RdmapTestEnd : ns3::RdmapStream::Listener
{
    static constexpr uint32_t SIZE = 1 << 20; //!< octets of memory

    ns3::Ptr<ns3::RdmapStream> stream = ns3::CreateObject<ns3::RdmapStream>(); //!< stream tried
    CountedStagTable table;                                   //!< STags of the node
    std::vector<uint8_t> memory = std::vector<uint8_t>(SIZE); //!< memory of all uses
    uint32_t stag{0};                                         //!< its STag
    ns3::RdmapConfig config;                                  //!< how the endpoint works
    ns3::MpaEnhancedConfig enhanced;                          //!< what startup negotiates
    uint8_t revision{2};                                      //!< MPA revision
    /// Done before startup, with the transport
    std::function<void(ns3::Ptr<ns3::MpaStream>)> onMpa{[](ns3::Ptr<ns3::MpaStream>) {}};
    std::function<void()> onEstablished{[] {}}; //!< done once work goes out
    std::function<void()> onReceived{[] {}};    //!< done at each receive
    std::function<void()> onPeerClosed{[] {}};  //!< done when the peer has closed

    std::vector<ns3::RdmapStatus> ended;                          //!< work requests that ended
    std::vector<ns3::RdmapReceived> received;                     //!< receive buffers used
    std::vector<std::string> failures;                            //!< failures, in English
    std::vector<std::string> startupFailures;                     //!< failures of startup
    std::vector<ns3::MpaConnectionEvent::Kind> events;            //!< all that was told
    uint32_t established{0};                                      //!< times established
    uint32_t version{99};                                         //!< protocol version told then
    uint32_t peerClosed{0};                                       //!< times the peer closed
    uint32_t closed{0};                                           //!< times closed
    ns3::Time closedAt;                                           //!< when
    std::vector<std::pair<ns3::RdmapOpcode, uint64_t>> sent;      //!< messages sent
    std::vector<std::pair<ns3::RdmapOpcode, uint64_t>> delivered; //!< messages that came
    uint64_t outOfOrder{0};                                       //!< segments placed out of order
    std::set<uint32_t> fins; //!< sequence numbers behind the FINs that TCP sent
    uint32_t resets{0};      //!< segments with RST that TCP sent

    RdmapTestEnd()
    {
        config.ird = 4;
        config.ord = 4;
        ns3::DdpStagEntry entry;
        entry.pd = config.pd;
        entry.access = 15;
        entry.length = SIZE;
        entry.memory = ns3::DdpMemory::Wrap(memory.data(), SIZE);
        stag = table.Add(entry);
    }

    /// Start over a socket. @param socket transport @param initiator send the Request
    void Start(ns3::Ptr<ns3::MpaTcpSocket> socket, bool initiator)
    {
        auto mpa = ns3::CreateObject<ns3::MpaStream>();
        mpa->SetAttribute("Revision", ns3::UintegerValue(revision));
        mpa->SetSocket(socket);
        mpa->SetEnhanced(enhanced);
        socket->TraceConnectWithoutContext("Tx", ns3::MakeCallback(&RdmapTestEnd::TraceTcp, this));
        onMpa(mpa);
        stream->Open(mpa, config, table, this);
        stream->TraceConnectWithoutContext("MessageSent",
                                           ns3::MakeCallback(&RdmapTestEnd::TraceSent, this));
        stream->TraceConnectWithoutContext("MessageDelivered",
                                           ns3::MakeCallback(&RdmapTestEnd::TraceDelivered, this));
        stream->TraceConnectWithoutContext("SegmentPlaced",
                                           ns3::MakeCallback(&RdmapTestEnd::TracePlaced, this));
        for (uint32_t i = 0; i < 8; i++)
        {
            ns3::DdpBuffer buffer;
            buffer.context = i;
            buffer.length = 60000;
            buffer.sges.push_back({SIZE / 2 + 60000 * i, 60000, stag});
            stream->PostReceive(std::move(buffer));
        }
        if (initiator)
        {
            mpa->StartInitiator();
        }
        else
        {
            mpa->StartResponder();
        }
    }

    /// Post work. @param kind kind @param place where the local octets lie @param length octets
    /// @param peer other end @param there place at the peer @return as PostSend()
    int Post(ns3::RdmapWorkKind kind,
             uint32_t place,
             uint32_t length,
             const RdmapTestEnd& peer,
             uint32_t there)
    {
        ns3::RdmapWork work;
        work.kind = kind;
        work.sges.push_back({place, length, stag});
        work.remoteStag = peer.stag;
        work.remoteTo = there;
        return stream->PostSend(std::move(work));
    }

    void HandleEvent(const ns3::MpaConnectionEvent& event) override
    {
        using Kind = ns3::MpaConnectionEvent::Kind;
        events.push_back(event.kind);
        switch (event.kind)
        {
        case Kind::ESTABLISHED:
            established++;
            version = event.version;
            onEstablished();
            break;
        case Kind::CONNECT_ERROR:
            startupFailures.push_back(event.reason);
            break;
        case Kind::DISCONNECTED:
            peerClosed++;
            onPeerClosed();
            break;
        case Kind::CLOSED:
            closed++;
            closedAt = ns3::Simulator::Now();
            break;
        default:
            break;
        }
    }

    void WorkCompleted(const ns3::RdmapWork&, ns3::RdmapStatus status, uint32_t) override
    {
        ended.push_back(status);
    }

    void Received(const ns3::RdmapReceived& message) override
    {
        received.push_back(message);
        onReceived();
    }

    void Failed(const ns3::RdmapTerminate& terminate, bool byPeer) override
    {
        failures.push_back((byPeer ? "peer: " : "") + terminate.Describe());
    }

    void TraceTcp(ns3::Ptr<const ns3::Packet> packet,
                  const ns3::TcpHeader& header,
                  ns3::Ptr<const ns3::TcpSocketBase>)
    {
        resets += (header.GetFlags() & ns3::TcpHeader::RST) != 0;
        if (header.GetFlags() & ns3::TcpHeader::FIN)
        {
            fins.insert(header.GetSequenceNumber().GetValue() + packet->GetSize());
        }
    }

    void TraceSent(ns3::RdmapOpcode opcode, uint64_t octets)
    {
        sent.emplace_back(opcode, octets);
    }

    void TraceDelivered(ns3::RdmapOpcode opcode, uint64_t octets)
    {
        delivered.emplace_back(opcode, octets);
    }

    void TracePlaced(const ns3::DdpHeader&, uint32_t, bool inOrder)
    {
        outOfOrder += !inOrder;
    }
};

/// Two ends over a simulated link.
struct RdmapTestConnection
{
    MpaLinkedHosts hosts; //!< hosts and link
    RdmapTestEnd a;       //!< Initiator
    RdmapTestEnd b;       //!< Responder

    explicit RdmapTestConnection(bool ipv6 = false)
        : hosts(ns3::MilliSeconds(1), 1500, ipv6)
    {
        for (uint32_t i = 0; i < RdmapTestEnd::SIZE / 2; i++)
        {
            a.memory[i] = i * 7 + i / 251;
            b.memory[i] = i * 11 + i / 239 + 1;
        }
    }

    ~RdmapTestConnection()
    {
        a.stream->Dispose();
        b.stream->Dispose();
        ns3::Simulator::Destroy();
    }

    void Run(ns3::Time duration = ns3::Seconds(60))
    {
        hosts.Connect([this](ns3::Ptr<ns3::MpaTcpSocket> socket) { a.Start(socket, true); },
                      [this](ns3::Ptr<ns3::MpaTcpSocket> socket) { b.Start(socket, false); });
        ns3::Simulator::Stop(duration);
        ns3::Simulator::Run();
    }
};

#endif // RDMAP_STREAM_FIXTURE_H
