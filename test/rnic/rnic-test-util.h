/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_TEST_UTIL_H
#define RNIC_TEST_UTIL_H

#include "ns3/abort.h"
#include "ns3/record-placement.h"
#include "ns3/rnic-design.h"
#include "ns3/string.h"

#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

/**
 * @file
 * @ingroup iwarp-test
 * RNICs and their parts made of text, and segments that walk through them.
 */

namespace rnictest
{

using namespace ns3;

/// @param settings "Name=value Name=value" @return names and values
inline std::vector<std::pair<std::string, std::string>>
ParseSettings(const std::string& settings)
{
    std::vector<std::pair<std::string, std::string>> pairs;
    std::istringstream in(settings);
    for (std::string item; in >> item;)
    {
        const auto equals = item.find('=');
        NS_ABORT_MSG_IF(equals == std::string::npos, "not Name=value: " << item);
        pairs.emplace_back(item.substr(0, equals), item.substr(equals + 1));
    }
    return pairs;
}

/// @tparam T part @param settings of its attributes @return the part, not yet initialized
template <typename T>
Ptr<T>
CreatePart(const std::string& settings = "")
{
    Ptr<T> part = CreateObject<T>();
    for (const auto& [name, value] : ParseSettings(settings))
    {
        part->SetAttribute(name, StringValue(value));
    }
    return part;
}

/// @tparam T part @param settings of its attributes @return the part, ready for use
template <typename T>
Ptr<T>
StartPart(const std::string& settings = "")
{
    Ptr<T> part = CreatePart<T>(settings);
    part->Initialize();
    return part;
}

/// @param settings paths and values @param design what they are set in @return the design
inline RnicDesign
MakeDesign(const std::string& settings, RnicDesign design = RnicDesign())
{
    for (const auto& [path, value] : ParseSettings(settings))
    {
        const std::string problem = design.Set(path, StringValue(value));
        NS_ABORT_MSG_UNLESS(problem.empty(), problem);
    }
    return design;
}

/// @param design of an RNIC @return its datapath, started
inline std::unique_ptr<RnicDatapath>
StartPath(const RnicDesign& design)
{
    auto path = design.Make();
    path->Start();
    return path;
}

/// @param settings of an RNIC @return its datapath, started
inline std::unique_ptr<RnicDatapath>
StartPath(const std::string& settings = "")
{
    return StartPath(MakeDesign(settings));
}

/// A segment goes out. @param path datapath @param now ps @param connection its connection
/// @param frame octets @param payload octets @param inlined octets of these @return ps, it leaves
inline RnicTime
Transmit(RnicDatapath& path,
         RnicTime now,
         RnicConnectionState& connection,
         uint32_t frame,
         uint32_t payload,
         uint32_t inlined = 0)
{
    RnicSegment segment;
    segment.connection = &connection;
    segment.now = now;
    segment.frame = frame;
    segment.payload = payload;
    segment.inlined = inlined;
    path.Transmit(segment);
    return segment.time;
}

/// A frame comes in. @param path datapath @param now ps @param connection its connection
/// @param frame octets @return it, when TCP gets it; not buffered if it is dropped
inline RnicSegment
Receive(RnicDatapath& path, RnicTime now, RnicConnectionState& connection, uint32_t frame)
{
    RnicSegment segment;
    segment.connection = &connection;
    segment.now = now;
    segment.frame = frame;
    path.Receive(segment);
    return segment;
}

/// TCP and MPA have looked at a frame at once. @param path datapath @param segment the frame
/// @param ops operations @param placements what goes to the host @return it, placed
inline RnicSegment
Place(RnicDatapath& path,
      RnicSegment segment,
      const RnicOps& ops,
      const RecordPlacementList& placements)
{
    segment.now = segment.time;
    segment.ops = &ops;
    segment.placements = &placements;
    path.Place(segment);
    segment.ops = nullptr;
    segment.placements = nullptr;
    return segment;
}

} // namespace rnictest

#endif // RNIC_TEST_UTIL_H
