/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DDP_MEMORY_H
#define DDP_MEMORY_H

#include "ns3/ptr.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-ddp
 * @brief Memory of an application that segments are placed in: virtual, backed by octets, or with a
 * content that is known beforehand.
 *
 * Virtual memory has a length and no content: what is read from it is zero, and writing costs
 * nothing, so that ten thousand connections fit in a simulation. Backed memory holds octets, its
 * own or the caller's. Memory with a pattern reads as the pattern, whatever is written to it, and
 * counts what is written that is not the pattern: so payload of any length is compared and none is
 * stored. All can record which octets have been written.
 *
 * No access ever leaves the memory: one that would is refused as a whole.
 */
class DdpMemory : public SimpleRefCount<DdpMemory>
{
  public:
    /**
     * @brief Make memory without content.
     * @param length octets, any
     * @return virtual memory
     */
    static Ptr<DdpMemory> CreateVirtual(uint64_t length);

    /**
     * @brief Make memory with content.
     * @param length octets
     * @return memory backed by that many octets of its own, all zero
     */
    static Ptr<DdpMemory> CreateBacked(uint64_t length);

    /**
     * @brief Make memory over octets that the caller has.
     * @param octets first octet; stays the caller's and outlives the memory
     * @param length octets
     * @return memory backed by the caller's octets
     */
    static Ptr<DdpMemory> Wrap(uint8_t* octets, uint64_t length);

    static constexpr uint32_t PATTERN_RUN = 65536; //!< octets that a pattern offers at a time

    /// Finds the octets that a memory has from an offset on, PATTERN_RUN of them.
    using Pattern = std::function<const uint8_t*(uint64_t offset)>;

    /**
     * @brief Make memory with a pattern.
     * @param length octets, any
     * @param pattern what it reads as
     * @return memory that compares what is written
     */
    static Ptr<DdpMemory> CreatePattern(uint64_t length, Pattern pattern);

    ~DdpMemory();
    DdpMemory(const DdpMemory&) = delete;
    DdpMemory& operator=(const DdpMemory&) = delete;

    uint64_t GetLength() const; //!< Tell how much it holds. @return octets
    /// Tell whether it is virtual. @return true if there are no octets behind it
    bool IsVirtual() const;

    /**
     * @brief Write octets; those behind @p available are zero (virtual payload).
     * @param offset where, from the memory's first octet on
     * @param data octets, @p available of them
     * @param available octets that can be read at @p data
     * @param size octets to write
     * @return false, and nothing is written, if the memory does not hold all of them
     */
    bool Write(uint64_t offset, const uint8_t* data, uint32_t available, uint32_t size);

    /**
     * @brief Read octets, zero if the memory is virtual.
     * @param offset where
     * @param out receives @p size octets
     * @param size octets to read
     * @return false, and @p out is untouched, if the memory does not hold all of them
     */
    bool Read(uint64_t offset, uint8_t* out, uint64_t size) const;

    /**
     * @brief Look at octets in place.
     * @param offset where
     * @param size octets
     * @return address of these octets; nullptr if the memory is virtual, does not hold them all, or
     *         has a pattern and they are more than PATTERN_RUN
     */
    const uint8_t* View(uint64_t offset, uint64_t size) const;

    /**
     * @brief Check that octets are inside.
     * @param offset where
     * @param size octets
     * @return true if the memory holds all of them
     */
    bool Holds(uint64_t offset, uint64_t size) const
    {
        return offset <= m_length && size <= m_length - offset;
    }

    /// Count what was written wrongly. @return octets written that were not the pattern's; 0 of
    /// memory without one
    uint64_t GetDifferences() const;

    /**
     * @brief Record which octets are written from now on. Costs a tree operation a write.
     */
    void StartRecording();

    /**
     * @brief Count what has been written.
     * @return distinct octets written since StartRecording(), 0 without it
     */
    uint64_t GetRecorded() const;

    /**
     * @brief Check that octets have been written.
     * @param offset where
     * @param size octets
     * @return true if all of them were written since StartRecording()
     */
    bool IsRecorded(uint64_t offset, uint64_t size) const;

  private:
    class Record;

    /// What memory with a pattern has.
    struct Known
    {
        Pattern pattern;         //!< what it reads as
        uint64_t differences{0}; //!< octets written that were not it
    };

    /// Compare octets with the pattern. Parameters as for Write()
    void Compare(uint64_t offset, const uint8_t* data, uint32_t available, uint32_t size);

    /**
     * @param length octets
     */
    explicit DdpMemory(uint64_t length);

    uint64_t m_length;                //!< octets
    uint8_t* m_octets{nullptr};       //!< content, nullptr if virtual
    std::vector<uint8_t> m_own;       //!< content, if it is not the caller's
    std::unique_ptr<Known> m_known;   //!< its pattern, if it has one
    std::unique_ptr<Record> m_record; //!< what was written, if asked for
};

} // namespace ns3

#endif // DDP_MEMORY_H
