/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IKE_PROCESSOR_H
#define IKE_PROCESSOR_H

#include "ns3/nstime.h"

#include <algorithm>

namespace ns3
{

/// @ingroup iwarp-ipsec
/// @brief The CPU that computes keys: for all peers of a node, one piece of work behind the other.
class IkeProcessor
{
  public:
    /// Do work. @param work how long it takes @param now current time @return when it is done
    Time Compute(Time work, Time now)
    {
        m_free = std::max(m_free, now) + work;
        m_busy += work;
        return m_free;
    }

    /// @return how long it worked
    Time GetBusy() const
    {
        return m_busy;
    }

  private:
    Time m_free; //!< when it has nothing to do
    Time m_busy; //!< how long it worked
};

} // namespace ns3

#endif // IKE_PROCESSOR_H
