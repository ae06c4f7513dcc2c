/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_PACKET_BUFFER_H
#define RNIC_PACKET_BUFFER_H

#include "ns3/rnic-part.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-rnic
 * @brief The memory that segments occupy on their way through the RNIC.
 *
 * A flow-through design needs this memory alone (BufferSizeAF, RFC 5044 section B.2). When a
 * segment leaves is known when it comes, so releases need no events.
 */
class RnicPacketBuffer : public RnicPart
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

    std::string Check() const override;
    bool IsIdeal() const override;
    void RestartStatistics(RnicTime now) override;

    /**
     * @brief A segment comes.
     * @param now ps, the clock
     * @param octets of it
     * @return false if there is no room: it is counted as dropped and must not be held
     */
    bool Admit(RnicTime now, uint64_t octets);

    /// Say when a segment leaves, which gives its room back.
    /// @param octets of a segment that was admitted @param until ps, when it leaves
    void HoldUntil(uint64_t octets, RnicTime until);

    /// Tell how full the buffer is. @param now ps, the clock @return octets held
    uint64_t GetHeld(RnicTime now);
    uint64_t GetPeak() const; //!< Tell how full the buffer got. @return most octets ever held
    /// Tell how full the buffer was on average. @param now ps, the clock
    /// @return octets held, the mean since time 0 or RestartStatistics()
    double GetMean(RnicTime now);
    uint64_t GetDropped() const; //!< Count octets for which there was no room. @return octets
    uint64_t GetDrops() const;   //!< Count segments for which there was no room. @return segments

  private:
    void LetLeave(RnicTime now); //!< @param now ps, the clock; what has left by then goes

    uint64_t m_capacity{0};                             //!< see Capacity
    std::vector<std::pair<RnicTime, uint64_t>> m_leave; //!< when, how much: a heap
    uint64_t m_held{0};                                 //!< octets
    uint64_t m_peak{0};                                 //!< octets
    uint64_t m_dropped{0};                              //!< octets
    uint64_t m_drops{0};                                //!< segments
    RnicTime m_start{0};                                //!< ps, from which on all is counted
    RnicTime m_last{0};                                 //!< ps, up to which m_integral goes
    double m_integral{0};                               //!< octets times ps
};

} // namespace ns3

#endif // RNIC_PACKET_BUFFER_H
