/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-stream-receiver.h"

#include "mpa-scratch.h"

#include "ns3/record-segment-sink.h"
#include "ns3/simulator.h"

#include <utility>
#include <vector>

namespace ns3
{

MpaStreamReceiver::MpaStreamReceiver(MpaStreamTraces& traces, Listener& listener)
    : m_traces(traces),
      m_listener(listener)
{
}

void
MpaStreamReceiver::HoldEarly(const uint8_t* data, std::size_t size)
{
    m_path.HoldEarly(data, size);
    m_traces.held = m_path.GetHeld();
}

void
MpaStreamReceiver::Open(const MpaTcpSocket& socket, MpaReceiverConfig config)
{
    m_path.Open(config, socket.GetNextRxOctet().GetValue(), socket.HoldsReceivedData(), *this);
}

bool
MpaStreamReceiver::IsOpen() const
{
    return m_path.IsOpen();
}

bool
MpaStreamReceiver::HasEarly() const
{
    return m_path.HasEarly();
}

bool
MpaStreamReceiver::IsWhole(const MpaTcpSocket& socket)
{
    const MpaReceiver& receiver = m_path.GetReceiver();
    return receiver.HasFailed() || receiver.GetNext() == socket.GetNextRxOctet().GetValue();
}

MpaTcpSocket::Verdict
MpaStreamReceiver::See(MpaTcpSocket& socket, uint32_t seq, const Packet& packet)
{
    const uint32_t size = packet.GetSize();
    MpaScratch octets(size);
    packet.CopyData(octets.Data(), size);
    const RecordSegmentSink* sink = socket.GetSegmentSink();
    if (sink && sink->HasMemoryLimit())
    {
        m_path.GetReceiver().SetRoom(sink->GetMemoryRoom(true),
                                     sink->GetMemoryRoom(false),
                                     sink->GetMemoryBehind());
    }
    const auto report = ProcessSegment(socket, seq, octets.Data(), size);
    const uint32_t whole = report.whole;
    if (whole > 0)
    {
        const auto part = ProcessSegment(socket, seq, octets.Data(), whole);
        m_traces.segmentReceived(seq, whole, part);
        m_traces.segmentReceived(seq + whole, size - whole, report);
        m_traces.dropped(seq + whole, size - whole, MpaDropReason::MEMORY_FULL);
        socket.KeepFirst(whole);
        return MpaTcpSocket::Verdict::TAKE;
    }
    m_traces.segmentReceived(seq, size, report);
    if (report.dropped)
    {
        m_traces.dropped(seq,
                         size,
                         report.memoryFull ? MpaDropReason::MEMORY_FULL : MpaDropReason::FAULT);
        return MpaTcpSocket::Verdict::DROP;
    }
    if (sink && sink->HasMemoryLimit() && m_traces.held > sink->GetMemoryBehind())
    {
        socket.AckAtOnce(); // others wait for what it holds
    }
    return MpaTcpSocket::Verdict::TAKE; // the receiver holds what it still needs
}

RecordSegmentReport
MpaStreamReceiver::ProcessSegment(const MpaTcpSocket& socket,
                                  uint32_t seq,
                                  const uint8_t* data,
                                  uint32_t size)
{
    Arriving arriving{seq, size, {}};
    m_arriving = socket.GetSegmentSink() ? &arriving : nullptr;
    const auto report =
        m_path.GetReceiver().Segment(seq, data, size, Simulator::Now().GetTimeStep());
    m_arriving = nullptr;
    m_traces.held = m_path.GetHeld();
    if (RecordSegmentSink* sink = socket.GetSegmentSink())
    {
        sink->Segment(report, size, arriving.placements, m_traces.held);
    }
    return report;
}

void
MpaStreamReceiver::Drain(MpaTcpSocket& socket)
{
    // A segment at a time: reading all at once would make TCP copy everything into one packet. The
    // receiver looks behind it: an error that it finds closes TCP, which would reset the connection
    // for octets not read yet, and lose the Terminate.
    const uint32_t emss = socket.GetEmss();
    std::vector<std::pair<uint32_t, Ptr<Packet>>> unseen;
    while (socket.GetRxAvailable() > 0)
    {
        const uint32_t seq = socket.GetNextRxOctet().GetValue();
        Ptr<Packet> packet = socket.Recv(emss, 0);
        if (m_path.FeedsOnDrain())
        {
            unseen.emplace_back(seq, packet);
        }
    }
    if (m_path.HasEarly())
    {
        const auto early = m_path.ReleaseEarly();
        ProcessSegment(socket, m_path.GetReceiver().GetNext(), early.data(), early.size());
    }
    for (const auto& [seq, packet] : unseen)
    {
        MpaScratch octets(packet->GetSize());
        packet->CopyData(octets.Data(), packet->GetSize());
        ProcessSegment(socket, seq, octets.Data(), packet->GetSize());
    }
    m_path.Drained(socket.GetNextRxOctet().GetValue(), socket.HoldsReceivedData());
}

void
MpaStreamReceiver::Pass(const MpaUlpdu& ulpdu)
{
    m_traces.passed(ulpdu, Simulator::Now() - TimeStep(ulpdu.stamp));
    if (!m_arriving)
    {
        m_listener.Pass(ulpdu, nullptr);
        return;
    }
    RecordPlacementList& placements = m_arriving->placements;
    const std::size_t first = placements.size();
    const uint32_t outside =
        RecordOctetsOutside(ulpdu.seq, ulpdu.wireSize, m_arriving->seq, m_arriving->size);
    m_listener.Pass(ulpdu, &placements);
    if (placements.size() == first)
    {
        placements.push_back({ulpdu.length});
    }
    placements[first].fromMemory = outside;
}

void
MpaStreamReceiver::Deliver(uint32_t count)
{
    m_traces.delivered(count);
    m_listener.Deliver(count);
}

void
MpaStreamReceiver::Error(MpaError error, uint32_t seq)
{
    m_listener.Error(error, seq);
}

void
MpaStreamReceiver::Classified(uint32_t seq, uint32_t size, bool headerAligned, bool fpduAligned)
{
    m_traces.classified(seq, size, headerAligned, fpduAligned);
}

} // namespace ns3
