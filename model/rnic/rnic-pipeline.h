/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_PIPELINE_H
#define RNIC_PIPELINE_H

#include "rnic-part.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-rnic
/// @brief A part of an RNIC and its name there.
struct RnicNamedPart
{
    std::string name;   //!< name
    Ptr<RnicPart> part; //!< the part
};

/**
 * @ingroup iwarp-rnic
 * @brief Named stages one behind the other.
 *
 * A segment walks through them in closed form: each moves its time on. Stages that are ideal are
 * left out of the walk where that changes nothing: a queue without service times still keeps
 * segments in order, so it is left out only where they are in order anyway.
 */
class RnicPipeline
{
  public:
    /// Make a pipeline without stages.
    /// @param ordered segments enter in the order of their times
    explicit RnicPipeline(bool ordered = true);

    /**
     * @brief Add a stage.
     * @param name name, not used before
     * @param stage the stage
     * @param before name of the stage that it is to stand before; "" for behind all others.
     *        NS_ABORT with a message if there is none of this name
     */
    void Add(const std::string& name, Ptr<RnicStage> stage, const std::string& before = "");

    /// Begin with the attributes as they are: initializes the stages, and leaves out what it may.
    void Start();

    /// Let a segment walk through all stages.
    /// @param segment the segment
    void Serve(RnicSegment& segment) const
    {
        for (RnicStage* stage : m_walk)
        {
            stage->Serve(segment);
        }
    }

    /// Count the parts that the walk is cut into: a part ends before a queue that segments would
    /// come to out of order. @return at least 1
    std::size_t CountParts() const;

    /**
     * @brief Let a segment walk through a part only; who calls has segments enter each part in the
     * order of their times, so that those that need not wait for host memory pass others.
     * @param segment the segment @param part from 0 to CountParts() - 1
     */
    void Serve(RnicSegment& segment, std::size_t part) const
    {
        for (RnicStage* stage : m_parts[part])
        {
            stage->Serve(segment);
        }
    }

    /// Reserve all stages of the walk for a segment whose turn it is. @param segment it, which is a
    /// copy @return ps, from when on another may take its turn, see RnicStage::Reserve()
    RnicTime Reserve(RnicSegment segment) const;

    /// Makes what takes the place of a stage in the walk, and calls it: given its name and itself.
    using Wrap = std::function<RnicStage*(const std::string&, RnicStage*)>;

    /// Have something look on as segments pass stages, before Start(). @param wrap makes it; what
    /// it makes outlives the pipeline
    void Watch(Wrap wrap);

    /// List the stages, ideal ones among them. @return all stages, in their order
    const std::vector<RnicNamedPart>& GetStages() const;

  private:
    void PutWatchers(); //!< in place of the stages of the walk

    bool m_ordered;                      //!< segments enter in the order of their times
    std::vector<RnicNamedPart> m_stages; //!< all stages
    std::vector<RnicStage*> m_walk;      //!< those that are not left out
    std::vector<Wrap> m_wraps;           //!< see Watch()
    /// Those that are not left out where segments enter each part in order
    std::vector<std::vector<RnicStage*>> m_parts;
};

} // namespace ns3

#endif // RNIC_PIPELINE_H
