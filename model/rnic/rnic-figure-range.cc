/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-figure-range.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

namespace ns3
{

namespace
{

// Ranges that are not a quarter to four times the value
const std::map<std::string, RnicFigureRange>&
GetExceptions()
{
    static const std::map<std::string, RnicFigureRange> exceptions{
        {"Receiver", {"", ""}},
        {"TxSchedule.Discipline", {"", ""}},
        {"TcpL4Protocol.SocketType", {"", ""}},
        // alternatives
        {"RxCrc.Parallel", {"false", "true"}},
        {"TxEsp.Spread", {"false", "true"}},
        {"RxEsp.Spread", {"false", "true"}},
        {"HostInterface.Notify", {"Polling", "Interrupt"}},
        // what is on chip, and there before it is needed, costs nothing
        {"RxMpa.SlowPathTime", {"0ns", "400ns"}},
        {"RxMpa.StateFetchTime", {"0ns", "200ns"}},
        {"RxMpa.PartialCrcTime", {"0ns", "200ns"}},
        {"RxMpa.MarkerSearchTime", {"0ns", "80ns"}},
        // what PCI Express allows, and servers set
        {"HostInterface.MaxPayload", {"128", "512"}},
        {"HostInterface.MaxReadRequest", {"128", "4096"}},
        {"Cpu.Cores", {"1", "4"}},
    };
    return exceptions;
}

// An adapter is not sold for a link that its CRC or its bus cannot follow. @param path of a figure
// @return whether it is such a rate
bool
FollowsLink(const std::string& path)
{
    static const std::set<std::string> rates{"RxCrc.Rate",
                                             "TxCrc.Rate",
                                             "HostInterface.WriteRate",
                                             "HostInterface.ReadRate"};
    return rates.count(path) > 0;
}

// @param value number and unit @param factor by which it is multiplied @return the same in text
std::string
Scale(const std::string& value, double factor)
{
    const auto unit = std::find_if(value.begin(), value.end(), [](char c) {
        return (c < '0' || c > '9') && c != '.';
    });
    const std::string name(unit, value.end());
    double number = std::stod(value) * factor;
    if (name.empty() || name == "ns")
    {
        number = std::max(1.0, std::ceil(number));
    }
    char text[64];
    std::snprintf(text, sizeof(text), "%.12g", number);
    return text + name;
}

} // namespace

RnicFigureRange
GetPlausibleRange(const RnicFigure& figure)
{
    if (figure.sure != RnicFigure::Sure::ASSUMED)
    {
        return {};
    }
    const auto& exceptions = GetExceptions();
    const auto exception = exceptions.find(figure.path);
    if (exception != exceptions.end())
    {
        return exception->second;
    }
    return {Scale(figure.value, FollowsLink(figure.path) ? 0.5 : 0.25), Scale(figure.value, 4)};
}

} // namespace ns3
