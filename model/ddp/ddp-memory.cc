/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ddp-memory.h"

#include <algorithm>
#include <boost/icl/interval_set.hpp>
#include <cstring>
#include <utility>

namespace ns3
{

/// Which octets have been written.
class DdpMemory::Record
{
  public:
    /// Half-open runs of octets, neighbours joined.
    using Set =
        boost::icl::interval_set<uint64_t, std::less, boost::icl::right_open_interval<uint64_t>>;

    Set written; //!< octets written
};

DdpMemory::DdpMemory(uint64_t length)
    : m_length(length)
{
}

DdpMemory::~DdpMemory() = default;

Ptr<DdpMemory>
DdpMemory::CreateVirtual(uint64_t length)
{
    return Ptr<DdpMemory>(new DdpMemory(length), false);
}

Ptr<DdpMemory>
DdpMemory::CreateBacked(uint64_t length)
{
    Ptr<DdpMemory> memory = CreateVirtual(length);
    // a region of no octets is backed as well
    memory->m_own.resize(std::max<uint64_t>(length, 1));
    memory->m_octets = memory->m_own.data();
    return memory;
}

Ptr<DdpMemory>
DdpMemory::Wrap(uint8_t* octets, uint64_t length)
{
    Ptr<DdpMemory> memory = CreateVirtual(length);
    memory->m_octets = octets;
    return memory;
}

Ptr<DdpMemory>
DdpMemory::CreatePattern(uint64_t length, Pattern pattern)
{
    Ptr<DdpMemory> memory = CreateVirtual(length);
    memory->m_known = std::make_unique<Known>();
    memory->m_known->pattern = std::move(pattern);
    return memory;
}

uint64_t
DdpMemory::GetLength() const
{
    return m_length;
}

bool
DdpMemory::IsVirtual() const
{
    return m_octets == nullptr && !m_known;
}

bool
DdpMemory::Write(uint64_t offset, const uint8_t* data, uint32_t available, uint32_t size)
{
    if (!Holds(offset, size))
    {
        return false;
    }
    if (m_known)
    {
        Compare(offset, data, available, size);
    }
    else if (m_octets != nullptr && size > 0)
    {
        const uint32_t real = std::min(available, size);
        if (real > 0)
        {
            std::memmove(m_octets + offset, data, real);
        }
        std::memset(m_octets + offset + real, 0, size - real);
    }
    if (m_record && size > 0)
    {
        m_record->written.add({offset, offset + size});
    }
    return true;
}

void
DdpMemory::Compare(uint64_t offset, const uint8_t* data, uint32_t available, uint32_t size)
{
    uint32_t same = 0;
    for (uint32_t done = 0; done < size;)
    {
        const uint32_t part = std::min(size - done, PATTERN_RUN);
        const uint8_t* expected = m_known->pattern(offset + done);
        for (uint32_t i = 0; i < part; i++)
        {
            const uint8_t octet = done + i < available ? data[done + i] : 0;
            same += octet == expected[i] ? 1 : 0;
        }
        done += part;
    }
    m_known->differences += size - same;
}

uint64_t
DdpMemory::GetDifferences() const
{
    return m_known ? m_known->differences : 0;
}

bool
DdpMemory::Read(uint64_t offset, uint8_t* out, uint64_t size) const
{
    if (!Holds(offset, size))
    {
        return false;
    }
    if (size > 0)
    {
        if (m_known)
        {
            for (uint64_t done = 0; done < size; done += PATTERN_RUN)
            {
                std::memcpy(out + done,
                            m_known->pattern(offset + done),
                            std::min<uint64_t>(size - done, PATTERN_RUN));
            }
        }
        else if (m_octets == nullptr)
        {
            std::memset(out, 0, size);
        }
        else
        {
            std::memmove(out, m_octets + offset, size);
        }
    }
    return true;
}

const uint8_t*
DdpMemory::View(uint64_t offset, uint64_t size) const
{
    if (m_known)
    {
        return Holds(offset, size) && size <= PATTERN_RUN ? m_known->pattern(offset) : nullptr;
    }
    return m_octets != nullptr && Holds(offset, size) ? m_octets + offset : nullptr;
}

void
DdpMemory::StartRecording()
{
    m_record = std::make_unique<Record>();
}

uint64_t
DdpMemory::GetRecorded() const
{
    return m_record ? m_record->written.size() : 0;
}

bool
DdpMemory::IsRecorded(uint64_t offset, uint64_t size) const
{
    using Interval = boost::icl::right_open_interval<uint64_t>;
    return m_record && Holds(offset, size) &&
           boost::icl::contains(m_record->written, Interval(offset, offset + size));
}

} // namespace ns3
