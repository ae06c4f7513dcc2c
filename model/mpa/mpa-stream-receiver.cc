/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-scratch.h"
#include "mpa-stream.h"

#include "ns3/simulator.h"

#include <string>
#include <utility>
#include <vector>

namespace ns3
{

void
MpaStream::HandleReceive()
{
    if (m_receive.IsOpen())
    {
        DrainInOrder();
    }
    else
    {
        ReceiveStartup();
    }
}

MpaTcpSocket::Verdict
MpaStream::SeeSegment(SequenceNumber32 seq, Ptr<const Packet> packet)
{
    Ptr<MpaStream> self(this);
    const uint32_t size = packet->GetSize();
    MpaScratch octets(size);
    packet->CopyData(octets.Data(), size);
    const RecordSegmentSink* sink = m_socket->GetSegmentSink();
    if (sink && sink->HasMemoryLimit())
    {
        m_receive.GetReceiver().SetRoom(sink->GetMemoryRoom(true),
                                        sink->GetMemoryRoom(false),
                                        sink->GetMemoryBehind());
    }
    const auto report = Take(seq.GetValue(), octets.Data(), size);
    const uint32_t whole = report.whole;
    if (whole > 0)
    {
        const auto part = Take(seq.GetValue(), octets.Data(), whole);
        m_segmentTrace(seq.GetValue(), whole, part);
        m_segmentTrace(seq.GetValue() + whole, size - whole, report);
        m_dropTrace(seq.GetValue() + whole, size - whole, DropReason::MEMORY_FULL);
        m_socket->KeepFirst(whole);
        return MpaTcpSocket::Verdict::TAKE;
    }
    m_segmentTrace(seq.GetValue(), size, report);
    if (report.dropped)
    {
        m_dropTrace(seq.GetValue(),
                    size,
                    report.memoryFull ? DropReason::MEMORY_FULL : DropReason::FAULT);
        return MpaTcpSocket::Verdict::DROP;
    }
    if (sink && sink->HasMemoryLimit() && m_held > sink->GetMemoryBehind())
    {
        m_socket->AckAtOnce(); // others wait for what it holds
    }
    return MpaTcpSocket::Verdict::TAKE; // the receiver holds what it still needs
}

RecordSegmentReport
MpaStream::Take(uint32_t seq, const uint8_t* data, uint32_t size)
{
    Arriving arriving{seq, size, {}};
    m_arriving = m_socket->GetSegmentSink() ? &arriving : nullptr;
    MpaReceiver& receiver = m_receive.GetReceiver();
    const auto report = receiver.Segment(seq, data, size, Simulator::Now().GetTimeStep());
    m_arriving = nullptr;
    m_held = m_receive.GetHeld();
    if (RecordSegmentSink* sink = m_socket->GetSegmentSink())
    {
        sink->Segment(report, size, arriving.placements, m_held);
    }
    return report;
}

void
MpaStream::Feed(uint32_t seq, Ptr<const Packet> packet)
{
    MpaScratch octets(packet->GetSize());
    packet->CopyData(octets.Data(), packet->GetSize());
    Take(seq, octets.Data(), packet->GetSize());
}

void
MpaStream::DrainInOrder()
{
    Ptr<MpaStream> self(this);
    // A segment at a time: reading all at once would make TCP copy everything into one packet. The
    // receiver looks behind it: an error that it finds closes TCP, which would reset the connection
    // for octets not read yet, and lose the Terminate.
    const uint32_t emss = m_socket->GetEmss();
    std::vector<std::pair<uint32_t, Ptr<Packet>>> unseen;
    while (m_socket->GetRxAvailable() > 0)
    {
        const uint32_t seq = m_socket->GetNextRxOctet().GetValue();
        Ptr<Packet> packet = m_socket->Recv(emss, 0);
        if (m_receive.FeedsOnDrain())
        {
            unseen.emplace_back(seq, packet);
        }
    }
    if (m_receive.HasEarly())
    {
        const auto early = m_receive.TakeEarly();
        Take(m_receive.GetReceiver().GetNext(), early.data(), early.size());
    }
    for (const auto& [seq, packet] : unseen)
    {
        Feed(seq, packet);
    }
    m_receive.Drained(m_socket->GetNextRxOctet().GetValue(), m_socket->HoldsReceivedData());
}

void
MpaStream::Pass(const MpaUlpdu& ulpdu)
{
    m_passedTrace(ulpdu, Simulator::Now() - TimeStep(ulpdu.stamp));
    RecordPlacementList* places = m_arriving ? &m_arriving->placements : nullptr;
    const std::size_t first = places ? places->size() : 0;
    m_user->HandleUlpdu(*this, ulpdu, places);
    if (m_arriving)
    {
        if (places->size() == first)
        {
            places->push_back({ulpdu.length});
        }
        (*places)[first].fromMemory =
            RecordOctetsOutside(ulpdu.seq, ulpdu.wireSize, m_arriving->seq, m_arriving->size);
    }
    if (ulpdu.inOrder && m_startup->GetState() == MpaStartup::State::FULL_RX_ONLY)
    {
        Perform(m_startup->FpduValidated());
    }
}

void
MpaStream::Deliver(uint32_t count)
{
    m_deliveredTrace(count);
    m_user->HandleDeliver(*this, count);
}

void
MpaStream::Error(MpaError error, uint32_t seq)
{
    Report(error,
           (error == MpaError::CRC ? "CRC mismatch in the FPDU at sequence number "
                                   : "a Marker disagrees with the FPDU at sequence number ") +
               std::to_string(seq));
}

void
MpaStream::Classified(uint32_t seq, uint32_t size, bool headerAligned, bool fpduAligned)
{
    m_classifiedTrace(seq, size, headerAligned, fpduAligned);
}

} // namespace ns3
