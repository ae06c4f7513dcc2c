/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DDP_BUFFER_H
#define DDP_BUFFER_H

#include "ddp-stag-table.h"

#include <boost/container/small_vector.hpp>
#include <cstdint>

namespace ns3
{

/// @ingroup iwarp-ddp
/// @brief A piece of a buffer: octets of a local Tagged Buffer, named as verbs do.
struct DdpSge
{
    uint64_t to{0};     //!< address: TO of the first octet
    uint32_t length{0}; //!< octets
    uint32_t stag{0};   //!< STag (verbs: local key)
};

/// @ingroup iwarp-ddp
/// @brief The SGEs of a buffer in order; one needs no memory of its own.
using DdpSgeList = boost::container::small_vector<DdpSge, 1>;

/// @ingroup iwarp-ddp
/// @brief Outcome of moving octets between a list of SGEs and a segment.
enum class DdpGather : uint8_t
{
    OCTETS,  //!< octets, in one run
    ZEROS,   //!< virtual memory only: all octets are zero
    INVALID, //!< a piece is not, or no longer, open to the local side
};

/**
 * @brief Sum up the length of SGEs.
 * @param list SGEs
 * @return their octets together
 */
uint64_t DdpLengthOf(const DdpSgeList& list);

/**
 * @brief Find what a range of a buffer consists of.
 * @param list SGEs of the buffer
 * @param offset first octet of the range, counted over all SGEs
 * @param size octets of the range
 * @param[out] range receives its SGEs, behind what is there
 */
void DdpCutSges(const DdpSgeList& list, uint32_t offset, uint32_t size, DdpSgeList& range);

/**
 * @brief Check that the local side may use all SGEs.
 * @param list SGEs
 * @param table STags of the node
 * @param pd protection domain of the stream
 * @param stream identity of the stream
 * @param access rights needed, bits of DdpAccess
 * @return true if it may
 */
bool DdpMayUse(const DdpSgeList& list,
               const DdpStagTable& table,
               uint32_t pd,
               uint32_t stream,
               uint32_t access);

/**
 * @brief Read octets out of the SGEs for a segment.
 * @param list SGEs
 * @param table STags of the node
 * @param pd protection domain of the stream
 * @param stream identity of the stream
 * @param offset first octet, counted over all SGEs
 * @param size octets, at least 1; the SGEs hold offset + size
 * @param scratch used when the octets are not in one run of memory
 * @param octets receives their address, inside the memory or @p scratch
 * @return what was found
 */
DdpGather DdpReadSges(const DdpSgeList& list,
                      const DdpStagTable& table,
                      uint32_t pd,
                      uint32_t stream,
                      uint32_t offset,
                      uint32_t size,
                      std::vector<uint8_t>& scratch,
                      const uint8_t** octets);

/**
 * @brief Place octets of a segment in the SGEs.
 * @param list SGEs
 * @param table STags of the node
 * @param pd protection domain of the stream
 * @param stream identity of the stream
 * @param offset place of the first octet, counted over all SGEs
 * @param data octets, @p available of them; those behind are zero
 * @param available octets that can be read at @p data
 * @param size octets to place; the SGEs hold offset + size
 * @return false if a piece is not open to the local side: nothing of it, and of those behind it,
 *         is placed
 */
bool DdpWriteSges(const DdpSgeList& list,
                  const DdpStagTable& table,
                  uint32_t pd,
                  uint32_t stream,
                  uint32_t offset,
                  const uint8_t* data,
                  uint32_t available,
                  uint32_t size);

/// @ingroup iwarp-ddp
/// @brief A buffer posted for an Untagged message.
struct DdpBuffer
{
    uint64_t context{0};      //!< the poster's own, comes back at Delivery
    uint32_t length{0};       //!< octets it takes
    uint8_t* octets{nullptr}; //!< memory of the poster, used instead of the SGEs
    DdpSgeList sges;          //!< where the octets go otherwise
};

} // namespace ns3

#endif // DDP_BUFFER_H
