/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "roce-timely.h"

#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RoceTimely);

TypeId
RoceTimely::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RoceTimely")
            .SetParent<RoceCongestionOps>()
            .SetGroupName("Iwarp")
            .AddConstructor<RoceTimely>()
            .AddAttribute("LowThreshold",
                          "T_low, the round-trip time below which the rate rises whatever the "
                          "gradient (Mittal et al., SIGCOMM 2015: 50 us)",
                          TimeValue(MicroSeconds(50)),
                          MakeTimeAccessor(&RoceTimely::m_low),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("HighThreshold",
                          "T_high, the round-trip time above which the rate falls whatever the "
                          "gradient (Mittal et al.: 500 us)",
                          TimeValue(MicroSeconds(500)),
                          MakeTimeAccessor(&RoceTimely::m_high),
                          MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute(
                "MinRtt",
                "Least round-trip time of the network, by which gradients are divided and "
                "updates are apart (Zhu et al., CoNEXT 2016: 20 us)",
                TimeValue(MicroSeconds(20)),
                MakeTimeAccessor(&RoceTimely::m_least),
                MakeTimeChecker(NanoSeconds(1)))
            .AddAttribute("Weight",
                          "alpha, the weight of the latest difference of round-trip times in their "
                          "moving average (the authors' code: 0.02)",
                          DoubleValue(0.02),
                          MakeDoubleAccessor(&RoceTimely::m_weight),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("Beta",
                          "beta, the multiplicative decrease (Mittal et al.: 0.8)",
                          DoubleValue(0.8),
                          MakeDoubleAccessor(&RoceTimely::m_beta),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("AdditiveIncrease",
                          "delta, by which the rate rises (Mittal et al.: 10 Mbit/s, "
                          "at 10 Gbit/s)",
                          DataRateValue(DataRate("10Mbps")),
                          MakeDataRateAccessor(&RoceTimely::m_additive),
                          MakeDataRateChecker())
            .AddAttribute("HyperThreshold",
                          "Falling round-trip times in turn, from which on the rate rises faster "
                          "(Mittal et al.: 5)",
                          UintegerValue(5),
                          MakeUintegerAccessor(&RoceTimely::m_patience),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("HyperFactor",
                          "N, how many times faster (Mittal et al.: 5)",
                          UintegerValue(5),
                          MakeUintegerAccessor(&RoceTimely::m_hyper),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("MinRate",
                          "Rate at least (assumed)",
                          DataRateValue(DataRate("100Mbps")),
                          MakeDataRateAccessor(&RoceTimely::m_minRate),
                          MakeDataRateChecker())
            .AddAttribute(
                "InitialShare",
                "First rate, as a share of the link's (assumed); of many that begin at once "
                "at the link's rate each falls to MinRate",
                DoubleValue(1),
                MakeDoubleAccessor(&RoceTimely::m_initial),
                MakeDoubleChecker<double>(1e-6, 1))
            .AddAttribute("Segment",
                          "What goes at the link's rate before the connection waits, and has a "
                          "round-trip time (Mittal et al.: 16 to 64 kB) [octets of "
                          "frames]",
                          UintegerValue(16'000),
                          MakeUintegerAccessor(&RoceTimely::m_segment),
                          MakeUintegerChecker<uint32_t>(1));
    return tid;
}

RoceTimely::RoceTimely() = default;
RoceTimely::~RoceTimely() = default;

void
RoceTimely::Start(double line)
{
    m_engine = std::make_unique<RoceTimelyRate>(
        RoceTimelySettings{m_low,
                           m_high,
                           m_least,
                           m_weight,
                           m_beta,
                           static_cast<double>(m_additive.GetBitRate()),
                           m_patience,
                           m_hyper,
                           std::max(static_cast<double>(m_minRate.GetBitRate()), 1.0)},
        line,
        m_initial * line);
}

double
RoceTimely::GetRate(Time /* now */)
{
    return m_engine->GetRate();
}

uint32_t
RoceTimely::GetBurst() const
{
    return m_segment;
}

bool
RoceTimely::WantsRoundTrips() const
{
    return true;
}

void
RoceTimely::NotifyRoundTrip(Time now, Time roundTrip)
{
    m_engine->NotifyRoundTrip(now, roundTrip);
}

} // namespace ns3
