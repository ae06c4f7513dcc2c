/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/double.h"
#include "ns3/packet.h"
#include "ns3/path-random-impairment.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <cmath>
#include <map>
#include <set>
#include <vector>

using namespace ns3;

namespace
{

/// The suite
IWARP_TEST_SUITE(pathImpairment, "path-impairment");

/// A receiver behind an impairment; a packet's size is its number.
class Receiver
{
  public:
    explicit Receiver(Ptr<PathRandomImpairment> impairment) //!< @param impairment before it
        : m_impairment(impairment)
    {
        impairment->SetReceiveFunction(MakeCallback(&Receiver::Receive, this));
    }

    /// Send packets 1 to n, one a microsecond, and wait for all. @param n how many
    void Run(uint32_t n)
    {
        for (uint32_t i = 1; i <= n; i++)
        {
            Simulator::Schedule(MicroSeconds(i), &Receiver::Receive, this, Create<Packet>(i));
        }
        Simulator::Run();
        Simulator::Destroy();
    }

    std::vector<std::pair<uint32_t, Time>> m_arrivals; //!< number and time of each packet received

  private:
    void Receive(Ptr<Packet> packet)
    {
        if (!m_impairment->IsCorrupt(packet))
        {
            m_arrivals.emplace_back(packet->GetSize(), Simulator::Now());
        }
    }

    Ptr<PathRandomImpairment> m_impairment; //!< before the receiver
};

/// @param loss probability @param reordering probability @param duplication probability
/// @return an impairment that holds packets for 0 to 20 us
Ptr<PathRandomImpairment>
MakeImpairment(double loss, double reordering, double duplication)
{
    Ptr<PathRandomImpairment> impairment = CreateObject<PathRandomImpairment>();
    impairment->SetAttribute("Loss", DoubleValue(loss));
    impairment->SetAttribute("Reordering", DoubleValue(reordering));
    impairment->SetAttribute("Duplication", DoubleValue(duplication));
    impairment->SetAttribute("HoldTime",
                             StringValue("ns3::UniformRandomVariable[Min=0|Max=20e-6]"));
    impairment->AssignStreams(50);
    return impairment;
}

/**
 * @ingroup iwarp-test
 * What arrives: shares within four standard deviations of the binomial distribution, times within
 * HoldTime, nothing twice but copies.
 */
class LossShareTest : public TestCase
{
  public:
    LossShareTest(double loss, double reordering, double duplication)
        : TestCase("Shares: loss " + std::to_string(loss) + ", reordering " +
                   std::to_string(reordering) + ", duplication " + std::to_string(duplication)),
          m_loss(loss),
          m_reordering(reordering),
          m_duplication(duplication)
    {
    }

  private:
    void ExpectShare(uint64_t count, uint64_t n, double p, const std::string& what)
    {
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(count),
                                  p * n,
                                  4 * std::sqrt(p * (1 - p) * n) + 1e-9,
                                  what);
    }

    void DoRun() override
    {
        const uint32_t n = 20000;
        Receiver receiver(MakeImpairment(m_loss, m_reordering, m_duplication));
        receiver.Run(n);
        std::map<uint32_t, uint32_t> times;
        uint64_t late = 0;
        for (const auto& [number, at] : receiver.m_arrivals)
        {
            times[number]++;
            const Time delay = at - MicroSeconds(number);
            NS_TEST_ASSERT_MSG_EQ((delay >= Time(0) && delay <= MicroSeconds(20)),
                                  true,
                                  "within HoldTime");
            late += !delay.IsZero();
        }
        uint64_t twice = 0;
        for (const auto& [number, count] : times)
        {
            NS_TEST_ASSERT_MSG_LT(count, 3, "at most one copy");
            twice += count == 2;
        }
        ExpectShare(n - times.size(), n, m_loss, "lost");
        ExpectShare(late - twice, n - (n - times.size()), m_reordering, "held back");
        ExpectShare(twice, n, (1 - m_loss) * (1 - m_reordering) * m_duplication, "arrived twice");
    }

    double m_loss;        //!< probability of loss
    double m_reordering;  //!< probability of being held back
    double m_duplication; //!< probability of a copy
};

IWARP_TEST_CASES(pathImpairment)
{
    suite.AddTestCase(new LossShareTest(0, 0, 0));
    suite.AddTestCase(new LossShareTest(0.05, 0, 0));
    suite.AddTestCase(new LossShareTest(0, 0.2, 0));
    suite.AddTestCase(new LossShareTest(0, 0, 0.3));
    suite.AddTestCase(new LossShareTest(0.1, 0.2, 0.3));
    suite.AddTestCase(new LossShareTest(1, 0, 0));
}

/// Which packets are lost does not depend on reordering.
struct IndependenceTest : TestCase
{
    using TestCase::TestCase;

    static std::set<uint32_t> Arrived(Ptr<PathRandomImpairment> impairment)
    {
        Receiver receiver(impairment);
        receiver.Run(2000);
        std::set<uint32_t> numbers;
        for (const auto& arrival : receiver.m_arrivals)
        {
            numbers.insert(arrival.first);
        }
        return numbers;
    }
};

IWARP_TEST(pathImpairment, "Losses do not depend on other impairments", IndependenceTest)
{
    const auto plain = Arrived(MakeImpairment(0.1, 0, 0));
    NS_TEST_EXPECT_MSG_EQ((Arrived(MakeImpairment(0.1, 0.5, 0)) == plain), true, "with reordering");
    NS_TEST_EXPECT_MSG_EQ((Arrived(MakeImpairment(0.1, 0, 0.5)) == plain),
                          true,
                          "with duplication");
    auto impairment = MakeImpairment(1, 0, 0);
    impairment->Disable();
    NS_TEST_EXPECT_MSG_EQ(Arrived(impairment).size(), 2000, "disabled");
}

/// Losses, holds and copies have random numbers of their own: of two that are as likely, the one
/// is first as often as the other, which with numbers in common it never is.
IWARP_TEST(pathImpairment, "Each kind draws for itself")
{
    constexpr int64_t TRIALS = 40;
    std::map<std::string, int> first; // times that one kind comes before the other
    for (int64_t trial = 0; trial < TRIALS; trial++)
    {
        for (const bool lossy : {false, true})
        {
            auto impairment = lossy ? MakeImpairment(0.3, 0.3, 0) : MakeImpairment(0, 0.3, 0.3);
            impairment->AssignStreams(1000 * (trial + 1));
            std::string kinds;
            const auto note = [&kinds](const char* kind) {
                kinds += kinds.empty() ? kind : "";
            };
            using Seen = Callback<void, Ptr<const Packet>>;
            using Late = Callback<void, Ptr<const Packet>, Time>;
            impairment->TraceConnectWithoutContext(
                "LossEvent",
                iwarp::MakeLambdaCallback<Seen>([&](Ptr<const Packet>) { note("lost"); }));
            impairment->TraceConnectWithoutContext(
                "HoldEvent",
                iwarp::MakeLambdaCallback<Late>([&](Ptr<const Packet>, Time) { note("held"); }));
            impairment->TraceConnectWithoutContext(
                "DuplicateEvent",
                iwarp::MakeLambdaCallback<Late>([&](Ptr<const Packet>, Time) { note("copied"); }));
            Receiver receiver(impairment);
            receiver.Run(40);
            first[(lossy ? "loss: " : "copies: ") + kinds]++;
        }
    }
    // a packet is lost with 0.3, held with 0.7 * 0.3: of 40 the first is held 16.5 times, of
    // packets held and copied copied 16.5 times, with a standard deviation of 3.1
    NS_TEST_EXPECT_MSG_EQ_TOL(first["loss: held"], 16.5, 12.4, "held before any is lost");
    NS_TEST_EXPECT_MSG_EQ_TOL(first["copies: copied"], 16.5, 12.4, "copied before any is held");
}

} // namespace
