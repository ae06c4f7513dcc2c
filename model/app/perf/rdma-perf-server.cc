/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-perf-server.h"

#include "rdma-perf-flow.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/ns3-compat.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RdmaPerfServer");
NS_OBJECT_ENSURE_REGISTERED(RdmaPerfServer);

TypeId
RdmaPerfServer::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RdmaPerfServer")
            .SetParent<RdmaServerApplication>()
            .SetGroupName("Iwarp")
            .AddConstructor<RdmaPerfServer>()
            .AddAttribute("RxDepth",
                          "Receives posted on each queue pair (--rx-depth)",
                          UintegerValue(512),
                          MakeUintegerAccessor(&RdmaPerfServer::m_rxDepth),
                          MakeUintegerChecker<uint32_t>(1, 16777216))
            .AddAttribute("Exchange",
                          "How it learns of the test. PrivateData: of all options, in the private "
                          "data of MPA's startup. Perftest: as perftest 4.5's own programs with "
                          "-R, so that the client may be one of these on a real machine; Test, "
                          "Size and Iterations are this application's then",
                          iwarp::MakeEnumValue(RdmaPerfExchange::PRIVATE_DATA),
                          iwarp::MakeEnumAccessor(&RdmaPerfServer::m_exchange),
                          RdmaPerfExchangeChecker())
            .AddAttribute("Test",
                          "With Exchange=Perftest, which test, the same as the client's; not "
                          "atomic_bw and atomic_lat",
                          iwarp::MakeEnumValue(RdmaPerfTest::SEND_BW),
                          iwarp::MakeEnumAccessor(&RdmaPerfServer::m_test),
                          RdmaPerfTestChecker())
            .AddAttribute("Size",
                          "With Exchange=Perftest, octets of a message, as many as the client's; 0 "
                          "is 65536 for bandwidth and 2 for latency (--size)",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RdmaPerfServer::m_size),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Iterations",
                          "With Exchange=Perftest, messages of the test, as many as the client's; "
                          "at least 5 (--iters)",
                          UintegerValue(1000),
                          MakeUintegerAccessor(&RdmaPerfServer::m_iterations),
                          MakeUintegerChecker<uint64_t>(1));
    return tid;
}

RdmaPerfServer::RdmaPerfServer() = default;

RdmaPerfServer::~RdmaPerfServer() = default;

void
RdmaPerfServer::DoDispose()
{
    NS_LOG_FUNCTION(this);
    if (m_control)
    {
        m_control->SetCallbacks(Callback<void>(), Callback<void>());
        m_control = nullptr;
    }
    RdmaServerApplication::DoDispose();
}

const std::vector<RdmaPerfReport>&
RdmaPerfServer::GetReports() const
{
    return m_reports;
}

std::string
RdmaPerfServer::Check() const
{
    if (m_exchange == RdmaPerfExchange::PRIVATE_DATA)
    {
        return "";
    }
    return IsBacked() ? "Exchange=Perftest does not go with Backed, since its messages have "
                        "content of their own: leave it out, or take Exchange=PrivateData"
                      : PerftestExchange::Check(m_test, m_iterations);
}

void
RdmaPerfServer::StartApplication()
{
    NS_LOG_FUNCTION(this);
    const std::string unsound = Check();
    NS_ABORT_MSG_UNLESS(unsound.empty(), "ns3::RdmaPerfServer: " << unsound);
    if (m_exchange == RdmaPerfExchange::PERFTEST && m_test == RdmaPerfTest::WRITE_LAT)
    {
        // perftest's server writes first, which RFC 5044 section 7.1.2 does not let a Responder do
        SetStreamAttribute("WaitForFirstFpdu", BooleanValue(false));
    }
    RdmaServerApplication::StartApplication();
}

void
RdmaPerfServer::StopApplication()
{
    NS_LOG_FUNCTION(this);
    if (m_control && !m_control->IsFinished())
    {
        Fail("the application was stopped before the test was over");
    }
    RdmaServerApplication::StopApplication();
}

Ptr<RdmaFlow>
RdmaPerfServer::MakeFlow()
{
    if (m_exchange == RdmaPerfExchange::PRIVATE_DATA)
    {
        return Create<RdmaPerfFlow>(m_rxDepth);
    }
    if (m_control && m_control->GetQp() && !m_control->IsFinished())
    {
        return m_control->MakeMeasured();
    }
    m_control = MakeControl();
    return m_control;
}

Ptr<RdmaPerftestControl>
RdmaPerfServer::MakeControl()
{
    RdmaPerfParameters parameters;
    parameters.test = m_test;
    parameters.size = m_size > 0 ? m_size : RdmaPerfDefaultSize(m_test);
    parameters.iterations = m_iterations;
    RdmaPerftestControl::Settings settings;
    settings.server = true;
    settings.rxDepth = m_rxDepth;
    settings.warmUp = 1; // when the first was sent a server cannot see
    const auto control = Create<RdmaPerftestControl>(parameters, settings);
    control->SetCallbacks(Callback<void>(), MakeCallback(&RdmaPerfServer::HandleExchanged, this));
    return control;
}

void
RdmaPerfServer::HandleExchanged()
{
    NS_LOG_FUNCTION(this);
    m_reports.push_back(m_control->GetReport());
}

void
RdmaPerfServer::HandleFailed(Ptr<RdmaFlow> flow, const std::string& reason)
{
    NS_LOG_FUNCTION(this << flow << reason);
    if (m_exchange == RdmaPerfExchange::PRIVATE_DATA)
    {
        RdmaServerApplication::HandleFailed(flow, reason);
    }
    else if (IsUnderWay(flow))
    {
        RdmaServerApplication::HandleFailed(flow, reason);
        m_control->End();
    }
}

void
RdmaPerfServer::HandleClosed(Ptr<RdmaFlow> flow)
{
    NS_LOG_FUNCTION(this << flow);
    RdmaServerApplication::HandleClosed(flow);
    if (IsUnderWay(flow))
    {
        Fail("the client ended the connection before the test was over");
        m_control->End();
    }
}

bool
RdmaPerfServer::IsUnderWay(Ptr<RdmaFlow> flow) const
{
    return m_control && m_control->Has(flow) && !m_control->IsFinished();
}

} // namespace ns3
