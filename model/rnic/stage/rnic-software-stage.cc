/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-software-stage.h"

#include "ns3/rnic-cpu.h"
#include "ns3/rnic-datapath.h"
#include "ns3/rnic-host-interface.h"
#include "ns3/rnic-packet-buffer.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RnicSoftwareStage);
NS_OBJECT_ENSURE_REGISTERED(RnicSoftwareSendStage);
NS_OBJECT_ENSURE_REGISTERED(RnicSoftwareReceiveStage);
NS_OBJECT_ENSURE_REGISTERED(RnicSoftwarePlaceStage);

TypeId
RnicSoftwareStage::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RnicSoftwareStage").SetParent<RnicStage>().SetGroupName("Iwarp");
    return tid;
}

RnicSoftwareStage::RnicSoftwareStage() = default;
RnicSoftwareStage::~RnicSoftwareStage() = default;

std::string
RnicSoftwareStage::Check() const
{
    return "";
}

bool
RnicSoftwareStage::IsIdeal() const
{
    return m_cpu->IsIdeal() && m_host->IsIdeal();
}

void
RnicSoftwareStage::Bind(const RnicDatapath& path)
{
    m_cpu = path.Get<RnicCpu>("Cpu");
    m_host = path.Get<RnicHostInterface>("HostInterface");
}

bool
RnicSoftwareStage::Joins(const RnicSegment& segment, uint64_t octets, uint64_t limit)
{
    const bool isSealed = segment.protection && segment.protection->on;
    if (segment.connection->key == m_connection && segment.now <= m_begin &&
        m_octets + octets <= limit && !isSealed)
    {
        m_octets += octets;
        return true;
    }
    m_connection = segment.connection->key;
    m_octets = octets;
    m_begin = segment.now;
    return false;
}

TypeId
RnicSoftwareSendStage::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RnicSoftwareSendStage")
                            .SetParent<RnicSoftwareStage>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<RnicSoftwareSendStage>();
    return tid;
}

void
RnicSoftwareSendStage::Serve(RnicSegment& segment)
{
    const RecordService& service = segment.connection->service;
    // TCP got the octets enciphered, with their CRC, and keeps them to send them again
    const uint32_t fresh = segment.payload - segment.again;
    const uint32_t left = fresh - std::min(fresh, segment.worked); // to software
    RnicTime work = m_cpu->ServeCopy(fresh) + m_cpu->ServeCrc(service.crc ? left : 0) +
                    m_cpu->ServeCipher(service.cipher ? left : 0);
    if (!Joins(segment, segment.payload, m_cpu->GetSendOffload()))
    {
        work += m_cpu->GetTimePerPacket();
    }
    const RnicTime made = m_cpu->Use(segment.now, segment.time, segment.connection->key, work);
    segment.time = m_host->Read(segment.now, made, segment.frame);
}

TypeId
RnicSoftwareReceiveStage::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RnicSoftwareReceiveStage")
                            .SetParent<RnicSoftwareStage>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<RnicSoftwareReceiveStage>();
    return tid;
}

RnicSoftwareReceiveStage::RnicSoftwareReceiveStage() = default;
RnicSoftwareReceiveStage::~RnicSoftwareReceiveStage() = default;

void
RnicSoftwareReceiveStage::Bind(const RnicDatapath& path)
{
    RnicSoftwareStage::Bind(path);
    m_buffer = path.Get<RnicPacketBuffer>("PacketBuffer");
}

void
RnicSoftwareReceiveStage::Serve(RnicSegment& segment)
{
    const RnicTime written = m_host->Write(segment.now, segment.time, segment.frame);
    m_buffer->HoldUntil(segment.buffered, written);
    segment.buffered = 0;
    // the adapter's descriptor is its CQE; one for all that it has gathered
    const bool joins = Joins(segment, segment.frame, m_cpu->GetReceiveOffload());
    const RnicTime known =
        joins ? m_host->GetVisible(written) : m_host->Complete(segment.now, written);
    if (!joins && m_cpu->GetReceiveOffload() > 0)
    {
        m_begin = known;
    }
    segment.time = m_cpu->Use(segment.now,
                              known,
                              segment.connection->key,
                              joins ? 0 : m_cpu->GetTimePerPacket());
}

TypeId
RnicSoftwarePlaceStage::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RnicSoftwarePlaceStage")
                            .SetParent<RnicSoftwareStage>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<RnicSoftwarePlaceStage>();
    return tid;
}

void
RnicSoftwarePlaceStage::Serve(RnicSegment& segment)
{
    const uint64_t key = segment.connection->key;
    const RnicOps& ops = *segment.ops;
    const RnicTime checked =
        m_cpu->Use(segment.now,
                   segment.now,
                   key,
                   m_cpu->ServeCrc(ops.crcOctets) + m_cpu->ServeCipher(ops.cipherOctets));
    const uint64_t copied = segment.placed - ops.placedAhead + ops.localStore;
    segment.time = m_cpu->Use(segment.now, checked, key, m_cpu->ServeCopy(copied));
}

} // namespace ns3
