/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-application-helper.h"

#include "ns3/mpa-bulk-sender.h"
#include "ns3/mpa-sink.h"
#include "ns3/node.h"

namespace ns3
{

MpaApplicationHelper::MpaApplicationHelper(const std::string& typeId)
{
    m_factory.SetTypeId(typeId);
}

void
MpaApplicationHelper::SetAttribute(const std::string& name, const AttributeValue& value)
{
    m_factory.Set(name, value);
}

void
MpaApplicationHelper::SetSocketAttribute(const std::string& name, const AttributeValue& value)
{
    m_socket.emplace_back(name, value.Copy());
}

void
MpaApplicationHelper::SetStreamAttribute(const std::string& name, const AttributeValue& value)
{
    m_stream.emplace_back(name, value.Copy());
}

ApplicationContainer
MpaApplicationHelper::Install(Ptr<Node> node) const
{
    Ptr<Application> application = m_factory.Create<Application>();
    const auto apply = [this](const auto& to) {
        for (const auto& [name, value] : m_socket)
        {
            to->SetSocketAttribute(name, *value);
        }
        for (const auto& [name, value] : m_stream)
        {
            to->SetStreamAttribute(name, *value);
        }
    };
    if (auto sender = DynamicCast<MpaBulkSender>(application))
    {
        apply(sender);
    }
    else
    {
        apply(DynamicCast<MpaSink>(application));
    }
    node->AddApplication(application);
    return ApplicationContainer(application);
}

ApplicationContainer
MpaApplicationHelper::Install(const NodeContainer& nodes) const
{
    ApplicationContainer applications;
    for (auto i = nodes.Begin(); i != nodes.End(); ++i)
    {
        applications.Add(Install(*i));
    }
    return applications;
}

int64_t
MpaApplicationHelper::AssignStreams(const ApplicationContainer& applications, int64_t stream)
{
    int64_t next = stream;
    for (auto i = applications.Begin(); i != applications.End(); ++i)
    {
        if (auto sender = DynamicCast<MpaBulkSender>(*i)) // an MpaSink draws none
        {
            next += sender->AssignStreams(next);
        }
    }
    return next - stream;
}

MpaBulkSenderHelper::MpaBulkSenderHelper(const Address& remote)
    : MpaApplicationHelper(MpaBulkSender::GetTypeId().GetName())
{
    SetAttribute("Remote", AddressValue(remote));
}

MpaSinkHelper::MpaSinkHelper(const Address& local)
    : MpaApplicationHelper(MpaSink::GetTypeId().GetName())
{
    SetAttribute("Local", AddressValue(local));
}

} // namespace ns3
