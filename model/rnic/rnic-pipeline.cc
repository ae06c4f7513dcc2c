/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-pipeline.h"

#include "ns3/abort.h"

#include <algorithm>
#include <utility>

namespace ns3
{

RnicPipeline::RnicPipeline(bool ordered)
    : m_ordered(ordered)
{
}

void
RnicPipeline::Add(const std::string& name, Ptr<RnicStage> stage, const std::string& before)
{
    const auto place = std::find_if(m_stages.begin(), m_stages.end(), [&](const auto& other) {
        return other.name == before;
    });
    NS_ABORT_MSG_IF(place == m_stages.end() && !before.empty(),
                    "RNIC: there is no stage " << before << " for " << name << " to stand before");
    m_stages.insert(place, {name, stage});
}

void
RnicPipeline::Start()
{
    bool ordered = m_ordered;
    bool mixed = false; // a stage of the part does not keep order
    m_parts.resize(1);
    for (const auto& [name, part] : m_stages)
    {
        part->Initialize();
        auto* stage = static_cast<RnicStage*>(PeekPointer(part));
        const bool isQueue = stage->KeepsOrder();
        if (!stage->IsIdeal())
        {
            if (isQueue && mixed)
            {
                m_parts.emplace_back();
                mixed = false;
            }
            m_parts.back().push_back(stage);
            mixed = mixed || !isQueue;
        }
        if (!stage->IsIdeal() || (isQueue && !ordered))
        {
            m_walk.push_back(stage);
            ordered = isQueue;
        }
    }
    if (!m_wraps.empty())
    {
        PutWatchers();
    }
}

std::size_t
RnicPipeline::CountParts() const
{
    return m_parts.size();
}

RnicTime
RnicPipeline::Reserve(RnicSegment segment) const
{
    RnicTime next = segment.time;
    for (const auto& part : m_parts)
    {
        for (RnicStage* stage : part)
        {
            next = std::max(next, stage->Reserve(segment));
        }
    }
    return next;
}

void
RnicPipeline::Watch(Wrap wrap)
{
    m_wraps.push_back(std::move(wrap));
}

void
RnicPipeline::PutWatchers()
{
    for (const auto& [name, part] : m_stages)
    {
        auto* stage = static_cast<RnicStage*>(PeekPointer(part));
        RnicStage* watcher = stage;
        for (const auto& wrap : m_wraps)
        {
            watcher = wrap(name, watcher);
        }
        std::replace(m_walk.begin(), m_walk.end(), stage, watcher);
        for (auto& stages : m_parts)
        {
            std::replace(stages.begin(), stages.end(), stage, watcher);
        }
    }
}

const std::vector<RnicNamedPart>&
RnicPipeline::GetStages() const
{
    return m_stages;
}

} // namespace ns3
