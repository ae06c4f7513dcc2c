/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-flow-collector.h"

#include "ns3/simulator.h"

#include <iterator>

namespace ns3
{
namespace iwarp
{
namespace
{

/// Count a segment. @param shares where @param header it begins with an FPDU @param fpdu and holds
/// whole ones only
void
Count(FlowTotals::Shares& shares, bool header, bool fpdu)
{
    shares.segments++;
    shares.header += header;
    shares.fpdu += fpdu;
}

} // namespace

FlowCollector::FlowCollector(const FlowListener& listener)
    : m_listener(listener),
      m_totals(*listener.totals)
{
}

void
FlowCollector::WatchSender(Ptr<MpaStream> stream)
{
    // from Full Operation on a segment is one of FPDUs, before it is one of startup;
    // bound to a Ptr, the callbacks keep this object as long as what they watch
    Ptr<FlowCollector> self(this);
    stream->TraceConnectWithoutContext("FpduSent", MakeCallback(&FlowCollector::FpduSent, self));
    stream->GetSocket()->TraceConnectWithoutContext(
        "SegmentSent",
        MakeCallback(&FlowCollector::SegmentSent, self));
}

void
FlowCollector::WatchReceiver(Ptr<MpaStream> stream)
{
    Ptr<FlowCollector> self(this);
    m_totals.held.Change(0, 0);
    stream->TraceConnectWithoutContext("Classified",
                                       MakeCallback(&FlowCollector::Classified, self));
    stream->TraceConnectWithoutContext("Passed", MakeCallback(&FlowCollector::PassedUp, self));
    stream->TraceConnectWithoutContext("Delivered", MakeCallback(&FlowCollector::Delivered, self));
    stream->TraceConnectWithoutContext("Drop", MakeCallback(&FlowCollector::Dropped, self));
    stream->TraceConnectWithoutContext("ReassemblyMemory",
                                       MakeCallback(&FlowCollector::Held, self));
}

void
FlowCollector::Posted()
{
    m_posted.push_back(Simulator::Now());
}

void
FlowCollector::Completed(uint64_t size, uint64_t count)
{
    m_totals.messages += count;
    m_totals.octets += size;
    m_totals.lastMessage = Simulator::Now();
    if (!m_posted.empty())
    {
        m_totals.completion.Add(Simulator::Now() - m_posted.front());
        m_posted.pop_front();
    }
    m_listener.message(size);
}

void
FlowCollector::Failed(const std::string& reason)
{
    m_listener.failure(reason);
}

void
FlowCollector::SegmentSent(SequenceNumber32 /* seq */,
                           uint32_t /* size */,
                           bool header,
                           bool record,
                           bool /* again */)
{
    Count(m_totals.sent, header, record);
}

void
FlowCollector::FpduSent(uint32_t /* seq */, uint32_t /* ulpdu */, uint32_t /* wire */)
{
    m_totals.fpdusSent++;
}

void
FlowCollector::Classified(uint32_t /* seq */, uint32_t /* size */, bool header, bool fpdu)
{
    Count(m_totals.received, header, fpdu);
}

void
FlowCollector::PassedUp(const MpaUlpdu& ulpdu, Time wait)
{
    m_totals.fpdusPassed++;
    m_totals.fpdusOutOfOrder += !ulpdu.inOrder;
    m_totals.placement.Add(wait);
    const auto before = [&ulpdu](const Passed& passed) {
        return static_cast<int32_t>(passed.seq - ulpdu.seq) < 0;
    };
    auto at = m_undelivered.end();
    while (at != m_undelivered.begin() && !before(*std::prev(at)))
    {
        --at;
    }
    m_undelivered.insert(at, {ulpdu.seq, Simulator::Now() - wait});
}

void
FlowCollector::Delivered(uint32_t count)
{
    for (; count > 0 && !m_undelivered.empty(); count--)
    {
        m_totals.delivery.Add(Simulator::Now() - m_undelivered.front().arrival);
        m_undelivered.pop_front();
    }
}

void
FlowCollector::Held(uint64_t before, uint64_t after)
{
    m_totals.held.Change(before, after);
}

void
FlowCollector::Dropped(uint32_t /* seq */, uint32_t /* size */, MpaStream::DropReason /* reason */)
{
    m_totals.drops++;
}

} // namespace iwarp
} // namespace ns3
