/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/app-cdf-variable.h"
#include "ns3/app-message-sizes.h"
#include "ns3/double.h"
#include "ns3/util-data-file.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <sstream>
#include <utility>

using namespace ns3;

namespace
{

/// The suite
IWARP_TEST_SUITE(iwarpMessageSizes, "iwarp-message-sizes");

/// A row of a distribution: value, and share of all that is at most that.
using Rows = std::vector<std::pair<double, double>>;

/**
 * @ingroup iwarp-test
 * Draws from a distribution against its closed form: the mean, the share below each row, and the
 * share below the middle between two rows, each within four standard deviations.
 */
class CdfTest : public TestCase
{
  public:
    CdfTest(const std::string& name, const std::string& text)
        : TestCase("CDF " + name),
          m_text(text)
    {
    }

  private:
    void DoRun() override
    {
        std::istringstream in(m_text);
        Ptr<CdfFileRandomVariable> variable = CreateObject<CdfFileRandomVariable>();
        NS_TEST_ASSERT_MSG_EQ(variable->Load(in, "test"), "", "it loads");
        variable->SetStream(7);

        Rows rows;
        std::istringstream again(m_text);
        for (std::string line; std::getline(again, line);)
        {
            double value;
            double percent;
            if (std::sscanf(line.c_str(), "%lf,%lf", &value, &percent) == 2)
            {
                rows.emplace_back(value, percent / 100);
            }
        }
        // moments of a piecewise uniform distribution with atoms
        double mean = rows[0].first * rows[0].second;
        double square = rows[0].first * rows[0].first * rows[0].second;
        for (std::size_t i = 1; i < rows.size(); i++)
        {
            const double a = rows[i - 1].first;
            const double b = rows[i].first;
            const double p = rows[i].second - rows[i - 1].second;
            mean += p * (a + b) / 2;
            square += p * (a * a + a * b + b * b) / 3;
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(variable->GetMean(), mean, 1e-9 * mean, "mean in closed form");

        const uint32_t n = 100000;
        std::vector<double> draws(n);
        double sum = 0;
        for (auto& draw : draws)
        {
            draw = variable->GetValue();
            sum += draw;
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(sum / n,
                                  mean,
                                  4 * std::sqrt((square - mean * mean) / n),
                                  "mean of the draws");
        const auto expectShare = [&](double value, double share) {
            const auto below =
                std::count_if(draws.begin(), draws.end(), [value](double d) { return d <= value; });
            NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(below) / n,
                                      share,
                                      4 * std::sqrt(share * (1 - share) / n) + 1e-9,
                                      "share of draws at most " << value);
        };
        for (std::size_t i = 0; i < rows.size(); i++)
        {
            // of rows with one value, the last one tells the share at most that
            if (i + 1 == rows.size() || rows[i + 1].first > rows[i].first)
            {
                expectShare(rows[i].first, rows[i].second);
            }
            if (i > 0 && rows[i].first > rows[i - 1].first)
            {
                expectShare((rows[i].first + rows[i - 1].first) / 2,
                            (rows[i].second + rows[i - 1].second) / 2);
            }
        }
    }

    std::string m_text; //!< rows
};

IWARP_TEST_CASES(iwarpMessageSizes)
{
    suite.AddTestCase(new CdfTest("one uniform", "0,0\n1000,100\n"));
    suite.AddTestCase(new CdfTest("atom at the start", "100,30\n200,100\n"));
    suite.AddTestCase(new CdfTest("step", "size,percent\n0,0\n50,20\n50,70\n80,100\n"));
    suite.AddTestCase(new CdfTest("gap", "0,0\n10,50\n1000,50\n1010,100\n"));
    std::ostringstream storage;
    storage << std::ifstream(iwarp::FindDataFile("alistorage2019")).rdbuf();
    suite.AddTestCase(new CdfTest("alistorage2019", storage.str()));
}

/// A file that is not right is refused with the line and what is wrong with it.
struct MalformedTest : TestCase
{
    using TestCase::TestCase;

    void Expect(const std::string& text, const std::string& part)
    {
        std::istringstream in(text);
        const auto problem = CreateObject<CdfFileRandomVariable>()->Load(in, "sizes.csv");
        NS_TEST_EXPECT_MSG_NE(problem.find(part),
                              std::string::npos,
                              "'" << problem << "' has to name: " << part);
    }
};

IWARP_TEST(iwarpMessageSizes, "Malformed distributions are refused with their line", MalformedTest)
{
    Expect("", "no rows");
    Expect("size,percent\n", "no rows");
    Expect("0,0\n10;100\n", "sizes.csv, line 2: not two numbers");
    Expect("0,0\n# note\n\nten,100\n", "line 4: not two numbers");
    Expect("0,0\n10,50\n5,100\n", "line 3: the value is less");
    Expect("0,0\n10,50\n20,40\n", "line 3: the percentage is less");
    Expect("0,0\n10,101\n", "line 2: the percentage is not between");
    Expect("0,0\n10,nan\n", "line 2");
    Expect("0,0\n10,99\n", "the last percentage is not 100");
    Expect("0,0,0\n10,100\n", "line 1: not two numbers");
}

/// Descriptions of distributions: those that are good, and what is said of those that are not.
struct DescriptionTest : TestCase
{
    using TestCase::TestCase;

    void Refuse(const std::string& text, const std::string& part)
    {
        std::string problem;
        NS_TEST_EXPECT_MSG_EQ(bool(iwarp::MakeDistribution(text, problem)), false, text);
        NS_TEST_EXPECT_MSG_NE(problem.find(part), std::string::npos, "'" << problem << "'");
    }
};

IWARP_TEST(iwarpMessageSizes, "Descriptions of message sizes", DescriptionTest)
{
    std::string problem;
    auto fixed = iwarp::MakeDistribution("fixed:65536", problem);
    NS_TEST_ASSERT_MSG_EQ(problem, "", "fixed");
    NS_TEST_EXPECT_MSG_EQ(iwarp::DrawMessageSize(fixed), 65536, "fixed size");
    auto zero = iwarp::MakeDistribution("0", problem);
    NS_TEST_EXPECT_MSG_EQ(iwarp::DrawMessageSize(zero), 1, "a message has an octet at least");
    auto units = iwarp::MakeDistribution("fixed:1.5 MB", problem);
    NS_TEST_EXPECT_MSG_EQ(!units, true, "a blank is no unit");
    for (const auto& [text, value] :
         std::initializer_list<std::pair<const char*, double>>{{"fixed:10kB", 1e4},
                                                               {"64KiB", 65536},
                                                               {"fixed:1.5MB", 1.5e6},
                                                               {"fixed:7B", 7}})
    {
        units = iwarp::MakeDistribution(text, problem);
        NS_TEST_ASSERT_MSG_EQ(problem, "", text);
        NS_TEST_EXPECT_MSG_EQ(units->GetValue(), value, text);
    }
    units = iwarp::MakeDistribution("fixed:5us", problem, iwarp::Measure::SECONDS);
    NS_TEST_EXPECT_MSG_EQ(units->GetValue(), 5e-6, "a time");
    auto huge = iwarp::MakeDistribution("fixed:1e15", problem);
    NS_TEST_EXPECT_MSG_EQ(iwarp::DrawMessageSize(huge), 0xFFFFFFFF, "RFC 5041 section 5.2");
    auto ns3 = iwarp::MakeDistribution("ns3::UniformRandomVariable[Min=10|Max=11]", problem);
    NS_TEST_ASSERT_MSG_EQ(problem, "", "an ns-3 random variable");
    for (int i = 0; i < 100; i++)
    {
        const double value = ns3->GetValue();
        NS_TEST_EXPECT_MSG_EQ((value >= 10 && value < 11), true, "attributes are set");
    }
    for (const std::string name : {"alistorage2019", "fb-hadoop", "websearch", "googlerpc2008"})
    {
        NS_TEST_EXPECT_MSG_EQ(bool(iwarp::MakeDistribution("cdf:" + name, problem)), true, problem);
    }
    Refuse("", "none of fixed:65536");
    Refuse("fixed:", "a number of 0 or more");
    Refuse("fixed:-1", "a number of 0 or more");
    Refuse("fixed:5us", "a number of 0 or more");
    Refuse("fixed:1XB", "a number of 0 or more");
    Refuse("12k", "a number of 0 or more");
    Refuse("cdf:nothing", "no file 'nothing'; the module's own are");
    Refuse("ns3::Nothing", "no ns-3 random variable");
    Refuse("ns3::Node", "no ns-3 random variable");
    Refuse("ns3::UniformRandomVariable[Min=1", "closing ]");
    Refuse("ns3::UniformRandomVariable[Mean=1]", "which has Min, Max");
    Refuse("ns3::UniformRandomVariable[Min=abc]", "'abc' is not allowed");
    Refuse("ns3::EmpiricalRandomVariable", "from no attribute");
    Refuse("ns3::DeterministicRandomVariable", "from no attribute");
    const auto never =
        iwarp::MakeDistribution("ns3::ConstantRandomVariable[Constant=1e30]", problem);
    NS_TEST_EXPECT_MSG_EQ(iwarp::DrawInterval(never), Seconds(1e9), "ns3::Time holds no more");
}

/// The environment variable IWARP_DATA names a directory that comes before the module's own.
IWARP_TEST(iwarpMessageSizes, "Data files are found")
{
    const std::string own = iwarp::FindDataFile("alistorage2019");
    NS_TEST_EXPECT_MSG_NE(own, "", "the module's own");
    const std::string directory = CreateTempDirFilename("");
    const std::string file = CreateTempDirFilename("alistorage2019.csv");
    std::ofstream(file) << "5,0\n6,100\n";
    setenv("IWARP_DATA", directory.c_str(), 1);
    const std::string other = iwarp::FindDataFile("alistorage2019");
    const std::string missing = iwarp::FindDataFile("websearch.csv");
    unsetenv("IWARP_DATA");
    NS_TEST_EXPECT_MSG_NE(other, own, "IWARP_DATA comes first");
    NS_TEST_EXPECT_MSG_NE(missing, "", "and the module's own after it");
    NS_TEST_EXPECT_MSG_EQ(iwarp::FindDataFile(file), file, "a path is a path");
    NS_TEST_EXPECT_MSG_EQ(iwarp::FindDataFile("no-such-file"), "", "no such file");
}

} // namespace
