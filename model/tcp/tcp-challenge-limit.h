/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_CHALLENGE_LIMIT_H
#define TCP_CHALLENGE_LIMIT_H

#include "ns3/nstime.h"

namespace ns3
{

/// @ingroup iwarp-tcp
/// @brief Limits the challenge ACKs of a connection (RFC 5961 section 7): one at most in an
/// interval.
class TcpChallengeLimit
{
  public:
    /**
     * @brief Ask for one.
     * @param now the clock
     * @param interval least time between two
     * @return true if it may be sent, which counts as the last one then
     */
    bool Allow(Time now, Time interval)
    {
        if (!m_last.IsStrictlyNegative() && now - m_last < interval)
        {
            return false;
        }
        m_last = now;
        return true;
    }

  private:
    Time m_last{-1}; //!< when the last one was sent; negative: never
};

} // namespace ns3

#endif // TCP_CHALLENGE_LIMIT_H
