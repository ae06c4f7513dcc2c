/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "app-distribution.h"

#include "app-cdf-variable.h"

#include <algorithm>
#include <boost/math/distributions/exponential.hpp>
#include <boost/math/distributions/lognormal.hpp>
#include <boost/math/distributions/pareto.hpp>
#include <boost/math/distributions/uniform.hpp>
#include <utility>

namespace ns3
{
namespace iwarp
{
namespace
{

/**
 * @brief Call a function with what a random variable draws from.
 * @tparam F function of a distribution, by reference
 * @param variable it
 * @param function called with its distribution, if that is one of those below
 * @return what the function returns; nothing for others
 */
template <typename F>
std::optional<double>
WithDistribution(const Ptr<RandomVariableStream>& variable, const F& function)
{
    using namespace boost::math;
    if (const auto uniform = DynamicCast<UniformRandomVariable>(variable))
    {
        const auto [low, high] = std::minmax({uniform->GetMin(), uniform->GetMax()});
        return low < high ? function(uniform_distribution<>(low, high)) : std::optional(low);
    }
    if (const auto exponential = DynamicCast<ExponentialRandomVariable>(variable))
    {
        const bool open = exponential->GetBound() <= 0 && exponential->GetMean() > 0;
        return open ? function(exponential_distribution<>(1 / exponential->GetMean()))
                    : std::nullopt;
    }
    if (const auto normal = DynamicCast<LogNormalRandomVariable>(variable))
    {
        return normal->GetSigma() > 0
                   ? function(lognormal_distribution<>(normal->GetMu(), normal->GetSigma()))
                   : std::nullopt;
    }
    if (const auto pareto = DynamicCast<ParetoRandomVariable>(variable))
    {
        // without a mean nothing can be said of a load
        const bool open =
            pareto->GetBound() <= 0 && pareto->GetScale() > 0 && pareto->GetShape() > 1;
        return open ? function(pareto_distribution<>(pareto->GetScale(), pareto->GetShape()))
                    : std::nullopt;
    }
    return std::nullopt;
}

} // namespace

std::optional<double>
FindMean(const Ptr<RandomVariableStream>& variable)
{
    if (const auto constant = DynamicCast<ConstantRandomVariable>(variable))
    {
        return constant->GetConstant();
    }
    if (const auto file = DynamicCast<CdfFileRandomVariable>(variable))
    {
        return file->GetMean();
    }
    return WithDistribution(variable, [](const auto& distribution) -> std::optional<double> {
        return boost::math::mean(distribution);
    });
}

std::optional<double>
FindQuantile(const Ptr<RandomVariableStream>& variable, double p)
{
    if (const auto constant = DynamicCast<ConstantRandomVariable>(variable))
    {
        return constant->GetConstant();
    }
    if (const auto file = DynamicCast<CdfFileRandomVariable>(variable))
    {
        return file->GetQuantile(p);
    }
    return WithDistribution(variable, [p](const auto& distribution) -> std::optional<double> {
        return boost::math::quantile(distribution, p);
    });
}

} // namespace iwarp
} // namespace ns3
