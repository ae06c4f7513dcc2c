/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_ESP_TEST_UTIL_H
#define RNIC_ESP_TEST_UTIL_H

#include "rnic-test-util.h"

#include "ns3/esp-work.h"
#include "ns3/rnic-esp-design.h"
#include "ns3/rnic-esp-stage.h"

#include <memory>
#include <string>
#include <vector>

/**
 * @file
 * @ingroup iwarp-test
 * Segments that ESP protects, on their walk through an RNIC.
 */

namespace rnictest
{

/// What goes into TCP: a datagram of 1500 octets, in a frame of 1518
constexpr uint32_t DATAGRAM = 1500;

/// @param association its number @param transform name @param datagram octets, with a header of 20
/// @return what ESP has to do for it in transport mode
inline EspWork
MakeWork(uint64_t association,
         const std::string& transform = "aes-gcm-16-128",
         uint32_t datagram = DATAGRAM)
{
    EspEncapsulation encapsulation;
    encapsulation.transform = FindEspTransform(transform);
    NS_ABORT_MSG_UNLESS(encapsulation.transform, transform);
    return EspWork(association, encapsulation, datagram, 20);
}

/// @param place of ESP @param settings of the RNIC, Receiver among them first
/// @return datapath, started
inline std::unique_ptr<RnicDatapath>
StartEsp(EspPlace place, const std::string& settings, RnicDesign design = RnicDesign())
{
    const std::string problem = rnic::AddEsp(design, place);
    NS_ABORT_MSG_UNLESS(problem.empty(), problem);
    return StartPath(MakeDesign(settings, design));
}

/// @return design of an RNIC whose TCP the host's CPUs do
inline RnicDesign
MakeSoftware()
{
    return RnicDesign(RnicReceiver::HOST_SOFTWARE);
}

/// A protected segment goes out. @param path datapath @param now ps @param connection its
/// connection @param work what ESP does for it @return it, with the time when it leaves
inline RnicSegment
TransmitProtected(RnicDatapath& path,
                  RnicTime now,
                  RnicConnectionState& connection,
                  const EspWork& work)
{
    RnicProtection protection{work, work.sealed + 18, false};
    RnicSegment segment;
    segment.connection = &connection;
    segment.now = now;
    segment.frame = work.clear + 18;
    segment.payload = work.clear - 40;
    segment.protection = &protection;
    path.Transmit(segment);
    segment.protection = nullptr;
    return segment;
}

/// A protected frame comes in. @param path datapath @param now ps @param connection its connection
/// @param work what ESP does for it @return it, when TCP gets it
inline RnicSegment
ReceiveProtected(RnicDatapath& path,
                 RnicTime now,
                 RnicConnectionState& connection,
                 const EspWork& work)
{
    RnicProtection protection{work, work.clear + 18, true};
    RnicSegment segment;
    segment.connection = &connection;
    segment.now = now;
    segment.frame = work.sealed + 18;
    segment.protection = &protection;
    path.Receive(segment);
    segment.protection = nullptr;
    return segment;
}

constexpr uint32_t BACKLOG = 1000; //!< in a backlog

/// Send a backlog of packets whose associations take turns.
/// @param path datapath @param associations how many @param step from one's number to the next's
/// @return ps a packet takes in the long run
inline double
MeasureBacklog(RnicDatapath& path, uint32_t associations = 1, uint32_t step = 1)
{
    std::vector<RnicConnectionState> states(associations);
    RnicTime first = 0;
    RnicTime last = 0;
    for (uint32_t i = 0; i < BACKLOG; ++i)
    {
        const uint32_t which = i % associations;
        states[which].key = which;
        last = TransmitProtected(path, 0, states[which], MakeWork(uint64_t{which} * step)).time;
        first = i == associations - 1 ? last : first;
    }
    return double(last - first) / (BACKLOG - associations);
}

} // namespace rnictest

#endif // RNIC_ESP_TEST_UTIL_H
