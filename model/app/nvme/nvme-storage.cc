/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nvme-storage.h"

#include "ns3/app-message.h"

#include <algorithm>

namespace ns3
{

namespace
{

constexpr uint32_t PATTERN_NUMBER = 1; // of the pattern, as of a message

} // namespace

NvmeStorage::NvmeStorage(uint32_t blockSize)
    : m_blockSize(blockSize)
{
}

uint64_t
NvmeStorage::Compare(uint64_t at, const uint8_t* octets, uint64_t size)
{
    uint64_t different = 0;
    for (uint64_t done = 0; done < size;)
    {
        const uint64_t run = std::min<uint64_t>(size - done, iwarp::PATTERN_RUN);
        const uint8_t* pattern = iwarp::MessagePattern(PATTERN_NUMBER, at + done);
        if (!std::equal(pattern, pattern + run, octets + done))
        {
            for (uint64_t i = 0; i < run; i++)
            {
                different += pattern[i] != octets[done + i] ? 1 : 0;
            }
        }
        done += run;
    }
    return different;
}

std::vector<uint8_t>
NvmeStorage::MakePattern(uint64_t at, uint64_t size)
{
    std::vector<uint8_t> octets;
    octets.reserve(size);
    while (octets.size() < size)
    {
        const uint64_t run = std::min<uint64_t>(size - octets.size(), iwarp::PATTERN_RUN);
        const uint8_t* pattern = iwarp::MessagePattern(PATTERN_NUMBER, at + octets.size());
        octets.insert(octets.end(), pattern, pattern + run);
    }
    return octets;
}

void
NvmeStorage::Write(uint64_t block, const std::vector<uint8_t>& octets)
{
    for (uint64_t i = 0; i < octets.size() / m_blockSize; i++)
    {
        const uint8_t* const from = &octets[i * m_blockSize];
        if (Compare((block + i) * m_blockSize, from, m_blockSize) == 0)
        {
            m_others.erase(block + i);
        }
        else
        {
            m_others[block + i].assign(from, from + m_blockSize);
        }
    }
}

std::vector<uint8_t>
NvmeStorage::Read(uint64_t block, uint64_t count) const
{
    auto octets = MakePattern(block * m_blockSize, count * m_blockSize);
    for (uint64_t i = 0; i < count && !m_others.empty(); i++)
    {
        const auto found = m_others.find(block + i);
        if (found != m_others.end())
        {
            std::copy(found->second.begin(), found->second.end(), &octets[i * m_blockSize]);
        }
    }
    return octets;
}

} // namespace ns3
