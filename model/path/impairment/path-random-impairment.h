/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_RANDOM_IMPAIRMENT_H
#define PATH_RANDOM_IMPAIRMENT_H

#include "path-impairment.h"

#include "ns3/random-variable-stream.h"
#include "ns3/traced-callback.h"

namespace ns3
{

/**
 * @ingroup iwarp-path
 * @brief Loses, holds back and duplicates packets, each with a probability.
 *
 * Each arriving packet meets, in this order: loss with the probability Loss; holding back with the
 * probability Reordering, for a time drawn from HoldTime, during which later packets overtake it;
 * duplication with the probability Duplication, the copy arriving after another time drawn from
 * HoldTime. A packet that comes back from being held, or is a copy, meets nothing again.
 *
 * Every kind draws from a stream of its own: the packets lost at a given seed do not depend on
 * whether reordering is on.
 */
class PathRandomImpairment : public PathImpairment
{
  public:
    /// Signature of the Loss trace. @param packet the packet lost
    typedef void (*LossTracedCallback)(Ptr<const Packet> packet);
    /// Signature of the Hold and Duplicate traces. @param packet packet @param delay time until
    /// it, or its copy, is received
    typedef void (*DelayTracedCallback)(Ptr<const Packet> packet, Time delay);

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    PathRandomImpairment();
    ~PathRandomImpairment() override;

  private:
    int64_t DoAssignStreams(int64_t stream) override;
    bool Impair(Ptr<Packet> packet) override;

    /// Draw a lot. @param random a stream @param probability 0 to 1 @return true with that
    /// probability; no number is drawn for 0
    static bool Happens(const Ptr<UniformRandomVariable>& random, double probability);
    Time DrawHoldTime() const; //!< Draw from HoldTime. @return the time, at least 0

    double m_loss;                                 //!< probability of loss
    double m_reordering;                           //!< probability of being held back
    double m_duplication;                          //!< probability of a copy
    Ptr<RandomVariableStream> m_holdTime;          //!< seconds for which a packet is held back
    Ptr<UniformRandomVariable> m_lossRandom;       //!< decides on loss
    Ptr<UniformRandomVariable> m_holdRandom;       //!< decides on holding back
    Ptr<UniformRandomVariable> m_copyRandom;       //!< decides on duplication
    TracedCallback<Ptr<const Packet>> m_lossTrace; //!< a packet is lost
    TracedCallback<Ptr<const Packet>, Time> m_holdTrace;      //!< a packet is held back
    TracedCallback<Ptr<const Packet>, Time> m_duplicateTrace; //!< a packet will arrive twice
};

} // namespace ns3

#endif // PATH_RANDOM_IMPAIRMENT_H
