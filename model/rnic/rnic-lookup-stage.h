/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_LOOKUP_STAGE_H
#define RNIC_LOOKUP_STAGE_H

#include "rnic-part.h"

#include <string>

namespace ns3
{

class RnicCache;
class RnicHostInterface;

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
    const char* m_name;            //!< of the cache
    Ptr<RnicCache> m_cache;        //!< cache
    Ptr<RnicHostInterface> m_host; //!< where entries come from
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
/// @brief Translation and protection entries of what is placed are needed, from part
/// TranslationCache; ULPDUs for one region in a row share an entry.
class RnicTranslationStage : public RnicLookupStage
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    RnicTranslationStage();
    void Serve(RnicSegment& segment) override;
};

} // namespace ns3

#endif // RNIC_LOOKUP_STAGE_H
