/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/rnic-figure-range.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <string>

using namespace ns3;

IWARP_TEST_SUITE(rnicFigureRange, "rnic-figure-range");

/// Each assumed figure says between which values it may lie, and an RNIC takes both.
struct RnicFigureRanges : TestCase
{
    using TestCase::TestCase;

    /// @param design of RNICs @param path of one of its attributes @param text its value
    /// @return the value as a number, ns or bit/s or a count; -1 if it is none
    static double ToNumber(const RnicDesign& design,
                           const std::string& path,
                           const std::string& text)
    {
        TypeId::AttributeInformation info;
        design.Find(path, info);
        const auto value = info.checker->CreateValidValue(StringValue(text));
        if (const auto time = DynamicCast<TimeValue>(value))
        {
            return static_cast<double>(time->Get().GetNanoSeconds());
        }
        if (const auto rate = DynamicCast<DataRateValue>(value))
        {
            return static_cast<double>(rate->Get().GetBitRate());
        }
        const auto count = DynamicCast<UintegerValue>(value);
        return count ? static_cast<double>(count->Get()) : -1;
    }

    /// @param profile name of a profile
    void Check(const std::string& profile)
    {
        RnicDesign low = RnicProfile::GetDesign(profile);
        RnicDesign high = low;
        for (const auto& figure : RnicProfile::Get(profile))
        {
            const RnicFigureRange range = GetPlausibleRange(figure);
            const bool design = figure.path == "Receiver" || figure.path == "TxSchedule.Discipline";
            const bool wanted = figure.sure == RnicFigure::Sure::ASSUMED && !design;
            NS_TEST_EXPECT_MSG_EQ(range.low.empty(), !wanted, profile << " " << figure.path);
            NS_TEST_EXPECT_MSG_EQ(range.high.empty(), !wanted, profile << " " << figure.path);
            if (!wanted)
            {
                continue;
            }
            NS_TEST_EXPECT_MSG_EQ(low.Set(figure.path, StringValue(range.low)), "", figure.path);
            NS_TEST_EXPECT_MSG_EQ(high.Set(figure.path, StringValue(range.high)), "", figure.path);
            const double number = ToNumber(low, figure.path, figure.value);
            if (number < 0)
            {
                NS_TEST_EXPECT_MSG_EQ((range.low == figure.value || range.high == figure.value),
                                      true,
                                      "one of two");
                continue;
            }
            const double least = ToNumber(low, figure.path, range.low);
            const double most = ToNumber(low, figure.path, range.high);
            NS_TEST_EXPECT_MSG_GT_OR_EQ(number, least, profile << " " << figure.path);
            NS_TEST_EXPECT_MSG_LT_OR_EQ(number, most, profile << " " << figure.path);
            NS_TEST_EXPECT_MSG_LT(least, most, profile << " " << figure.path);
        }
        NS_TEST_EXPECT_MSG_EQ(low.Make()->Check(), "", "all low");
        NS_TEST_EXPECT_MSG_EQ(high.Make()->Check(), "", "all high");
    }
};

IWARP_TEST(rnicFigureRange, "plausible ranges of assumed figures", RnicFigureRanges)
{
    for (const auto& profile : RnicProfile::GetNames())
    {
        Check(profile);
    }
    const auto assumed = RnicFigure::Sure::ASSUMED;
    RnicFigureRange range = GetPlausibleRange({"RxTcp.TimePerPacket", "100ns", assumed, ""});
    NS_TEST_EXPECT_MSG_EQ(range.low, "25ns", "the rule");
    NS_TEST_EXPECT_MSG_EQ(range.high, "400ns", "the rule");
    range = GetPlausibleRange({"RxMpa.TimePerUnit", "10ns", assumed, ""});
    NS_TEST_EXPECT_MSG_EQ(range.low, "3ns", "whole ns");
    range = GetPlausibleRange({"Cpu.CrcRate", "62.96Gbps", assumed, ""});
    NS_TEST_EXPECT_MSG_EQ(range.low, "15.74Gbps", "rates");
    NS_TEST_EXPECT_MSG_EQ(range.high, "251.84Gbps", "rates");
}
