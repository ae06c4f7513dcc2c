/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_INLINE_RECORDS_H
#define MPA_INLINE_RECORDS_H

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-mpa
 * @brief The octets of an outgoing stream that hardware below TCP got together with their work
 * request, so that it need not read them to send them.
 *
 * Offsets count the octets of the stream from 0 and never wrap, as in MpaBoundaryMap.
 */
class MpaInlineRecords
{
  public:
    /// A record is handed over. @param begin offset of its first octet, not below the end of the
    /// last one @param end offset behind it
    void Append(uint64_t begin, uint64_t end)
    {
        m_records.emplace_back(begin, end);
    }

    void DropUpTo(uint64_t offset); //!< Forget what was sent. @param offset octets up to here

    /// Count the octets of a range that are in inline records. @param begin first offset
    /// @param end offset behind the last @return how many
    uint32_t Count(uint64_t begin, uint64_t end) const;

  private:
    std::vector<std::pair<uint64_t, uint64_t>> m_records; //!< begin and end, ascending
};

} // namespace ns3

#endif // MPA_INLINE_RECORDS_H
