/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_PIPELINE_H
#define RNIC_PIPELINE_H

#include "rnic-server.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-rnic
 * @brief Stages one behind the other, in closed form.
 *
 * A packet walks through the stages with Enter(), then Next() for each, then GetTime(); one walk
 * ends before the next begins. What a stage does may depend on when the packet
 * gets there, for instance on a read from host memory, so the caller leads the walk.
 */
class RnicPipeline
{
  public:
    /**
     * @brief Add a stage behind the others.
     * @param name for traces and tables
     * @param config figures
     * @return its index, from 0
     */
    uint32_t AddStage(const std::string& name, const RnicServerConfig& config);

    /// @param arrival ps, the time at which a packet comes; not before the last one's
    void Enter(RnicTime arrival);

    /**
     * @brief The packet goes through a stage.
     * @param stage index
     * @param octets to work through
     * @param units things in the packet
     * @param extra ps for which it occupies the engine besides
     * @return ps, when it leaves the stage
     */
    RnicTime Next(uint32_t stage, uint64_t octets, uint32_t units = 1, RnicTime extra = 0);

    /// @param time ps; the packet stays where it is until then, without an engine
    void WaitUntil(RnicTime time);

    RnicTime GetTime() const; //!< @return ps, where the packet's walk has come to

    uint32_t GetStages() const;                        //!< @return number of stages
    const RnicServer& GetServer(uint32_t stage) const; //!< @param stage index @return stage
    const std::string& GetName(uint32_t stage) const;  //!< @param stage index @return name

  private:
    std::vector<RnicServer> m_servers; //!< stages
    std::vector<std::string> m_names;  //!< their names
    RnicTime m_time{0};                //!< ps, end of the walk so far
};

} // namespace ns3

#endif // RNIC_PIPELINE_H
