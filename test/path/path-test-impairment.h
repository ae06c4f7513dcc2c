/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_TEST_IMPAIRMENT_H
#define PATH_TEST_IMPAIRMENT_H

#include "ns3/path-impairment.h"
#include "ns3/uinteger.h"

#include <cstdint>

namespace ns3
{

/// @ingroup iwarp-test
/// A user's impairment: each packet of a number is lost.
class PathTestPeriodicImpairment : public PathImpairment
{
  public:
    static TypeId GetTypeId() //!< @return the object TypeId
    {
        static TypeId tid =
            TypeId("ns3::PathTestPeriodicImpairment")
                .SetParent<PathImpairment>()
                .AddConstructor<PathTestPeriodicImpairment>()
                .AddAttribute("Period",
                              "Packets of which one is lost",
                              UintegerValue(50),
                              MakeUintegerAccessor(&PathTestPeriodicImpairment::m_period),
                              MakeUintegerChecker<uint32_t>(1));
        return tid;
    }

    static inline uint32_t made{0}; //!< how many there were

  private:
    int64_t DoAssignStreams(int64_t /* stream */) override
    {
        made++;
        return 0;
    }

    bool Impair(Ptr<Packet> /* packet */) override
    {
        return ++m_count % m_period == 0;
    }

    uint32_t m_period;   //!< packets of which one is lost
    uint32_t m_count{0}; //!< packets so far
};

} // namespace ns3

#endif // PATH_TEST_IMPAIRMENT_H
