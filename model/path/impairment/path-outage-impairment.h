/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_OUTAGE_IMPAIRMENT_H
#define PATH_OUTAGE_IMPAIRMENT_H

#include "path-impairment.h"

#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"

namespace ns3
{

/**
 * @ingroup iwarp-path
 * @brief Loses all packets while the link is down, which it is again and again.
 *
 * It is up from the start for a time drawn from UpTime, then down for one drawn from DownTime, and
 * so on: down for the share E[DownTime] / (E[UpTime] + E[DownTime]) of the time. Both directions of
 * a link go down together only if their times are constants. Outages at times that are known belong
 * to a PathLinkSchedule.
 */
class PathOutageImpairment : public PathImpairment
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    PathOutageImpairment();
    ~PathOutageImpairment() override;

    std::string GetIdleAttribute() const override;

  private:
    int64_t DoAssignStreams(int64_t stream) override;
    bool Impair(Ptr<Packet> packet) override;

    Ptr<RandomVariableStream> m_upTime;   //!< seconds
    Ptr<RandomVariableStream> m_downTime; //!< seconds
    bool m_begun{false};                  //!< a packet has come
    bool m_down{false};                   //!< the state
    Time m_next;                          //!< when it changes
};

} // namespace ns3

#endif // PATH_OUTAGE_IMPAIRMENT_H
