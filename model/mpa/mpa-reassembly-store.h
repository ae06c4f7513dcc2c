/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_REASSEMBLY_STORE_H
#define MPA_REASSEMBLY_STORE_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-mpa
 * @brief Octets of a stream that wait for others: the TCP reassembly buffer of RFC 5044 A.5.2.
 *
 * Octets are known by their offset in the stream, 64 bits that do not wrap. They are held in
 * chunks, one for each run of octets that a segment brought. A segment's octets are first lent:
 * they take part in everything but stay in the caller's memory, and Keep() copies what is then
 * left of them. So octets that are used up while their segment is at hand are never copied.
 */
class MpaReassemblyStore
{
  public:
    /// A run of octets made contiguous, and where it came from.
    struct Span
    {
        const uint8_t* data{nullptr}; //!< the octets
        uint32_t pieces{0};           //!< chunks they lay in
        uint32_t lent{0};             //!< how many of them are lent
        uint32_t late{0};             //!< how many of them are held and came out of order
        uint64_t stamp{0};            //!< largest stamp of those chunks
    };

    /**
     * @brief Lend octets that are not in the store yet.
     * @param start offset of the first one
     * @param data octets, which have to stay until Keep() or Return()
     * @param size how many, at least 1
     * @param stamp goes with the octets
     * @param late they came out of order
     */
    void InsertReference(uint64_t start,
                         const uint8_t* data,
                         uint32_t size,
                         uint64_t stamp,
                         bool late);

    /**
     * @brief Copy what is left of the lent octets, which from now on are held.
     * @param pieces is increased by the number of runs that were left
     * @return octets copied
     */
    uint32_t Keep(uint32_t& pieces);

    void Return(); //!< give lent octets back: they are no longer in the store

    /**
     * @brief Take octets out that are used up.
     * @param from first offset
     * @param to offset behind the last one; the octets between leave the store
     */
    void Erase(uint64_t from, uint64_t to);

    void Clear(); //!< everything leaves the store

    /**
     * @brief Find how far octets go on without a gap.
     * @param offset where to begin
     * @param want enough
     * @return octets there without a gap from @p offset on, at most @p want
     */
    uint64_t Contiguous(uint64_t offset, uint64_t want = UINT64_MAX) const;

    /**
     * @brief Find where a run of octets begins.
     * @param offset an offset
     * @return offset of the first octet of the gapless run that holds @p offset; @p offset itself
     *         if it is not in the store
     */
    uint64_t RunStart(uint64_t offset) const;

    /**
     * @brief Find the next octets, behind a gap if there is one.
     * @param offset where to begin
     * @return offset of the first octet there at or behind @p offset, UINT64_MAX if there is none
     */
    uint64_t Next(uint64_t offset) const;

    /**
     * @brief See octets from an offset on up to the end of its chunk, without copying.
     * @param offset where to begin
     * @return the octets and in @p size their number; no data if @p offset is not in the store
     * @param[out] size octets seen
     */
    Span Peek(uint64_t offset, uint32_t& size) const;

    /**
     * @brief Copy octets out.
     * @param offset first octet; it and the next @p size - 1 are in the store
     * @param size how many, at least 1
     * @param out receives them
     * @return where they came from, data being @p out
     */
    Span Gather(uint64_t offset, uint32_t size, uint8_t* out) const;

    /// Count the memory in use. @return octets held, lent ones not counted
    uint64_t GetHeld() const
    {
        return m_held;
    }

    /// Tell whether no octet is there, held or lent. @return true if there is nothing in it
    bool IsEmpty() const
    {
        return m_chunks.empty();
    }

  private:
    /// What one segment brought and is still needed.
    struct Chunk
    {
        uint64_t start;                    //!< offset of the first octet
        uint64_t end;                      //!< offset behind the last one
        const uint8_t* data;               //!< the octets
        std::unique_ptr<uint8_t[]> octets; //!< memory that holds them, nothing if they are lent
        uint64_t stamp;                    //!< goes with them
        bool late;                         //!< came out of order
    };

    using Chunks = std::vector<Chunk>; //!< by offset, none empty, none overlapping

    /// @param offset an offset @return first chunk that ends behind it
    Chunks::const_iterator Find(uint64_t offset) const;

    Chunks m_chunks;                 //!< everything there is
    uint64_t m_held{0};              //!< octets that are not lent
    uint64_t m_lentFrom{UINT64_MAX}; //!< lent octets begin here or later
    uint64_t m_lentTo{0};            //!< and end here or earlier
};

} // namespace ns3

#endif // MPA_REASSEMBLY_STORE_H
