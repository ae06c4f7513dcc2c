/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nvme-application.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/log.h"
#include "ns3/mpa-tcp-socket-factory.h"
#include "ns3/node.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("NvmeApplication");
NS_OBJECT_ENSURE_REGISTERED(NvmeApplication);

TypeId
NvmeApplication::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::NvmeApplication")
            .SetParent<Application>()
            .SetGroupName("Iwarp")
            .AddAttribute("Protocol",
                          "Type of the factory that makes sockets, such as "
                          "ns3::MpaTcpSocketFactory, whose sockets keep PDUs aligned with segments "
                          "if their Alignment is on, or ns3::TcpSocketFactory",
                          TypeIdValue(MpaTcpSocketFactory::GetTypeId()),
                          MakeTypeIdAccessor(&NvmeApplication::m_protocol),
                          MakeTypeIdChecker())
            .AddAttribute("Backed",
                          "Data have content, which depends on their place in the namespace and is "
                          "compared where they arrive; set it at both ends",
                          BooleanValue(false),
                          MakeBooleanAccessor(&NvmeApplication::m_backed),
                          MakeBooleanChecker())
            .AddTraceSource("QueueOpened",
                            "There is a connection for a queue of any kind, and nothing has come",
                            MakeTraceSourceAccessor(&NvmeApplication::m_openedTrace),
                            "ns3::NvmeApplication::QueueTracedCallback")
            .AddTraceSource("QueueReady",
                            "I/O may begin on a queue",
                            MakeTraceSourceAccessor(&NvmeApplication::m_readyTrace),
                            "ns3::NvmeApplication::QueueTracedCallback")
            .AddTraceSource("Failed",
                            "Something went wrong for the first time",
                            MakeTraceSourceAccessor(&NvmeApplication::m_failedTrace),
                            "ns3::NvmeApplication::FailedTracedCallback");
    return tid;
}

NvmeApplication::NvmeApplication(TypeId queue)
{
    m_queueFactory.SetTypeId(queue);
}

NvmeApplication::~NvmeApplication() = default;

void
NvmeApplication::SetSocketAttribute(const std::string& name, const AttributeValue& value)
{
    NS_LOG_FUNCTION(this << name);
    m_socketSettings.Set(name, value);
}

void
NvmeApplication::SetQueueAttribute(const std::string& name, const AttributeValue& value)
{
    NS_LOG_FUNCTION(this << name);
    m_queueFactory.Set(name, value);
}

Ptr<Socket>
NvmeApplication::MakeSocket() const
{
    const Ptr<Node> node = GetNode();
    if (m_protocol == MpaTcpSocketFactory::GetTypeId() && !node->GetObject<MpaTcpSocketFactory>())
    {
        MpaTcpSocketFactory::Install(node);
    }
    NS_ABORT_MSG_UNLESS(node->GetObject<Object>(m_protocol),
                        GetInstanceTypeId().GetName()
                            << ": the node has no " << m_protocol.GetName()
                            << ", which Protocol names");
    const Ptr<Socket> socket = Socket::CreateSocket(node, m_protocol);
    m_socketSettings.Apply(socket);
    return socket;
}

void
NvmeApplication::CheckAddress(const Address& address, const char* attribute) const
{
    NS_ABORT_MSG_UNLESS(
        InetSocketAddress::IsMatchingType(address) || Inet6SocketAddress::IsMatchingType(address),
        GetInstanceTypeId().GetName()
            << ": set " << attribute << " to an InetSocketAddress or an Inet6SocketAddress");
}

void
NvmeApplication::Fail(const std::string& reason)
{
    NS_LOG_INFO(reason);
    if (m_error.empty())
    {
        m_error = reason;
        m_failedTrace(reason);
    }
}

bool
NvmeApplication::IsBacked() const
{
    return m_backed;
}

void
NvmeApplication::CountContentErrors(uint64_t octets)
{
    m_contentErrors += octets;
}

uint64_t
NvmeApplication::GetContentErrors() const
{
    return m_contentErrors;
}

const std::string&
NvmeApplication::GetError() const
{
    return m_error;
}

void
NvmeApplication::Open(const Ptr<NvmeQueue>& queue, const Ptr<Socket>& socket)
{
    queue->Open(socket);
    m_openedTrace(queue);
}

void
NvmeApplication::NotifyReady(const Ptr<NvmeQueue>& queue)
{
    queue->StartCounting();
    m_readyTrace(queue);
}

} // namespace ns3
