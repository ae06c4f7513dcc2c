/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NVME_TEST_UTIL_H
#define NVME_TEST_UTIL_H

#include "../rdmap/rdmap-capture.h"

#include "ns3/nvme-framing.h"
#include "ns3/record-chain.h"

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

/// @return folder of the captures of NVMe/TCP that come with the module
inline std::string
NvmeCaptureFolder()
{
    return CaptureFolder() + "../nvme/";
}

/// @return each capture of NVMe/TCP, with the number of PDUs of each type that tshark 4.0 finds in
/// it (with tcp.reassemble_out_of_order)
inline std::vector<std::pair<std::string, std::map<uint8_t, uint32_t>>>
ListNvmeCaptures()
{
    using Counts = std::map<uint8_t, uint32_t>;
    const Counts usual{{0, 2}, {1, 2}, {4, 38}, {5, 38}, {6, 1}, {7, 18}, {9, 1}};
    Counts unanswered = usual; // the last response got lost
    unanswered[5] = 37;
    return {
        {"plain_mtu1500.pcap", usual},
        {"digests_mtu1500.pcap", usual},
        {"datadigest_mtu9000.pcap", usual},
        {"digests_tso_mtu1500.pcap", usual},
        {"digests_loss2_mtu1500.pcap", usual},
        {"digests_reorder_mtu1500.pcap", unanswered},
        {"parallel_loss1_datadigest_mtu9000.pcap", unanswered},
        {"big_digests_mtu1500.pcap", {{0, 2}, {1, 2}, {4, 30}, {5, 30}, {6, 1}, {7, 15}, {9, 1}}},
        {"parallel_digests_mtu1500.pcap",
         {{0, 2}, {1, 2}, {4, 47}, {5, 47}, {6, 8}, {7, 25}, {9, 8}}},
        {"refused_connect_noinline_mtu1500.pcap", {{0, 1}, {1, 1}, {4, 1}, {5, 1}}},
        {"plain_connects_tso_mtu1500.pcap", {{0, 20}, {1, 20}, {4, 36}, {5, 36}, {7, 2}}}};
}

/// @param stream octets of a direction @return its PDUs
inline std::vector<std::vector<uint8_t>>
SplitPdus(const std::vector<uint8_t>& stream)
{
    std::vector<std::vector<uint8_t>> pdus;
    const ns3::NvmeFraming framing;
    ns3::RecordChain chain(framing);
    chain.Follow(
        static_cast<uint32_t>(stream.size()),
        [&](uint32_t at, uint32_t size, uint8_t* to) { std::memcpy(to, &stream[at], size); },
        [&](const ns3::RecordChain::Record& record) {
            if (record.GetEnd() <= stream.size())
            {
                pdus.emplace_back(stream.begin() + record.start, stream.begin() + record.GetEnd());
            }
        });
    return pdus;
}

#endif // NVME_TEST_UTIL_H
