/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RECORD_CHAIN_H
#define RECORD_CHAIN_H

#include "record-framing.h"

#include <array>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-record
 * @brief Follows the records of a stream from head to head, through octets in order that may be cut
 * anywhere.
 *
 * Pure: it is shown sizes, and asks for the octets of heads alone. Octets are known by their offset
 * in the stream, 64 bits that do not wrap.
 */
class RecordChain
{
  public:
    static constexpr uint32_t MAX_HEAD = 32; //!< octets of a head that is remembered when cut

    /// A record whose head is known.
    struct Record
    {
        uint64_t start{0}; //!< its first octet
        RecordHead head;   //!< what its head says

        /// Find where the next one begins. @return behind its last octet
        uint64_t GetEnd() const
        {
            return start + head.size;
        }
    };

    /// Begin at a record. @param framing of the stream, which outlives this @param start offset of
    /// a record's first octet
    explicit RecordChain(const RecordFraming& framing, uint64_t start = 0);

    /**
     * @brief Octets follow.
     * @param size how many
     * @param copy `void(uint32_t at, uint32_t size, uint8_t* to)`: copies some of these octets
     * @param found `void(const Record&)`: called for each record whose head ends in them
     * @return false if no record begins as these octets do where one has to: the chain is broken
     */
    template <typename Copy, typename Found>
    bool Follow(uint32_t size, Copy copy, Found found)
    {
        const uint64_t end = m_position + size;
        while (m_position < end && !m_broken)
        {
            if (m_known)
            {
                m_position = m_record.GetEnd() < end ? m_record.GetEnd() : end;
                m_known = m_position < m_record.GetEnd();
                continue;
            }
            const uint32_t taken = CountHead(end);
            copy(static_cast<uint32_t>(m_position + size - end), taken, m_head.data() + m_have);
            if (TakeHead(taken))
            {
                found(m_record);
            }
        }
        return !m_broken;
    }

    /// Tell how far it has come. @return offset of the next octet
    uint64_t GetPosition() const
    {
        return m_position;
    }

    /// Tell whether it stands between two records. @return true if the next octet is a record's
    /// first
    bool IsAtBoundary() const
    {
        return !m_known && m_have == 0 && !m_broken;
    }

    /// Find where the record under way begins. @return offset of its first octet; that of the next
    /// one between records
    uint64_t GetStart() const
    {
        return m_known ? m_record.start : m_position - m_have;
    }

    /// Find the record that it is in. @return it; nullptr between records, and as long as its head
    /// is not complete
    const Record* GetRecord() const
    {
        return m_known ? &m_record : nullptr;
    }

    /// Tell whether records can be followed. @return true once Follow() has returned false
    bool IsBroken() const
    {
        return m_broken;
    }

    /// Get the head that was whole last. @return its octets: once broken, those that begin no
    /// record
    const uint8_t* GetHead() const
    {
        return m_head.data();
    }

    /// Go on somewhere else. @param start offset of a record's first octet
    void Restart(uint64_t start);

  private:
    /// @param end of the octets at hand @return octets of them for the head
    uint32_t CountHead(uint64_t end) const;
    bool TakeHead(uint32_t size); //!< @param size octets of it that have come @return it is whole

    const RecordFraming& m_framing;           //!< of the stream
    std::array<uint8_t, MAX_HEAD> m_head{{}}; //!< of a record whose head is not whole
    uint32_t m_have{0};                       //!< octets of that
    uint64_t m_position;                      //!< offset of the next octet
    Record m_record;                          //!< the last one found
    bool m_known{false};                      //!< the next octet is one of it
    bool m_broken{false};                     //!< no record began where one had to
};

} // namespace ns3

#endif // RECORD_CHAIN_H
