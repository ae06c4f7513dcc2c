/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "app-cdf-variable.h"

#include "ns3/abort.h"
#include "ns3/rng-stream.h"
#include "ns3/string.h"
#include "ns3/util-data-file.h"
#include "ns3/util-text.h"

#include <algorithm>
#include <boost/lexical_cast.hpp>
#include <cmath>
#include <fstream>
#include <iterator>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(CdfFileRandomVariable);

TypeId
CdfFileRandomVariable::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::CdfFileRandomVariable")
            .SetParent<RandomVariableStream>()
            .SetGroupName("Iwarp")
            .AddConstructor<CdfFileRandomVariable>()
            .AddAttribute("File",
                          "File of rows value,percent_at_most: a path, or the name of one of the "
                          "module's data files, such as alistorage2019",
                          StringValue(""),
                          MakeStringAccessor(&CdfFileRandomVariable::SetFile,
                                             &CdfFileRandomVariable::GetFile),
                          MakeStringChecker());
    return tid;
}

CdfFileRandomVariable::CdfFileRandomVariable() = default;

void
CdfFileRandomVariable::SetFile(std::string file)
{
    // as a default of new objects it may be wrong, and never used
    m_problem = file.empty() ? "" : Load(file);
}

std::string
CdfFileRandomVariable::GetFile() const
{
    return m_file;
}

std::string
CdfFileRandomVariable::Load(const std::string& file)
{
    const std::string path = iwarp::FindDataFile(file);
    if (path.empty())
    {
        return "no file '" + file + "'; the module's own are " +
               iwarp::Join(iwarp::ListDataFiles()) +
               " (the environment variable IWARP_DATA names another directory)";
    }
    std::ifstream in(path);
    const std::string problem = Load(in, path);
    if (problem.empty())
    {
        m_file = file;
    }
    return problem;
}

std::string
CdfFileRandomVariable::Load(std::istream& in, const std::string& name)
{
    std::vector<std::pair<double, double>> rows;
    std::string line;
    for (int number = 1; std::getline(in, line); number++)
    {
        line = iwarp::Trim(line);
        if (line.empty() || line.front() == '#')
        {
            continue;
        }
        const auto fail = [&](const std::string& what) {
            return name + ", line " + std::to_string(number) + ": " + what + ": '" + line + "'";
        };
        const auto cells = iwarp::Split(line, ',');
        if (cells.size() != 2)
        {
            return fail("not two numbers with a comma between");
        }
        double value = 0;
        double percent = 0;
        if (!boost::conversion::try_lexical_convert(cells[0], value) ||
            !boost::conversion::try_lexical_convert(cells[1], percent) || !std::isfinite(value))
        {
            if (number == 1 && std::isalpha(static_cast<unsigned char>(line.front())))
            {
                continue; // names of the columns
            }
            return fail("not two numbers with a comma between");
        }
        if (!(percent >= 0 && percent <= 100))
        {
            return fail("the percentage is not between 0 and 100");
        }
        if (!rows.empty() && value < rows.back().second)
        {
            return fail("the value is less than the one before");
        }
        if (!rows.empty() && percent / 100 < rows.back().first)
        {
            return fail("the percentage is less than the one before");
        }
        rows.emplace_back(percent / 100, value);
    }
    if (rows.empty())
    {
        return name + ": no rows";
    }
    if (rows.back().first != 1)
    {
        return name + ": the last percentage is not 100";
    }
    m_rows = std::move(rows);
    m_file = name;
    m_problem.clear();
    return "";
}

double
CdfFileRandomVariable::GetMean() const
{
    double mean = m_rows.empty() ? 0 : m_rows.front().first * m_rows.front().second;
    for (std::size_t i = 1; i < m_rows.size(); i++)
    {
        mean +=
            (m_rows[i].first - m_rows[i - 1].first) * (m_rows[i].second + m_rows[i - 1].second) / 2;
    }
    return mean;
}

double
CdfFileRandomVariable::GetValue()
{
    NS_ABORT_MSG_UNLESS(m_problem.empty(), "ns3::CdfFileRandomVariable: " << m_problem);
    const double u = Peek()->RandU01();
    return GetQuantile(IsAntithetic() ? 1 - u : u);
}

double
CdfFileRandomVariable::GetQuantile(double p) const
{
    if (m_rows.empty())
    {
        return 0;
    }
    const auto upper =
        std::upper_bound(m_rows.begin(), m_rows.end(), p, [](double share, const auto& row) {
            return share < row.first;
        });
    if (upper == m_rows.begin() || upper == m_rows.end())
    {
        return upper == m_rows.end() ? m_rows.back().second : upper->second;
    }
    const auto lower = std::prev(upper);
    return lower->second +
           (upper->second - lower->second) * (p - lower->first) / (upper->first - lower->first);
}

uint32_t
CdfFileRandomVariable::GetInteger()
{
    return static_cast<uint32_t>(GetValue());
}

} // namespace ns3
