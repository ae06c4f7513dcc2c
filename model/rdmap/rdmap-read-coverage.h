/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMAP_READ_COVERAGE_H
#define RDMAP_READ_COVERAGE_H

#include <boost/icl/interval_set.hpp>
#include <cstdint>
#include <memory>

namespace ns3
{

/**
 * @ingroup iwarp-rdmap
 * @brief Which octets of a Read's sink its response has filled.
 *
 * A response that comes in the order of its octets takes no memory.
 */
class RdmapReadCoverage
{
  public:
    /**
     * @brief Take note of a segment.
     * @param offset first octet, counted from the beginning of the sink
     * @param size octets, at least 1; offset + size is below 2^32
     * @return false if one of them had been filled before
     */
    bool Add(uint32_t offset, uint32_t size);

    /// Ask for the result. @return octets from the first on without a gap; none behind a gap count
    uint32_t GetFilled() const;
    /// Count the memory in use. @return runs of octets behind the first gap
    uint32_t GetScattered() const;
    void Clear(); //!< The next response begins

  private:
    using Runs = boost::icl::interval_set<uint32_t>; //!< octets by offset

    uint32_t m_filled{0};              //!< octets in a row from the first on
    std::unique_ptr<Runs> m_scattered; //!< those behind a gap, while there are any
};

} // namespace ns3

#endif // RDMAP_READ_COVERAGE_H
