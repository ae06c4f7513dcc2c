/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "mpa-tcp-connect-test.h"

#include <cstdint>
#include <string>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(mpaTcpClosing, "mpa-tcp-closing");

/**
 * @ingroup iwarp-test
 * Both sides have closed, and the peer, which has our FIN but not the ACK of its own, sends its
 * last octets and the FIN again (RFC 9293 section 3.10.7.4, first step): they are acknowledged, and
 * the ACK of our FIN ends the connection well, from CLOSING by way of TIME_WAIT.
 */
class AckAgainTest : public ConnectTest
{
  public:
    /// @param first the host closes before the peer: CLOSING, not LAST_ACK
    /// @param size octets in front of the peer's FIN @param fin the peer sends the FIN again, too
    AckAgainTest(bool first, uint32_t size, bool fin)
        : ConnectTest(std::string("last octets that come again in ") +
                      (first ? "CLOSING" : "LAST_ACK") + ", with " + std::to_string(size) +
                      " octets" + (fin ? " and a FIN" : "")),
          m_first(first),
          m_size(size),
          m_fin(fin)
    {
        m_closeWithPeer = !first;
    }

  private:
    void DoRun() override
    {
        Come(MilliSeconds(2), SYN_ACK, 0, 1);
        if (m_first)
        {
            Simulator::Schedule(MilliSeconds(5), [this] { m_socket->Close(); });
        }
        Come(MilliSeconds(8), FIN_ACK, 1, 1, m_size);
        Come(MilliSeconds(20), m_fin ? FIN_ACK : TcpHeader::ACK, 1, 2, m_size);
        Simulator::Schedule(MilliSeconds(30), [this] {
            std::size_t answers = 0; // our FIN may be sent again meanwhile
            for (const auto& segment : m_peer->seen)
            {
                answers += segment.flags == TcpHeader::ACK && segment.at >= MilliSeconds(20) &&
                           segment.ack == ISN + 1 + m_size + 1 && segment.seq == 2;
            }
            NS_TEST_EXPECT_MSG_EQ(answers, 1, "an ACK of the FIN");
            NS_TEST_EXPECT_MSG_EQ(m_end, Time(0), "and nothing else happens");
        });
        Come(MilliSeconds(40), TcpHeader::ACK, 1 + m_size + 1, 2);
        Go();
        NS_TEST_EXPECT_MSG_EQ(m_peer->Count(TcpHeader::RST) + m_peer->Count(RST_ACK),
                              0,
                              "no reset");
        const double end = m_first ? 0 : 0.04; // TIME_WAIT takes 4 minutes
        NS_TEST_EXPECT_MSG_EQ_TOL(m_end.GetSeconds(), end, 1e-3, "the end");
    }

    bool m_first;    //!< the host closes before the peer
    uint32_t m_size; //!< octets in front of the peer's FIN
    bool m_fin;      //!< the peer sends the FIN again
};

IWARP_TEST_CASES(mpaTcpClosing)
{
    for (const bool first : {true, false})
    {
        suite.AddTestCase(new AckAgainTest(first, 0, true));
        suite.AddTestCase(new AckAgainTest(first, 100, true));
        suite.AddTestCase(new AckAgainTest(first, 100, false));
    }
}

} // namespace
