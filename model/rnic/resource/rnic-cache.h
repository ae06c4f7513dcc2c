/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_CACHE_H
#define RNIC_CACHE_H

#include "rnic-tags.h"

#include "ns3/random-variable-stream.h"
#include "ns3/rnic-part.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{

class RnicHostInterface;

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
 * It knows keys only, is fully associative, and is as good as empty at first. An entry that is
 * missing is fetched from host memory; only so many fetches may be under way, so that misses bound
 * the rate: it is no higher than fetches / (misses per access x time of a fetch).
 */
class RnicCache : public RnicPart
{
  public:
    /// Signature of Access. @param key of the entry @param hit it was there
    typedef void (*AccessTracedCallback)(uint64_t key, bool hit);

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    RnicCache();
    ~RnicCache() override;

    std::string Check() const override;
    bool IsIdeal() const override;
    void Bind(const RnicDatapath& path) override;
    void Release(RnicTime now, uint64_t connection) override;
    void RestartStatistics(RnicTime now) override;

    /// Say what random replacement draws from.
    /// @param random numbers; those of the datapath if there is one
    void SetRandom(Ptr<UniformRandomVariable> random);

    /// Look an entry up, and put it in if it is missing; another may give way to it.
    /// @param key entry that is needed @return true if it was there; always true without a limit
    bool Access(uint64_t key);

    /**
     * @brief Have an entry on chip: look it up, and fetch it if it is missing.
     *
     * An entry that is being fetched is there, but has to be waited for.
     * @param now ps, the clock @param arrival ps, when it is needed @param key entry
     * @return ps, when it is there
     */
    RnicTime Fetch(RnicTime now, RnicTime arrival, uint64_t key);

    /// Drop an entry, if it is there; this is no eviction.
    /// @param key entry that is no longer valid, such as that of a closed connection
    void Invalidate(uint64_t key);

    /// Count entries on chip. @return entries held; 0 without a limit
    uint32_t GetSize() const;
    /// Count hits. @return accesses that found their entry
    uint64_t GetHits() const;
    /// Count misses. @return accesses that did not, and fetched it
    uint64_t GetMisses() const;
    /// Count evictions. @return entries that gave way to others
    uint64_t GetEvictions() const;

  protected:
    void DoInitialize() override;

    /// Read an entry that is missing. @param now ps, the clock @param begin ps, when that can begin
    /// @return ps, when it is there
    virtual RnicTime Read(RnicTime now, RnicTime begin);

  private:
    /// Room for an entry.
    struct Slot
    {
        uint64_t key;   //!< entry
        RnicTime asked; //!< ps, when it was needed and was missing
        RnicTime ready; //!< ps, when it is on chip
        uint32_t older; //!< slot of the one used before it
        uint32_t newer; //!< slot of the one used after it
    };

    static constexpr uint32_t NONE = UINT32_MAX; //!< no slot

    bool Touch(uint64_t key); //!< @param key entry that is put in if need be @return it was there
    /// Count an access. @param key entry @param hit it was there
    void Record(uint64_t key, bool hit);
    void Link(uint32_t slot);   //!< @param slot is the one used last
    void Unlink(uint32_t slot); //!< @param slot leaves the order of use

    uint32_t m_capacity{0};                              //!< see Entries
    uint32_t m_entrySize{64};                            //!< see EntrySize
    RnicReplacement m_replacement{RnicReplacement::LRU}; //!< see Replacement
    uint32_t m_fetches{0};                               //!< see Fetches
    TracedCallback<uint64_t, bool> m_access;             //!< see Access
    Ptr<UniformRandomVariable> m_random;                 //!< draws what gives way
    Ptr<RnicHostInterface> m_host;                       //!< where entries come from
    RnicTags m_underWay;                                 //!< fetches, if they have a limit
    RnicTime m_took{0};                                  //!< ps, the last fetch
    std::unordered_map<uint64_t, uint32_t> m_places;     //!< slots by entry
    std::vector<Slot> m_slots;                           //!< room, used or not
    std::vector<uint32_t> m_spare;                       //!< slots not in use
    uint32_t m_newest{NONE};                             //!< slot of the entry used last
    uint32_t m_oldest{NONE};                             //!< slot of the entry not used for longest
    uint64_t m_hits{0};                                  //!< accesses
    uint64_t m_misses{0};                                //!< accesses
    uint64_t m_evictions{0};                             //!< entries
};

/**
 * @ingroup iwarp-rnic
 * @brief An on-chip cache of translation and protection entries, one for each page of host memory.
 */
class RnicTranslationCache : public RnicCache
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

    std::string Check() const override;

    /// Find the page of an address. @param address of an octet @return number of its page
    uint64_t GetPage(uint64_t address) const;

  private:
    uint32_t m_pageSize{4096}; //!< see PageSize
};

} // namespace ns3

#endif // RNIC_CACHE_H
