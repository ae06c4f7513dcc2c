/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-perftest-flow.h"

#include "ns3/log.h"
#include "ns3/mpa-stream.h"
#include "ns3/mpa-tcp-socket.h"
#include "ns3/rdma-protection-domain.h"
#include "ns3/rdma-queue-pair.h"
#include "ns3/rdmap-stream.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaPerftestFlow");

namespace
{

constexpr uint64_t MEMORY_ADDRESS = 0x7f1234500000;
constexpr uint64_t CREDIT_ADDRESS = 0x7f1234400000;

/// @param test a test @return true if both ends send, one after the other
bool
IsInTurn(RdmaPerfTest test)
{
    return test == RdmaPerfTest::SEND_LAT || test == RdmaPerfTest::WRITE_LAT;
}

} // namespace

RdmaPerftestFlow::RdmaPerftestFlow(uint32_t rxDepth,
                                   const RdmaPerfParameters& test,
                                   uint32_t buffer,
                                   bool wanted)
    : RdmaPerfFlow(rxDepth, test),
      m_buffer(buffer),
      m_wanted(wanted)
{
    // of the server's receives as many as there are messages have a use
    m_peer.rxDepth = static_cast<uint32_t>(std::min<uint64_t>(rxDepth, test.iterations));
}

void
RdmaPerftestFlow::SetCallbacks(Callback<void> ready, Callback<void> over)
{
    m_ready = ready;
    m_finished = over;
}

// ---- connection ---------------------------------------------------------------------------------

bool
RdmaPerftestFlow::IsPatient() const
{
    return true; // perftest's server does not listen for a while before the second connection
}

RdmaConnectionParameters
RdmaPerftestFlow::GetParameters() const
{
    RdmaConnectionParameters parameters;
    if (IsClient())
    {
        parameters.initiatorDepth = m_test.outs;
        parameters.responderResources = m_test.outs;
    }
    return parameters;
}

std::string
RdmaPerftestFlow::HandlePeer(const std::vector<uint8_t>& /* privateData */)
{
    return m_wanted ? ""
                    : "a connection comes that perftest's exchange has not asked for: a server has "
                      "one client at a time";
}

void
RdmaPerftestFlow::MakeMemory()
{
    m_content = DdpMemory::CreateBacked(2 * uint64_t(m_buffer));
    m_credit = DdpMemory::CreateBacked(CELL);
    m_memory = Keep(
        GetDomain()->RegisterMemory(m_content, MEMORY_ADDRESS, ACCESS | DDP_ACCESS_REMOTE_READ));
    m_credits = Keep(GetDomain()->RegisterMemory(m_credit, CREDIT_ADDRESS, ACCESS));
    m_source = m_buffer;
}

void
RdmaPerftestFlow::HandleReady()
{
    RdmaPerfFlow::HandleReady();
    m_ready();
}

PerftestDestination
RdmaPerftestFlow::GetDestination() const
{
    const bool credits = IsClient() && m_test.test == RdmaPerfTest::SEND_BW;
    const Ptr<RdmaMemoryRegion> told = credits ? m_credits : m_memory;
    PerftestDestination destination;
    destination.reads = m_test.outs;
    destination.queuePair = GetQp()->GetNumber();
    destination.key = told->GetRkey();
    destination.address = told->GetAddress();
    return destination;
}

void
RdmaPerftestFlow::Begin(const PerftestDestination& peer)
{
    NS_LOG_FUNCTION(this << peer.key << peer.address);
    m_peer.key = m_request.rkey = peer.key;
    m_peer.address = m_request.remoteAddress = peer.address;
    // perftest's server writes first
    const bool first = IsClient() != (m_test.test == RdmaPerfTest::WRITE_LAT);
    const bool posts = IsClient() || IsInTurn(m_test.test);
    if (!posts)
    {
        m_limit = m_record->GetLimit(); // to come, not to post
    }
    else if (first)
    {
        Start();
    }
    else
    {
        Arm();
    }
    if (m_came > 0)
    {
        Answer(); // it came before the message that the peer is ready
    }
}

uint64_t
RdmaPerftestFlow::GetCome() const
{
    return m_came;
}

bool
RdmaPerftestFlow::IsDelivered() const
{
    if (!GetQp() || !GetQp()->GetStream())
    {
        return true;
    }
    const auto socket = GetQp()->GetStream()->GetMpa()->GetSocket();
    UintegerValue buffer;
    socket->GetAttribute("SndBufSize", buffer);
    return socket->GetTxAvailable() >= buffer.Get();
}

// ---- work ---------------------------------------------------------------------------------------

void
RdmaPerftestFlow::Prepare(bool signaled)
{
    RdmaPerfFlow::Prepare(signaled);
    if (m_test.test == RdmaPerfTest::WRITE_LAT)
    {
        const auto count = static_cast<uint8_t>(m_posted);
        m_content->Write(m_source + m_test.size - 1, &count, 1, 1);
    }
}

bool
RdmaPerftestFlow::EndsAtCompletion() const
{
    return !IsInTurn(m_test.test);
}

bool
RdmaPerftestFlow::OwesCredit() const
{
    return m_test.test == RdmaPerfTest::SEND_BW && m_untold > 0 &&
           (m_untold >= PerftestCredit::GetInterval(m_peer.rxDepth) || m_came == m_limit);
}

bool
RdmaPerftestFlow::SendCredit()
{
    const auto octets = PerftestCredit::Encode(static_cast<uint32_t>(m_came));
    m_credit->Write(0, octets.data(), CELL, CELL);
    const bool sent = PostCredit(m_peer.address, m_peer.key);
    m_untold = sent ? 0 : m_untold;
    return sent;
}

// ---- what happens -------------------------------------------------------------------------------

void
RdmaPerftestFlow::HandleIdle()
{
    RdmaPerfFlow::HandleIdle();
    CheckOver();
}

void
RdmaPerftestFlow::HandleReceive(const RdmaCompletion& completion)
{
    // a Send of no octets is a ready-to-receive indication
    const std::string problem = completion.octets > 0 ? TakeMessage(completion.octets) : "";
    if (!problem.empty())
    {
        Fail(problem);
        return;
    }
    if (completion.octets > 0 && m_test.test == RdmaPerfTest::SEND_BW)
    {
        // when it was posted this end cannot see: its time runs from the first that comes
        m_record->Posted(RdmaPerfRecord::FORWARD, 1);
    }
    RdmaPerfFlow::HandleReceive(completion);
}

std::string
RdmaPerftestFlow::TakeMessage(uint64_t octets)
{
    if (IsClient() && !IsInTurn(m_test.test))
    {
        return "the server sends messages in a test in which the client alone does";
    }
    if (octets != m_test.size)
    {
        return "the peer sends messages of " + std::to_string(octets) + " octets, Size is " +
               std::to_string(m_test.size) + " here";
    }
    // the server of write_lat may be sooner over this connection than over the other one
    const bool early = m_limit == 0;
    const uint64_t due = !early ? m_limit : m_test.test == RdmaPerfTest::WRITE_LAT ? 1 : 0;
    m_came++;
    if (m_came <= due)
    {
        return "";
    }
    return early
               ? "the peer sends messages before the test begins"
               : "the peer sends more messages than Iterations is here, " + std::to_string(m_limit);
}

void
RdmaPerftestFlow::HandleVisible(RdmapOpcode opcode, uint64_t octets)
{
    NS_LOG_FUNCTION(this << octets);
    if (opcode != RdmapOpcode::WRITE || IsOver())
    {
        return;
    }
    Ptr<RdmaPerftestFlow> self(this);
    const bool credit = m_test.test == RdmaPerfTest::SEND_BW && IsClient();
    const bool turn = m_test.test == RdmaPerfTest::WRITE_LAT;
    const std::string problem = credit ? TakeCredit() : turn ? TakeWrite(octets) : "";
    if (!problem.empty())
    {
        Simulator::ScheduleNow(&RdmaPerftestFlow::Fail, self, problem);
    }
    else if (credit)
    {
        Simulator::ScheduleNow(&RdmaPerftestFlow::Fill, self);
    }
    else if (turn && m_limit > 0)
    {
        Simulator::ScheduleNow(&RdmaPerftestFlow::Answer, self);
    }
}

std::string
RdmaPerftestFlow::TakeCredit()
{
    const uint64_t taken = PerftestCredit::Decode(m_credit->View(0, CELL));
    if (taken < m_peerTaken || taken > m_posted)
    {
        return "the server says that " + std::to_string(taken) + " messages have come, behind " +
               std::to_string(m_peerTaken) + ", where " + std::to_string(m_posted) + " were sent";
    }
    m_peerTaken = taken;
    return "";
}

std::string
RdmaPerftestFlow::TakeWrite(uint64_t octets)
{
    std::string problem = TakeMessage(octets);
    const uint8_t last = *m_content->View(m_test.size - 1, 1);
    if (problem.empty() && last != static_cast<uint8_t>(m_came))
    {
        return "the last octet of the peer's RDMA Write " + std::to_string(m_came) + " is " +
               std::to_string(last) + ", which does not count it";
    }
    return problem;
}

void
RdmaPerftestFlow::Answer()
{
    Answered();
    CheckOver();
}

void
RdmaPerftestFlow::CheckOver()
{
    const bool inTurn = IsInTurn(m_test.test);
    const uint64_t ended = IsClient() && !inTurn ? m_completed : m_came;
    const bool posts = IsClient() || inTurn;
    if (m_limit > 0 && ended >= m_limit && (!posts || m_posted >= m_limit) && !m_finished.IsNull())
    {
        std::exchange(m_finished, Callback<void>())();
    }
}

} // namespace ns3
