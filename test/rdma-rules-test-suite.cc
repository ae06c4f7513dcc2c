/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-stream-fixture.h"

#include "ns3/boolean.h"
#include "ns3/ddp-receiver.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv4.h"
#include "ns3/ns3-compat.h"
#include "ns3/ppp-header.h"
#include "ns3/rdma-connection.h"
#include "ns3/rdma-protection-domain.h"
#include "ns3/simulator.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>

using namespace ns3;

namespace
{

using Kind = RdmaConnectionEvent::Kind;

constexpr uint16_t PORT = 4791;
constexpr uint32_t MEMORY = 1 << 20;
constexpr uint32_t ALL = DDP_ACCESS_LOCAL_WRITE | DDP_ACCESS_REMOTE_WRITE | DDP_ACCESS_REMOTE_READ;

/// One end of a connection.
struct Side
{
    /// @param kind a kind of event @return how many of it there were
    uint32_t Count(Kind kind) const
    {
        return std::count_if(events.begin(), events.end(), [kind](const auto& event) {
            return event.kind == kind;
        });
    }

    /// Make queue pair and memory. @param pd protection domain
    void Make(Ptr<RdmaProtectionDomain> pd)
    {
        cq = pd->GetDevice()->CreateCq(100);
        cq->SetNotifyCallback(MakeCallback(&Side::HandleCompletion, this));
        cq->RequestNotify();
        region = pd->RegisterMemory(DdpMemory::Wrap(memory.data(), MEMORY), 0, ALL);
        RdmaQueuePairConfig config;
        config.sendCq = config.receiveCq = cq;
        pair = pd->CreateQp(config);
        pair->TraceConnectWithoutContext("State", MakeCallback(&Side::HandleState, this));
        pair->Modify(RdmaQpState::INIT);
        pair->PostReceive({1, {region->GetSge(0, MEMORY)}});
    }

    /// Send octets. @param size how many
    void Send(uint32_t size)
    {
        RdmaSendRequest request;
        request.sges = {region->GetSge(0, size)};
        pair->PostSend(request);
    }

    void HandleCompletion(Ptr<RdmaCompletionQueue>) //!< take completions
    {
        cq->RequestNotify();
        RdmaCompletion completion;
        while (cq->Poll(completion) > 0)
        {
            const bool message = completion.opcode == RdmaCompletionOpcode::RECEIVE &&
                                 completion.status == RdmapStatus::SUCCESS;
            received = message ? Simulator::Now() : received;
        }
    }

    /// The queue pair changes its state. @param to new state
    void HandleState(RdmaQpState, RdmaQpState to)
    {
        over = to == RdmaQpState::ERR ? Simulator::Now() : over;
    }

    std::vector<uint8_t> memory = std::vector<uint8_t>(MEMORY); //!< memory
    Ptr<RdmaCompletionQueue> cq;                                //!< completions
    Ptr<RdmaMemoryRegion> region;                               //!< memory, registered
    Ptr<RdmaQueuePair> pair;                                    //!< queue pair
    Ptr<RdmaConnection> connection;                             //!< connection
    std::vector<RdmaConnectionEvent> events;                    //!< what happened to it
    Time received;                                              //!< when a message came
    Time over;                                                  //!< when the queue pair was over
    Time closed;                                                //!< when the connection was
};

/// Two hosts with any number of connections between them, the left one connects.
class Party
{
  public:
    /// What the right host does with a request: accept it, or not. @param side to fill @return
    /// whether to accept
    using Admission = std::function<bool(Side& side, const RdmaConnectionEvent& event)>;

    Party()
        : m_domain(RdmaDevice::Get(hosts.GetNode(1))->AllocPd())
    {
        admission = [this](Side& side, const RdmaConnectionEvent&) {
            side.Make(m_domain);
            return true;
        };
        listener = RdmaConnection::Create(hosts.GetNode(1));
        listener->SetEventCallback(MakeCallback(&Party::HandleListener, this));
        listener->Listen(InetSocketAddress(Ipv4Address::GetAny(), PORT));
    }

    ~Party()
    {
        Simulator::Destroy();
    }

    /// Connect at 10 ms. @param privateData octets for the right host @return number of the
    /// connection
    std::size_t Connect(const std::vector<uint8_t>& privateData = {})
    {
        left.push_back(std::make_unique<Side>());
        Side& side = *left.back();
        side.Make(RdmaDevice::Get(hosts.GetNode(0))->AllocPd());
        side.connection = RdmaConnection::Create(hosts.GetNode(0));
        side.connection->SetQp(side.pair);
        side.connection->SetEventCallback(MakeCallback(&Party::HandleEvent, this));
        m_privateData.push_back(privateData);
        const auto resolve = [&side] {
            side.connection->ResolveAddress(InetSocketAddress(Ipv4Address("10.0.0.2"), PORT));
        };
        // in their order
        Simulator::Schedule(MilliSeconds(10) + MicroSeconds(left.size()), resolve);
        return left.size() - 1;
    }

    void Run() //!< simulate 20 s
    {
        Simulator::Stop(Seconds(20));
        Simulator::Run();
    }

    MpaLinkedHosts hosts;                     //!< hosts
    Ptr<RdmaConnection> listener;             //!< of the right host
    std::vector<std::unique_ptr<Side>> left;  //!< by connection
    std::vector<std::unique_ptr<Side>> right; //!< by request
    Admission admission;                      //!< what the right host does
    std::function<void()> ready;              //!< runs when all are established

  private:
    void HandleListener(Ptr<RdmaConnection> connection, const RdmaConnectionEvent& event)
    {
        if (event.kind != Kind::CONNECT_REQUEST)
        {
            return;
        }
        right.push_back(std::make_unique<Side>());
        Side& side = *right.back();
        side.connection = connection;
        side.events.push_back(event);
        connection->SetEventCallback(MakeCallback(&Party::HandleEvent, this));
        if (admission(side, event))
        {
            connection->SetQp(side.pair);
            connection->Accept({});
        }
        else
        {
            connection->Reject();
        }
    }

    /// @param connection it @param event what happened
    void HandleEvent(Ptr<RdmaConnection> connection, const RdmaConnectionEvent& event)
    {
        for (auto* sides : {&left, &right})
        {
            for (std::size_t i = 0; i < sides->size(); i++)
            {
                if ((*sides)[i]->connection == connection)
                {
                    HandleSide(*(*sides)[i], i, event);
                }
            }
        }
    }

    /// @param side end of a connection @param i its number @param event what happened
    void HandleSide(Side& side, std::size_t i, const RdmaConnectionEvent& event)
    {
        side.events.push_back(event);
        RdmaConnectionParameters parameters;
        switch (event.kind)
        {
        case Kind::ADDRESS_RESOLVED:
            side.connection->ResolveRoute();
            break;
        case Kind::ROUTE_RESOLVED:
            parameters.privateData = m_privateData[i];
            side.connection->Connect(parameters);
            break;
        case Kind::ESTABLISHED: {
            m_established += &side == left[i].get();
            if (m_established == left.size() && ready)
            {
                std::exchange(ready, nullptr)();
            }
            break;
        }
        case Kind::DISCONNECTED:
            side.connection->Disconnect();
            break;
        case Kind::CLOSED:
            side.closed = Simulator::Now();
            break;
        default:
            break;
        }
    }

    Ptr<RdmaProtectionDomain> m_domain;              //!< of the right host
    std::vector<std::vector<uint8_t>> m_privateData; //!< by connection
    std::size_t m_established{0};                    //!< connections that are established
};

/// Streams do not wait for each other, and end with their connections.
class RdmaStreamsTest : public TestCase
{
  public:
    RdmaStreamsTest()
        : TestCase("DDP-1.2-3 DDP-3-16 order between streams, and their ends")
    {
    }

  private:
    /// @param first octets of the message on the first stream @param second on the second, behind
    /// it
    /// @return whether the first is received first
    bool IsFirstFirst(uint32_t first, uint32_t second)
    {
        Party party;
        party.Connect();
        party.Connect();
        party.ready = [&party, first, second] {
            Simulator::Schedule(MilliSeconds(1), [&party, first, second] {
                party.left[0]->Send(first);
                party.left[1]->Send(second);
            });
        };
        party.Run();
        NS_TEST_EXPECT_MSG_EQ(party.right.size(), 2, "both are connected");
        NS_TEST_EXPECT_MSG_GT(party.right[0]->received, Time(0), "received");
        NS_TEST_EXPECT_MSG_GT(party.right[1]->received, Time(0), "received");
        return party.right[0]->received < party.right[1]->received;
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(IsFirstFirst(100, 100), true, "in the order of submission");
        NS_TEST_EXPECT_MSG_EQ(IsFirstFirst(1000000, 100), false, "one overtakes the other");

        for (const bool byLeft : {true, false})
        {
            Party party;
            party.Connect();
            party.ready = [&party, byLeft] {
                party.left[0]->Send(100);
                auto& side = byLeft ? party.left[0] : party.right[0];
                Simulator::Schedule(MilliSeconds(100), [&side] { side->connection->Disconnect(); });
            };
            party.Run();
            for (const auto& side : {party.left[0].get(), party.right[0].get()})
            {
                NS_TEST_EXPECT_MSG_EQ(side->Count(Kind::CLOSED), 1, "the connection is over");
                NS_TEST_EXPECT_MSG_GT(side->closed, MilliSeconds(100), "when it was ended");
                NS_TEST_EXPECT_MSG_EQ(side->over, side->closed, "and so is the stream, with it");
            }
        }
    }
};

/// Whoever can connect is let in, unless the ULP refuses; private data says where to.
class RdmaAdmissionTest : public TestCase
{
  public:
    RdmaAdmissionTest()
        : TestCase("DDP-8.3-2 MPA-7.1.4-01 the ULP admits peers, by address and private data")
    {
    }

  private:
    void DoRun() override
    {
        {
            // nobody asks who it is
            Party party;
            party.Connect();
            party.Run();
            NS_TEST_EXPECT_MSG_EQ(party.left[0]->Count(Kind::ESTABLISHED), 1, "a stranger is in");
        }
        {
            Party party;
            Address peer;
            party.Connect();
            party.admission = [&peer](Side& side, const RdmaConnectionEvent&) {
                side.connection->GetMpa()->GetSocket()->GetPeerName(peer);
                return false;
            };
            party.Run();
            NS_TEST_EXPECT_MSG_EQ(InetSocketAddress::ConvertFrom(peer).GetIpv4(),
                                  Ipv4Address("10.0.0.1"),
                                  "address of the peer");
            NS_TEST_EXPECT_MSG_EQ(party.left[0]->Count(Kind::ESTABLISHED), 0, "refused");
            NS_TEST_EXPECT_MSG_EQ(party.left[0]->Count(Kind::REJECTED), 1, "it is told");
            NS_TEST_EXPECT_MSG_EQ(party.left[0]->connection->GetMpa()->GetPeerFrame().reject,
                                  true,
                                  "R=1");
        }
        {
            // private data: a tenant, who has a protection domain, and how many Reads it wants
            Party party;
            const auto device = RdmaDevice::Get(party.hosts.GetNode(1));
            const Ptr<RdmaProtectionDomain> tenants[] = {device->AllocPd(), device->AllocPd()};
            party.Connect({1, 4});
            party.Connect({0, 4});
            party.Connect({0, 5});
            party.admission = [&tenants](Side& side, const RdmaConnectionEvent& event) {
                side.Make(tenants[event.privateData.at(0)]);
                return event.privateData.at(1) <= 4;
            };
            party.Run();
            NS_TEST_ASSERT_MSG_EQ(party.right.size(), 3, "requests");
            for (std::size_t i = 0; i < 3; i++)
            {
                const auto& asked = party.right[i]->events[0].privateData;
                const bool fits = asked[1] <= 4;
                NS_TEST_EXPECT_MSG_EQ((party.right[i]->pair->GetPd() == tenants[asked[0]]),
                                      true,
                                      "protection domain of the tenant");
                NS_TEST_EXPECT_MSG_EQ(party.left[i]->Count(Kind::ESTABLISHED), fits, "depth fits");
                NS_TEST_EXPECT_MSG_EQ(party.left[i]->Count(Kind::REJECTED), !fits, "too much");
            }
        }
    }
};

/// Nothing that comes behind the end of a stream is taken for DDP.
class RdmaTeardownTest : public TestCase
{
  public:
    RdmaTeardownTest()
        : TestCase("DDP-6.2-3 DDP-6.2.2-7 behind the end of DDP, and before the ULP orders it")
    {
    }

  private:
    void RunTeardown() //!< a stream is torn down while the peer still writes
    {
        Party party;
        party.Connect();
        std::vector<uint8_t> before;
        Side* sink = nullptr;
        party.ready = [&] {
            Side& source = *party.left[0];
            sink = party.right[0].get();
            for (uint32_t i = 0; i < MEMORY; i++)
            {
                source.memory[i] = 1 + i % 255;
            }
            RdmaSendRequest request;
            request.opcode = RdmaOpcode::RDMA_WRITE;
            request.sges = {source.region->GetSge(0, MEMORY)};
            request.rkey = sink->region->GetRkey();
            source.pair->PostSend(request);
            Simulator::Schedule(MilliSeconds(8), [&] {
                sink->pair->Modify(RdmaQpState::ERR);
                before = sink->memory;
            });
        };
        party.Run();
        NS_TEST_ASSERT_MSG_EQ(before.size(), MEMORY, "torn down");
        NS_TEST_EXPECT_MSG_GT(+before.front(), 0, "some was placed before");
        NS_TEST_EXPECT_MSG_EQ(+before.back(), 0, "but not all");
        NS_TEST_EXPECT_MSG_EQ((sink->memory == before), true, "and nothing behind it");
    }

    /// A listener of DDP that does nothing, as a ULP that is slow to order the end.
    struct SilentUlp : DdpReceiver::Listener
    {
        bool Admit(const DdpHeader&, const uint8_t*, uint32_t, uint32_t, uint32_t&) override
        {
            return true;
        }

        void Delivered(DdpDelivery&) override
        {
        }

        void Failed(const DdpErrorReport& report) override
        {
            errors.push_back(report.error);
        }

        std::vector<DdpError> errors; //!< errors reported
    };

    /// A frame of the right host. @param packet frame
    void Sniff(Ptr<const Packet> packet)
    {
        const auto copy = packet->Copy();
        PppHeader ppp;
        Ipv4Header ip;
        TcpHeader tcp;
        copy->RemoveHeader(ppp);
        copy->RemoveHeader(ip);
        copy->RemoveHeader(tcp);
        if ((tcp.GetFlags() & (TcpHeader::FIN | TcpHeader::RST)) != 0)
        {
            m_ends.push_back(Simulator::Now());
        }
    }

    /// An error is told. @param fault octets behind a good FPDU @param code DDP's error, or NONE if
    /// MPA finds it
    void RunSilence(const std::vector<uint8_t>& fault, DdpError code)
    {
        m_ends.clear();
        MpaLinkedHosts hosts;
        MpaStreamLog log;
        DdpStagTable table;
        SilentUlp ulp;
        DdpReceiver ddp(table, 1, 1, ulp);
        ddp.EnableQueue(0);
        Ptr<MpaStream> responder;
        std::unique_ptr<RawEnd> peer;
        hosts.Connect(
            [&](Ptr<MpaTcpSocket> socket) {
                peer = std::make_unique<RawEnd>(socket);
                std::vector<uint8_t> request(20);
                std::memcpy(request.data(), "MPA ID Req Frame", 16);
                request[16] = 0x40; // CRC
                request[17] = 1;    // revision
                peer->Send(request);
            },
            [&](Ptr<MpaTcpSocket> socket) {
                responder = log.MakeStream(socket);
                responder->StartResponder();
            });
        hosts.GetDevice(1)->TraceConnectWithoutContext(
            "PhyTxBegin",
            MakeCallback(&RdmaTeardownTest::Sniff, this));
        Simulator::Schedule(MilliSeconds(100), [&] {
            // an RDMA Write of no octets, which is good whatever its STag
            DdpHeader header;
            header.tagged = true;
            header.last = true;
            header.ulpControl = 0x40;
            std::vector<uint8_t> good(header.GetSize());
            header.Write(good.data());
            auto octets = MakeFpdu(good, 0, true);
            octets.insert(octets.end(), fault.begin(), fault.end());
            peer->Send(octets);
        });
        Simulator::Schedule(Seconds(1), [&] {
            for (const auto& ulpdu : log.passed)
            {
                ddp.Segment(ulpdu.seq,
                            ulpdu.octets.data(),
                            ulpdu.octets.size(),
                            ulpdu.octets.size());
            }
            NS_TEST_EXPECT_MSG_EQ(log.errors.size() + ulp.errors.size(), 1, "one error is told");
        });
        Simulator::Schedule(Seconds(11), [&] {
            NS_TEST_EXPECT_MSG_EQ(m_ends.size(), 0, "10 s of silence: no FIN, no RST");
            responder->Close();
        });
        Simulator::Stop(Seconds(20));
        Simulator::Run();
        if (code == DdpError::NONE)
        {
            NS_TEST_EXPECT_MSG_EQ(log.passed.size(), 1, "plain octets are no ULPDU");
        }
        else
        {
            NS_TEST_EXPECT_MSG_EQ((ulp.errors == std::vector<DdpError>{code}), true, "DDP's error");
        }
        NS_TEST_EXPECT_MSG_EQ(m_ends.empty(), false, "the ULP has ordered the end");
        Simulator::Destroy();
    }

    void DoRun() override
    {
        RunTeardown();

        // octets that are no DDP, behind the last FPDU
        std::vector<uint8_t> plain(30000);
        std::iota(plain.begin(), plain.end(), 'a');
        RunSilence(plain, DdpError::NONE);

        // an untagged segment for a queue that is not there
        DdpHeader header;
        header.last = true;
        header.qn = 9;
        header.msn = 1;
        std::vector<uint8_t> segment(header.GetSize());
        header.Write(segment.data());
        const uint32_t position = MakeFpdu(std::vector<uint8_t>(14), 0, true).size();
        RunSilence(MakeFpdu(segment, position, true), DdpError::UNTAGGED_INVALID_QN);
    }

    std::vector<Time> m_ends; //!< when the right host sent FIN or RST
};

/// Who has no TCP connection makes no MPA stream.
class RdmaBlindTest : public TestCase
{
  public:
    RdmaBlindTest()
        : TestCase("MPA-9.1.1-01 a Request without a TCP connection")
    {
    }

  private:
    /// Send a TCP segment out of nothing. @param node where @param flags TCP flags
    static void Inject(Ptr<Node> node, uint8_t flags)
    {
        std::vector<uint8_t> request(20);
        std::memcpy(request.data(), "MPA ID Req Frame", 16);
        request[16] = 0x40;
        request[17] = 1;
        auto packet = Create<Packet>(request.data(), request.size());
        const Ipv4Address source("10.0.0.1");
        const Ipv4Address destination("10.0.0.2");
        TcpHeader header;
        header.SetSourcePort(50000);
        header.SetDestinationPort(PORT);
        header.SetSequenceNumber(SequenceNumber32(1));
        header.SetAckNumber(SequenceNumber32(1));
        header.SetFlags(flags);
        header.SetWindowSize(1000);
        packet->AddHeader(header);
        node->GetObject<Ipv4L3Protocol>()->Send(packet,
                                                source,
                                                destination,
                                                TcpL4Protocol::PROT_NUMBER,
                                                nullptr);
    }

    void DoRun() override
    {
        Party party;
        const auto node = party.hosts.GetNode(0);
        // neither with an ACK nor with any other flags that are not those of a handshake
        Simulator::Schedule(MilliSeconds(100), &RdmaBlindTest::Inject, node, TcpHeader::ACK);
        Simulator::Schedule(MilliSeconds(200),
                            &RdmaBlindTest::Inject,
                            node,
                            TcpHeader::ACK | TcpHeader::PSH);
        Simulator::Schedule(MilliSeconds(300), &RdmaBlindTest::Inject, node, 0);
        party.Connect();
        party.Run();
        NS_TEST_EXPECT_MSG_EQ(party.right.size(), 1, "no request but the one over a connection");
        NS_TEST_EXPECT_MSG_EQ(party.left[0]->Count(Kind::ESTABLISHED), 1, "which is accepted");
    }
};

/// TCP of other applications is what it is on a node without MPA.
class RdmaBesideTcpTest : public TestCase
{
  public:
    RdmaBesideTcpTest()
        : TestCase("MPA-A-01 plain TCP beside MPA")
    {
    }

  private:
    using Segments = std::vector<std::pair<uint32_t, uint32_t>>; //!< sequence numbers and sizes

    /// A segment of plain TCP. @param packet payload @param header its header
    void HandleTx(Ptr<const Packet> packet, const TcpHeader& header, Ptr<const TcpSocketBase>)
    {
        if (packet->GetSize() > 0)
        {
            m_segments.emplace_back(header.GetSequenceNumber().GetValue(), packet->GetSize());
        }
    }

    /// @param mpa an MPA flow, too @return segments of the plain flow
    Segments Run(bool mpa)
    {
        m_segments.clear();
        Party party;
        if (mpa)
        {
            party.Connect();
            party.ready = [&party] { party.left[0]->Send(MEMORY); };
        }
        const auto listener =
            Socket::CreateSocket(party.hosts.GetNode(1), TcpSocketFactory::GetTypeId());
        listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), 9));
        listener->Listen();
        std::unique_ptr<RawEnd> sink;
        const auto accept = [&sink](Ptr<Socket> socket) {
            sink = std::make_unique<RawEnd>(socket);
        };
        m_accept = accept;
        listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                    MakeCallback(&RdmaBesideTcpTest::HandleAccept, this));
        const auto socket =
            Socket::CreateSocket(party.hosts.GetNode(0), TcpSocketFactory::GetTypeId());
        NS_TEST_EXPECT_MSG_EQ((DynamicCast<MpaTcpSocket>(socket) == nullptr), true, "plain TCP");
        socket->SetAttribute("SndBufSize", UintegerValue(MEMORY));
        socket->SetAttribute("SegmentSize", UintegerValue(1000));
        socket->TraceConnectWithoutContext("Tx", MakeCallback(&RdmaBesideTcpTest::HandleTx, this));
        Simulator::Schedule(MilliSeconds(10), [socket] {
            socket->Connect(InetSocketAddress(Ipv4Address("10.0.0.2"), 9));
            socket->Send(Create<Packet>(300500));
        });
        party.Run();
        NS_TEST_EXPECT_MSG_EQ(sink->received.size(), 300500, "all arrives");
        if (mpa)
        {
            NS_TEST_EXPECT_MSG_GT(party.right[0]->received, Time(0), "and so does MPA's message");
        }
        return m_segments;
    }

    /// A plain connection. @param socket its socket
    void HandleAccept(Ptr<Socket> socket, const Address&)
    {
        m_accept(socket);
    }

    void DoRun() override
    {
        const Segments alone = Run(false);
        const Segments beside = Run(true);
        NS_TEST_EXPECT_MSG_EQ(alone.size(), 301, "segments of 1000 octets, and the rest");
        NS_TEST_EXPECT_MSG_EQ((alone == beside), true, "the same ones");
    }

    Segments m_segments;                       //!< seen
    std::function<void(Ptr<Socket>)> m_accept; //!< takes a connection
};

/// What a sender makes of a TCP that tells its segment size and no more.
class RdmaStandardTcpTest : public TestCase
{
  public:
    RdmaStandardTcpTest()
        : TestCase("MPA-5.1-01 MULPDU over TCP that does not align")
    {
    }

  private:
    /// @param markers the peer wants Markers @return MULPDU of the sender
    uint32_t MulpduOf(bool markers)
    {
        Party party;
        uint32_t mulpdu = 0;
        party.listener->SetStreamAttribute("Markers", BooleanValue(markers));
        party.Connect();
        const auto& connection = party.left[0]->connection;
        connection->SetSocketAttribute("Alignment", BooleanValue(false));
        connection->SetSocketAttribute("Timestamp", BooleanValue(false));
        party.ready = [&] {
            NS_TEST_EXPECT_MSG_EQ(connection->GetMpa()->GetSocket()->GetEmss(),
                                  1460,
                                  "of Ethernet");
            mulpdu = connection->GetMpa()->GetMulpdu();
        };
        party.Run();
        return mulpdu;
    }

    void DoRun() override
    {
        // section 4.5: EMSS - (6 + 4 * Ceiling(EMSS / 512) + EMSS mod 4), and EMSS - (6 + EMSS mod
        // 4)
        NS_TEST_EXPECT_MSG_EQ(MulpduOf(true), 1460 - (6 + 4 * 3 + 0), "with Markers");
        NS_TEST_EXPECT_MSG_EQ(MulpduOf(false), 1460 - 6, "without");
    }
};

/// @ingroup iwarp-tests
class RdmaRulesTestSuite : public TestSuite
{
  public:
    RdmaRulesTestSuite()
        : TestSuite("rdma-rules")
    {
        AddTestCase(new RdmaStreamsTest, IWARP_TEST_QUICK);
        AddTestCase(new RdmaAdmissionTest, IWARP_TEST_QUICK);
        AddTestCase(new RdmaTeardownTest, IWARP_TEST_QUICK);
        AddTestCase(new RdmaBlindTest, IWARP_TEST_QUICK);
        AddTestCase(new RdmaStandardTcpTest, IWARP_TEST_QUICK);
        AddTestCase(new RdmaBesideTcpTest, IWARP_TEST_QUICK);
    }
};

RdmaRulesTestSuite g_rdmaRulesTestSuite; //!< registers the suite

} // namespace
