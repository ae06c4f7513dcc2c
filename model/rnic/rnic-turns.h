/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_TURNS_H
#define RNIC_TURNS_H

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <utility>

namespace ns3
{

/**
 * @ingroup iwarp-rnic
 * @brief Queues that are served in turn (round robin): one item of each that has any. Who comes to
 * an empty queue is behind all that wait, and so waits for at most one item of each other.
 * @tparam T item
 */
template <typename T>
class RnicTurns
{
  public:
    /// Put an item behind all others of its queue. @param key of the queue @param item it
    void Push(uint64_t key, T item)
    {
        auto& queue = m_queues[key];
        if (queue.empty())
        {
            m_turns.push_back(key);
        }
        queue.push_back(std::move(item));
        ++m_size;
    }

    /// Take the first item of the queue whose turn it is; there has to be one. @return it
    T Pop()
    {
        const uint64_t key = m_turns.front();
        m_turns.pop_front();
        const auto found = m_queues.find(key);
        T item = std::move(found->second.front());
        found->second.pop_front();
        if (found->second.empty())
        {
            m_queues.erase(found);
        }
        else
        {
            m_turns.push_back(key);
        }
        --m_size;
        return item;
    }

    /// Tell whether all queues are empty. @return true if so
    bool IsEmpty() const
    {
        return m_size == 0;
    }

    /// Count the items. @return those of all queues
    std::size_t GetSize() const
    {
        return m_size;
    }

  private:
    std::unordered_map<uint64_t, std::deque<T>> m_queues; //!< those that have items, by key
    std::deque<uint64_t> m_turns;                         //!< their keys, the next one first
    std::size_t m_size{0};                                //!< items
};

} // namespace ns3

#endif // RNIC_TURNS_H
