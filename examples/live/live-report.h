/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LIVE_REPORT_H
#define LIVE_REPORT_H

#include "ns3/simulator.h"

#include <cstdint>
#include <iomanip>
#include <iostream>
#include <string>

namespace live
{

/// What a run has to say, line by line, and whether all in it was good.
class Report
{
  public:
    /// Tell of something. @param text what
    void Say(const std::string& text)
    {
        std::cout << std::fixed << std::setprecision(4) << std::setw(8)
                  << ns3::Simulator::Now().GetSeconds() << "  " << text << std::endl;
    }

    /// Tell of something that may not be. @param text what
    void Problem(const std::string& text)
    {
        m_problems++;
        Say("PROBLEM " + text);
    }

    /// Check something. @param good whether it is as it should be @param text what
    void Check(bool good, const std::string& text)
    {
        if (!good)
        {
            Problem(text);
            return;
        }
        m_checks++;
        Say("OK " + text);
    }

    /// Print the last line. @param done whether all was done that was to be done
    /// @return true if it was, without a problem
    bool Conclude(bool done) const
    {
        const bool good = done && m_problems == 0;
        std::cout << "LIVE " << (good ? "GOOD" : "NOT GOOD") << ": " << m_checks << " checks good, "
                  << m_problems << " problems, " << (done ? "done" : "not done") << std::endl;
        return good;
    }

  private:
    uint32_t m_checks{0};   //!< that were good
    uint32_t m_problems{0}; //!< and what was not
};

} // namespace live

#endif // LIVE_REPORT_H
