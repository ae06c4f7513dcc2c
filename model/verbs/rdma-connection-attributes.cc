/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-connection.h"
#include "rdma-device.h"

#include "ns3/boolean.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cerrno>
#include <string>

// Attributes of a connection, and those that it hands on to its sockets and streams.

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RdmaConnection);

/// An attribute for each kind of ready-to-receive indication.
class RdmaConnection::RtrAccessor : public AttributeAccessor
{
  public:
    /// @param flag of the kind
    explicit RtrAccessor(bool MpaRtrSet::*flag)
        : m_flag(flag)
    {
    }

    bool Set(ObjectBase* object, const AttributeValue& value) const override
    {
        auto* connection = dynamic_cast<RdmaConnection*>(object);
        const auto* on = dynamic_cast<const BooleanValue*>(&value);
        if (connection == nullptr || on == nullptr)
        {
            return false;
        }
        connection->m_rtr.*m_flag = on->Get();
        return true;
    }

    bool Get(const ObjectBase* object, AttributeValue& value) const override
    {
        const auto* connection = dynamic_cast<const RdmaConnection*>(object);
        auto* on = dynamic_cast<BooleanValue*>(&value);
        if (connection == nullptr || on == nullptr)
        {
            return false;
        }
        on->Set(connection->m_rtr.*m_flag);
        return true;
    }

    bool HasGetter() const override
    {
        return true;
    }

    bool HasSetter() const override
    {
        return true;
    }

  private:
    bool MpaRtrSet::*m_flag; //!< of the kind
};

TypeId
RdmaConnection::GetTypeId()
{
    static TypeId tid = [] {
        TypeId type =
            TypeId("ns3::RdmaConnection")
                .SetParent<Object>()
                .SetGroupName("Iwarp")
                .AddConstructor<RdmaConnection>()
                .AddAttribute("Revision",
                              "MPA revision: 2 negotiates IRD and ORD (RFC 6581), 1 does not.",
                              UintegerValue(2),
                              MakeUintegerAccessor(&RdmaConnection::m_revision),
                              MakeUintegerChecker<uint8_t>(1, 2))
                .AddAttribute(
                    "PeerToPeer",
                    "Let the side that connects send a ready-to-receive indication, so that "
                    "either side may be the first to send (RFC 6581).",
                    BooleanValue(false),
                    MakeBooleanAccessor(&RdmaConnection::m_peerToPeer),
                    MakeBooleanChecker())
                .AddAttribute(
                    "Ird",
                    "Reads and Atomics of the peer that are held at a time, unless the call "
                    "says otherwise; at most the device's MaxReadAtomic. With MPA revision 2 the "
                    "side that listens holds as many as the peer asks for, if these are more, up "
                    "to MaxIrd.",
                    UintegerValue(16),
                    MakeUintegerAccessor(&RdmaConnection::m_ird),
                    MakeUintegerChecker<uint16_t>(0, MpaEnhancedWord::LARGEST_DEPTH))
                .AddAttribute(
                    "MaxIrd",
                    "Most Reads and Atomics of the peer that the side that listens grants "
                    "with MPA revision 2; at most the device's MaxReadAtomic.",
                    UintegerValue(MpaEnhancedWord::LARGEST_DEPTH),
                    MakeUintegerAccessor(&RdmaConnection::m_maxIrd),
                    MakeUintegerChecker<uint16_t>(0, MpaEnhancedWord::LARGEST_DEPTH))
                .AddAttribute(
                    "Ord",
                    "Reads and Atomics of this side under way at a time, unless the call "
                    "says otherwise; at most the device's MaxReadAtomic, and what the peer "
                    "grants.",
                    UintegerValue(16),
                    MakeUintegerAccessor(&RdmaConnection::m_ord),
                    MakeUintegerChecker<uint16_t>(0, MpaEnhancedWord::LARGEST_DEPTH))
                .AddAttribute(
                    "NegotiateReads",
                    "The side that connects has Ird and Ord negotiated. Off, it says 0x3FFF for "
                    "both, and each side goes by what it is told alone: the application sees to it "
                    "that neither Ord exceeds the other's Ird (RFC 6581 section 9.1).",
                    BooleanValue(true),
                    MakeBooleanAccessor(&RdmaConnection::m_negotiateReads),
                    MakeBooleanChecker())
                .AddAttribute(
                    "MinOrd",
                    "The side that listens rejects a peer that grants fewer Reads than these "
                    "(RFC 6581 section 9.1).",
                    UintegerValue(0),
                    MakeUintegerAccessor(&RdmaConnection::m_minOrd),
                    MakeUintegerChecker<uint16_t>(0, MpaEnhancedWord::LARGEST_DEPTH))
                .AddAttribute(
                    "Backlog",
                    "Most connections that the side that listens has without a Request: TCP is "
                    "reset if there is one more. The default is that of Linux "
                    "(net.iw_cm.default_backlog).",
                    UintegerValue(256),
                    MakeUintegerAccessor(&RdmaConnection::m_maxBacklog),
                    MakeUintegerChecker<uint16_t>(1, UINT16_MAX))
                .AddAttribute(
                    "StrictIrd",
                    "The side that connects gives up if the peer grants fewer Reads than Ord "
                    "rather than do with them.",
                    BooleanValue(false),
                    MakeBooleanAccessor(&RdmaConnection::m_strictIrd),
                    MakeBooleanChecker())
                .AddAttribute(
                    "RetryUnenhanced",
                    "Connect once more with MPA revision 1 if the peer ends TCP without an "
                    "answer to revision 2, as one that knows revision 1 alone does (RFC 6581 "
                    "section 10); not with PeerToPeer, which revision 1 does not have.",
                    BooleanValue(true),
                    MakeBooleanAccessor(&RdmaConnection::m_retryUnenhanced),
                    MakeBooleanChecker());
        for (const auto& kind : MpaRtrKinds())
        {
            type.AddAttribute(std::string("Rtr") + kind.name,
                              kind.help,
                              BooleanValue(MpaEnhancedConfig().rtr.*kind.flag),
                              ns3::Create<RtrAccessor>(kind.flag),
                              MakeBooleanChecker());
        }
        return type;
    }();
    return tid;
}

RdmaConnection::Settings&
RdmaConnection::GetSettings()
{
    if (!m_settings)
    {
        m_settings = ns3::Create<Settings>();
    }
    return *m_settings;
}

int
RdmaConnection::Note(std::vector<std::pair<std::string, Ptr<AttributeValue>>>& list,
                     const TypeId& typeId,
                     const std::string& name,
                     const AttributeValue& value)
{
    TypeId::AttributeInformation info;
    if (!typeId.LookupAttributeByName(name, &info))
    {
        return EINVAL;
    }
    Ptr<AttributeValue> valid = info.checker->CreateValidValue(value);
    if (!valid)
    {
        return EINVAL;
    }
    list.emplace_back(name, valid);
    return 0;
}

int
RdmaConnection::SetSocketAttribute(const std::string& name, const AttributeValue& value)
{
    return Note(GetSettings().socket, MpaTcpSocket::GetTypeId(), name, value);
}

int
RdmaConnection::SetStreamAttribute(const std::string& name, const AttributeValue& value)
{
    return name == "Revision" ? EINVAL
                              : Note(GetSettings().stream, MpaStream::GetTypeId(), name, value);
}

RdmaConnectionParameters
RdmaConnection::Complete(const RdmaConnectionParameters& parameters) const
{
    RdmaConnectionParameters complete = parameters;
    const auto most = static_cast<uint16_t>(RdmaDevice::Get(m_node)->GetMaxReadAtomic());
    if (complete.responderResources == RdmaConnectionParameters::BY_ATTRIBUTE)
    {
        complete.responderResources = std::min(m_ird, most);
    }
    if (complete.initiatorDepth == RdmaConnectionParameters::BY_ATTRIBUTE)
    {
        complete.initiatorDepth = std::min(m_ord, most);
    }
    return complete;
}

} // namespace ns3
