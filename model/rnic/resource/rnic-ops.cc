/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-ops.h"

#include "ns3/mpa-receiver.h"

namespace ns3
{

namespace
{

/// A member of RnicOps and its name.
struct OpsField
{
    const char* name;          //!< name
    uint64_t RnicOps::*member; //!< member
};

constexpr OpsField FIELDS[] = {
    {"link_crc", &RnicOps::linkCrc},
    {"ip", &RnicOps::ip},
    {"tcp_checksum", &RnicOps::tcpChecksum},
    {"classify", &RnicOps::classify},
    {"align_check", &RnicOps::alignCheck},
    {"state_fetch", &RnicOps::stateFetch},
    {"marker_search", &RnicOps::markerSearch},
    {"length_read", &RnicOps::lengthRead},
    {"partial_crc_fetch", &RnicOps::partialCrcFetch},
    {"partial_crc_store", &RnicOps::partialCrcStore},
    {"crc_run", &RnicOps::crcRun},
    {"crc_check", &RnicOps::crcCheck},
    {"crc_octets", &RnicOps::crcOctets},
    {"cipher_octets", &RnicOps::cipherOctets},
    {"placed_ahead", &RnicOps::placedAhead},
    {"address_computation", &RnicOps::addressComputation},
    {"copy", &RnicOps::copy},
    {"local_store", &RnicOps::localStore},
    {"local_load", &RnicOps::localLoad},
    {"slow_path", &RnicOps::slowPath},
};

} // namespace

RnicOps&
RnicOps::operator+=(const RnicOps& other)
{
    for (const auto& field : FIELDS)
    {
        this->*field.member += other.*field.member;
    }
    return *this;
}

void
RnicOps::ForEach(const std::function<void(const char* name, uint64_t count)>& visit) const
{
    for (const auto& field : FIELDS)
    {
        visit(field.name, this->*field.member);
    }
}

RnicOps
CountOps(const RecordSegmentReport& report, const RecordPlacementList& placements)
{
    RnicOps ops;
    ops.linkCrc = 1;
    ops.ip = 1;
    ops.tcpChecksum = 1;
    ops.classify = 1;
    if (report.duplicate)
    {
        return ops;
    }
    ops.alignCheck = 1;
    ops.stateFetch = report.stateFetches;
    ops.markerSearch = report.markerSearches;
    ops.lengthRead = report.passed;
    ops.partialCrcFetch = report.partialCrcFetches;
    ops.partialCrcStore = report.partialCrcStores;
    ops.crcRun = report.crcRuns;
    ops.crcCheck = report.crcRuns > 0 ? report.passed : 0;
    ops.crcOctets = report.crcOctets;
    ops.cipherOctets = report.cipherOctets;
    ops.placedAhead = report.placedAhead;
    ops.addressComputation = report.copies;
    ops.copy = report.copies;
    ops.localStore = report.stored;
    for (const auto& placement : placements)
    {
        ops.localLoad += placement.fromMemory;
    }
    ops.slowPath = report.aligned ? 0 : 1;
    return ops;
}

std::ostream&
operator<<(std::ostream& os, const RnicOps& ops)
{
    const char* before = "";
    ops.ForEach([&](const char* name, uint64_t count) {
        os << before << name << "=" << count;
        before = " ";
    });
    return os;
}

} // namespace ns3
