/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup iwarp-bench
 * Figures of the RNIC profiles: those of adapters beside what the model makes of them, and what
 * each figure of a profile is worth. Tables for doc/rnic.rst, as comma-separated values.
 */

#include "ns3/command-line.h"
#include "ns3/nstime.h"
#include "ns3/rnic-estimate.h"
#include "ns3/rnic-profile.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cstdio>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// What a profile does.
struct Figures
{
    double latency; //!< of a 64-octet RDMA Write, us
    double rate;    //!< of 64-octet RDMA Writes, million a second
    double one;     //!< one connection, Gb/s
    double eight;   //!< eight, Gb/s
    double other;   //!< eight that are not aligned, Gb/s
};

/// @param design of RNICs @param link rate @return what they do
Figures
Estimate(const RnicDesign& design, const std::string& link)
{
    const RnicEstimate estimate(design, DataRate(link));
    return {estimate.GetWriteLatency(64) * 1e6,
            estimate.GetWriteRate(64) * 1e-6,
            estimate.GetThroughput(1) * 1e-9,
            estimate.GetThroughput(8) * 1e-9,
            estimate.GetThroughput(8, false) * 1e-9};
}

/// Make a figure worse: times twice as long, rates and counts half as large.
/// @param design of RNICs @param figure of theirs @return false if it is neither
bool
Worsen(RnicDesign& design, const RnicFigure& figure)
{
    TypeId::AttributeInformation info;
    design.Find(figure.path, info);
    const auto value = info.checker->CreateValidValue(StringValue(figure.value));
    if (const auto time = DynamicCast<TimeValue>(value))
    {
        return design.Set(figure.path, TimeValue(time->Get() + time->Get())).empty();
    }
    if (const auto rate = DynamicCast<DataRateValue>(value))
    {
        const DataRate half(rate->Get().GetBitRate() / 2);
        return design.Set(figure.path, DataRateValue(half)).empty();
    }
    if (const auto count = DynamicCast<UintegerValue>(value))
    {
        return design.Set(figure.path, UintegerValue(count->Get() / 2)).empty();
    }
    return false;
}

/// @param now changed @param before unchanged @return change as text
std::string
Change(double now, double before)
{
    char text[32];
    std::snprintf(text, sizeof(text), "%+.1f %%", 100 * (now / before - 1));
    return std::string(text) == "-0.0 %" ? "+0.0 %" : text;
}

} // namespace

int
main(int argc, char* argv[])
{
    std::string table = "profiles";
    CommandLine cmd(__FILE__);
    cmd.AddValue("table", "profiles, figures or sensitivity", table);
    cmd.Parse(argc, argv);
    const std::vector<std::pair<std::string, std::string>> profiles{{"t5-like", "40Gbps"},
                                                                    {"e810-like", "100Gbps"},
                                                                    {"siw-like", "40Gbps"}};
    if (table == "profiles")
    {
        std::printf("profile,link,latency of 64 octets,64-octet writes,one connection,"
                    "8 connections,8 not aligned\n");
        for (const auto& [profile, link] : profiles)
        {
            const Figures f = Estimate(RnicProfile::GetDesign(profile), link);
            std::printf("%s,%s,%.2f us,%.2f M/s,%.1f Gb/s,%.1f Gb/s,%.1f Gb/s\n",
                        profile.c_str(),
                        link.c_str(),
                        f.latency,
                        f.rate,
                        f.one,
                        f.eight,
                        f.other);
        }
    }
    else if (table == "figures")
    {
        std::printf("profile,attribute,value,known,source\n");
        for (const auto& [profile, link] : profiles)
        {
            for (const auto& figure : RnicProfile::Get(profile))
            {
                std::printf("%s,%s,%s,%s,\"%s\"\n",
                            profile.c_str(),
                            figure.path.c_str(),
                            figure.value.c_str(),
                            RnicProfile::ToString(figure.sure).c_str(),
                            figure.source.c_str());
            }
        }
    }
    else if (table == "sensitivity")
    {
        std::printf("profile,attribute,latency of 64 octets,64-octet writes,one connection,"
                    "8 connections,8 not aligned\n");
        for (const auto& [profile, link] : profiles)
        {
            const Figures f = Estimate(RnicProfile::GetDesign(profile), link);
            for (const auto& figure : RnicProfile::Get(profile))
            {
                RnicDesign design = RnicProfile::GetDesign(profile);
                if (figure.sure == RnicFigure::Sure::CITED || !Worsen(design, figure))
                {
                    continue;
                }
                const Figures w = Estimate(design, link);
                std::printf("%s,%s,%s,%s,%s,%s,%s\n",
                            profile.c_str(),
                            figure.path.c_str(),
                            Change(w.latency, f.latency).c_str(),
                            Change(w.rate, f.rate).c_str(),
                            Change(w.one, f.one).c_str(),
                            Change(w.eight, f.eight).c_str(),
                            Change(w.other, f.other).c_str());
            }
        }
    }
    else
    {
        std::cerr << "--table is profiles, figures or sensitivity\n";
        return 2;
    }
    return 0;
}
