/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RECORD_SOURCES_H
#define RECORD_SOURCES_H

#include <boost/circular_buffer.hpp>
#include <cstdint>

namespace ns3
{

/// @ingroup iwarp-record
/// @brief Where octets of an outgoing stream come from, in one run.
struct RecordSourceRun
{
    uint64_t begin{0};   //!< offset of the first octet in the stream
    uint64_t end{0};     //!< offset behind the last
    uint32_t region{0};  //!< memory region, as in RecordPlacement
    uint64_t address{0}; //!< address of the first octet in the region
    bool inlined{false}; //!< no memory, hardware has got them with the work request
};

/**
 * @ingroup iwarp-record
 * @brief Where the octets of an outgoing stream come from, for hardware below TCP: the octets that
 * it got together with their work request, so that it need not read them to send them, and host
 * memory of others.
 *
 * Offsets count the octets of the stream from 0 and never wrap, as in RecordBoundaryMap.
 */
class RecordSources
{
  public:
    /// Octets are handed over. @param record they; it begins not before the end of the last one
    void Append(const RecordSourceRun& record);

    void DropUpTo(uint64_t offset); //!< Forget what is over. @param offset octets up to here

    /// Count the octets of a range that are inline. @param begin first offset
    /// @param end offset behind the last @return how many
    uint32_t CountInline(uint64_t begin, uint64_t end) const;

    /// Visit the memory of a range. @param begin first offset @param end offset behind the last
    /// @param visit called with region, address and number of octets of each run in it
    template <typename F>
    void ForEachRun(uint64_t begin, uint64_t end, F visit) const
    {
        for (auto record = Find(begin); record != m_records.end() && record->begin < end; ++record)
        {
            if (!record->inlined)
            {
                const uint64_t from = record->begin > begin ? record->begin : begin;
                const uint64_t to = record->end < end ? record->end : end;
                visit(record->region, record->address + (from - record->begin), to - from);
            }
        }
    }

  private:
    using Records = boost::circular_buffer<RecordSourceRun>; //!< ascending

    /// @param offset octet @return first record that ends behind it
    Records::const_iterator Find(uint64_t offset) const;

    Records m_records; //!< what is not over
};

} // namespace ns3

#endif // RECORD_SOURCES_H
