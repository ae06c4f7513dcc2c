/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_PRIORITY_SCHEDULER_H
#define PATH_PRIORITY_SCHEDULER_H

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-path
 * @brief Says which priority sends next: strict priorities first, the others in weighted turns.
 *
 * Turns are those of deficit round robin (Shreedhar and Varghese, SIGCOMM 1995) that is charged
 * behind a packet instead of before it (surplus round robin: Adiseshu, Parulkar and Varghese,
 * SIGCOMM 1996), since the next packet of a queue disc cannot be seen without taking it: a priority
 * sends while it has credit, the last packet may exceed it, and what it exceeded is missing in its
 * next turn. So octets sent are as the weights, to within a turn and a packet.
 */
class PathPriorityScheduler
{
  public:
    static constexpr int64_t QUANTUM = 1500; //!< octets that weight 1 is given a turn

    /// Begin. @param weights of priorities from 0 on, 0 for strict ones
    explicit PathPriorityScheduler(const std::vector<uint32_t>& weights);

    /// Choose who sends. @param ready bit p is 1 if priority p has a packet and may send it
    /// @return priority, or nothing if none may
    std::optional<uint8_t> Choose(uint8_t ready);

    /// What was chosen has sent. @param priority it @param octets of the packet
    void Charge(uint8_t priority, uint32_t octets);

  private:
    /// A priority
    struct Queue
    {
        uint32_t weight;   //!< 0 for a strict one
        int64_t credit{0}; //!< octets that it may send in this turn; below 0 what it sent too much
    };

    std::vector<Queue> m_queues; //!< by priority
    std::size_t m_turn{0};       //!< whose turn it is
    uint8_t m_strict{0};         //!< which are strict
};

} // namespace ns3

#endif // PATH_PRIORITY_SCHEDULER_H
