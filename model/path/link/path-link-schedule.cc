/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "path-link-schedule.h"

#include <sstream>

namespace ns3
{
namespace
{

/// @param text of a value @param [out] value it @return whether it is one, with nothing behind
template <typename T>
bool
Read(const std::string& text, T& value)
{
    std::istringstream in(text);
    in >> value;
    return !text.empty() && !in.fail() && in.peek() == std::istringstream::traits_type::eof();
}

/// @param text of a time, with a unit @param [out] time it @return whether it is one
bool
ReadTime(const std::string& text, Time& time)
{
    // ns-3 ends the program at a unit that it does not know
    double number;
    std::istringstream in(text);
    std::string unit;
    in >> number >> unit;
    for (const auto* known : {"s", "ms", "us", "ns", "ps"})
    {
        if (!in.fail() && unit == known)
        {
            time = Time(text);
            return number >= 0;
        }
    }
    return false;
}

/// @param text of a change behind its time @param [out] change it @return whether it is one
bool
ReadChange(const std::string& text, PathLinkChange& change)
{
    using Kind = PathLinkChange::Kind;
    const auto equal = text.find('=');
    const std::string name = text.substr(0, equal);
    const std::string value = equal == std::string::npos ? "" : text.substr(equal + 1);
    if (name == "rate")
    {
        change.kind = Kind::RATE;
        return Read(value, change.rate) && change.rate.GetBitRate() > 0;
    }
    if (name == "delay")
    {
        change.kind = Kind::DELAY;
        return ReadTime(value, change.delay);
    }
    if (name == "mtu")
    {
        change.kind = Kind::MTU;
        return Read(value, change.mtu) && change.mtu >= 68 && change.mtu <= 65535;
    }
    change.kind = name == "up" ? Kind::UP : Kind::DOWN;
    return equal == std::string::npos && (name == "up" || name == "down");
}

} // namespace

std::string
ParseLinkSchedule(const std::string& text, std::vector<PathLinkChange>& changes)
{
    changes.clear();
    std::istringstream in(text);
    for (std::string entry; std::getline(in, entry, ',');)
    {
        PathLinkChange change;
        const auto colon = entry.find(':');
        if (colon == std::string::npos || !ReadTime(entry.substr(0, colon), change.at) ||
            !ReadChange(entry.substr(colon + 1), change))
        {
            return "'" + entry +
                   "' is no change of a link; such are 10ms:rate=1Gbps, 20ms:delay=1ms, "
                   "25ms:mtu=1000 (68 to 65535), 30ms:down and 31ms:up";
        }
        changes.push_back(change);
    }
    return "";
}

} // namespace ns3
