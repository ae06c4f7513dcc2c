/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-tcp-socket.h"

#include "mpa-tcp-socket-factory.h"

#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-held-octets.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-rx-buffer.h"
#include "ns3/tcp-tx-buffer.h"
#include "ns3/uinteger.h"

namespace ns3
{

namespace
{

/**
 * Gives a congestion control the attributes of the one it is a copy of, where they differ: ns-3's
 * copies leave some to chance (TcpFriendliness of TcpCubic up to 3.48, BetaLoss and BetaEcn of
 * TcpNewReno in 3.48).
 * @param from the original
 * @param to the copy
 */
void
CopyAttributes(const TcpCongestionOps& from, TcpCongestionOps& to)
{
    // up to 3.37 the parent of TcpCubic is said to be TcpSocketBase, whose accessors fail on it
    for (TypeId type = from.GetInstanceTypeId(); type.HasParent(); type = type.GetParent())
    {
        for (std::size_t i = 0; i < type.GetAttributeN(); ++i)
        {
            const auto info = type.GetAttribute(i);
            if (!info.accessor->HasSetter())
            {
                continue;
            }
            const Ptr<AttributeValue> value = info.checker->Create();
            if (info.accessor->Get(&from, *value))
            {
                info.accessor->Set(&to, *value);
            }
        }
    }
}

} // namespace

NS_LOG_COMPONENT_DEFINE("MpaTcpSocket");

LogComponent& MpaTcpSocket::g_log = ns3::g_log;

NS_OBJECT_ENSURE_REGISTERED(MpaTcpSocket);

TypeId
MpaTcpSocket::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::MpaTcpSocket")
            .SetParent<TcpSocketBase>()
            .SetGroupName("Iwarp")
            .AddConstructor<MpaTcpSocket>()
            .AddAttribute(
                "Alignment",
                "Segments begin with a record and hold whole records, as long as a "
                "record fits the EMSS; otherwise octets fill segments as TCP likes.",
                BooleanValue(true),
                MakeBooleanAccessor(&MpaTcpSocket::SetAlignment, &MpaTcpSocket::GetAlignment),
                MakeBooleanChecker())
            .AddAttribute("Packing",
                          "With Alignment, several whole records that are there share a segment. "
                          "Whether TCP waits for more of them is TcpNoDelay's choice.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&MpaTcpSocket::SetPacking, &MpaTcpSocket::GetPacking),
                          MakeBooleanChecker())
            .AddAttribute("PathOverhead",
                          "Octets that ESP and the like add to each segment; they lower the EMSS "
                          "and the MSS that the peer is told.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&MpaTcpSocket::SetPathOverhead,
                                               &MpaTcpSocket::GetPathOverhead),
                          MakeUintegerChecker<uint32_t>(0, 1024))
            .AddAttribute(
                "MaxEmss",
                "Upper limit of the EMSS in octets.",
                UintegerValue(65535),
                MakeUintegerAccessor(&MpaTcpSocket::SetMaxEmss, &MpaTcpSocket::GetMaxEmss),
                MakeUintegerChecker<uint32_t>(1, 65535))
            .AddAttribute("MinPathMtu",
                          "Least path MTU in octets that an ICMP message for IPv4 may tell; a "
                          "smaller one is ignored (RFC 5044 section 9.1).",
                          UintegerValue(576),
                          MakeUintegerAccessor(&MpaTcpSocket::m_minPathMtu),
                          MakeUintegerChecker<uint32_t>(68, 65535))
            .AddAttribute("MinPathMtu6",
                          "Least path MTU in octets that an ICMPv6 message may tell; a smaller "
                          "one is ignored.",
                          UintegerValue(1280),
                          MakeUintegerAccessor(&MpaTcpSocket::m_minPathMtu6),
                          MakeUintegerChecker<uint32_t>(68, 65535))
            .AddAttribute("PeerMssDefault",
                          "MSS in octets of a peer whose SYN has no MSS option. ns-3's own "
                          "sockets send none and take any segment, so the default is no limit; "
                          "RFC 1122 says 536.",
                          UintegerValue(65535),
                          MakeUintegerAccessor(&MpaTcpSocket::m_peerMssDefault),
                          MakeUintegerChecker<uint32_t>(64, 65535))
            .AddAttribute("ResendWhole",
                          "With Alignment and SACK, a segment is sent again as a whole even if "
                          "the peer has acknowledged a part of it, as happens behind a box that "
                          "cuts segments anew; otherwise only the rest, which no record starts "
                          "(RFC 5044 section B.2.2).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&MpaTcpSocket::m_resendWhole),
                          MakeBooleanChecker())
            .AddAttribute("FragmentOnShrink",
                          "With Alignment, records that TCP accepted before the EMSS became "
                          "smaller are sent whole and left to IP fragmentation, rather than cut "
                          "(RFC 5044 section A.1).",
                          BooleanValue(false),
                          MakeBooleanAccessor(&MpaTcpSocket::m_fragmentOnShrink),
                          MakeBooleanChecker())
            .AddAttribute("MssOption",
                          "SYN segments carry an MSS option, as those of real hosts do. ns-3's own "
                          "do not.",
                          BooleanValue(true),
                          MakeBooleanAccessor(&MpaTcpSocket::m_mssOption),
                          MakeBooleanChecker())
            .AddAttribute("OverrideTimeout",
                          "How long a segment waits, with nothing in flight, for a receive window "
                          "that is too narrow for it and less than half the widest one seen, "
                          "before it is cut (RFC 1122 section 4.2.3.4).",
                          TimeValue(MilliSeconds(200)),
                          MakeTimeAccessor(&MpaTcpSocket::m_overrideTimeout),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("WindowRate",
                          "Payload rate that the receive window is to allow over WindowRtt; if "
                          "both are set, their product replaces RcvBufSize when the socket "
                          "connects or listens (RFC 5041 Appendix A). 0 leaves RcvBufSize.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&MpaTcpSocket::m_windowRate),
                          MakeDataRateChecker())
            .AddAttribute("WindowRtt",
                          "Round-trip time expected, for WindowRate. 0 leaves RcvBufSize.",
                          TimeValue(Time(0)),
                          MakeTimeAccessor(&MpaTcpSocket::m_windowRtt),
                          MakeTimeChecker(Time(0), Seconds(1000)))
            .AddAttribute("ReceiveWindow",
                          "What takes room in the receive window: what TCP holds (Constant), or "
                          "besides what an RNIC has not retired yet (Retired), so that a sender "
                          "goes no faster than that (RFC 5041 Appendix A). Its right edge is never "
                          "pulled back then. Without an RNIC there is no difference.",
                          iwarp::MakeEnumValue(WindowMode::CONSTANT),
                          iwarp::MakeEnumAccessor(&MpaTcpSocket::m_windowMode),
                          iwarp::MakeEnumChecker(WindowMode::CONSTANT,
                                                 "Constant",
                                                 WindowMode::RETIRED,
                                                 "Retired"))
            .AddTraceSource("Emss",
                            "Octets of payload that a segment takes.",
                            MakeTraceSourceAccessor(&MpaTcpSocket::m_emss),
                            "ns3::TracedValueCallback::Uint32")
            .AddTraceSource("SegmentSent",
                            "A segment with payload is sent.",
                            MakeTraceSourceAccessor(&MpaTcpSocket::m_segmentSent),
                            "ns3::MpaTcpSocket::SegmentSentTracedCallback")
            .AddTraceSource("HeldBack",
                            "The next segment waits for a wider window, so as not to cut a record.",
                            MakeTraceSourceAccessor(&MpaTcpSocket::m_heldBack),
                            "ns3::MpaTcpSocket::HeldBackTracedCallback")
            .AddTraceSource("RecordCut",
                            "A segment ends inside a record.",
                            MakeTraceSourceAccessor(&MpaTcpSocket::m_recordCut),
                            "ns3::MpaTcpSocket::RecordCutTracedCallback")
            .AddTraceSource("RedundantRetransmission",
                            "With ResendWhole, a segment that is sent again holds octets that the "
                            "peer has acknowledged.",
                            MakeTraceSourceAccessor(&MpaTcpSocket::m_redundant),
                            "ns3::MpaTcpSocket::RedundantRetransmissionTracedCallback")
            .AddTraceSource("SegmentDropped",
                            "The layer above had a segment treated as lost.",
                            MakeTraceSourceAccessor(&MpaTcpSocket::m_segmentDropped),
                            "ns3::MpaTcpSocket::SegmentDroppedTracedCallback")
            .AddTraceSource("WindowUpdate",
                            "An ACK is sent since the application has made room in the receive "
                            "buffer, or an RNIC has retired what took it.",
                            MakeTraceSourceAccessor(&MpaTcpSocket::m_windowUpdate),
                            "ns3::MpaTcpSocket::WindowUpdateTracedCallback");
    return tid;
}

MpaTcpSocket::MpaTcpSocket()
{
    m_pacingTimer.SetFunction(&MpaTcpSocket::SendRecords, this);
    m_pacingTimer.SetArguments(false);
}

MpaTcpSocket::MpaTcpSocket(const MpaTcpSocket& other)
    : WithInstanceTypeId(other),
      m_minPathMtu(other.m_minPathMtu),
      m_minPathMtu6(other.m_minPathMtu6),
      m_peerMssDefault(other.m_peerMssDefault),
      m_resendWhole(other.m_resendWhole),
      m_fragmentOnShrink(other.m_fragmentOnShrink),
      m_mssOption(other.m_mssOption),
      m_overrideTimeout(other.m_overrideTimeout),
      m_windowRate(other.m_windowRate),
      m_windowRtt(other.m_windowRtt),
      m_windowMode(other.m_windowMode),
      m_pathMtu(other.m_pathMtu),
      m_segmenter(other.m_segmenter),
      m_segmentSent(other.m_segmentSent),
      m_heldBack(other.m_heldBack),
      m_recordCut(other.m_recordCut),
      m_redundant(other.m_redundant),
      m_segmentDropped(other.m_segmentDropped),
      m_windowUpdate(other.m_windowUpdate)
{
    m_place.SetTable(other.m_place.GetTable());
    m_pacingTimer.SetFunction(&MpaTcpSocket::SendRecords, this);
    m_pacingTimer.SetArguments(false);
    if (m_congestionControl)
    {
        CopyAttributes(*other.m_congestionControl, *m_congestionControl);
    }
}

MpaTcpSocket::~MpaTcpSocket()
{
    m_overrideEvent.Cancel();
    m_windowEvent.Cancel();
}

Ptr<TcpSocketBase>
MpaTcpSocket::Fork()
{
    Ptr<MpaTcpSocket> socket = CopyObject<MpaTcpSocket>(this);
    socket->m_backlogPort = GetLocalPort();
    MpaTcpSocketFactory::Install(m_node)->CountSyn(socket->m_backlogPort, true);
    return socket;
}

void
MpaTcpSocket::SetSegmentCallback(SegmentCallback callback)
{
    m_segmentCallback = callback;
}

void
MpaTcpSocket::SetUser(User* user, bool sees)
{
    m_user = user;
    m_userSees = user && sees;
}

uint32_t
MpaTcpSocket::GetEmss() const
{
    return std::max(m_emss.Get(), m_segmenter.GetAllowedProbe());
}

uint32_t
MpaTcpSocket::GetTxCapacity() const
{
    return m_txBuffer->MaxBufferSize();
}

SequenceNumber32
MpaTcpSocket::GetNextTxOctet() const
{
    if (m_state < ESTABLISHED)
    { // the SYN takes a sequence number, which the buffer learns of when it is acknowledged
        return m_tcb->m_nextTxSequence + SequenceNumber32(1) + m_txBuffer->Size();
    }
    return m_txBuffer->TailSequence();
}

SequenceNumber32
MpaTcpSocket::GetNextRxOctet() const
{
    const auto& rx = m_tcb->m_rxBuffer;
    return rx->NextRxSequence() - rx->Available() - (rx->Finished() ? 1 : 0);
}

bool
MpaTcpSocket::HasPeerClosed() const
{
    return m_tcb->m_rxBuffer->Finished();
}

bool
MpaTcpSocket::HoldsReceivedData() const
{
    return m_tcb->m_rxBuffer->Size() > 0;
}

} // namespace ns3
