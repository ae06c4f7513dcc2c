/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-dcqcn.h"

#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RoceDcqcn);

TypeId
RoceDcqcn::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RoceDcqcn")
            .SetParent<RoceCongestionOps>()
            .SetGroupName("Iwarp")
            .AddConstructor<RoceDcqcn>()
            .AddAttribute("Gain",
                          "g, the weight of a CNP in alpha, and of a time without (Zhu et al., "
                          "SIGCOMM 2015: 1/256)",
                          DoubleValue(1.0 / 256),
                          MakeDoubleAccessor(&RoceDcqcn::m_gain),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("AlphaTimer",
                          "K, the time without a CNP after which alpha falls, more than "
                          "CnpInterval (Zhu et al.: 55 us)",
                          TimeValue(MicroSeconds(55)),
                          MakeTimeAccessor(&RoceDcqcn::m_alphaTimer),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("IncreaseTimer",
                          "T, the time after which the rate rises, again and again (Zhu et al.: "
                          "55 us)",
                          TimeValue(MicroSeconds(55)),
                          MakeTimeAccessor(&RoceDcqcn::m_increaseTimer),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("ByteCounter",
                          "B, what is sent before the rate rises, again and again (Zhu et al.: "
                          "10 MB) [octets]",
                          UintegerValue(10'000'000),
                          MakeUintegerAccessor(&RoceDcqcn::m_byteCounter),
                          MakeUintegerChecker<uint64_t>(1))
            .AddAttribute(
                "FastRecovery",
                "F, how often the timer or the byte counter comes before the target rises "
                "(Zhu et al.: 5)",
                UintegerValue(5),
                MakeUintegerAccessor(&RoceDcqcn::m_fastRecovery),
                MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("AdditiveIncrease",
                          "R_AI, by which the target rises then (Zhu et al.: 40 Mbit/s)",
                          DataRateValue(DataRate("40Mbps")),
                          MakeDataRateAccessor(&RoceDcqcn::m_additive),
                          MakeDataRateChecker())
            .AddAttribute(
                "HyperIncrease",
                "R_HAI, by which it rises when both have come more often, times how often "
                "(ten times R_AI as in QCN, IEEE 802.1Qau; the paper has no figure)",
                DataRateValue(DataRate("400Mbps")),
                MakeDataRateAccessor(&RoceDcqcn::m_hyper),
                MakeDataRateChecker())
            .AddAttribute("MinRate",
                          "Rate that no cut goes below (ConnectX adapters: 1 Mbit/s, NVIDIA's "
                          "DCQCN CC Parameters, rpg_min_rate)",
                          DataRateValue(DataRate("1Mbps")),
                          MakeDataRateAccessor(&RoceDcqcn::m_minRate),
                          MakeDataRateChecker())
            .AddAttribute("CnpInterval",
                          "Shortest time between two CNPs of a connection; 0 sends none (Zhu et "
                          "al.: 50 us)",
                          TimeValue(MicroSeconds(50)),
                          MakeTimeAccessor(&RoceDcqcn::m_cnpInterval),
                          MakeTimeChecker(Time(0)));
    return tid;
}

RoceDcqcn::RoceDcqcn() = default;
RoceDcqcn::~RoceDcqcn() = default;

void
RoceDcqcn::Start(double line)
{
    m_point = std::make_unique<RoceDcqcnRate>(
        RoceDcqcnSettings{m_gain,
                          m_alphaTimer,
                          m_increaseTimer,
                          m_byteCounter,
                          m_fastRecovery,
                          static_cast<double>(m_additive.GetBitRate()),
                          static_cast<double>(m_hyper.GetBitRate()),
                          std::max(static_cast<double>(m_minRate.GetBitRate()), 1.0)},
        line);
}

double
RoceDcqcn::GetRate(Time now)
{
    return m_point->GetRate(now);
}

Time
RoceDcqcn::GetPeriod() const
{
    return m_increaseTimer;
}

Time
RoceDcqcn::GetCnpInterval() const
{
    return m_cnpInterval;
}

void
RoceDcqcn::NotifySent(Time now, uint32_t octets)
{
    m_point->NotifySent(now, octets);
}

void
RoceDcqcn::NotifyCnp(Time now)
{
    m_point->NotifyCnp(now);
}

double
RoceDcqcn::GetAlpha() const
{
    return m_point->GetAlpha();
}

} // namespace ns3
