/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-lookup-stage.h"

#include "ns3/rnic-cache.h"
#include "ns3/rnic-datapath.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RnicLookupStage);
NS_OBJECT_ENSURE_REGISTERED(RnicContextStage);
NS_OBJECT_ENSURE_REGISTERED(RnicTranslationStage);

TypeId
RnicLookupStage::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RnicLookupStage").SetParent<RnicStage>().SetGroupName("Iwarp");
    return tid;
}

RnicLookupStage::RnicLookupStage(const char* cache)
    : m_name(cache)
{
}

RnicLookupStage::~RnicLookupStage() = default;

std::string
RnicLookupStage::Check() const
{
    return "";
}

bool
RnicLookupStage::IsIdeal() const
{
    return m_cache->IsIdeal();
}

void
RnicLookupStage::Bind(const RnicDatapath& path)
{
    m_cache = path.Get<RnicCache>(m_name);
}

void
RnicLookupStage::Fetch(RnicSegment& segment, uint64_t key)
{
    segment.time = m_cache->Fetch(segment.now, segment.time, key);
}

TypeId
RnicContextStage::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RnicContextStage")
                            .SetParent<RnicLookupStage>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<RnicContextStage>();
    return tid;
}

RnicContextStage::RnicContextStage()
    : RnicLookupStage("ContextCache")
{
}

void
RnicContextStage::Serve(RnicSegment& segment)
{
    Fetch(segment, segment.connection->key);
}

TypeId
RnicTranslationStage::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RnicTranslationStage")
                            .SetParent<RnicLookupStage>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<RnicTranslationStage>();
    return tid;
}

RnicTranslationStage::RnicTranslationStage()
    : RnicLookupStage("TranslationCache")
{
}

RnicTranslationStage::~RnicTranslationStage() = default;

void
RnicTranslationStage::Bind(const RnicDatapath& path)
{
    RnicLookupStage::Bind(path);
    m_pages = path.Get<RnicTranslationCache>("TranslationCache");
}

void
RnicTranslationStage::Serve(RnicSegment& segment)
{
    if (!segment.placements)
    {
        return;
    }
    uint64_t last = UINT64_MAX; // no entry
    auto need = [&](uint64_t key) {
        if (key != last)
        {
            Fetch(segment, key);
            last = key;
        }
    };
    for (const auto& piece : *segment.placements)
    {
        if (piece.octets > 0 && piece.region == 0)
        {
            need(segment.connection->key);
        }
        else if (piece.octets > 0)
        {
            const uint64_t end = m_pages->GetPage(piece.address + piece.octets - 1);
            for (uint64_t page = m_pages->GetPage(piece.address); page <= end; ++page)
            {
                need(uint64_t{piece.region} << 32 | (page & UINT32_MAX));
            }
        }
    }
}

} // namespace ns3
