/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-arrivals.h"

#include "ns3/double.h"

#include <algorithm>
#include <cmath>

namespace ns3
{
namespace iwarp
{
namespace
{

/// Gaps of one distribution.
class RenewalArrivals : public Arrivals
{
  public:
    /// @param gaps seconds
    explicit RenewalArrivals(Ptr<RandomVariableStream> gaps)
        : m_gaps(gaps)
    {
    }

    double DrawGap() override
    {
        return m_gaps->GetValue();
    }

    int64_t AssignStreams(int64_t stream) override
    {
        m_gaps->SetStream(stream);
        return 1;
    }

  private:
    Ptr<RandomVariableStream> m_gaps; //!< seconds
};

/// Bursts and pauses.
class OnOffArrivals : public Arrivals
{
  public:
    /// @param gap mean inside a burst, seconds @param bursts lengths, seconds @param pauses the
    /// same
    /// @param share of the time that pauses have
    OnOffArrivals(double gap,
                  Ptr<RandomVariableStream> bursts,
                  Ptr<RandomVariableStream> pauses,
                  double share)
        : m_gaps(CreateObject<ExponentialRandomVariable>()),
          m_bursts(bursts),
          m_pauses(pauses),
          m_share(share)
    {
        m_gaps->SetAttribute("Mean", DoubleValue(gap));
    }

    double DrawGap() override
    {
        double passed = 0;
        if (!m_begun)
        {
            m_begun = true;
            // the same stream that gaps have: which share of them is longer than that is known
            const double shortest = -std::log1p(-m_share) * m_gaps->GetMean();
            passed = m_gaps->GetValue() < shortest ? Draw(m_pauses) : 0;
            m_left = Draw(m_bursts);
        }
        double left = m_gaps->GetValue(); // time inside bursts until the next arrival
        while (left > m_left)
        {
            left -= m_left;
            passed += m_left + Draw(m_pauses);
            m_left = Draw(m_bursts);
        }
        m_left -= left;
        return passed + left;
    }

    int64_t AssignStreams(int64_t stream) override
    {
        m_gaps->SetStream(stream);
        m_bursts->SetStream(stream + 1);
        m_pauses->SetStream(stream + 2);
        return 3;
    }

  private:
    /// @param lengths seconds @return one of them, not less than 0
    static double Draw(const Ptr<RandomVariableStream>& lengths)
    {
        return std::max(0.0, lengths->GetValue());
    }

    Ptr<ExponentialRandomVariable> m_gaps; //!< inside bursts, seconds
    Ptr<RandomVariableStream> m_bursts;    //!< lengths, seconds
    Ptr<RandomVariableStream> m_pauses;    //!< lengths, seconds
    double m_share;                        //!< of pauses
    bool m_begun{false};                   //!< the first gap is drawn
    double m_left{0};                      //!< of the burst, seconds
};

} // namespace

std::unique_ptr<Arrivals>
MakeRenewalArrivals(Ptr<RandomVariableStream> gaps)
{
    return std::make_unique<RenewalArrivals>(gaps);
}

std::unique_ptr<Arrivals>
MakePoissonArrivals(double mean)
{
    auto gaps = CreateObject<ExponentialRandomVariable>();
    gaps->SetAttribute("Mean", DoubleValue(mean));
    return MakeRenewalArrivals(gaps);
}

std::unique_ptr<Arrivals>
MakeLogNormalArrivals(double mean, double sigma)
{
    auto gaps = CreateObject<LogNormalRandomVariable>();
    gaps->SetAttribute("Mu", DoubleValue(std::log(mean) - sigma * sigma / 2));
    gaps->SetAttribute("Sigma", DoubleValue(sigma));
    return MakeRenewalArrivals(gaps);
}

std::unique_ptr<Arrivals>
MakeOnOffArrivals(double mean,
                  Ptr<RandomVariableStream> bursts,
                  Ptr<RandomVariableStream> pauses,
                  double burst,
                  double pause)
{
    const double on = burst / (burst + pause);
    return std::make_unique<OnOffArrivals>(mean * on, bursts, pauses, 1 - on);
}

} // namespace iwarp
} // namespace ns3
