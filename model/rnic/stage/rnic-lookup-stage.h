/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_LOOKUP_STAGE_H
#define RNIC_LOOKUP_STAGE_H

#include "ns3/rnic-part.h"

#include <string>

namespace ns3
{

class RnicCache;
class RnicTranslationCache;

/**
 * @ingroup iwarp-rnic
 * @brief A stage that needs entries of a cache, and reads those that are not on chip from the host.
 */
class RnicLookupStage : public RnicStage
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

    /// Make a stage that looks entries up in one cache, found by Bind().
    /// @param cache name of the part, such as ContextCache; the text has to outlive the stage
    explicit RnicLookupStage(const char* cache);
    ~RnicLookupStage() override;

    std::string Check() const override;
    bool IsIdeal() const override;
    void Bind(const RnicDatapath& path) override;

  protected:
    /// Wait until an entry is on chip.
    /// @param segment that needs it @param key of the entry
    void Fetch(RnicSegment& segment, uint64_t key);

  private:
    const char* m_name;     //!< of the cache
    Ptr<RnicCache> m_cache; //!< cache
};

/// @ingroup iwarp-rnic
/// @brief The context of a segment's connection is needed, from part ContextCache.
class RnicContextStage : public RnicLookupStage
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    RnicContextStage();
    void Serve(RnicSegment& segment) override;
};

/// @ingroup iwarp-rnic
/// @brief Translation and protection entries of the host memory that is read or written are needed,
/// from part TranslationCache: one a page, and one for the connection's own memory. What follows in
/// the same page shares its entry.
class RnicTranslationStage : public RnicLookupStage
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    RnicTranslationStage();
    ~RnicTranslationStage() override;
    void Bind(const RnicDatapath& path) override;
    void Serve(RnicSegment& segment) override;

  private:
    Ptr<RnicTranslationCache> m_pages; //!< the cache
};

} // namespace ns3

#endif // RNIC_LOOKUP_STAGE_H
