/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "tcp-script-cases.h"
#include "tcp-script.h"

#include "ns3/mpa-tcp-socket-factory.h"
#include "ns3/rfc9293-tcp-socket-factory.h"
#include "ns3/tcp-socket-factory.h"

#include <cstdlib>
#include <iostream>
#include <string>

/**
 * @file
 * @ingroup iwarp-test
 * Rfc9293TcpSocket, and MpaTcpSocket which is one, against scripts of what the RFCs say. With
 * IWARP_TCP_SCRIPTS in the environment, each case is a line of the table in doc/tables instead:
 * TcpSocketBase plays it, too, in a process of its own, which it may end. Behind a tab stands where
 * a socket departs.
 */

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(tcpScript, "tcp-script");

const auto OURS = &Rfc9293TcpSocketFactory::GetTypeId; //!< whose sockets are tested
const auto PLAIN = &TcpSocketFactory::GetTypeId;       //!< and ns-3's own

/// @param text field of a CSV table @return quoted
std::string
QuoteField(std::string text)
{
    for (auto i = text.find('"'); i != std::string::npos; i = text.find('"', i + 2))
    {
        text.insert(i, 1, '"');
    }
    return '"' + text + '"';
}

/// @ingroup iwarp-test
/// A script.
class ScriptTest : public TestCase
{
  public:
    explicit ScriptTest(const TcpScriptCase& script) //!< @param script it
        : TestCase(std::string(script.section) + ": " + script.name),
          m_case(script)
    {
    }

  private:
    void DoRun() override
    {
        if (std::getenv("IWARP_TCP_SCRIPTS") != nullptr)
        {
            const std::string ours = TcpScript::RunApart(OURS(), m_case.script);
            const std::string plain = TcpScript::RunApart(PLAIN(), m_case.script);
            std::cout << "\nSCRIPT " << m_case.section << ',' << QuoteField(m_case.name) << ','
                      << (ours.empty() ? "yes" : "no") << ',' << (plain.empty() ? "yes" : "no")
                      << '\t' << ours << '\t' << plain << std::endl;
            return;
        }
        const bool met = m_case.met == TcpScriptMet::AS_PARENT
                             ? TcpScript(PLAIN()).Run(m_case.script).empty()
                             : m_case.met == TcpScriptMet::YES;
        for (const TypeId& factory : {OURS(), MpaTcpSocketFactory::GetTypeId()})
        {
            const std::string fault = TcpScript(factory).Run(m_case.script);
            NS_TEST_EXPECT_MSG_EQ(fault.empty(), met, factory.GetName() << ": " << fault);
        }
    }

    TcpScriptCase m_case; //!< it
};

/// A script that does not agree fails, and says where: what else would the others be worth?
IWARP_TEST(tcpScript, "a script that does not agree")
{
    for (const std::string step : {"> . 1:1 ack 1",
                                   "write 100\n > . 1:101 ack 2",
                                   "write 100\n > . 1:100 ack 1",
                                   "write 100\n > . 2:101 ack 1",
                                   "write 100\n > F. 1:101 ack 1",
                                   "write 100\n > . 1:101 ack 1 win 5",
                                   "write 100\n > . 1:101 ack 1 sack 1:2",
                                   "write 100\n > . 1:101 ack 1 ts 0:0",
                                   "write 100\n +5 > . 1:101 ack 1",
                                   "write 100\n quiet 1",
                                   "< . 1:1 ack 1 win 0\n write 100\n ends",
                                   "state CLOSED",
                                   "octets 1",
                                   "heard closed",
                                   "unheard accepted",
                                   "nonsense"})
    {
        const std::string fault = TcpScript(OURS()).Run("passive\n" + step);
        NS_TEST_EXPECT_MSG_NE(fault, "", step);
    }
    NS_TEST_EXPECT_MSG_EQ(TcpScript(OURS()).Run("passive\n write 100\n > . 1:101 ack 1"),
                          "",
                          "one that does");
}

IWARP_TEST_CASES(tcpScript)
{
    for (const auto& cases : {GetTcpConnectCases(),
                              GetTcpResetCases(),
                              GetTcpDataCases(),
                              GetTcpLossCases(),
                              GetTcpRackCases(),
                              GetTcpClosingCases()})
    {
        for (const auto& script : cases)
        {
            suite.AddTestCase(new ScriptTest(script));
        }
    }
}

} // namespace
