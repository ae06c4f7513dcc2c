/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_TIMELINE_H
#define RNIC_TIMELINE_H

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-rnic
 * @brief Things in the order of their times, which the clock passes at the front.
 *
 * They lie in one piece of memory with room at both ends: adding behind the last and leaving the
 * first out cost the same however many there are, and in between the shorter side moves.
 * @tparam T a plain struct
 */
template <typename T>
class RnicTimeline
{
  public:
    /// Tell whether there is nothing. @return true if so
    bool IsEmpty() const
    {
        return m_first == m_items.size();
    }

    /// Count the things. @return how many there are
    std::size_t GetSize() const
    {
        return m_items.size() - m_first;
    }

    /// @name Access, by index and as a range
    /// @{
    T& operator[](std::size_t index) //!< The thing at an index, from the first on
    {
        return m_items[m_first + index];
    }

    const T& operator[](std::size_t index) const //!< The same thing
    {
        return m_items[m_first + index];
    }

    const T* begin() const //!< @return the first
    {
        return m_items.data() + m_first;
    }

    const T* end() const //!< @return behind the last
    {
        return m_items.data() + m_items.size();
    }

    /// @}

    /// Leave out the first. There has to be one.
    void PopFront()
    {
        if (++m_first == m_items.size())
        {
            m_items.clear();
            m_first = 0;
        }
    }

    /// Put a thing between others. @param index that it gets @param item the thing
    void Insert(std::size_t index, const T& item)
    {
        if (m_first > 0 && index < GetSize() - index)
        {
            --m_first;
            std::copy_n(Place(1), index, Place(0));
            *Place(index) = item;
            return;
        }
        if (m_items.size() == m_items.capacity() && 2 * m_first >= m_items.size())
        {
            m_items.erase(m_items.begin(), Place(0)); // as many were left out as are moved
            m_first = 0;
        }
        m_items.insert(Place(index), item);
    }

    /// Leave things out. @param from index of the first @param to index behind the last
    void Erase(std::size_t from, std::size_t to)
    {
        if (from < GetSize() - to)
        {
            std::copy_backward(Place(0), Place(from), Place(to));
            m_first += to - from;
        }
        else
        {
            m_items.erase(Place(from), Place(to));
        }
    }

  private:
    /// @param index from the first on @return where that is
    typename std::vector<T>::iterator Place(std::size_t index)
    {
        return m_items.begin() + static_cast<std::ptrdiff_t>(m_first + index);
    }

    std::vector<T> m_items; //!< the things, behind those that were left out
    std::size_t m_first{0}; //!< how many were left out
};

} // namespace ns3

#endif // RNIC_TIMELINE_H
