/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-cut-host.h"

#include "ns3/abort.h"
#include "ns3/boolean.h"
#include "ns3/simulator.h"

#include <algorithm>

using namespace ns3;

RdmaCutHost::RdmaCutHost()
{
    auto& host = m_c.host;
    for (uint32_t i = 0; i < RdmaCutPlaces::SPARES; i++)
    {
        const uint32_t at = RdmaCutStream::SPARE + RdmaCutStream::SPARE_SIZE * i;
        m_spares[i] =
            host.pd->RegisterMemory(DdpMemory::Wrap(&host.memory[at], RdmaCutStream::SPARE_SIZE),
                                    host.region->GetAddress() + at,
                                    RdmaTestHost::ALL);
        m_spares[i]->AllowInvalidation(true);
    }
    for (uint32_t i = 0; i < RdmaCutStream::HIGH - RdmaCutStream::SOURCE; i++)
    {
        host.memory[RdmaCutStream::SOURCE + i] = static_cast<uint8_t>(i * 7 + i / 251);
    }
    host.device->TraceConnectWithoutContext("Terminate",
                                            MakeCallback(&RdmaCutHost::HandleTerminate, this));
}

RdmaCutPlaces
RdmaCutHost::GetPlaces() const
{
    RdmaCutPlaces places;
    places.base = m_c.host.region->GetAddress();
    places.key = m_c.host.region->GetRkey();
    std::transform(m_spares.begin(), m_spares.end(), places.spares.begin(), [](const auto& spare) {
        return spare->GetRkey();
    });
    return places;
}

void
RdmaCutHost::HandleTerminate(uint32_t /* number */, const RdmapTerminate& terminate, bool byPeer)
{
    uint8_t octets[rdmap::TERMINATE_MAX_SIZE];
    const uint32_t size = terminate.Write(octets);
    m_terminates += std::string(byPeer ? "received " : "found ") + terminate.Describe() + " " +
                    mpatest::ToHex(octets, size) + "\n";
}

void
RdmaCutHost::PostReads(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
    {
        auto read = m_c.host.Send(100 + i,
                                  RdmaOpcode::RDMA_READ,
                                  RdmaCutStream::SINKS + 0x100 * i,
                                  RdmaCutStream::READ_SIZE);
        read.remoteAddress = 0x1000;
        read.rkey = 0x99;
        NS_ABORT_MSG_IF(m_c.host.qp->PostSend(read) != 0, "a Read");
    }
}

void
RdmaCutHost::Prepare(const RdmaCutStream& stream)
{
    m_c.connection->SetStreamAttribute("Markers", BooleanValue(stream.shape.markers));
    m_c.connection->SetStreamAttribute("Crc", BooleanValue(stream.shape.crc));
    m_c.connection->SetStreamAttribute("WaitForFirstFpdu", BooleanValue(!stream.shape.withReply));
    // the first is posted already
    for (uint32_t id = 2; id <= stream.receives; id++)
    {
        const int error =
            m_c.host.PostReceive(id, stream.GetReceivePlace(id), RdmaCutStream::RECEIVE_SIZE);
        NS_ABORT_MSG_IF(error != 0, "a receive");
    }
    m_c.onEstablished = [this, &stream] { PostReads(stream.reads); };
}

void
RdmaCutHost::Send(const RdmaCutStream& stream, const RdmaCutPlan& plan)
{
    auto octets = stream.octets;
    if (stream.shape.withReply)
    {
        octets.insert(octets.begin(), stream.startup.begin(), stream.startup.end());
    }
    const uint32_t first = m_c.peer.GetNext();
    Time at;
    for (const RdmaCutPart& part : plan)
    {
        at += part.wait;
        const RdmaCutStream::Octets payload(octets.begin() + part.from, octets.begin() + part.to);
        const bool fin = stream.fin && part.to == octets.size();
        Simulator::Schedule(at, [this, first, part, payload, fin] {
            m_c.peer.SendFrom(first + part.from, fin ? TcpScriptedPeer::FIN : 0, payload);
        });
    }
}

RdmaCutHost::Outcome
RdmaCutHost::Run(const RdmaCutStream& stream, const RdmaCutPlan& plan)
{
    Prepare(stream);
    const auto acknowledge = [this](const TcpScriptedPeer::Segment& segment) {
        if (!segment.payload.empty() || (segment.flags & TcpScriptedPeer::FIN))
        {
            m_c.peer.Send(0);
        }
    };
    if (stream.shape.listens)
    {
        m_c.Listen(stream.startup);
        m_c.peer.onSegment = acknowledge;
    }
    else
    {
        m_c.Connect({});
        m_c.peer.onSegment = [this, &stream, &plan, acknowledge](const auto& segment) {
            if (segment.payload.empty())
            {
                return;
            }
            m_c.peer.onSegment = acknowledge;
            if (stream.shape.withReply)
            {
                Send(stream, plan);
            }
            else
            {
                m_c.peer.Send(0, stream.startup);
            }
        };
    }
    if (!stream.shape.withReply)
    {
        Simulator::Schedule(MilliSeconds(100), [this, &stream, &plan] { Send(stream, plan); });
    }
    m_c.Run(Seconds(15));
    return {Describe(), m_c.host.memory};
}

std::string
RdmaCutHost::Describe() const
{
    std::ostringstream text;
    for (const auto& c : m_c.host.completions)
    {
        text << "completion " << c.id << " status " << unsigned(c.status);
        if (c.status == RdmapStatus::SUCCESS)
        {
            text << " opcode " << unsigned(c.opcode) << " octets " << c.octets << " immediate "
                 << c.withImmediate << c.immediate << " invalidated " << c.withInvalidate
                 << c.invalidatedKey;
        }
        text << "\n";
    }
    for (const auto& event : m_c.host.events)
    {
        text << "event " << unsigned(event.kind) << " error " << static_cast<int>(event.error)
             << " " << event.reason << "\n";
    }
    for (const auto event : m_c.host.deviceEvents)
    {
        text << "device " << unsigned(event) << "\n";
    }
    text << m_terminates << "state " << unsigned(m_c.host.qp->GetState()) << ", "
         << m_c.host.qp->GetReceivesPosted() << " receives, " << m_c.host.qp->GetSendsPosted()
         << " sends\nFIN " << (m_c.peer.Count(TcpScriptedPeer::FIN) > 0) << "\noctets "
         << mpatest::ToHex(m_c.peer.received.data(), m_c.peer.received.size()) << "\n";
    return text.str();
}
