/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-lookup-stage.h"

#include "rnic-cache.h"
#include "rnic-datapath.h"
#include "rnic-host-interface.h"

#include <algorithm>

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
    m_host = path.Get<RnicHostInterface>("HostInterface");
}

void
RnicLookupStage::Fetch(RnicSegment& segment, uint64_t key)
{
    if (!m_cache->Access(key))
    {
        const RnicTime in = m_host->Read(segment.now, segment.time, m_cache->GetEntrySize());
        segment.time = std::max(segment.time, in);
    }
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

void
RnicTranslationStage::Serve(RnicSegment& segment)
{
    const MpaPlacement* last = nullptr;
    for (const auto& ulpdu : *segment.placements)
    {
        if (ulpdu.octets > 0 && !(last && last->region == ulpdu.region))
        {
            Fetch(segment, ulpdu.region > 0 ? ulpdu.region : segment.connection->key);
            last = &ulpdu;
        }
    }
}

} // namespace ns3
