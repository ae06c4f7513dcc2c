/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_CACHE_H
#define RNIC_CACHE_H

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-rnic
/// @brief Which entry gives way to a new one.
enum class RnicReplacement : uint8_t
{
    LRU,    //!< the one not used for longest
    RANDOM, //!< any, with equal chances
};

/**
 * @ingroup iwarp-rnic
 * @brief An on-chip cache of connection contexts or of translation and protection entries.
 *
 * It knows keys only, is fully associative, and is as good as empty at first. Each access takes the
 * same small time, whatever the size.
 */
class RnicCache
{
  public:
    /// A number from 0 up to, not including, its argument.
    using Random = std::function<uint32_t(uint32_t)>;

    /**
     * @param capacity entries; 0 for a memory that holds everything from the start, so that no
     *        access misses
     * @param replacement which entry gives way
     * @param random draws the entry that gives way; needed for RANDOM
     */
    explicit RnicCache(uint32_t capacity = 0,
                       RnicReplacement replacement = RnicReplacement::LRU,
                       Random random = nullptr);

    /// @param key entry that is needed @return true if it is there; it is there afterwards
    bool Access(uint64_t key);

    /// @param key entry that is no longer valid, such as that of a closed connection
    void Invalidate(uint64_t key);

    uint32_t GetCapacity() const;  //!< @return entries at most; 0 for no limit
    uint32_t GetSize() const;      //!< @return entries held
    uint64_t GetHits() const;      //!< @return accesses that found their entry
    uint64_t GetMisses() const;    //!< @return accesses that did not
    uint64_t GetEvictions() const; //!< @return entries that gave way

  private:
    /// Room for an entry.
    struct Slot
    {
        uint64_t key;   //!< entry
        uint32_t older; //!< slot of the one used before it
        uint32_t newer; //!< slot of the one used after it
    };

    static constexpr uint32_t NONE = UINT32_MAX; //!< no slot

    void Link(uint32_t slot);   //!< @param slot is the one used last
    void Unlink(uint32_t slot); //!< @param slot leaves the order of use

    uint32_t m_capacity;                             //!< entries at most
    RnicReplacement m_replacement;                   //!< which entry gives way
    Random m_random;                                 //!< draws it
    std::unordered_map<uint64_t, uint32_t> m_places; //!< slots by entry
    std::vector<Slot> m_slots;                       //!< room, used or not
    std::vector<uint32_t> m_spare;                   //!< slots not in use
    uint32_t m_newest{NONE};                         //!< slot of the entry used last
    uint32_t m_oldest{NONE};                         //!< slot of the entry not used for longest
    uint64_t m_hits{0};                              //!< accesses
    uint64_t m_misses{0};                            //!< accesses
    uint64_t m_evictions{0};                         //!< entries
};

} // namespace ns3

#endif // RNIC_CACHE_H
