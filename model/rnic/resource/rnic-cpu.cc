/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-cpu.h"

#include "ns3/rnic-attribute.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RnicCpu);

TypeId
RnicCpu::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RnicCpu")
            .SetParent<RnicPart>()
            .SetGroupName("Iwarp")
            .AddConstructor<RnicCpu>()
            .AddAttribute(
                "Cores",
                "CPUs that do the work of a HostSoftware receiver; a connection stays on one.",
                UintegerValue(1),
                MakeUintegerAccessor(&RnicCpu::m_count),
                MakeUintegerChecker<uint32_t>(1, 1024))
            .AddAttribute("TimePerPacket",
                          "Time of a CPU for each packet, sent or received.",
                          TimeValue(Time(0)),
                          rnic::MakeTimeAccessor(&RnicCpu::m_timePerPacket),
                          rnic::MakeTimeChecker())
            .AddAttribute("CopyRate",
                          "Rate at which a CPU copies; 0 for no limit.",
                          DataRateValue(DataRate(0)),
                          rnic::MakeRateAccessor(&RnicCpu::m_copyBitRate),
                          MakeDataRateChecker())
            .AddAttribute("CrcRate",
                          "Rate at which a CPU computes CRC32c; 0 for no limit.",
                          DataRateValue(DataRate(0)),
                          rnic::MakeRateAccessor(&RnicCpu::m_crcBitRate),
                          MakeDataRateChecker())
            .AddAttribute("CipherRate",
                          "Rate at which a CPU enciphers or deciphers records, their "
                          "authentication included; 0 for no limit.",
                          DataRateValue(DataRate(0)),
                          rnic::MakeRateAccessor(&RnicCpu::m_cipherBitRate),
                          MakeDataRateChecker())
            .AddAttribute(
                "LargeSendOffload",
                "Octets that a plain adapter cuts into segments for one TimePerPacket; 0 for off.",
                UintegerValue(0),
                MakeUintegerAccessor(&RnicCpu::m_sendOffload),
                MakeUintegerChecker<uint32_t>(0, 1048576))
            .AddAttribute("LargeReceiveOffload",
                          "Octets that a plain adapter gathers for one TimePerPacket; 0 for off.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RnicCpu::m_receiveOffload),
                          MakeUintegerChecker<uint32_t>(0, 1048576));
    return tid;
}

std::string
RnicCpu::Check() const
{
    for (uint64_t rate : {m_copyBitRate, m_crcBitRate, m_cipherBitRate})
    {
        const std::string fault = RnicRate::Check(rate);
        if (!fault.empty())
        {
            return "a CPU of " + fault;
        }
    }
    return "";
}

bool
RnicCpu::IsIdeal() const
{
    return m_timePerPacket == 0 && RnicRate::IsUnlimited(m_copyBitRate) &&
           RnicRate::IsUnlimited(m_crcBitRate) && RnicRate::IsUnlimited(m_cipherBitRate);
}

void
RnicCpu::DoInitialize()
{
    RnicPart::DoInitialize();
    m_cores.resize(m_count);
    m_copyRate = RnicRate(m_copyBitRate);
    m_crcRate = RnicRate(m_crcBitRate);
    m_cipherRate = RnicRate(m_cipherBitRate);
}

RnicTime
RnicCpu::Use(RnicTime now, RnicTime at, uint64_t connection, RnicTime work)
{
    return m_cores[connection % m_cores.size()].Reserve(now, at, work).end;
}

RnicTime
RnicCpu::ServeCopy(uint64_t octets)
{
    return m_copyRate.Serve(octets);
}

RnicTime
RnicCpu::ServeCrc(uint64_t octets)
{
    return m_crcRate.Serve(octets);
}

RnicTime
RnicCpu::ServeCipher(uint64_t octets)
{
    return m_cipherRate.Serve(octets);
}

RnicTime
RnicCpu::GetTimePerPacket() const
{
    return m_timePerPacket;
}

uint32_t
RnicCpu::GetSendOffload() const
{
    return m_sendOffload;
}

uint32_t
RnicCpu::GetReceiveOffload() const
{
    return m_receiveOffload;
}

uint32_t
RnicCpu::GetCores() const
{
    return m_count;
}

RnicTime
RnicCpu::GetBusy() const
{
    RnicTime busy = 0;
    for (const auto& core : m_cores)
    {
        busy += core.GetBusy();
    }
    return busy;
}

} // namespace ns3
