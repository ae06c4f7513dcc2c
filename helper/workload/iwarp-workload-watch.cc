/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-workload-watch.h"

#include "iwarp-record-watch.h"

#include "ns3/app-message.h"
#include "ns3/ddp-header.h"
#include "ns3/rdmap-header.h"
#include "ns3/rdmap-stream.h"

#include <algorithm>

namespace ns3
{
namespace iwarp
{
namespace
{

/// @param collector flow
void
FpduSent(Ptr<FlowCollector> collector,
         uint32_t /* seq */,
         uint32_t /* ulpdu */,
         uint32_t /* wire */)
{
    collector->FrameSent();
}

/// @param collector flow @param header the segment begins with an FPDU @param whole and holds whole
/// ones only
void
SegmentClassified(Ptr<FlowCollector> collector,
                  uint32_t /* seq */,
                  uint32_t /* size */,
                  bool header,
                  bool whole)
{
    collector->SegmentReceived(header, whole);
}

/// @param collector flow @param ulpdu passed @param wait since its last octet came
void
UlpduPassed(Ptr<FlowCollector> collector, const MpaUlpdu& ulpdu, Time wait)
{
    collector->FramePassed(ulpdu.seq, ulpdu.inOrder, wait);
}

/// @param collector flow @param ulpdu passed, of a message of MPA's applications
void
UlpduPlaced(Ptr<FlowCollector> collector, const MpaUlpdu& ulpdu, Time /* wait */)
{
    collector->Placed(ulpdu.length - MESSAGE_HEADER);
}

/**
 * @param collector flow
 * @param head octets of a Send that are no payload
 * @param header of a segment
 * @param payload octets behind it
 */
void
SegmentPlaced(Ptr<FlowCollector> collector,
              uint32_t head,
              const DdpHeader& header,
              uint32_t payload,
              bool /* inOrder */)
{
    if (header.tagged)
    {
        collector->Placed(payload);
    }
    else if (header.qn == rdmap::QN_SEND)
    {
        const uint32_t skipped = head > header.mo ? head - header.mo : 0;
        collector->Placed(payload - std::min(payload, skipped));
    }
    else if (header.qn == rdmap::QN_READ_REQUEST && payload == rdmap::ATOMIC_REQUEST_SIZE)
    {
        collector->Placed(rdmap::ATOMIC_OCTETS);
    }
}

/// @param collector flow
void
SegmentDropped(Ptr<FlowCollector> collector,
               uint32_t /* seq */,
               uint32_t /* size */,
               MpaStream::DropReason /* reason */)
{
    collector->SegmentDropped();
}

/// @param collector flow
void
PduSent(Ptr<FlowCollector> collector, const NvmePdu& /* pdu */)
{
    collector->FrameSent();
}

/// @param watch of the receiver @param queue that has it; whose trace this is @param pdu header
/// @param offset octets before it
void
PduReceived(Ptr<RecordWatch> watch,
            NvmeQueue* queue,
            const NvmePdu& pdu,
            uint64_t offset,
            bool /* good */)
{
    watch->HandleRecord(offset, pdu.ch.plen, queue->IsCounting());
}

/// @param collector flow @param head octets of a Send that are no payload @param pair its
/// receiving end
void
ReceiverConnected(Ptr<FlowCollector> collector, uint32_t head, Ptr<RdmaQueuePair> pair)
{
    WatchReceiver(collector, pair, head);
}

} // namespace

void
WatchMpaSender(Ptr<FlowCollector> collector, Ptr<MpaStream> stream)
{
    stream->TraceConnectWithoutContext("FpduSent", MakeBoundCallback(&FpduSent, collector));
    collector->WatchSocket(stream->GetSocket());
}

void
WatchMpaReceiver(Ptr<FlowCollector> collector, Ptr<MpaStream> stream)
{
    collector->ReceiverReady();
    stream->TraceConnectWithoutContext("Classified",
                                       MakeBoundCallback(&SegmentClassified, collector));
    stream->TraceConnectWithoutContext("Passed", MakeBoundCallback(&UlpduPassed, collector));
    stream->TraceConnectWithoutContext("Delivered",
                                       MakeCallback(&FlowCollector::FramesDelivered, collector));
    stream->TraceConnectWithoutContext("Drop", MakeBoundCallback(&SegmentDropped, collector));
    stream->TraceConnectWithoutContext("ReassemblyMemory",
                                       MakeCallback(&FlowCollector::MemoryHeld, collector));
}

void
WatchMpaPayload(Ptr<FlowCollector> collector, Ptr<MpaStream> stream)
{
    stream->TraceConnectWithoutContext("Passed", MakeBoundCallback(&UlpduPlaced, collector));
}

void
WatchNvmeSender(Ptr<FlowCollector> collector, Ptr<NvmeQueue> queue)
{
    queue->TraceConnectWithoutContext("PduSent", MakeBoundCallback(&PduSent, collector));
    collector->WatchSocket(queue->GetSocket());
}

void
WatchNvmePdus(Ptr<FlowCollector> collector, Ptr<NvmeQueue> queue)
{
    const auto watch = Create<RecordWatch>(collector);
    watch->Watch(queue->GetSocket());
    queue->TraceConnectWithoutContext("PduReceived",
                                      MakeBoundCallback(&PduReceived, watch, PeekPointer(queue)));
}

void
WatchNvmeReceiver(Ptr<FlowCollector> collector, Ptr<NvmeQueue> queue)
{
    collector->ReceiverReady();
    queue->TraceConnectWithoutContext("Payload", MakeCallback(&FlowCollector::Placed, collector));
    queue->TraceConnectWithoutContext("SegmentClassified",
                                      MakeCallback(&FlowCollector::SegmentReceived, collector));
    queue->TraceConnectWithoutContext("Held", MakeCallback(&FlowCollector::MemoryHeld, collector));
    queue->TraceConnectWithoutContext("SegmentDropped",
                                      MakeCallback(&FlowCollector::SegmentDropped, collector));
}

void
WatchApplications(Ptr<FlowCollector> collector,
                  Ptr<RdmaApplication> sender,
                  Ptr<RdmaApplication> receiver,
                  uint32_t head)
{
    sender->TraceConnectWithoutContext("Connected", MakeBoundCallback(&WatchSender, collector));
    receiver->TraceConnectWithoutContext("Connected",
                                         MakeBoundCallback(&ReceiverConnected, collector, head));
    for (const auto& application : {sender, receiver})
    {
        application->TraceConnectWithoutContext("Failed",
                                                MakeCallback(&FlowCollector::Failed, collector));
    }
}

void
WatchSender(Ptr<FlowCollector> collector, Ptr<RdmaQueuePair> pair)
{
    WatchMpaSender(collector, pair->GetStream()->GetMpa());
}

void
WatchReceiver(Ptr<FlowCollector> collector, Ptr<RdmaQueuePair> pair, uint32_t head)
{
    WatchMpaReceiver(collector, pair->GetStream()->GetMpa());
    pair->GetStream()->TraceConnectWithoutContext(
        "SegmentPlaced",
        MakeBoundCallback(&SegmentPlaced, collector, head));
}

} // namespace iwarp
} // namespace ns3
