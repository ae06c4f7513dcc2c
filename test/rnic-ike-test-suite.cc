/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-test-util.h"

#include "ns3/ns3-compat.h"
#include "ns3/rnic-ike-computer.h"
#include "ns3/test.h"

#include <string>
#include <vector>

using namespace ns3;
using namespace rnictest;

/// Key exchange on CPUs: a storm of rekeying takes exchanges over CPUs.
class RnicIkeStorm : public TestCase
{
  public:
    RnicIkeStorm()
        : TestCase("10,000 exchanges at once are computed in n t over c")
    {
    }

  private:
    void DoRun() override
    {
        // RFC 7296: a pair and a secret for IKE_SA_INIT, a signature made and one checked for
        // IKE_AUTH, keys only for CREATE_CHILD_SA unless forward secrecy is wanted
        const std::string times = "KeyPairTime=40us SharedSecretTime=35us SignTime=50us "
                                  "VerifyTime=130us DeriveTime=5us";

        struct Case
        {
            IkeComputation computation; //!< of an exchange
            Time work;                  //!< by hand
        };

        for (const auto& [computation, work] :
             std::vector<Case>{{IkeComputation::Init(), MicroSeconds(40 + 35 + 5)},
                               {IkeComputation::Authenticate(), MicroSeconds(50 + 130 + 5)},
                               {IkeComputation::CreateChild(false), MicroSeconds(5)},
                               {IkeComputation::CreateChild(true), MicroSeconds(5 + 40 + 35)}})
        {
            for (uint32_t cores : {1U, 8U})
            {
                const auto computer =
                    CreatePart<RnicIkeComputer>(times + " Cores=" + std::to_string(cores));
                NS_TEST_EXPECT_MSG_EQ(computer->GetWork(computation), work, "of one");
                Time last;
                for (uint32_t i = 0; i < 10000; ++i)
                {
                    last = computer->Compute(computation);
                }
                NS_TEST_EXPECT_MSG_EQ(last, 10000 / cores * work, cores << " CPUs");
            }
        }
        const auto ideal = CreateObject<RnicIkeComputer>();
        NS_TEST_EXPECT_MSG_EQ(ideal->Compute(IkeComputation::Init()), Time(0), "no time");
        // the figures listed can be set
        for (const auto& figure : RnicIkeComputer::GetFigures())
        {
            NS_TEST_EXPECT_MSG_EQ(
                ideal->SetAttributeFailSafe(figure.path, StringValue(figure.value)),
                true,
                figure.path);
            NS_TEST_EXPECT_MSG_EQ(figure.source.empty(), false, figure.path);
        }
    }
};

/// Suite "rnic-ike".
class RnicIkeTestSuite : public TestSuite
{
  public:
    RnicIkeTestSuite()
        : TestSuite("rnic-ike")
    {
        AddTestCase(new RnicIkeStorm, IWARP_TEST_QUICK);
    }
};

static RnicIkeTestSuite g_rnicIkeTestSuite; //!< registers the suite
