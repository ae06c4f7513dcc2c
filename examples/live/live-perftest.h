/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LIVE_PERFTEST_H
#define LIVE_PERFTEST_H

#include "live-options.h"
#include "live-report.h"

#include "ns3/address.h"
#include "ns3/node.h"
#include "ns3/rdma-perf-client.h"
#include "ns3/rdma-perf-server.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <sstream>
#include <string>

namespace live
{

/// What both ends of perftest have in common: the application, which checks sizes, and in write_lat
/// what the last octets count, and fails if they are not right.
template <class T>
class Perftest
{
  public:
    /// @param node host @param options what to do @param report where to tell of it
    Perftest(ns3::Ptr<ns3::Node> node, const Options& options, Report& report)
        : m_options(options),
          m_report(report),
          m_application(ns3::CreateObject<T>()),
          m_node(node)
    {
        m_application->SetAttribute("Exchange", ns3::StringValue("Perftest"));
        m_named = m_application->SetAttributeFailSafe("Test", ns3::StringValue(options.operations));
        m_application->SetAttribute("Size", ns3::UintegerValue(options.size));
        m_application->SetAttribute("Iterations", ns3::UintegerValue(options.count));
        m_application->TraceConnectWithoutContext(
            "Failed",
            ns3::MakeCallback(&Perftest::HandleFailure, this));
    }

    /// @return whether all is done that was to be done
    bool IsDone() const
    {
        return m_done;
    }

  protected:
    /// Begin. @param name attribute that has an address @param address its value
    void Begin(const std::string& name, const ns3::Address& address)
    {
        m_application->SetAttribute(name, ns3::AddressValue(address));
        const std::string unsound =
            m_named ? m_application->Check() : "--operations is the test: send_bw, ...";
        m_report.Check(unsound.empty(), unsound.empty() ? "options" : unsound);
        if (unsound.empty())
        {
            m_node->AddApplication(m_application);
        }
        else
        {
            ns3::Simulator::Stop();
        }
    }

    /// All is done. @param seen what this end has measured @param messages that it has to have seen
    /// @param left s until both connections are over
    void End(const ns3::RdmaPerfReport& seen, uint64_t messages, double left)
    {
        m_done = true;
        m_report.Check(seen.iterations == messages, std::to_string(messages) + " measured");
        std::ostringstream table;
        table << seen;
        m_report.Say("MEASURED\n" + table.str());
        ns3::Simulator::Stop(ns3::Seconds(m_options.linger + left));
    }

    /// @param test a part of a test's name @return whether the test at hand has it
    bool Is(const std::string& test) const
    {
        return m_options.operations.find(test) != std::string::npos;
    }

    const Options& m_options;  //!< what to do
    Report& m_report;          //!< where to tell of it
    ns3::Ptr<T> m_application; //!< does it

  private:
    /// Something went wrong. @param reason what
    void HandleFailure(const std::string& reason)
    {
        m_report.Problem(reason);
        ns3::Simulator::Stop(ns3::Seconds(4)); // TCP may still have something to end
    }

    ns3::Ptr<ns3::Node> m_node; //!< where it runs
    bool m_named{false};        //!< --operations names a test
    bool m_done{false};         //!< all is done that was to be done
};

/// What the clients of perftest find as their server.
class PerftestServer : public Perftest<ns3::RdmaPerfServer>
{
  public:
    using Perftest::Perftest;

    /// Wait for a client.
    void Listen()
    {
        Begin("Local", m_options.GetLocal());
        Look();
    }

  private:
    /// See whether the client has done its test, and left.
    void Look()
    {
        const auto& reports = m_application->GetReports();
        if (reports.empty() || m_application->GetNOpen() > 0)
        {
            ns3::Simulator::Schedule(ns3::MilliSeconds(100), &PerftestServer::Look, this);
            return;
        }
        const uint64_t seen = Is("send")        ? m_options.count - 1
                              : Is("write_lat") ? m_options.count
                                                : 0;
        End(reports.front(), seen, 0);
    }
};

/// What the servers of perftest find as their client.
class PerftestClient : public Perftest<ns3::RdmaPerfClient>
{
  public:
    using Perftest::Perftest;

    /// Look for the server.
    void Connect()
    {
        m_application->SetAttribute("FirstDelay",
                                    ns3::TimeValue(ns3::MicroSeconds(1000 * m_options.firstDelay)));
        m_application->TraceConnectWithoutContext(
            "Finished",
            ns3::MakeCallback(&PerftestClient::HandleFinished, this));
        Begin("Remote", m_options.GetPeer());
    }

  private:
    /// The test is over. @param report what was measured
    void HandleFinished(const ns3::RdmaPerfReport& report)
    {
        End(report, m_options.count - (Is("write_lat") ? 1 : 0), 1);
    }
};

} // namespace live

#endif // LIVE_PERFTEST_H
