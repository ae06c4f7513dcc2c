/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef UTIL_GROWING_QUEUE_H
#define UTIL_GROWING_QUEUE_H

#include <boost/circular_buffer.hpp>
#include <cstddef>
#include <memory>
#include <utility>

namespace ns3
{

/**
 * @ingroup iwarp-util
 * @brief A queue that doubles its memory whenever it is full, and takes none before the first
 * element: a boost::circular_buffer takes 40 octets, this 8, and of queues that stay empty there
 * are several in each of many thousands of connections. Members are named as those of std::deque.
 * @tparam T element
 * @tparam LEAST elements that there is room for at first
 */
template <typename T, std::size_t LEAST = 4>
class GrowingQueue
{
  public:
    /// Count the elements. @return elements
    std::size_t size() const
    {
        return m_ring ? m_ring->size() : 0;
    }

    /// Tell whether there are none. @return true if it is empty
    bool empty() const
    {
        return size() == 0;
    }

    /// Get the first element; it has to be there. @return it
    T& front()
    {
        return m_ring->front();
    }

    /// Get the first element; it has to be there. @return it
    const T& front() const
    {
        return m_ring->front();
    }

    /// Get the last element; it has to be there. @return it
    T& back()
    {
        return m_ring->back();
    }

    /// Get an element; it has to be there. @param i index from the front @return it
    T& operator[](std::size_t i)
    {
        return (*m_ring)[i];
    }

    /// Get an element; it has to be there. @param i index from the front @return it
    const T& operator[](std::size_t i) const
    {
        return (*m_ring)[i];
    }

    /// Append an element. @param value element
    void push_back(T value)
    {
        MakeRoom();
        m_ring->push_back(std::move(value));
    }

    /// Put an element ahead of all others. @param value element
    void push_front(T value)
    {
        MakeRoom();
        m_ring->push_front(std::move(value));
    }

    /// Remove the first element; it has to be there.
    void pop_front()
    {
        m_ring->pop_front();
    }

    /// Remove the last element; it has to be there.
    void pop_back()
    {
        m_ring->pop_back();
    }

    /// Remove all elements, and give the memory back.
    void clear()
    {
        m_ring = nullptr;
    }

  private:
    using Ring = boost::circular_buffer<T>; //!< elements

    /// Have room for one element more.
    void MakeRoom()
    {
        if (!m_ring)
        {
            m_ring = std::make_unique<Ring>(LEAST);
        }
        else if (m_ring->full())
        {
            m_ring->set_capacity(2 * m_ring->capacity());
        }
    }

    std::unique_ptr<Ring> m_ring; //!< none before the first element
};

} // namespace ns3

#endif // UTIL_GROWING_QUEUE_H
