/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-perftest-control.h"

#include "ns3/log.h"
#include "ns3/rdma-protection-domain.h"
#include "ns3/rdma-queue-pair.h"
#include "ns3/simulator.h"

#include <cstring>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaPerftestControl");

namespace
{

constexpr uint32_t CONTROL_OUT = 64; // where in memory a message is that goes
constexpr uint32_t CONTROL_MEMORY = 128;
constexpr uint32_t CONTROL_WORK = 4; // sends and receives of the first connection
constexpr double CONTROL_MEBI = 1048576;

} // namespace

RdmaPerftestControl::RdmaPerftestControl(const RdmaPerfParameters& test, const Settings& settings)
    : m_test(test),
      m_settings(settings),
      m_exchange(test.test, settings.server, test.size, test.iterations),
      m_record(Create<RdmaPerfRecord>(test, 1))
{
    m_test.record = m_record->GetNumber();
    m_report.test = m_test.test;
    m_report.size = m_test.size;
}

RdmaPerftestControl::~RdmaPerftestControl()
{
    if (m_measured)
    {
        m_measured->SetCallbacks(Callback<void>(), Callback<void>());
    }
}

void
RdmaPerftestControl::SetCallbacks(Callback<void> connect, Callback<void> finished)
{
    m_connect = connect;
    m_done = finished;
}

bool
RdmaPerftestControl::IsFinished() const
{
    return m_finished;
}

const RdmaPerfReport&
RdmaPerftestControl::GetReport() const
{
    return m_report;
}

bool
RdmaPerftestControl::IsSeen() const
{
    return !m_settings.server || m_test.test == RdmaPerfTest::SEND_BW ||
           m_test.test == RdmaPerfTest::SEND_LAT || m_test.test == RdmaPerfTest::WRITE_LAT;
}

// ---- connections --------------------------------------------------------------------------------

std::string
RdmaPerftestControl::Open()
{
    NS_LOG_FUNCTION(this);
    m_content = DdpMemory::CreateBacked(CONTROL_MEMORY);
    m_messages = Keep(GetDomain()->RegisterMemory(m_content, 0, DDP_ACCESS_LOCAL_WRITE));
    RdmaQueuePairConfig config;
    config.maxSendWr = CONTROL_WORK;
    config.maxReceiveWr = CONTROL_WORK;
    const std::string problem = MakeQueuePair(config, "a queue pair of perftest's exchange");
    if (problem.empty())
    {
        PostReceive();
    }
    return problem;
}

bool
RdmaPerftestControl::IsPatient() const
{
    return true; // the server may be started by hand
}

RdmaConnectionParameters
RdmaPerftestControl::GetParameters() const
{
    return {};
}

std::string
RdmaPerftestControl::HandlePeer(const std::vector<uint8_t>& privateData)
{
    RdmaPerfParameters parameters;
    return RdmaPerfParameters::Decode(privateData, parameters)
               ? "the client has Exchange=PrivateData, the server Perftest"
               : "";
}

void
RdmaPerftestControl::HandleReady()
{
    if (IsClient())
    {
        Simulator::Schedule(m_settings.delay,
                            &RdmaPerftestControl::Proceed,
                            Ptr<RdmaPerftestControl>(this));
    }
}

Ptr<RdmaPerftestFlow>
RdmaPerftestControl::MakeMeasured()
{
    const bool wanted = m_exchange.GetStep() == PerftestStep::CONNECT && !IsOver();
    const auto flow =
        Create<RdmaPerftestFlow>(m_settings.rxDepth, m_test, m_exchange.GetBuffer(), wanted);
    if (wanted)
    {
        flow->SetCallbacks(MakeCallback(&RdmaPerftestControl::HandleMeasured, this),
                           MakeCallback(&RdmaPerftestControl::HandleOver, this));
        m_measured = flow;
    }
    return flow;
}

void
RdmaPerftestControl::HandleMeasured()
{
    NS_LOG_FUNCTION(this);
    m_exchange.SetOwn(m_measured->GetDestination());
    m_exchange.Next();
    HandleReady();
}

bool
RdmaPerftestControl::Has(Ptr<RdmaFlow> flow) const
{
    return flow == this || flow == m_measured;
}

void
RdmaPerftestControl::End()
{
    NS_LOG_FUNCTION(this);
    if (m_measured)
    {
        m_measured->Stop();
    }
    Stop();
}

void
RdmaPerftestControl::DetachAll()
{
    if (m_measured)
    {
        m_measured->Detach();
    }
    Detach();
}

// ---- messages -----------------------------------------------------------------------------------

void
RdmaPerftestControl::PostReceive()
{
    GetQp()->PostReceive({0, {m_messages->GetSge(0, PerftestDestination::SIZE)}});
}

void
RdmaPerftestControl::SendMessage()
{
    const std::vector<uint8_t> octets = m_exchange.MakeMessage();
    const auto size = static_cast<uint32_t>(octets.size());
    NS_LOG_FUNCTION(this << static_cast<int>(m_exchange.GetStep()) << size);
    m_content->Write(CONTROL_OUT, octets.data(), size, size);
    RdmaSendRequest request;
    request.opcode = RdmaOpcode::SEND;
    request.flags = RDMA_SEND_SIGNALED;
    request.sges = {m_messages->GetSge(CONTROL_OUT, size)};
    if (const int error = GetQp()->PostSend(request))
    {
        Fail(std::string("a message of perftest's exchange cannot be posted: ") +
             std::strerror(error));
    }
}

void
RdmaPerftestControl::HandleCompletion(const RdmaCompletion& completion)
{
    if (completion.opcode != RdmaCompletionOpcode::RECEIVE)
    {
        return;
    }
    std::vector<uint8_t> octets(completion.octets);
    m_content->Read(0, octets.data(), octets.size());
    PostReceive();
    if (octets.empty() || IsOver())
    {
        return; // a ready-to-receive indication
    }
    if (!IsClient())
    {
        HandleClient(octets);
        return;
    }
    const std::string problem = m_exchange.Take(octets);
    if (!problem.empty())
    {
        Fail(problem);
        return;
    }
    m_exchange.Next();
    Proceed();
}

void
RdmaPerftestControl::HandleClient(const std::vector<uint8_t>& octets)
{
    if (m_exchange.GetStep() == PerftestStep::TEST)
    {
        if (IsSeen() && !m_testOver)
        {
            // it came over another connection than the last messages of the test, and sooner
            m_held = octets;
            Simulator::Schedule(Seconds(10),
                                &RdmaPerftestControl::HandleLate,
                                Ptr<RdmaPerftestControl>(this));
            return;
        }
        m_exchange.Next();
    }
    const std::string problem = m_exchange.Take(octets);
    if (!problem.empty())
    {
        Fail(problem);
        return;
    }
    SendMessage();
    m_exchange.Next();
    Proceed();
}

void
RdmaPerftestControl::HandleLate()
{
    if (!m_testOver && !IsOver())
    {
        Fail("the client is at the end of the test after " + std::to_string(m_measured->GetCome()) +
             " messages, Iterations is " + std::to_string(m_test.iterations) + " here");
    }
}

// ---- steps --------------------------------------------------------------------------------------

void
RdmaPerftestControl::Proceed()
{
    if (IsOver())
    {
        return;
    }
    switch (m_exchange.GetStep())
    {
    case PerftestStep::CONNECT:
        if (IsClient())
        {
            m_connect();
        }
        break;
    case PerftestStep::TEST:
        m_measured->Begin(m_exchange.GetPeer());
        break;
    case PerftestStep::END:
        Finish();
        break;
    default:
        if (IsClient())
        {
            SendMessage();
        }
        break;
    }
}

void
RdmaPerftestControl::HandleOver()
{
    NS_LOG_FUNCTION(this);
    m_testOver = true;
    m_report = m_record->MakeReport(m_settings.warmUp, m_settings.peak);
    m_exchange.SetReport({double(m_report.bwPeak.GetBitRate()) / 8 / CONTROL_MEBI,
                          double(m_report.bwAverage.GetBitRate()) / 8 / CONTROL_MEBI,
                          m_report.msgRate / 1e6});
    if (IsClient() && m_test.test != RdmaPerfTest::WRITE_LAT)
    {
        AwaitDelivery(&RdmaPerftestControl::Advance);
    }
    else if (!m_held.empty())
    {
        HandleClient(std::exchange(m_held, {}));
    }
    else if (m_test.test == RdmaPerfTest::WRITE_LAT)
    {
        Advance();
    }
}

void
RdmaPerftestControl::AwaitDelivery(void (RdmaPerftestControl::*next)())
{
    if (!IsOver() && !m_measured->IsDelivered())
    {
        Simulator::Schedule(MilliSeconds(1),
                            &RdmaPerftestControl::AwaitDelivery,
                            Ptr<RdmaPerftestControl>(this),
                            next);
        return;
    }
    (this->*next)();
}

void
RdmaPerftestControl::Advance()
{
    m_exchange.Next();
    Proceed();
}

void
RdmaPerftestControl::Finish()
{
    NS_LOG_FUNCTION(this);
    m_finished = true;
    m_done();
    if (IsClient() || m_test.test == RdmaPerfTest::WRITE_LAT)
    {
        AwaitDelivery(&RdmaPerftestControl::Leave);
    }
}

void
RdmaPerftestControl::Leave()
{
    // the server has to see that its last answer was sent
    Simulator::Schedule(MilliSeconds(500),
                        &RdmaPerftestControl::End,
                        Ptr<RdmaPerftestControl>(this));
}

} // namespace ns3
