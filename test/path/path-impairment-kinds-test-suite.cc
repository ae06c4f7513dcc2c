/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../helper/iwarp-run-scenario.h"
#include "../iwarp-test.h"

#include "ns3/double.h"
#include "ns3/object-factory.h"
#include "ns3/path-gilbert-elliott-impairment.h"
#include "ns3/path-jitter-impairment.h"
#include "ns3/path-outage-impairment.h"
#include "ns3/pointer.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(pathImpairmentKinds, "path-impairment-kinds");

/**
 * @ingroup iwarp-test
 * Gilbert and Elliott: the share lost, and the lengths of bursts.
 */
class BurstLossTest : public TestCase
{
  public:
    /// @param p from good to bad @param r from bad to good @param good loss there @param bad loss
    BurstLossTest(double p, double r, double good, double bad)
        : TestCase("Burst loss, p " + std::to_string(p) + ", r " + std::to_string(r)),
          m_p(p),
          m_r(r),
          m_good(good),
          m_bad(bad)
    {
    }

  private:
    void DoRun() override
    {
        auto impairment = CreateObject<PathGilbertElliottImpairment>();
        for (const auto& [name, value] : {std::pair{"GoodToBad", m_p},
                                          {"BadToGood", m_r},
                                          {"GoodLoss", m_good},
                                          {"BadLoss", m_bad}})
        {
            impairment->SetAttribute(name, DoubleValue(value));
        }
        NS_TEST_EXPECT_MSG_EQ(impairment->AssignStreams(70), 2, "streams");
        const uint32_t n = 100000;
        Ptr<Packet> packet = Create<Packet>(100);
        uint32_t lost = 0;
        uint32_t run = 0;
        std::map<uint32_t, uint32_t> bursts; // by length
        for (uint32_t i = 0; i < n; i++)
        {
            const bool gone = impairment->IsCorrupt(packet);
            lost += gone;
            run = gone ? run + 1 : (bursts[run]++, 0);
        }
        const double bad = m_p / (m_p + m_r);
        const double share = (1 - bad) * m_good + bad * m_bad;
        // states of packets k apart correlate by (1 - p - r)^k
        const double memory = 1 - m_p - m_r;
        const double spread =
            std::sqrt(n * (share * (1 - share) + 2 * bad * (1 - bad) * std::pow(m_bad - m_good, 2) *
                                                     memory / (1 - memory)));
        NS_TEST_EXPECT_MSG_EQ_TOL(lost, share * n, 4 * spread + 1e-9, "share lost");
        if (m_good == 0 && m_bad == 1)
        {
            bursts.erase(0);
            double count = 0;
            for (const auto& burst : bursts)
            {
                count += burst.second;
            }
            NS_TEST_EXPECT_MSG_EQ_TOL(count, bad * m_r * n, 5 * std::sqrt(count), "bursts");
            for (uint32_t length = 1; length <= 4; length++)
            { // geometric
                const double expected = count * m_r * std::pow(1 - m_r, length - 1);
                NS_TEST_EXPECT_MSG_EQ_TOL(bursts[length],
                                          expected,
                                          4 * std::sqrt(expected) + 1e-9,
                                          "bursts of " << length);
            }
        }
    }

    double m_p;    //!< from good to bad
    double m_r;    //!< from bad to good
    double m_good; //!< loss in the good state
    double m_bad;  //!< loss in the bad state
};

IWARP_TEST_CASES(pathImpairmentKinds)
{
    suite.AddTestCase(new BurstLossTest(0.01, 0.25, 0, 1));
    suite.AddTestCase(new BurstLossTest(0.02, 0.5, 0, 1));
    suite.AddTestCase(new BurstLossTest(0.05, 0.2, 0.01, 0.5));
    suite.AddTestCase(new BurstLossTest(0, 0.5, 0.01, 1));
}

/// @brief The random variables that an impairment has as attributes draw from streams of their own,
/// which are among those it says it uses.
IWARP_TEST(pathImpairmentKinds, "Streams of random numbers")
{
    uint32_t variables = 0;
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); i++)
    {
        const TypeId type = TypeId::GetRegistered(i);
        if (!type.IsChildOf(PathImpairment::GetTypeId()) || !type.HasConstructor() ||
            type.GetGroupName() != "Iwarp")
        {
            continue;
        }
        ObjectFactory factory;
        factory.SetTypeId(type);
        const auto impairment = factory.Create<PathImpairment>();
        const int64_t used = impairment->AssignStreams(70);
        std::set<int64_t> streams;
        uint32_t here = 0;
        for (std::size_t j = 0; j < type.GetAttributeN(); j++)
        {
            const auto attribute = type.GetAttribute(j);
            PointerValue value;
            if (attribute.checker->GetValueTypeName() != "ns3::PointerValue")
            {
                continue;
            }
            impairment->GetAttribute(attribute.name, value);
            if (const auto variable = value.Get<RandomVariableStream>())
            {
                const int64_t stream = variable->GetStream();
                NS_TEST_EXPECT_MSG_EQ((stream >= 70 && stream < 70 + used),
                                      true,
                                      type.GetName() << ": " << attribute.name << ", " << stream);
                streams.insert(stream);
                here++;
            }
        }
        NS_TEST_EXPECT_MSG_EQ(streams.size(), here, type.GetName() << ": one each");
        variables += here;
    }
    NS_TEST_EXPECT_MSG_GT(variables, 3, "there are such");
}

/// What arrives behind an impairment; a packet's size is its number.
class Line
{
  public:
    explicit Line(Ptr<PathImpairment> impairment) //!< @param impairment before it
        : m_impairment(impairment)
    {
        impairment->SetReceiveFunction(MakeCallback(&Line::Receive, this));
        impairment->AssignStreams(90);
    }

    /// Send packets 1 to n and wait. @param n how many @param gap between two
    void Run(uint32_t n, Time gap)
    {
        for (uint32_t i = 1; i <= n; i++)
        {
            Simulator::Schedule(i * gap, &Line::Receive, this, Create<Packet>(i));
        }
        Simulator::Run();
        Simulator::Destroy();
    }

    std::vector<std::pair<uint32_t, Time>> m_arrivals; //!< number and time of each

  private:
    void Receive(Ptr<Packet> packet)
    {
        if (!m_impairment->IsCorrupt(packet))
        {
            m_arrivals.emplace_back(packet->GetSize(), Simulator::Now());
        }
    }

    Ptr<PathImpairment> m_impairment; //!< before the receiver
};

/// Jitter: constant times shift, uniform ones of 0 to 4 gaps have (1 - 1/4)^2 / 2 of the pairs
/// swap.
struct JitterTest : TestCase
{
    using TestCase::TestCase;

    static Ptr<PathImpairment> Make(const std::string& delay)
    {
        auto impairment = CreateObject<PathJitterImpairment>();
        impairment->SetAttribute("Delay", StringValue(delay));
        return impairment;
    }
};

IWARP_TEST(pathImpairmentKinds, "Jitter", JitterTest)
{
    Line constant(Make("ns3::ConstantRandomVariable[Constant=0.001]"));
    constant.Run(50, MicroSeconds(10));
    for (uint32_t i = 0; i < 50; i++)
    {
        NS_TEST_EXPECT_MSG_EQ(constant.m_arrivals.at(i).first, i + 1, "in order");
        NS_TEST_EXPECT_MSG_EQ(constant.m_arrivals.at(i).second,
                              (i + 1) * MicroSeconds(10) + MilliSeconds(1),
                              "by 1 ms");
    }
    const uint32_t n = 8000;
    Line uniform(Make("ns3::UniformRandomVariable[Min=0|Max=40e-6]"));
    uniform.Run(n, MicroSeconds(10));
    NS_TEST_ASSERT_MSG_EQ(uniform.m_arrivals.size(), n, "none is lost");
    std::vector<Time> at(n + 1);
    for (const auto& [number, time] : uniform.m_arrivals)
    {
        at[number] = time;
        const Time delay = time - number * MicroSeconds(10);
        NS_TEST_ASSERT_MSG_EQ((delay >= Time(0) && delay <= MicroSeconds(40)), true, "bounds");
    }
    double swapped = 0;
    for (uint32_t i = 1; i < n; i++)
    {
        swapped += at[i] > at[i + 1];
    }
    const double share = 0.75 * 0.75 / 2;
    NS_TEST_EXPECT_MSG_EQ_TOL(swapped, share * n, 4 * std::sqrt(share * n), "swapped");
    Line none(CreateObject<PathJitterImpairment>());
    none.Run(3, MicroSeconds(1));
    NS_TEST_EXPECT_MSG_EQ(none.m_arrivals.back().second, MicroSeconds(3), "by default none");
}

/// Outages: constant times to the packet, exponential ones by their share.
struct OutageTest : TestCase
{
    using TestCase::TestCase;

    static Ptr<PathImpairment> Make(const std::string& up, const std::string& down)
    {
        auto impairment = CreateObject<PathOutageImpairment>();
        impairment->SetAttribute("UpTime", StringValue(up));
        impairment->SetAttribute("DownTime", StringValue(down));
        return impairment;
    }
};

IWARP_TEST(pathImpairmentKinds, "Outages", OutageTest)
{
    // up for 35 us and down for 20: packets 35 to 54, 90 to 109 are lost
    Line constant(Make("ns3::ConstantRandomVariable[Constant=35e-6]",
                       "ns3::ConstantRandomVariable[Constant=20e-6]"));
    constant.Run(130, MicroSeconds(1));
    std::vector<uint32_t> expected;
    for (uint32_t i = 1; i <= 130; i++)
    {
        if (i % 55 < 35)
        {
            expected.push_back(i);
        }
    }
    std::vector<uint32_t> numbers;
    for (const auto& arrival : constant.m_arrivals)
    {
        numbers.push_back(arrival.first);
    }
    NS_TEST_EXPECT_MSG_EQ((numbers == expected), true, "those that find it up");

    const uint32_t n = 40000;
    Line random(Make("ns3::ExponentialRandomVariable[Mean=30e-6]",
                     "ns3::ExponentialRandomVariable[Mean=10e-6]"));
    random.Run(n, MicroSeconds(1));
    // n / 40 cycles, whose times up and down spread by their means
    const double spread = std::sqrt(n / 40.0) * std::hypot(0.75 * 10, 0.25 * 30);
    NS_TEST_EXPECT_MSG_EQ_TOL(random.m_arrivals.size(), 0.75 * n, 4 * spread, "share up");
}

/// The first packet finds the states with the shares of the long run, p / (p + r) of it bad.
IWARP_TEST(pathImpairmentKinds, "Gilbert and Elliott from the first packet on")
{
    constexpr uint32_t LINKS = 2000;
    uint32_t lost = 0;
    for (uint32_t i = 0; i < LINKS; i++)
    {
        auto impairment = CreateObject<PathGilbertElliottImpairment>();
        impairment->SetAttribute("GoodToBad", DoubleValue(0.01));
        impairment->SetAttribute("BadToGood", DoubleValue(0.03));
        impairment->SetAttribute("BadLoss", DoubleValue(1));
        impairment->AssignStreams(2 * i);
        lost += impairment->IsCorrupt(Create<Packet>(100)) ? 1 : 0;
    }
    // binomial with 1/4, within four standard deviations
    NS_TEST_EXPECT_MSG_EQ_TOL(lost, LINKS / 4.0, 4 * std::sqrt(LINKS * 3 / 16.0), "bad at first");
}

IWARP_TEST(pathImpairmentKinds, "Outages between two packets", OutageTest)
{
    // up for 35 us and down for 20, again and again, whether packets come or not
    for (const auto& [at, up] : std::map<uint32_t, bool>{{34, true},
                                                         {35, false},
                                                         {54, false},
                                                         {55, true},
                                                         {80, true},
                                                         {100, false},
                                                         {120, true},
                                                         {150, false}})
    {
        Line sparse(Make("ns3::ConstantRandomVariable[Constant=35e-6]",
                         "ns3::ConstantRandomVariable[Constant=20e-6]"));
        sparse.Run(1, MicroSeconds(at));
        NS_TEST_EXPECT_MSG_EQ(sparse.m_arrivals.size(), (up ? 1 : 0), "at " << at << " us");
    }
}

/**
 * In a scenario: errors that TCP does not see end the stream by its CRC, those that it sees are
 * losses; several impairments in a row; names that are none.
 */
struct ScenarioImpairmentTest : ScenarioTestCase
{
    /// @param title of the case
    explicit ScenarioImpairmentTest(const std::string& title)
        : ScenarioTestCase(title,
                           {{"Octets", "400000"},
                            {"PlainTcp", "false"},
                            {"MinRto", "10ms"},
                            {"DelayedAck", "1ms"}})
    {
    }
};

IWARP_TEST(pathImpairmentKinds, "Impairments of a scenario", ScenarioImpairmentTest)
{
    for (const std::string backed : {"false", "true"})
    {
        for (const std::string workload : {"mpa", "rdma-write"})
        {
            ScenarioSettings settings{{"Impairment", "bit-error"},
                                      {"PathBitErrorImpairment.Rate", "1e-6"},
                                      {"Backed", backed},
                                      {"Workload", workload}};
            const std::string what = workload + ", backed " + backed;
            auto spoilt = Make(settings);
            NS_TEST_EXPECT_MSG_EQ(spoilt->Run(), false, what);
            if (workload == "mpa")
            {
                NS_TEST_EXPECT_MSG_NE(spoilt->GetError().find("CRC"),
                                      std::string::npos,
                                      what << ": " << spoilt->GetError());
            }
            settings["PathBitErrorImpairment.Detected"] = "true";
            NS_TEST_EXPECT_MSG_GT(RunScenario(settings)["retransmitted_octets"], 0, what);
        }
    }
    // jitter alone reorders and loses nothing; behind losses both happen
    ScenarioSettings settings{
        {"Impairment", "jitter"},
        {"PathJitterImpairment.Delay", "ns3::UniformRandomVariable[Min=0|Max=20e-6]"},
        {"Backed", "true"}};
    auto jitter = RunScenario(settings);
    settings["Impairment"] = "gilbert-elliott+jitter+outage";
    settings["PathGilbertElliottImpairment.GoodToBad"] = "0.005";
    NS_TEST_EXPECT_MSG_GT(RunScenario(settings)["duration"],
                          jitter["duration"],
                          "losses cost time");

    Ptr<IwarpScenario> scenario = CreateObject<IwarpScenario>();
    for (const std::string name : {"jitters", "jitter+", "+", "jitter+none"})
    {
        const std::string problem = scenario->SetParameter("Impairment", name);
        NS_TEST_EXPECT_MSG_EQ(problem.find("Impairment: there is no '"), 0, problem);
    }
    IwarpParameter parameter;
    IwarpScenario::FindParameter("Impairment", parameter);
    for (const std::string name : {"bit-error", "gilbert-elliott", "jitter", "outage"})
    {
        NS_TEST_EXPECT_MSG_NE(parameter.help.find(name), std::string::npos, parameter.help);
    }
}

} // namespace
