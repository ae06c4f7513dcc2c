/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef APP_METRIC_H
#define APP_METRIC_H

#include <string>

namespace ns3
{

/// @ingroup iwarp-app
/// @brief A number that an application has measured.
struct AppMetric
{
    std::string name; //!< name in snake_case
    double value;     //!< value
    std::string unit; //!< unit: s, bit/s, octets, messages/s, …
    std::string help; //!< what it says
};

} // namespace ns3

#endif // APP_METRIC_H
