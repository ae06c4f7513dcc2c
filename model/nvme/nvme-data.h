/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NVME_DATA_H
#define NVME_DATA_H

#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-nvme
 * @brief The data of a command: octets, or a number of zeros that take no memory, whose digests
 * cost no more for being many.
 */
class NvmeData
{
  public:
    NvmeData() = default; //!< No data

    /// Take octets. @param octets they
    explicit NvmeData(Ptr<const Packet> octets)
        : m_octets(std::move(octets))
    {
    }

    /// Take octets. @param octets they, of which a copy is made
    explicit NvmeData(const std::vector<uint8_t>& octets)
        : m_octets(Create<Packet>(octets.data(), static_cast<uint32_t>(octets.size())))
    {
    }

    /// Make zeros. @param size octets @return data
    static NvmeData MakeZeros(uint32_t size)
    {
        NvmeData data;
        data.m_zeros = size;
        return data;
    }

    /// Count the octets. @return octets
    uint32_t GetSize() const
    {
        return m_octets ? m_octets->GetSize() : m_zeros;
    }

    /// Tell whether they are zeros that take no memory. @return true then
    bool IsVirtual() const
    {
        return !m_octets;
    }

    /// Take some out. @param offset of the first @param size octets @return a packet of them
    Ptr<Packet> MakePart(uint32_t offset, uint32_t size) const
    {
        return m_octets ? m_octets->CreateFragment(offset, size) : Create<Packet>(size);
    }

  private:
    Ptr<const Packet> m_octets; //!< octets, or nullptr
    uint32_t m_zeros{0};        //!< without: how many zeros
};

} // namespace ns3

#endif // NVME_DATA_H
