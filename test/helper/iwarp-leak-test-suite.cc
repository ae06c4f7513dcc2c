/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../ipsec/ipsec-packed.h"
#include "../iwarp-test.h"
#include "iwarp-run-scenario.h"

#include "ns3/path-middlebox.h"

#include <string>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(iwarpLeak, "iwarp-leak");

/// A middlebox that sends a segment in clear beside what passes first.
class LeakyBox : public PathMiddlebox
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::LeakyBox")
                                .SetParent<PathMiddlebox>()
                                .SetGroupName("Iwarp")
                                .AddConstructor<LeakyBox>();
        return tid;
    }

    LeakyBox()
        : m_leaks(--g_until == 0)
    {
    }

    static int g_until; //!< boxes until the one that does so, that included

  private:
    void Pass(Ptr<Packet> packet, uint16_t protocol, PathDirection direction) override
    {
        Forward(packet, protocol, direction);
        if (m_leaks)
        {
            m_leaks = false;
            const Packed clear = Wrap(false, 6, TCP_HEAD);
            Forward(Create<Packet>(clear.data(), static_cast<uint32_t>(clear.size())),
                    protocol,
                    direction);
        }
    }

    bool m_leaks; //!< it is still to do so
};

int LeakyBox::g_until = 0;

NS_OBJECT_ENSURE_REGISTERED(LeakyBox);

/// A run with IPsec whose links show what it is to protect fails, with iWARP as with plain TCP.
struct LeakTest : ScenarioTestCase
{
    /// @param title of the case
    explicit LeakTest(const std::string& title)
        : ScenarioTestCase(title,
                           {{"Ipsec", "transport"},
                            {"Octets", "20000"},
                            {"Middlebox", "ns3::LeakyBox"},
                            {"MiddleboxPlace", "core"}})
    {
    }

    /// @param box that leaks, of the two that a run with plain TCP has, or 0
    /// @return how the run ended
    std::string Run(int box)
    {
        const auto scenario = Make({});
        LeakyBox::g_until = box;
        NS_TEST_EXPECT_MSG_EQ(scenario->Run(), (box == 0), "box " << box);
        NS_TEST_EXPECT_MSG_EQ(scenario->GetCautions().size(), 0, "it is no caution");
        return scenario->GetError();
    }
};

IWARP_TEST(iwarpLeak, "A run that shows protected octets fails", LeakTest)
{
    const std::string leak = "Ipsec: links showed protected octets in clear in ";
    NS_TEST_EXPECT_MSG_EQ(Run(0), "", "without a leak");
    NS_TEST_EXPECT_MSG_EQ(Run(1).rfind(leak, 0), 0, "with iWARP: " << Run(1));
    const std::string plain = Run(2);
    NS_TEST_EXPECT_MSG_EQ(plain.rfind(leak, 0), 0, "with plain TCP: " << plain);
    NS_TEST_EXPECT_MSG_EQ((plain.find("of plain TCP") != std::string::npos), true, "it says so");
}

} // namespace
