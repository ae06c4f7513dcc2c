/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_ASSOCIATION_CACHE_H
#define RNIC_ASSOCIATION_CACHE_H

#include "rnic-cache.h"

#include "ns3/esp-work.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-rnic
 * @brief An on-chip cache of contexts of IPsec associations, by their number: keys, sequence number
 * and anti-replay window. They come from host memory, or from memory of the adapter's own.
 */
class RnicAssociationCache : public RnicCache
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

    /// Find the entry of an association. @param direction of its packets
    /// @param association its number @return key of the entry
    static uint64_t GetKey(EspDirection direction, uint64_t association);

    /// Connections are no business of it: associations go by Invalidate().
    /// @param now ps, the clock @param connection its key
    void Release(RnicTime now, uint64_t connection) override;

  protected:
    RnicTime Read(RnicTime now, RnicTime begin) override;

  private:
    RnicTime m_memoryLatency{0}; //!< see MemoryLatency
};

} // namespace ns3

#endif // RNIC_ASSOCIATION_CACHE_H
