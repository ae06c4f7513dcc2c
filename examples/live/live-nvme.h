/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LIVE_NVME_H
#define LIVE_NVME_H

#include "live-options.h"
#include "live-report.h"

#include "ns3/address.h"
#include "ns3/boolean.h"
#include "ns3/node.h"
#include "ns3/nvme-host.h"
#include "ns3/nvme-target.h"
#include "ns3/uinteger.h"

#include <string>

namespace live
{

/// What the two ends of NVMe/TCP have in common. Data have content, which the namespace begins with
/// and hosts of the simulation write: a pattern by place.
template <class T>
class Nvme
{
  public:
    /// @param node host @param options what to do @param report where to tell of it
    Nvme(ns3::Ptr<ns3::Node> node, const Options& options, Report& report)
        : m_options(options),
          m_report(report),
          m_application(ns3::CreateObject<T>())
    {
        m_application->SetAttribute("Backed", ns3::BooleanValue(true));
        m_application->TraceConnectWithoutContext("Failed",
                                                  ns3::MakeCallback(&Nvme::HandleFailure, this));
        m_application->TraceConnectWithoutContext("QueueReady",
                                                  ns3::MakeCallback(&Nvme::HandleReady, this));
        m_node = node;
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
        m_node->AddApplication(m_application);
    }

    /// All is done: let TCP end, then end.
    void End()
    {
        m_done = true;
        ns3::Simulator::Stop(ns3::Seconds(m_options.linger));
    }

    const Options& m_options;  //!< what to do
    Report& m_report;          //!< where to tell of it
    ns3::Ptr<T> m_application; //!< does it

  private:
    /// Something went wrong. @param reason what
    void HandleFailure(const std::string& reason)
    {
        m_report.Problem(reason);
    }

    /// A queue may be used. @param queue it
    void HandleReady(ns3::Ptr<ns3::NvmeQueue> queue)
    {
        const auto& terms = queue->GetTerms();
        m_report.Say(std::string("QUEUE ready, header digest ") +
                     (terms.headerDigest ? "on" : "off") + ", data digest " +
                     (terms.dataDigest ? "on" : "off"));
    }

    ns3::Ptr<ns3::Node> m_node; //!< where it runs
    bool m_done{false};         //!< all is done that was to be done
};

/// A target, which is done when a host has read or written and left.
class NvmeServer : public Nvme<ns3::NvmeTarget>
{
  public:
    using Nvme::Nvme;

    /// Wait for a host.
    void Listen()
    {
        m_application->TraceConnectWithoutContext(
            "RequestServed",
            ns3::MakeCallback(&NvmeServer::HandleServed, this));
        Begin("Local", m_options.GetLocal());
        ns3::Simulator::Schedule(ns3::Seconds(m_options.linger), &NvmeServer::Look, this);
    }

  private:
    /// A command was served. @param kind of it @param octets of data
    void HandleServed(ns3::iwarp::RequestKind kind, uint32_t octets)
    {
        (kind == ns3::iwarp::RequestKind::READ ? m_read : m_written) += octets;
    }

    /// See whether the host has left.
    void Look()
    {
        if (m_read + m_written == 0 || m_application->GetNQueues() > 0)
        {
            ns3::Simulator::Schedule(ns3::Seconds(m_options.linger), &NvmeServer::Look, this);
            return;
        }
        m_report.Say("SERVED " + std::to_string(m_read) + " octets read, " +
                     std::to_string(m_written) + " written");
        End();
    }

    uint64_t m_read{0};    //!< octets
    uint64_t m_written{0}; //!< octets
};

/// A host, which is done with its requests.
class NvmeClient : public Nvme<ns3::NvmeHost>
{
  public:
    using Nvme::Nvme;

    /// Look for the target.
    void Connect()
    {
        m_application->SetAttribute("MaxRequests", ns3::UintegerValue(m_options.count));
        m_report.Check(
            m_application->SetMessageSizes("fixed:" + std::to_string(m_options.size)).empty(),
            "size of requests");
        m_application->TraceConnectWithoutContext(
            "Finished",
            ns3::MakeCallback(&NvmeClient::HandleFinished, this));
        Begin("Remote", m_options.GetPeer());
    }

  private:
    /// All requests are complete. @param requests how many
    void HandleFinished(uint64_t requests)
    {
        m_report.Check(requests == m_options.count, std::to_string(requests) + " requests");
        m_report.Check(m_application->GetContentErrors() == 0, "content of what was read");
        m_report.Check(m_application->GetRetries() == 0, "no command was sent again");
        End();
    }
};

} // namespace live

#endif // LIVE_NVME_H
