/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-workload-function.h"

#include "ns3/app-message-sizes.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("IwarpFunctionWorkload");
NS_OBJECT_ENSURE_REGISTERED(IwarpFunctionWorkload);

// ---- a flow -------------------------------------------------------------------------------------

IwarpFunctionWorkload::Installer::Installer(IwarpFunctionWorkload& workload,
                                            const Flow& flow,
                                            const iwarp::FlowListener& listener)
    : m_workload(workload),
      m_flow(flow),
      m_listener(listener)
{
}

IwarpFunctionWorkload::Installer::~Installer() = default;

const IwarpWorkload::Flow&
IwarpFunctionWorkload::Installer::GetFlow() const
{
    return m_flow;
}

void
IwarpFunctionWorkload::Installer::Install(RdmaBulkOperation operation)
{
    NS_LOG_FUNCTION(this);
    NS_ABORT_MSG_IF(m_pair.client, "the workload's function installs a flow twice");
    iwarp::FlowListener listener = m_listener;
    listener.message = MakeCallback(&Installer::HandleMessage, this);
    m_pair = iwarp::InstallRdmaPair(m_flow, listener, operation, m_workload.IsBacked());
    m_pair.client->SetAttribute("QueueDepth", UintegerValue(m_workload.GetQueueDepth()));
    m_pair.client->SetStartTime(m_flow.start);
    m_pair.client->Allow(0); // what is posted is all it moves
    m_workload.AssignStreams(m_flow, m_pair.client);
}

Ptr<RdmaBulkClient>
IwarpFunctionWorkload::Installer::GetClient() const
{
    return m_pair.client;
}

Ptr<RdmaBulkServer>
IwarpFunctionWorkload::Installer::GetServer() const
{
    return m_pair.server;
}

void
IwarpFunctionWorkload::Installer::Post(uint64_t size, Time after)
{
    NS_LOG_FUNCTION(this << size << after);
    NS_ABORT_MSG_IF(size == 0 || size > iwarp::MAX_MESSAGE_SIZE,
                    "a message has 1 to " << iwarp::MAX_MESSAGE_SIZE << " octets, not " << size);
    if (!m_pair.client)
    {
        Install(RdmaBulkOperation::WRITE);
    }
    m_workload.m_posted += size;
    const Time now = Simulator::Now();
    const Time wait = std::max(m_flow.start - now, Time(0)) + std::max(after, Time(0));
    if (wait.IsZero())
    {
        PostNow(size);
    }
    else
    {
        Simulator::Schedule(wait, &Installer::PostNow, Ptr<Installer>(this), size);
    }
}

void
IwarpFunctionWorkload::Installer::PostNow(uint64_t size)
{
    m_pair.client->Post(size);
}

void
IwarpFunctionWorkload::Installer::SetCompletion(Completion completion)
{
    m_completion = std::move(completion);
}

void
IwarpFunctionWorkload::Installer::HandleMessage(uint64_t size)
{
    if (m_completion)
    {
        m_completion(size);
    }
    m_listener.message(size);
}

void
IwarpFunctionWorkload::Installer::Release()
{
    m_pair = {};
    m_completion = nullptr;
}

// ---- all flows ----------------------------------------------------------------------------------

TypeId
IwarpFunctionWorkload::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::IwarpFunctionWorkload").SetParent<IwarpWorkload>().SetGroupName("Iwarp");
    return tid;
}

IwarpFunctionWorkload::IwarpFunctionWorkload(Function function)
    : m_function(std::move(function))
{
}

IwarpFunctionWorkload::~IwarpFunctionWorkload() = default;

void
IwarpFunctionWorkload::Install(const Flow& flow, const iwarp::FlowListener& listener)
{
    NS_LOG_FUNCTION(this);
    m_installed.push_back(Create<Installer>(*this, flow, listener));
    m_function(*m_installed.back());
}

uint64_t
IwarpFunctionWorkload::GetOctets() const
{
    return UINT64_MAX; // as many as the function posts
}

uint64_t
IwarpFunctionWorkload::GetTotal(uint32_t /* flows */) const
{
    return m_posted;
}

bool
IwarpFunctionWorkload::IsPaced() const
{
    return true; // by the function
}

void
IwarpFunctionWorkload::Finish(iwarp::MetricSet& metrics)
{
    for (const auto& installer : m_installed)
    {
        if (installer->GetClient())
        {
            iwarp::ReportRdmaPair({installer->GetClient(), installer->GetServer()}, metrics);
            metrics.Add("messages_refused", installer->GetClient()->GetMessagesRefused());
        }
        installer->Release();
    }
    m_installed.clear();
    m_posted = 0;
}

} // namespace ns3
