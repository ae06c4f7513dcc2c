/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_PACER_H
#define ROCE_PACER_H

#include "ns3/nstime.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-roce
 * @brief Spaces packets, or bursts of them, by a rate that changes.
 *
 * Pure. What has gone is owed, and paid off by the rate of the moment; the next may go when nothing
 * is owed. A packet that goes late, as it waited for the link, leaves a credit of one burst at
 * most, so that the mean is the rate.
 */
class RocePacer
{
  public:
    /// Make one that owes nothing. @param burst octets that go before any wait; 0 for a packet
    explicit RocePacer(uint32_t burst);

    /// Pay off. @param now the clock, never less than before @param rate since the last call
    /// [bit/s]
    /// @return whether a packet may go
    bool Advance(Time now, double rate);

    /// Forget what is owed, and any credit. @param now the clock
    void Clear(Time now);

    /// A packet goes. @param octets of its frame @param last of its burst, whatever its length
    /// @return whether a burst is complete
    bool Charge(uint32_t octets, bool last);

    /// Tell how long to wait, after Advance(). @param rate from now on, more than 0 [bit/s]
    /// @return time, rounded up; 0 if a packet may go
    Time GetWait(double rate) const;

  private:
    const uint32_t m_burst; //!< octets
    uint32_t m_gone{0};     //!< octets of a burst that is not complete
    double m_least{0};      //!< bits of credit at most, below 0
    double m_owed{0};       //!< bits
    Time m_paid;            //!< until when
};

} // namespace ns3

#endif // ROCE_PACER_H
