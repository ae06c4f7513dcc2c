/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_GILBERT_ELLIOTT_IMPAIRMENT_H
#define PATH_GILBERT_ELLIOTT_IMPAIRMENT_H

#include "path-impairment.h"

#include "ns3/random-variable-stream.h"

namespace ns3
{

/**
 * @ingroup iwarp-path
 * @brief Loses packets in bursts: the model of Gilbert and Elliott.
 *
 * Each packet finds the link in a good or a bad state and is lost with the probability GoodLoss or
 * BadLoss. In front of each packet but the first, a good state becomes bad with the probability
 * GoodToBad = p, and a bad one good with BadToGood = r; the first packet finds it bad with the
 * probability p / (p + r), as any later one does. On average the share lost is
 * (r GoodLoss + p BadLoss) / (p + r), and a bad state lasts 1 / r packets: with all lost in it and
 * none in the other, the lengths of bursts are geometric with this mean.
 */
class PathGilbertElliottImpairment : public PathImpairment
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    PathGilbertElliottImpairment();
    ~PathGilbertElliottImpairment() override;

    std::string GetIdleAttribute() const override;

  private:
    int64_t DoAssignStreams(int64_t stream) override;
    bool Impair(Ptr<Packet> packet) override;

    double m_goodToBad;                       //!< p
    double m_badToGood;                       //!< r
    double m_goodLoss;                        //!< probability of loss in the good state
    double m_badLoss;                         //!< probability of loss in the bad state
    bool m_begun{false};                      //!< a packet has come
    bool m_bad{false};                        //!< the state
    Ptr<UniformRandomVariable> m_stateRandom; //!< decides on the state
    Ptr<UniformRandomVariable> m_lossRandom;  //!< decides on loss
};

} // namespace ns3

#endif // PATH_GILBERT_ELLIOTT_IMPAIRMENT_H
