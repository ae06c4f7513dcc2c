/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_FIGURE_RANGE_H
#define RNIC_FIGURE_RANGE_H

#include "rnic-profile.h"

#include <string>

namespace ns3
{

/// @ingroup iwarp-rnic
/// @brief Between which values a figure of a profile may plausibly lie: what a conclusion that
/// rests on an assumed figure has to be tried with.
struct RnicFigureRange
{
    std::string low;  //!< the least value, or one of two alternatives; empty if there is no range
    std::string high; //!< the largest value, or the other alternative; empty if there is no range
};

/**
 * @ingroup iwarp-rnic
 * @brief Tell the plausible range of a figure.
 *
 * An assumed figure is good to an order of magnitude: a quarter to four times its value, whole
 * nanoseconds and whole counts, unless there is a reason for other ends. Figures that are cited or
 * fitted have no range, nor have the kind of receiver and the order in which queue pairs send,
 * which are designs and not figures.
 * @param figure of a profile
 * @return the range, as text that the attribute takes
 */
RnicFigureRange GetPlausibleRange(const RnicFigure& figure);

} // namespace ns3

#endif // RNIC_FIGURE_RANGE_H
