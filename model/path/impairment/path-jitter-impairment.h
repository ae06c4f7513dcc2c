/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_JITTER_IMPAIRMENT_H
#define PATH_JITTER_IMPAIRMENT_H

#include "path-impairment.h"

#include "ns3/random-variable-stream.h"

namespace ns3
{

/**
 * @ingroup iwarp-path
 * @brief Delays each packet by a time of its own, so that packets overtake each other.
 *
 * With times uniform between 0 and m, of two packets that follow each other by s the later one
 * arrives first with the probability (1 - s / m)^2 / 2.
 */
class PathJitterImpairment : public PathImpairment
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    PathJitterImpairment();
    ~PathJitterImpairment() override;

    std::string GetIdleAttribute() const override;

  private:
    int64_t DoAssignStreams(int64_t stream) override;
    bool Impair(Ptr<Packet> packet) override;

    Ptr<RandomVariableStream> m_delay; //!< seconds
};

} // namespace ns3

#endif // PATH_JITTER_IMPAIRMENT_H
