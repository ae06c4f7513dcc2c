/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fuzz-target.h"

#include "ns3/mpa-startup-frame.h"

#include <algorithm>

using ns3::MpaStartupFrame;
using Octets = std::vector<uint8_t>; //!< a run of octets
using Status = MpaStartupFrame::Status;

extern "C" int
LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size)
{
    for (bool reply : {false, true})
    {
        Status before = Status::INCOMPLETE;
        for (std::size_t n = 0; n <= std::min<std::size_t>(size, 600); ++n)
        {
            const Octets prefix(data, data + n); // a sanitizer sees who reads beyond it
            MpaStartupFrame frame;
            const Status status = MpaStartupFrame::Decode(prefix.data(), n, reply, frame);
            // what has been decided stays so
            FUZZ_CHECK(before == Status::INCOMPLETE || status == before);
            if (status == Status::COMPLETE)
            {
                const std::size_t length = MpaStartupFrame::HEADER_SIZE + frame.privateData.size();
                FUZZ_CHECK(frame.privateData.size() <= MpaStartupFrame::MAX_PRIVATE_DATA);
                FUZZ_CHECK(length <= n && (before == status || length == n));
                const Octets again = frame.Encode();
                FUZZ_CHECK(again.size() == length);
                FUZZ_CHECK(std::equal(again.begin(), again.end(), data));
            }
            before = status;
        }
    }
    return 0;
}

std::vector<std::vector<uint8_t>>
FuzzSeeds()
{
    std::vector<Octets> seeds;
    for (std::size_t length : {0, 4, 512})
    {
        MpaStartupFrame frame;
        frame.privateData.resize(length);
        seeds.push_back(frame.Encode());
        frame.reply = true;
        frame.markers = true;
        seeds.push_back(frame.Encode());
        seeds.back().push_back(0);
    }
    return seeds;
}
