/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_PART_H
#define RNIC_PART_H

#include "rnic-segment.h"

#include "ns3/object.h"

#include <string>

namespace ns3
{

class RnicDatapath;

/**
 * @ingroup iwarp-rnic
 * @brief A part of an RNIC with attributes of its own: a stage, or a resource that stages share.
 *
 * A part takes no time and has no limit unless its attributes say so; in all of them 0 means no
 * limit. Attributes count as they are when Initialize() is called, at the start.
 */
class RnicPart : public Object
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

    /// Look for attributes that make no sense.
    /// @return what is wrong with them, for people; empty if nothing
    virtual std::string Check() const = 0;

    /// Tell whether all is as if the part were not there.
    /// @return true if it takes no time and has no limit, nor has any resource that it uses
    virtual bool IsIdeal() const = 0;

    /// Find the resources that the part uses; called when it becomes part of a datapath.
    /// @param path datapath, which outlives the part's use
    virtual void Bind(const RnicDatapath& path);

    /// Drop what is known of a connection that is gone.
    /// @param now ps, the clock @param connection its key
    virtual void Release(RnicTime now, uint64_t connection);

    /// Begin to count anew: what is held stays, what was counted until now is forgotten.
    /// @param now ps, the clock
    virtual void RestartStatistics(RnicTime now);

  protected:
    /// NS_ABORT with a message if Check() finds fault.
    void DoInitialize() override;
};

/**
 * @ingroup iwarp-rnic
 * @brief A stage of a pipeline.
 *
 * Pure arithmetic: it knows sizes and times of segments, neither packets nor sockets. Segments come
 * in the order of RnicSegment::now, but not necessarily in that of RnicSegment::time.
 */
class RnicStage : public RnicPart
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

    /// Serve a segment: move its time on to when it leaves the stage.
    /// @param segment the segment
    virtual void Serve(RnicSegment& segment) = 0;

    /// Tell whether the stage is a queue.
    /// @return true if segments leave it in the order in which they come, whatever their times
    virtual bool KeepsOrder() const;

    /**
     * @brief A segment begins to be sent, and will come here: find from when on another may begin,
     * as far as this stage is concerned, so that no queue grows here. Called for each segment that
     * takes its turn among those of other queue pairs, and for no other, in the order of their
     * turns.
     * @param segment at the time of its turn; the stage changes its sizes as Serve() will
     * @return ps; the time of the turn if the stage keeps no one from another
     */
    virtual RnicTime Reserve(RnicSegment& segment);
};

} // namespace ns3

#endif // RNIC_PART_H
