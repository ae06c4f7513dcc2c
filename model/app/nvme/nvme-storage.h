/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NVME_STORAGE_H
#define NVME_STORAGE_H

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-app
 * @brief The content of a namespace. At first it is a pattern that depends on the place alone;
 * blocks that are written otherwise are kept.
 */
class NvmeStorage
{
  public:
    /// Make a namespace. @param blockSize octets of a block
    explicit NvmeStorage(uint32_t blockSize);

    /**
     * @brief Compare octets with the pattern.
     * @param at offset in the namespace of the first
     * @param octets they
     * @param size how many
     * @return how many differ
     */
    static uint64_t Compare(uint64_t at, const uint8_t* octets, uint64_t size);
    /// Make octets of the pattern. @param at offset in the namespace @param size how many @return
    /// they
    static std::vector<uint8_t> MakePattern(uint64_t at, uint64_t size);

    /// Write blocks. @param block the first @param octets of whole blocks
    void Write(uint64_t block, const std::vector<uint8_t>& octets);
    /// Read blocks. @param block the first @param count how many @return their octets
    std::vector<uint8_t> Read(uint64_t block, uint64_t count) const;

  private:
    uint32_t m_blockSize;                                        //!< octets
    std::unordered_map<uint64_t, std::vector<uint8_t>> m_others; //!< blocks unlike the pattern
};

} // namespace ns3

#endif // NVME_STORAGE_H
