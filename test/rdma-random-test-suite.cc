/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-stream-fixture.h"
#include "rdma-random-program.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ipv4-address.h"
#include "ns3/ns3-compat.h"
#include "ns3/path-random-impairment.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

using namespace ns3;

namespace
{

using End = RdmaRandomProgram::End;
using Host = RdmaRandomProgram::Host;
using Item = RdmaRandomProgram::Item;
using Move = RdmaRandomProgram::Move;
using Octets = RdmaRandomProgram::Octets;
using Report = RdmaRandomProgram::Report;

constexpr uint16_t PORT = 4791;
constexpr uint64_t SPARE_ID = uint64_t(1) << 40; // of receives that no message takes
constexpr uint64_t FAULT_ID = uint64_t(1) << 41; // of work that fails

/**
 * Random programs of verbs over TCP, on several queue pairs between two hosts, while the path loses
 * and reorders, against a sequential model of memory and completions. Programs with windows have
 * work, too, that is refused when it is posted, and end with work that breaks the connection.
 */
class RdmaRandomTest : public TestCase
{
  public:
    /// @param first first seed @param count number of seeds @param windows with memory windows
    RdmaRandomTest(uint32_t first, uint32_t count, bool windows = false)
        : TestCase("DDP-5.3-1 DDP-5.3-8 DDP-5.4-5 programs of verbs" +
                   std::string(windows ? " with memory windows and bad posts" : "") +
                   " over a path that loses, from seed " + std::to_string(first)),
          m_first(first),
          m_count(count),
          m_windows(windows)
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t seed = m_first; seed < m_first + m_count && !IsStatusFailure(); seed++)
        {
            m_seed = seed;
            m_program = std::make_unique<RdmaRandomProgram>(seed, m_windows);
            m_ending = false;
            Run();
            Simulator::Destroy();
            m_connections.clear();
            m_listener = nullptr;
            m_program.reset();
        }
    }

    /// @param below bound @return a random number below it
    uint32_t Random(uint32_t below)
    {
        return m_program->Random(below);
    }

    void Run()
    {
        MpaLinkedHosts hosts(MicroSeconds(1 + Random(2000)), Random(4) == 0 ? 9000 : 1500);
        const bool lossy = Random(4) != 0;
        for (uint32_t i = 0; i < 2; i++)
        {
            auto impairment = CreateObject<PathRandomImpairment>();
            impairment->SetAttribute("Loss", DoubleValue(lossy ? 0.0005 * Random(40) : 0));
            impairment->SetAttribute("Reordering", DoubleValue(lossy ? 0.002 * Random(40) : 0));
            impairment->SetAttribute("Duplication", DoubleValue(lossy ? 0.001 * Random(20) : 0));
            impairment->AssignStreams(8 * m_seed + 4 * i);
            impairment->Install(hosts.GetDevice(i));
            m_program->MakeHost(i, hosts.GetNode(i));
        }
        const uint32_t pairs = 1 + Random(3);
        m_program->Make(pairs);
        if (m_windows)
        {
            FillReceives();
        }
        Connect(hosts, pairs);
        Simulator::Schedule(MilliSeconds(20), &RdmaRandomTest::Step, this);
        Simulator::Stop(Seconds(2000));
        Simulator::Run();
        Judge();
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
            connection->SetQp(m_program->ends[2 * i].qp);
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
            m_connections.push_back(connection);
            connection->SetQp(m_program->ends[2 * event.privateData.at(0) + 1].qp);
            connection->Accept(parameters);
            break;
        case Kind::ESTABLISHED:
            for (End& end : m_program->ends)
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
        for (End& end : m_program->ends)
        {
            if (m_windows && !m_ending && Random(3) == 0)
            {
                PostRefused(end);
            }
            Post(end);
            busy = busy || !end.program.empty() || !end.sends.empty() || !end.receives.empty() ||
                   end.qp->GetSendsPosted() > 0 || (m_windows && !end.established) ||
                   (m_ending && end.qp->GetState() != RdmaQpState::ERR);
        }
        for (auto& host : m_program->hosts)
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
        if (!busy && m_windows && !m_ending && !IsAllThere())
        {
            busy = true; // a Write is done where it was posted before it is in place
        }
        if (!busy && m_windows && !m_ending)
        {
            JudgeWindows();
            m_ending = true;
            for (std::size_t i = 0; i < m_program->ends.size(); i += 2)
            {
                // a side that listens waits for the other to begin
                const uint32_t side = m_program->ends[i].posted ? Random(2) : 0;
                PostFault(m_program->ends[i + side], m_program->ends[i + 1 - side]);
            }
            busy = true;
        }
        if (busy)
        {
            Simulator::Schedule(MicroSeconds(500), &RdmaRandomTest::Step, this);
            return;
        }
        if (m_windows)
        {
            PostBehindFault();
        }
        for (uint32_t i = 1; i < m_connections.size(); i++)
        {
            m_connections[i]->Disconnect();
        }
    }

    /// @return whether all Writes that no message came behind are in place
    bool IsAllThere() const
    {
        for (std::size_t i = 0; i < m_program->ends.size(); i++)
        {
            const Octets& memory = m_program->ends[i ^ 1].host->memory;
            for (const Move& move : m_program->ends[i].unseen)
            {
                if (!std::equal(move.octets.begin(),
                                move.octets.end(),
                                memory.begin() + move.place))
                {
                    return false;
                }
            }
        }
        return true;
    }

    void Post(End& end)
    {
        while (end.established && !end.program.empty() && end.program.front().IsReady())
        {
            Item& item = end.program.front();
            if (item.binding)
            {
                item.request.rkey = item.binding->key;
            }
            const bool full = end.qp->GetSendsPosted() == end.depth;
            const int error = end.qp->PostSend(item.request);
            NS_TEST_EXPECT_MSG_EQ(error, (full ? ENOMEM : 0), "seed " << m_seed << ": posting");
            if (error != 0)
            {
                break;
            }
            end.program.pop_front();
            end.posted = true;
        }
    }

    void Take(Host& host, const RdmaCompletion& completion)
    {
        const auto end =
            std::find_if(m_program->ends.begin(), m_program->ends.end(), [&](const End& e) {
                return e.host == &host && e.qp->GetNumber() == completion.qpNumber;
            });
        NS_TEST_ASSERT_MSG_EQ((end != m_program->ends.end()),
                              true,
                              "seed " << m_seed << ": whose?");
        if (completion.id >= SPARE_ID && completion.id < FAULT_ID)
        {
            const bool flushed = m_ending && completion.status == RdmapStatus::FLUSHED;
            NS_TEST_EXPECT_MSG_EQ(flushed, true, "seed " << m_seed << ": no message takes it");
            return;
        }
        if (completion.id == FAULT_ID)
        {
            return; // an RDMA Write, whose failure at the peer may be known here or not
        }
        const bool receive =
            completion.id < FAULT_ID && completion.opcode >= RdmaCompletionOpcode::RECEIVE;
        auto& reports = receive ? end->receives : end->sends;
        NS_TEST_ASSERT_MSG_EQ(reports.empty(), false, "seed " << m_seed << ": one too many");
        Report report = reports.front();
        reports.pop_front();
        NS_TEST_ASSERT_MSG_EQ((completion.status == report.status),
                              true,
                              "seed " << m_seed << ": status " << unsigned(completion.status)
                                      << " of " << completion.id);
        if (receive && m_program->shared)
        {
            report.done.front().place = host.shared.at(completion.id);
            Move& move = report.done.front();
            std::copy(move.octets.begin(), move.octets.end(), host.model.begin() + move.place);
        }
        else
        {
            NS_TEST_EXPECT_MSG_EQ(completion.id, report.id, "seed " << m_seed << ": order");
        }
        if (report.status != RdmapStatus::SUCCESS)
        {
            return; // nothing else is valid
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
                (report.binding ? report.binding->key : report.data),
                "seed " << m_seed);
        }
        for (const Move& move : report.done)
        {
            const bool there = std::equal(move.octets.begin(),
                                          move.octets.end(),
                                          host.memory.begin() + move.place);
            NS_TEST_EXPECT_MSG_EQ(there, true, "seed " << m_seed << ": octets at " << move.place);
        }
        if (report.effect == Report::Effect::BOUND)
        {
            const auto& window = report.binding->window;
            NS_TEST_EXPECT_MSG_EQ(window->IsBound(), true, "seed " << m_seed << ": bound");
            report.binding->key = window->GetRkey();
            report.binding->bound = true;
        }
        else if (report.effect == Report::Effect::USED)
        {
            report.binding->used = true;
        }
    }

    // ---- work that is refused, or fails -----------------------------------------------------

    /// Post receives until the queues are full, behind those that messages take.
    void FillReceives()
    {
        uint64_t id = SPARE_ID;
        for (End& end : m_program->ends)
        {
            int error = 0;
            while (error == 0)
            {
                error = end.qp->PostReceive({id++, {end.host->region->GetSge(0, 8)}});
            }
            const bool shared = m_program->shared;
            NS_TEST_EXPECT_MSG_EQ(error, (shared ? EINVAL : ENOMEM), "seed " << m_seed << ": full");
            NS_TEST_EXPECT_MSG_EQ(end.qp->GetReceivesPosted(),
                                  (shared ? 0 : RdmaRandomProgram::MAX_RECEIVES),
                                  "seed " << m_seed << ": as many as there is room for");
        }
    }

    /// Post what cannot be: it is refused, and changes nothing. @param end where
    void PostRefused(End& end)
    {
        const auto& region = end.host->region;
        const uint32_t sends = end.qp->GetSendsPosted();
        const uint32_t receives = end.qp->GetReceivesPosted();
        const RdmaQpState state = end.qp->GetState();
        RdmaSendRequest request; // what is wrong with it is added below
        request.id = FAULT_ID + 1;
        int expected = EINVAL;
        const uint32_t kind = Random(8);
        switch (kind)
        {
        case 0:
            request.sges.resize(RdmaRandomProgram::MAX_SEND_SGE + 1, region->GetSge(0, 1));
            break;
        case 1:
            request.flags |= RDMA_SEND_INLINE;
            request.sges = {region->GetSge(0, RdmaRandomProgram::INLINE + 1)};
            break;
        case 2:
            request.flags |= RDMA_SEND_INLINE;
            request.sges = {{RdmaRandomProgram::BASE, 1, ~region->GetLkey()}};
            break;
        case 3:
            request.opcode = RdmaOpcode::BIND_WINDOW;
            break;
        case 4:
            request.sges.resize(2, {RdmaRandomProgram::BASE, 0xFFFFFFFF, region->GetLkey()});
            expected = EMSGSIZE;
            break;
        default:
            break;
        }
        int error = 0;
        if (kind < 5)
        {
            error = end.qp->PostSend(request);
            const bool full = sends == end.depth && kind != 0;
            expected = state != RdmaQpState::RTS ? EINVAL : full ? ENOMEM : expected;
        }
        else if (kind == 5)
        {
            RdmaReceiveRequest receive{FAULT_ID + 1, {}};
            receive.sges.resize(RdmaRandomProgram::MAX_RECEIVE_SGE + 1, region->GetSge(0, 1));
            error = end.qp->PostReceive(receive);
        }
        else if (kind == 6)
        {
            error = end.host->srq->PostReceive(
                {FAULT_ID + 1, {region->GetSge(0, 1), region->GetSge(0, 1)}});
        }
        else
        {
            error = end.qp->Modify(RdmaQpState::INIT);
        }
        NS_TEST_EXPECT_MSG_EQ(error, expected, "seed " << m_seed << ": refused, kind " << kind);
        NS_TEST_EXPECT_MSG_EQ(end.qp->GetSendsPosted(), sends, "seed " << m_seed << ": sends");
        NS_TEST_EXPECT_MSG_EQ(end.qp->GetReceivesPosted(), receives, "seed " << m_seed);
        NS_TEST_EXPECT_MSG_EQ((end.qp->GetState() == state), true, "seed " << m_seed << ": state");
    }

    /// @param end who has bound it @param same by this queue pair, or by another @param bound one
    /// that is bound, or one that was the last of its window and no longer is
    /// @return such a binding; nullptr if there is none
    const RdmaRandomProgram::Binding* FindBinding(const End& end, bool same, bool bound)
    {
        std::vector<const RdmaRandomProgram::Binding*> found;
        for (std::size_t i = 0; i < m_program->bindings.size(); i++)
        {
            const auto& [owner, binding] = m_program->bindings[i];
            const bool fits = same ? owner == &end : owner != &end && owner->host == end.host;
            if (fits && binding->stays == bound && (bound || IsLast(i)))
            {
                found.push_back(binding.get());
            }
        }
        return found.empty() ? nullptr : found[Random(found.size())];
    }

    /// @param i a binding @return whether its window was not bound again
    bool IsLast(std::size_t i) const
    {
        const auto& bindings = m_program->bindings;
        return i + 1 == bindings.size() ||
               bindings[i + 1].second->window != bindings[i].second->window;
    }

    /// Post work that fails when its turn comes, here or at the peer, and ends the connection.
    /// @param end where @param peer its other end
    void PostFault(End& end, End& peer)
    {
        const auto& region = end.host->region;
        RdmaSendRequest request;
        request.id = FAULT_ID + 1;
        request.rkey = peer.host->region->GetRkey();
        request.remoteAddress = RdmaRandomProgram::BASE;
        Report report;
        report.id = request.id;
        report.status = RdmapStatus::LOCAL_PROTECTION;
        const RdmaRandomProgram::Binding* binding = nullptr;
        switch (Random(15))
        {
        case 0: // no such key
            request.sges = {{RdmaRandomProgram::BASE, 1, ~region->GetLkey()}};
            break;
        case 1: // behind the last octet
            request.sges = {region->GetSge(RdmaRandomProgram::MEMORY - 7, 8)};
            break;
        case 2: // before the first
            request.opcode = RdmaOpcode::RDMA_WRITE;
            request.sges = {{RdmaRandomProgram::BASE - 1, 8, region->GetLkey()}};
            break;
        case 3: // of another protection domain
            request.opcode = RdmaOpcode::RDMA_WRITE;
            request.sges = {end.host->device->AllocPd()->RegisterVirtual(8, 0)->GetSge(0, 8)};
            break;
        case 4: // not to be written
            request.opcode = RdmaOpcode::RDMA_READ;
            request.sges = {end.host->pd->RegisterVirtual(8, 0)->GetSge(0, 8)};
            break;
        case 5: // through a window that is no longer bound
        case 6:
        case 7:
            binding = FindBinding(peer, true, false);
            break;
        case 8: // through a window, behind its last octet
        case 9:
            binding = FindBinding(peer, true, true);
            request.remoteAddress += binding ? binding->size - 7 : 0;
            break;
        case 10: // through another queue pair's window
        case 11:
        case 12:
            binding = FindBinding(peer, false, true);
            break;
        default: // through one that is no longer bound, to write: nothing may change
            binding = FindBinding(peer, true, false);
            request.opcode = RdmaOpcode::RDMA_WRITE;
            break;
        }
        if (binding)
        {
            request.rkey = binding->key;
            request.remoteAddress += binding->place;
            const bool writes = request.opcode == RdmaOpcode::RDMA_WRITE;
            request.opcode = writes ? request.opcode : RdmaOpcode::RDMA_READ;
            request.id -= writes ? 1 : 0;
            request.sges = {region->GetSge(writes ? 0 : end.host->Take(8), 8)};
            report.status = RdmapStatus::REMOTE_ACCESS;
        }
        else if (request.sges.empty())
        {
            request.sges = {{RdmaRandomProgram::BASE, 1, ~region->GetLkey()}}; // there is no window
        }
        NS_TEST_EXPECT_MSG_EQ(end.qp->PostSend(request), 0, "seed " << m_seed << ": a fault");
        if (request.id != FAULT_ID)
        {
            end.sends.push_back(report);
            // and good work that waits for it
            request.id = report.id = FAULT_ID + 2;
            request.flags |= RDMA_SEND_FENCE;
            request.opcode = RdmaOpcode::RDMA_WRITE;
            request.sges = {region->GetSge(0, 8)};
            request.rkey = peer.host->region->GetRkey();
            request.remoteAddress = RdmaRandomProgram::BASE;
            report.status = RdmapStatus::FLUSHED;
            const bool full = end.qp->GetSendsPosted() == end.depth;
            if (!full && end.qp->PostSend(request) == 0)
            {
                end.sends.push_back(report);
            }
        }
    }

    /// What is posted on a queue pair that has failed is flushed.
    void PostBehindFault()
    {
        for (End& end : m_program->ends)
        {
            RdmaSendRequest request;
            request.id = FAULT_ID + 3;
            request.flags = 0;
            request.sges = {end.host->region->GetSge(0, 8)};
            NS_TEST_EXPECT_MSG_EQ(end.qp->PostSend(request), 0, "seed " << m_seed << ": flushed");
            const int error = end.qp->PostReceive({FAULT_ID + 4, request.sges});
            NS_TEST_EXPECT_MSG_EQ(error, (m_program->shared ? EINVAL : 0), "seed " << m_seed);
            for (uint64_t id = FAULT_ID + 3; id < FAULT_ID + (m_program->shared ? 4 : 5); id++)
            {
                RdmaCompletion completion;
                NS_TEST_EXPECT_MSG_EQ(end.host->cq->Poll(completion), 1, "seed " << m_seed);
                NS_TEST_EXPECT_MSG_EQ(completion.id, id, "seed " << m_seed << ": flushed");
                NS_TEST_EXPECT_MSG_EQ((completion.status == RdmapStatus::FLUSHED),
                                      true,
                                      "seed " << m_seed << ": flushed");
            }
        }
    }

    // ---- judgement --------------------------------------------------------------------------

    /// Windows are bound as the model has it.
    void JudgeWindows()
    {
        const auto& bindings = m_program->bindings;
        for (std::size_t i = 0; i < bindings.size(); i++)
        {
            const auto& binding = *bindings[i].second;
            if (!IsLast(i))
            {
                NS_TEST_EXPECT_MSG_NE(bindings[i + 1].second->key, binding.key, "seed " << m_seed);
                continue;
            }
            NS_TEST_EXPECT_MSG_EQ(binding.window->IsBound(),
                                  binding.stays,
                                  "seed " << m_seed << ": a window at the end");
        }
    }

    /// At the end: everything was reported, and the memories are as the model has them.
    void Judge()
    {
        for (const End& end : m_program->ends)
        {
            NS_TEST_EXPECT_MSG_EQ(end.program.size(), 0, "seed " << m_seed << ": all is posted");
            NS_TEST_EXPECT_MSG_EQ(end.sends.size(), 0, "seed " << m_seed << ": and reported");
            NS_TEST_EXPECT_MSG_EQ(end.receives.size(), 0, "seed " << m_seed << ": and received");
        }
        for (uint32_t i = 0; i < 2; i++)
        {
            // who came first to the common counter is not known, but each came once
            std::vector<uint64_t> originals;
            Host& other = *m_program->hosts[1 - i];
            for (uint32_t place : m_program->common[i])
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
        }
        for (const auto& host : m_program->hosts)
        {
            NS_TEST_ASSERT_MSG_LT(host->place, RdmaRandomProgram::MEMORY, "there is room");
            const auto difference =
                std::mismatch(host->memory.begin(), host->memory.end(), host->model.begin());
            NS_TEST_EXPECT_MSG_EQ(difference.first - host->memory.begin(),
                                  RdmaRandomProgram::MEMORY,
                                  "seed " << m_seed << ": memory is as the model has it up to");
        }
        for (const auto& region : m_program->spares)
        {
            NS_TEST_EXPECT_MSG_EQ(region->IsValid(), false, "seed " << m_seed << ": invalidated");
        }
    }

    const uint32_t m_first;                         //!< first seed
    const uint32_t m_count;                         //!< number of seeds
    const bool m_windows;                           //!< with memory windows and bad posts
    uint32_t m_seed{0};                             //!< seed
    bool m_ending{false};                           //!< work that fails is posted
    std::unique_ptr<RdmaRandomProgram> m_program;   //!< the program
    Ptr<RdmaConnection> m_listener;                 //!< at the second host
    std::vector<Ptr<RdmaConnection>> m_connections; //!< and all others
};

/// @ingroup iwarp-tests
class RdmaRandomTestSuite : public TestSuite
{
  public:
    RdmaRandomTestSuite()
        : TestSuite("rdma-random")
    {
        AddTestCase(new RdmaRandomTest(1, 20), IWARP_TEST_QUICK);
        AddTestCase(new RdmaRandomTest(10000, 60, true), IWARP_TEST_QUICK);
        // ACKs with SACK blocks come late, behind a close
        AddTestCase(new RdmaRandomTest(1054, 1), IWARP_TEST_QUICK);
        AddTestCase(new RdmaRandomTest(2238, 1), IWARP_TEST_QUICK);
        // a queue pair without a program is the last to be established
        AddTestCase(new RdmaRandomTest(11438, 1, true), IWARP_TEST_QUICK);
        AddTestCase(new RdmaRandomTest(1000, 3000), IWARP_TEST_EXTENSIVE);
        AddTestCase(new RdmaRandomTest(10060, 2000, true), IWARP_TEST_EXTENSIVE);
    }
};

RdmaRandomTestSuite g_rdmaRandomTestSuite; //!< registers the suite

} // namespace
