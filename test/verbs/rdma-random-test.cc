/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-random-test.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ipv4-address.h"
#include "ns3/path-random-impairment.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

using namespace ns3;

namespace
{

constexpr uint16_t RANDOM_PORT = 4791;

} // namespace

RdmaRandomTest::RdmaRandomTest(uint32_t first, uint32_t count, bool windows)
    : TestCase("programs of verbs " +
               std::string(windows ? " with memory windows and bad posts" : "") +
               " over a path that loses, from seed " + std::to_string(first)),
      m_first(first),
      m_count(count),
      m_windows(windows)
{
}

void
RdmaRandomTest::DoRun()
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

uint32_t
RdmaRandomTest::Random(uint32_t below)
{
    return m_program->Random(below);
}

void
RdmaRandomTest::Run()
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
    Validate();
}

void
RdmaRandomTest::Connect(MpaLinkedHosts& hosts, uint32_t pairs)
{
    const bool markers = Random(2) == 0;
    m_listener = RdmaConnection::Create(hosts.GetNode(1));
    m_listener->SetEventCallback(MakeCallback(&RdmaRandomTest::HandleEvent, this));
    m_listener->SetStreamAttribute("Markers", BooleanValue(markers));
    m_listener->Listen(InetSocketAddress(Ipv4Address::GetAny(), RANDOM_PORT));
    m_connections.push_back(m_listener);
    for (uint32_t i = 0; i < pairs; i++)
    {
        auto connection = RdmaConnection::Create(hosts.GetNode(0));
        connection->SetEventCallback(MakeCallback(&RdmaRandomTest::HandleEvent, this));
        connection->SetStreamAttribute("Markers", BooleanValue(Random(2) == 0));
        connection->SetQp(m_program->ends[2 * i].qp);
        m_connections.push_back(connection);
        connection->ResolveAddress(InetSocketAddress(Ipv4Address("10.0.0.2"), RANDOM_PORT));
    }
}

void
RdmaRandomTest::HandleEvent(Ptr<RdmaConnection> connection, const RdmaConnectionEvent& event)
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
    case Kind::FAILED:
    case Kind::CLOSED:
        break;
    default:
        NS_TEST_EXPECT_MSG_EQ(event.reason, "", "seed " << m_seed << ": no connection");
        break;
    }
}

void
RdmaRandomTest::Step()
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

bool
RdmaRandomTest::IsAllThere() const
{
    for (std::size_t i = 0; i < m_program->ends.size(); i++)
    {
        const Octets& memory = m_program->ends[i ^ 1].host->memory;
        for (const Move& move : m_program->ends[i].unseen)
        {
            if (!std::equal(move.octets.begin(), move.octets.end(), memory.begin() + move.place))
            {
                return false;
            }
        }
    }
    return true;
}

void
RdmaRandomTest::Post(End& end)
{
    while (end.established && !end.program.empty() && end.program.front().IsReady())
    {
        Item& item = end.program.front();
        if (item.binding)
        {
            item.request.rkey = item.binding->key;
        }
        const bool full = end.qp->GetSendSlots() == end.depth;
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

void
RdmaRandomTest::Take(Host& host, const RdmaCompletion& completion)
{
    const auto end =
        std::find_if(m_program->ends.begin(), m_program->ends.end(), [&](const End& e) {
            return e.host == &host && e.qp->GetNumber() == completion.qpNumber;
        });
    NS_TEST_ASSERT_MSG_EQ((end != m_program->ends.end()), true, "seed " << m_seed << ": whose?");
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
                          "seed " << m_seed << ": status " << unsigned(completion.status) << " of "
                                  << completion.id);
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
        NS_TEST_EXPECT_MSG_EQ((report.immediate ? completion.immediate : completion.invalidatedKey),
                              (report.binding ? report.binding->key : report.data),
                              "seed " << m_seed);
    }
    for (const Move& move : report.done)
    {
        const bool there =
            std::equal(move.octets.begin(), move.octets.end(), host.memory.begin() + move.place);
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

// ---- judgement --------------------------------------------------------------------------------

void
RdmaRandomTest::JudgeWindows()
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

void
RdmaRandomTest::Validate()
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
