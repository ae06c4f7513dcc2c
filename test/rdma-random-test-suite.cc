/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-stream-fixture.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ipv4-address.h"
#include "ns3/ns3-compat.h"
#include "ns3/path-impairment.h"
#include "ns3/rdma-connection.h"
#include "ns3/rdma-protection-domain.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <memory>
#include <random>

using namespace ns3;

namespace
{

using Octets = std::vector<uint8_t>;

constexpr uint32_t ALL = DDP_ACCESS_LOCAL_WRITE | DDP_ACCESS_REMOTE_WRITE | DDP_ACCESS_REMOTE_READ |
                         DDP_ACCESS_REMOTE_ATOMIC;
constexpr uint32_t LARGEST = 1 << 20;            // octets of the longest message
constexpr uint32_t SOURCE = LARGEST + (1 << 16); // octets that are only read, at the beginning
constexpr uint32_t COUNTERS = 64;                // octets behind them that Atomics use
constexpr uint32_t BUDGET = 3 << 20;             // octets that a program moves, more or less
constexpr uint32_t MEMORY = SOURCE + 2 * BUDGET;
constexpr uint64_t BASE = 0x7F0000000000; // address of the first octet
constexpr uint16_t PORT = 4791;
constexpr uint32_t INLINE = 64;
constexpr uint32_t SHARED_SIZE = 5000; // octets of the buffers of a shared receive queue

/// A host, and what the sequential model says of it.
struct Host
{
    Octets memory = Octets(MEMORY);
    Octets model;
    uint32_t place = SOURCE + COUNTERS; // next free octet
    Ptr<RdmaDevice> device;
    Ptr<RdmaProtectionDomain> pd;
    Ptr<RdmaCompletionQueue> cq;
    Ptr<RdmaMemoryRegion> region;
    Ptr<RdmaSharedReceiveQueue> srq;
    std::vector<uint32_t> shared; // places of the buffers of srq, by id

    /// @param size octets @return place of so many that nothing else uses
    uint32_t Take(uint32_t size)
    {
        const uint32_t at = place;
        place += (size + 7) / 8 * 8 + 8;
        return at;
    }

    uint64_t Count(const Octets& octets, uint32_t index) const
    {
        uint64_t value;
        std::memcpy(&value, &octets[SOURCE + 8 * index], sizeof(value));
        return value;
    }
};

/// A run of octets that some work moves.
struct Move
{
    uint32_t place; // where it goes, SOURCE or more
    Octets octets;  // what has to be there
};

/// Something that has to be reported.
struct Report
{
    uint64_t id;
    RdmaCompletionOpcode opcode;
    uint32_t octets;
    bool immediate;
    uint32_t data; // Immediate Data, or key that is invalidated
    bool invalidate;
    std::vector<Move> done; // what is in place then
};

/// One end of a queue pair.
struct End
{
    Host* host;
    Ptr<RdmaQueuePair> qp;
    bool established{false};
    std::deque<RdmaSendRequest> program; // not posted yet
    std::deque<Report> sends;            // signaled ones, not reported yet
    std::deque<Report> receives;         // not reported yet
    std::vector<Move> unseen;            // Writes to the other end since the last message to it
};

/**
 * Random programs of verbs over TCP, on several queue pairs between two hosts, while the path loses
 * and reorders, against a sequential model of memory and completions.
 */
class RdmaRandomTest : public TestCase
{
  public:
    /// @param first first seed @param count number of seeds
    RdmaRandomTest(uint32_t first, uint32_t count)
        : TestCase("DDP-5.3-1 DDP-5.3-8 DDP-5.4-5 programs of verbs over a path that loses, from "
                   "seed " +
                   std::to_string(first)),
          m_first(first),
          m_count(count)
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t seed = m_first; seed < m_first + m_count && !IsStatusFailure(); seed++)
        {
            m_seed = seed;
            Run();
            Simulator::Destroy();
            m_ends.clear();
            m_connections.clear();
            m_hosts[0].reset();
            m_hosts[1].reset();
            m_spares.clear();
        }
    }

    /// @param below bound @return a random number below it
    uint32_t Random(uint32_t below)
    {
        return static_cast<uint32_t>(m_random()) % below;
    }

    void Run()
    {
        m_random.seed(m_seed);
        m_moved = 0;
        MpaLinkedHosts hosts(MicroSeconds(1 + Random(2000)), Random(4) == 0 ? 9000 : 1500);
        const bool lossy = Random(4) != 0;
        for (uint32_t i = 0; i < 2; i++)
        {
            auto impairment = CreateObject<PathImpairment>();
            impairment->SetAttribute("Loss", DoubleValue(lossy ? 0.0005 * Random(40) : 0));
            impairment->SetAttribute("Reordering", DoubleValue(lossy ? 0.002 * Random(40) : 0));
            impairment->SetAttribute("Duplication", DoubleValue(lossy ? 0.001 * Random(20) : 0));
            impairment->AssignStreams(8 * m_seed + 4 * i);
            impairment->Install(hosts.GetDevice(i));
            MakeHost(i, hosts.GetNode(i));
        }
        const uint32_t pairs = 1 + Random(3);
        m_shared = Random(4) == 0;
        m_ends.resize(2 * pairs);
        for (uint32_t i = 0; i < m_ends.size(); i++)
        {
            MakeEnd(m_ends[i], *m_hosts[i % 2]);
        }
        for (uint32_t i = 0; i < m_ends.size(); i++)
        {
            // whoever connects begins: the other end waits for an FPDU (RFC 5044 section 7.1.2)
            const uint32_t work = Random(25) + (i % 2 == 0 ? 1 : 0);
            for (uint32_t n = 0; n < work && m_moved < BUDGET; n++)
            {
                Plan(m_ends[i], m_ends[i ^ 1], n == 0);
            }
        }
        PostShared();
        Connect(hosts, pairs);
        Simulator::Schedule(MilliSeconds(20), &RdmaRandomTest::Step, this);
        Simulator::Stop(Seconds(2000));
        Simulator::Run();
        Judge();
    }

    void MakeHost(uint32_t i, Ptr<Node> node)
    {
        m_hosts[i] = std::make_unique<Host>();
        Host& host = *m_hosts[i];
        for (uint32_t at = 0; at < SOURCE; at += 4)
        {
            const auto value = static_cast<uint32_t>(m_random());
            std::memcpy(&host.memory[at], &value, sizeof(value));
        }
        host.model = host.memory;
        host.device = RdmaDevice::Get(node);
        host.pd = host.device->AllocPd();
        host.cq = host.device->CreateCq(1000);
        host.region =
            host.pd->RegisterMemory(DdpMemory::Wrap(host.memory.data(), MEMORY), BASE, ALL);
        host.srq = host.pd->CreateSrq(1000, 1);
    }

    void MakeEnd(End& end, Host& host)
    {
        RdmaQueuePairConfig config;
        config.sendCq = config.receiveCq = host.cq;
        config.srq = m_shared ? host.srq : nullptr;
        config.maxSendWr = 1 + Random(20);
        config.maxReceiveWr = 100;
        config.maxSendSge = 3;
        config.maxReceiveSge = 2;
        config.maxInline = INLINE;
        end.host = &host;
        end.qp = host.pd->CreateQp(config);
        end.qp->Modify(RdmaQpState::INIT);
    }

    /// @return octets of a message, from 0 to 1 MiB
    uint32_t Size()
    {
        const uint32_t most[] = {1, 64, 1500, 20000, 200000, LARGEST + 1};
        const uint32_t kind = Random(21);
        const uint32_t size = Random(most[kind < 20 ? kind / 4 : 5]);
        m_moved += size;
        return kind == 20 && Random(4) == 0 ? LARGEST : size;
    }

    /// Cut a run of octets into pieces. @param host whose @param place first @param size octets
    /// @param most pieces @return the pieces
    std::vector<RdmaSge> Pieces(Host& host, uint32_t place, uint32_t size, uint32_t most)
    {
        std::vector<RdmaSge> pieces;
        for (uint32_t n = Random(most); n > 0; n--)
        {
            const uint32_t part = Random(size + 1);
            pieces.push_back(host.region->GetSge(place, part));
            place += part;
            size -= part;
        }
        pieces.push_back(host.region->GetSge(place, size));
        return pieces;
    }

    /// The model moves octets. @param from where they are @param at first @param to where they go
    /// @param place where there @param size how many @return what has to be there
    static Move Copy(const Host& from, uint32_t at, Host& to, uint32_t place, uint32_t size)
    {
        Move move{place, Octets(from.model.begin() + at, from.model.begin() + at + size)};
        std::copy(move.octets.begin(), move.octets.end(), to.model.begin() + place);
        return move;
    }

    /// Add work to a program, and its effect to the model. @param end who posts @param peer the
    /// other end @param remote it has to reach the peer
    void Plan(End& end, End& peer, bool remote)
    {
        RdmaSendRequest request;
        request.id = ++m_id;
        request.flags = Random(3) != 0 || end.program.empty() ? RDMA_SEND_SIGNALED : 0;
        request.flags |= Random(6) == 0 ? RDMA_SEND_FENCE : 0;
        request.rkey = peer.host->region->GetRkey();
        Report report{request.id, RdmaCompletionOpcode::SEND, 0, false, 0, false, {}};
        switch (Random(remote ? 13 : 14))
        {
        case 0:
        case 1:
        case 2:
        case 3:
            PlanSend(end, peer, request);
            break;
        case 4:
        case 5:
        case 6:
            PlanWrite(end, peer, request);
            report.opcode = RdmaCompletionOpcode::RDMA_WRITE;
            break;
        case 7:
        case 8:
        case 9:
            PlanRead(end, peer, request, report);
            break;
        case 10:
        case 11:
        case 12:
            PlanAtomic(end, peer, request, report);
            break;
        default:
            request.opcode = RdmaOpcode::LOCAL_INVALIDATE;
            request.rkey = Spare(*end.host);
            report.opcode = RdmaCompletionOpcode::LOCAL_INVALIDATE;
            break;
        }
        if ((request.flags & RDMA_SEND_SIGNALED) != 0)
        {
            end.sends.push_back(report);
        }
        end.program.push_back(request);
    }

    /// @param host whose @return key of a region that will be invalidated
    uint32_t Spare(Host& host)
    {
        auto region = host.pd->RegisterVirtual(100, ALL);
        region->AllowInvalidation(true);
        m_spares.push_back(region);
        return region->GetRkey();
    }

    void PlanSend(End& end, End& peer, RdmaSendRequest& request)
    {
        const uint32_t size = m_shared ? Random(SHARED_SIZE) : Size();
        uint32_t at = Random(SOURCE - size);
        if (!m_shared && !m_reads.empty() && m_reads.back().first == &end && Random(2) == 0)
        {
            // what a Read has brought, which has to be there before it is sent
            at = m_reads.back().second.place;
            request.flags |= RDMA_SEND_FENCE;
        }
        const bool small = at < SOURCE && size <= INLINE && Random(2) == 0;
        const uint32_t length =
            at < SOURCE ? size : static_cast<uint32_t>(m_reads.back().second.octets.size());
        m_moved += length;
        request.sges = Pieces(*end.host, at, length, 3);
        request.flags |= small ? RDMA_SEND_INLINE : 0;
        request.flags |= Random(2) == 0 ? RDMA_SEND_SOLICITED : 0;
        Report report{++m_id, RdmaCompletionOpcode::RECEIVE, length, false, 0, false, {}};
        if (Random(5) == 0)
        {
            request.opcode = RdmaOpcode::SEND_WITH_INVALIDATE;
            request.rkey = Spare(*peer.host);
            report.invalidate = true;
            report.data = request.rkey;
        }
        if (m_shared)
        {
            // whichever buffer it gets
            report.done.push_back(
                {0, Octets(end.host->model.begin() + at, end.host->model.begin() + at + length)});
        }
        else
        {
            const uint32_t room = length + Random(100);
            const uint32_t place = peer.host->Take(room);
            report.done.push_back(Copy(*end.host, at, *peer.host, place, length));
            const int error = peer.qp->PostReceive({report.id, Pieces(*peer.host, place, room, 2)});
            NS_TEST_EXPECT_MSG_EQ(error, 0, "seed " << m_seed << ": a receive");
        }
        Message(end, peer, report);
    }

    /// A message comes behind all Writes before it. @param end sender @param peer receiver @param
    /// report what it has to report
    static void Message(End& end, End& peer, Report& report)
    {
        std::move(end.unseen.begin(), end.unseen.end(), std::back_inserter(report.done));
        end.unseen.clear();
        peer.receives.push_back(report);
    }

    void PlanWrite(End& end, End& peer, RdmaSendRequest& request)
    {
        const uint32_t size = Size();
        const uint32_t at = Random(SOURCE - size);
        const uint32_t place = peer.host->Take(size);
        request.opcode = RdmaOpcode::RDMA_WRITE;
        request.sges = Pieces(*end.host, at, size, 3);
        request.flags |= size <= INLINE && Random(2) == 0 ? RDMA_SEND_INLINE : 0;
        request.remoteAddress = BASE + place;
        end.unseen.push_back(Copy(*end.host, at, *peer.host, place, size));
        m_writes.emplace_back(&end, end.unseen.back());
        if (!m_shared && Random(4) == 0)
        {
            request.opcode = RdmaOpcode::RDMA_WRITE_WITH_IMM;
            request.immediate = m_random();
            Report report{++m_id,
                          RdmaCompletionOpcode::RECEIVE_RDMA_WITH_IMM,
                          0,
                          true,
                          request.immediate,
                          false,
                          {}};
            // the data take a receive buffer as any message does: 64 bits, most significant first
            const uint32_t room = Random(50) + 8;
            const uint32_t buffer = peer.host->Take(room);
            peer.qp->PostReceive({report.id, {peer.host->region->GetSge(buffer, room)}});
            for (uint32_t i = 0; i < 4; i++)
            {
                peer.host->model[buffer + 4 + i] = request.immediate >> 8 * (3 - i);
            }
            Message(end, peer, report);
        }
    }

    void PlanRead(End& end, End& peer, RdmaSendRequest& request, Report& report)
    {
        uint32_t size = Size();
        uint32_t at = Random(SOURCE - size);
        if (!m_writes.empty() && m_writes.back().first == &end && Random(2) == 0)
        {
            // what the last Write has put there, which is in place before a Read behind it is done
            at = m_writes.back().second.place;
            size = static_cast<uint32_t>(m_writes.back().second.octets.size());
            m_moved += size;
        }
        const uint32_t place = end.host->Take(size);
        request.opcode = RdmaOpcode::RDMA_READ;
        request.sges = {end.host->region->GetSge(place, size)};
        request.remoteAddress = BASE + at;
        report.opcode = RdmaCompletionOpcode::RDMA_READ;
        report.octets = size;
        report.done.push_back(Copy(*peer.host, at, *end.host, place, size));
        m_reads.emplace_back(&end, report.done.back());
    }

    void PlanAtomic(End& end, End& peer, RdmaSendRequest& request, Report& report)
    {
        // each queue pair has a counter of its own; the last one is for all
        const auto index = static_cast<uint32_t>(&end - m_ends.data()) / 2;
        const bool common = Random(3) == 0;
        const uint32_t counter = common ? COUNTERS / 8 - 1 : index;
        const uint32_t place = end.host->Take(8);
        uint64_t value = peer.host->Count(peer.host->model, counter);
        request.opcode = RdmaOpcode::ATOMIC_FETCH_ADD;
        request.sges = {end.host->region->GetSge(place, 8)};
        request.remoteAddress = BASE + SOURCE + 8 * counter;
        request.compareAdd = common ? 1 : m_random();
        report.opcode = RdmaCompletionOpcode::FETCH_ADD;
        report.octets = 8;
        if (common)
        {
            m_common[peer.host == m_hosts[1].get()].push_back(place);
            value++;
        }
        else
        {
            Move original{place, Octets(8)};
            std::memcpy(original.octets.data(), &value, 8);
            std::copy_n(original.octets.begin(), 8, end.host->model.begin() + place);
            report.done.push_back(original);
            if (Random(2) == 0)
            {
                request.opcode = RdmaOpcode::ATOMIC_COMPARE_SWAP;
                report.opcode = RdmaCompletionOpcode::COMPARE_SWAP;
                request.compareAdd = value ^ (Random(2) == 0 ? 1 : 0);
                request.swap = m_random();
                value = request.compareAdd == value ? request.swap : value;
            }
            else
            {
                value += request.compareAdd;
            }
        }
        std::memcpy(&peer.host->model[SOURCE + 8 * counter], &value, 8);
    }

    /// Post buffers for all messages.
    void PostShared()
    {
        for (End& end : m_ends)
        {
            for (std::size_t i = 0; m_shared && i < end.receives.size(); i++)
            {
                Host& host = *end.host;
                host.shared.push_back(host.Take(SHARED_SIZE));
                const int error =
                    host.srq->PostReceive({host.shared.size() - 1,
                                           {host.region->GetSge(host.shared.back(), SHARED_SIZE)}});
                NS_TEST_EXPECT_MSG_EQ(error, 0, "seed " << m_seed << ": a shared receive");
            }
        }
    }

    void Connect(MpaLinkedHosts& hosts, uint32_t pairs)
    {
        const bool markers = Random(2) == 0;
        m_listener = RdmaConnection::Create(hosts.GetNode(1));
        m_listener->SetEventCallback(MakeCallback(&RdmaRandomTest::HandleEvent, this));
        m_listener->SetStreamAttribute("Markers", BooleanValue(markers));
        m_listener->Listen(InetSocketAddress(Ipv4Address::GetAny(), PORT));
        m_connections.push_back(m_listener);
        for (uint32_t i = 0; i < pairs; i++)
        {
            auto connection = RdmaConnection::Create(hosts.GetNode(0));
            connection->SetEventCallback(MakeCallback(&RdmaRandomTest::HandleEvent, this));
            connection->SetStreamAttribute("Markers", BooleanValue(Random(2) == 0));
            connection->SetQp(m_ends[2 * i].qp);
            m_connections.push_back(connection);
            connection->ResolveAddress(InetSocketAddress(Ipv4Address("10.0.0.2"), PORT));
        }
    }

    void HandleEvent(Ptr<RdmaConnection> connection, const RdmaConnectionEvent& event)
    {
        using Kind = RdmaConnectionEvent::Kind;
        RdmaConnectionParameters parameters;
        parameters.initiatorDepth = 1 + Random(8);
        parameters.responderResources = 8 + Random(8);
        switch (event.kind)
        {
        case Kind::ADDRESS_RESOLVED:
            connection->ResolveRoute();
            break;
        case Kind::ROUTE_RESOLVED: {
            const auto which = std::find(m_connections.begin(), m_connections.end(), connection);
            parameters.privateData = {static_cast<uint8_t>(which - m_connections.begin() - 1)};
            connection->Connect(parameters);
            break;
        }
        case Kind::CONNECT_REQUEST:
            m_connections.push_back(event.request);
            event.request->SetQp(m_ends[2 * event.privateData.at(0) + 1].qp);
            event.request->Accept(parameters);
            break;
        case Kind::ESTABLISHED:
            for (End& end : m_ends)
            {
                end.established = end.established || end.qp == connection->GetQp();
            }
            break;
        case Kind::DISCONNECTED:
            connection->Disconnect();
            break;
        case Kind::CLOSED:
            break;
        default:
            NS_TEST_EXPECT_MSG_EQ(event.reason, "", "seed " << m_seed << ": no connection");
            break;
        }
    }

    /// Now and then: post what can be, take completions.
    void Step()
    {
        bool busy = false;
        for (End& end : m_ends)
        {
            while (end.established && !end.program.empty())
            {
                const int error = end.qp->PostSend(end.program.front());
                if (error != 0)
                {
                    NS_TEST_EXPECT_MSG_EQ(error, ENOMEM, "seed " << m_seed << ": posting");
                    break;
                }
                end.program.pop_front();
            }
            busy = busy || !end.program.empty() || !end.sends.empty() || !end.receives.empty() ||
                   end.qp->GetSendsPosted() > 0;
        }
        for (auto& host : m_hosts)
        {
            RdmaCompletion completion;
            while (host->cq->Poll(completion) > 0)
            {
                Take(*host, completion);
            }
        }
        if (IsStatusFailure())
        {
            Simulator::Stop();
            return;
        }
        if (busy)
        {
            Simulator::Schedule(MicroSeconds(500), &RdmaRandomTest::Step, this);
            return;
        }
        for (uint32_t i = 1; i < m_connections.size(); i++)
        {
            m_connections[i]->Disconnect();
        }
    }

    void Take(Host& host, const RdmaCompletion& completion)
    {
        const auto end = std::find_if(m_ends.begin(), m_ends.end(), [&](const End& e) {
            return e.host == &host && e.qp->GetNumber() == completion.qpNumber;
        });
        NS_TEST_ASSERT_MSG_EQ((end != m_ends.end()), true, "seed " << m_seed << ": of whom?");
        NS_TEST_ASSERT_MSG_EQ((completion.status == RdmapStatus::SUCCESS),
                              true,
                              "seed " << m_seed << ": status " << unsigned(completion.status)
                                      << " of " << completion.id);
        const bool receive = completion.opcode >= RdmaCompletionOpcode::RECEIVE;
        auto& reports = receive ? end->receives : end->sends;
        NS_TEST_ASSERT_MSG_EQ(reports.empty(), false, "seed " << m_seed << ": one too many");
        Report report = reports.front();
        reports.pop_front();
        if (receive && m_shared)
        {
            report.done.front().place = host.shared.at(completion.id);
            Move& move = report.done.front();
            std::copy(move.octets.begin(), move.octets.end(), host.model.begin() + move.place);
        }
        else
        {
            NS_TEST_EXPECT_MSG_EQ(completion.id, report.id, "seed " << m_seed << ": order");
        }
        NS_TEST_EXPECT_MSG_EQ((completion.opcode == report.opcode),
                              true,
                              "seed " << m_seed << ": opcode of " << completion.id);
        if (report.octets > 0)
        {
            NS_TEST_EXPECT_MSG_EQ(completion.octets, report.octets, "seed " << m_seed);
        }
        NS_TEST_EXPECT_MSG_EQ(completion.withImmediate, report.immediate, "seed " << m_seed);
        NS_TEST_EXPECT_MSG_EQ(completion.withInvalidate, report.invalidate, "seed " << m_seed);
        if (report.immediate || report.invalidate)
        {
            NS_TEST_EXPECT_MSG_EQ(
                (report.immediate ? completion.immediate : completion.invalidatedKey),
                report.data,
                "seed " << m_seed);
        }
        for (const Move& move : report.done)
        {
            const bool there = std::equal(move.octets.begin(),
                                          move.octets.end(),
                                          host.memory.begin() + move.place);
            NS_TEST_EXPECT_MSG_EQ(there, true, "seed " << m_seed << ": octets at " << move.place);
        }
    }

    /// At the end: everything was reported, and the memories are as the model has them.
    void Judge()
    {
        for (const End& end : m_ends)
        {
            NS_TEST_EXPECT_MSG_EQ(end.program.size(), 0, "seed " << m_seed << ": all is posted");
            NS_TEST_EXPECT_MSG_EQ(end.sends.size(), 0, "seed " << m_seed << ": and reported");
            NS_TEST_EXPECT_MSG_EQ(end.receives.size(), 0, "seed " << m_seed << ": and received");
        }
        for (uint32_t i = 0; i < 2; i++)
        {
            // who came first to the common counter is not known, but each came once
            std::vector<uint64_t> originals;
            Host& other = *m_hosts[1 - i];
            for (uint32_t place : m_common[i])
            {
                uint64_t value;
                std::memcpy(&value, &other.memory[place], 8);
                originals.push_back(value);
                std::memcpy(&other.model[place], &value, 8);
            }
            std::sort(originals.begin(), originals.end());
            for (std::size_t n = 0; n < originals.size(); n++)
            {
                NS_TEST_EXPECT_MSG_EQ(originals[n], n, "seed " << m_seed << ": common counter");
            }
            m_common[i].clear();
        }
        for (const auto& host : m_hosts)
        {
            NS_TEST_ASSERT_MSG_LT(host->place, MEMORY, "there is room");
            const auto difference =
                std::mismatch(host->memory.begin(), host->memory.end(), host->model.begin());
            NS_TEST_EXPECT_MSG_EQ(difference.first - host->memory.begin(),
                                  MEMORY,
                                  "seed " << m_seed << ": memory is as the model has it up to");
        }
        for (const auto& region : m_spares)
        {
            NS_TEST_EXPECT_MSG_EQ(region->IsValid(), false, "seed " << m_seed << ": invalidated");
        }
        m_writes.clear();
        m_reads.clear();
    }

    uint32_t m_first;                                  //!< first seed
    uint32_t m_count;                                  //!< number of seeds
    uint32_t m_seed{0};                                //!< seed
    std::mt19937 m_random;                             //!< makes the program
    uint64_t m_id{0};                                  //!< of the last work request
    uint32_t m_moved{0};                               //!< octets to be moved
    bool m_shared{false};                              //!< shared receive queues
    std::array<std::unique_ptr<Host>, 2> m_hosts;      //!< hosts
    std::vector<End> m_ends;                           //!< ends, those of a pair together
    Ptr<RdmaConnection> m_listener;                    //!< at the second host
    std::vector<Ptr<RdmaConnection>> m_connections;    //!< and all others
    std::vector<Ptr<RdmaMemoryRegion>> m_spares;       //!< regions that are invalidated
    std::vector<std::pair<const End*, Move>> m_writes; //!< Writes
    std::vector<std::pair<const End*, Move>> m_reads;  //!< Reads
    std::array<std::vector<uint32_t>, 2> m_common;     //!< originals of each common counter
};

/// @ingroup iwarp-tests
class RdmaRandomTestSuite : public TestSuite
{
  public:
    RdmaRandomTestSuite()
        : TestSuite("rdma-random")
    {
        AddTestCase(new RdmaRandomTest(1, 30), IWARP_TEST_QUICK);
        // ACKs with SACK blocks come late, behind a close
        AddTestCase(new RdmaRandomTest(1054, 1), IWARP_TEST_QUICK);
        AddTestCase(new RdmaRandomTest(2238, 1), IWARP_TEST_QUICK);
        AddTestCase(new RdmaRandomTest(1000, 3000), IWARP_TEST_EXTENSIVE);
    }
};

RdmaRandomTestSuite g_rdmaRandomTestSuite; //!< registers the suite

} // namespace
