/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_PAUSE_GATE_H
#define PATH_PAUSE_GATE_H

#include "ns3/nstime.h"
#include "ns3/queue-disc.h"
#include "ns3/simple-ref-count.h"
#include "ns3/simulator.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-path
 * @brief What the other end of a link has had a queue disc pause.
 */
class PathPauseGate : public SimpleRefCount<PathPauseGate>
{
  public:
    /// Make one that is open. @param disc queue disc that heeds it, which outlives its use
    explicit PathPauseGate(QueueDisc* disc)
        : m_disc(disc)
    {
    }

    /// A pause frame has come. @param priority that is to pause
    void Pause(uint8_t priority)
    {
        m_since = m_paused == 0 ? Simulator::Now() : m_since;
        m_paused |= static_cast<uint8_t>(1U << priority);
    }

    /// Another that ends it has. @param priority that is to go on
    void GoOn(uint8_t priority)
    {
        const Time total = GetTotal();
        m_paused &= static_cast<uint8_t>(~(1U << priority));
        m_total = m_paused == 0 ? total : m_total;
        m_disc->Run();
    }

    /// Tell what pauses. @return bit p is 1 if priority p does
    uint8_t GetPaused() const
    {
        return m_paused;
    }

    /// Tell for how long anything has paused. @return time with at least one priority paused
    Time GetTotal() const
    {
        return m_total + (m_paused != 0 ? Simulator::Now() - m_since : Time());
    }

  private:
    QueueDisc* m_disc;   //!< what heeds it
    uint8_t m_paused{0}; //!< bits of priorities
    Time m_since;        //!< when it was told to
    Time m_total;        //!< time paused before
};

} // namespace ns3

#endif // PATH_PAUSE_GATE_H
