/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../mpa/mpa-stream-fixture.h"
#include "../rdmap/rdmap-capture.h"

#include "ns3/address.h"
#include "ns3/boolean.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ipv4-address.h"
#include "ns3/mpa-bulk-sender.h"
#include "ns3/mpa-sink.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-header.h"
#include "ns3/uinteger.h"

#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// Suite of the protocol version that applications without DDP write.
IWARP_TEST_SUITE(mpaAppVersion, "mpa-app-version");

/// A message of four zero octets behind a Marker, by hand: Marker, length, the header of an RDMA
/// Write (STag and TO 0) with DV and RV 0 or 1, payload. The CRC comes behind it.
const char* const APP_V0M = "00000000 0012 C000 00000000 0000000000000000 00000000";
const char* const APP_V1M = "00000000 0012 C140 00000000 0000000000000000 00000000";
/// An empty message, which a sink that is the Initiator sends first.
const char* const FIRST_V0M = "00000000 000E C000 00000000 0000000000000000";
const char* const FIRST_V1M = "00000000 000E C140 00000000 0000000000000000";

/**
 * @ingroup iwarp-test
 * MpaBulkSender and MpaSink write and read the protocol version that startup has settled.
 */
class MpaAppVersionTest : public TestCase
{
  public:
    /// @param sender its personality @param sink its @param initiator the sink is the Initiator
    /// @param message octets that the sender sends behind its frame @param first octets that the
    /// sink sends behind its
    MpaAppVersionTest(const char* sender,
                      const char* sink,
                      bool initiator,
                      const char* message,
                      const char* first)
        : TestCase(std::string(sender) + " to " + sink + (initiator ? ", which starts MPA" : "")),
          m_personalities{sender, sink},
          m_initiator(initiator),
          m_expected{message, first}
    {
    }

  private:
    /// Octets that a socket sends.
    struct Sent
    {
        std::vector<uint8_t> octets; //!< all of them

        /// @param packet payload of a segment
        void Note(Ptr<const Packet> packet, const TcpHeader&, Ptr<const TcpSocketBase>)
        {
            const auto before = octets.size();
            octets.resize(before + packet->GetSize());
            packet->CopyData(octets.data() + before, packet->GetSize());
        }

        void Follow(Ptr<MpaStream> stream) //!< @param stream whose socket it is
        {
            stream->GetSocket()->TraceConnectWithoutContext("Tx", MakeCallback(&Sent::Note, this));
        }
    };

    void DoRun() override
    {
        MpaLinkedHosts hosts;
        auto sender = CreateObject<MpaBulkSender>();
        auto sink = CreateObject<MpaSink>();
        hosts.GetNode(0)->AddApplication(sender);
        hosts.GetNode(1)->AddApplication(sink);
        sender->SetAttribute("Remote", AddressValue(InetSocketAddress(Ipv4Address("10.0.0.2"), 9)));
        sender->SetAttribute("MaxMessages", UintegerValue(1));
        sender->SetMessageSizes("fixed:4");
        sink->SetAttribute("Local", AddressValue(InetSocketAddress(Ipv4Address::GetAny(), 9)));
        sender->SetAttribute("Initiator", BooleanValue(!m_initiator));
        sink->SetAttribute("Initiator", BooleanValue(m_initiator));
        sender->SetStreamAttribute("Personality", StringValue(m_personalities[0]));
        sink->SetStreamAttribute("Personality", StringValue(m_personalities[1]));
        Sent sent[2];
        sender->TraceConnectWithoutContext("StreamCreated", MakeCallback(&Sent::Follow, &sent[0]));
        sink->TraceConnectWithoutContext("StreamCreated", MakeCallback(&Sent::Follow, &sent[1]));
        sink->SetStartTime(MilliSeconds(1));
        sender->SetStartTime(MilliSeconds(10));
        Simulator::Stop(Seconds(5));
        Simulator::Run();
        for (const uint32_t end : {0U, 1U})
        {
            const auto expected = Hex(m_expected[end]);
            const auto& octets = sent[end].octets;
            const bool whole = octets.size() >= 20 + expected.size();
            NS_TEST_ASSERT_MSG_EQ(whole, true, "behind a frame of 20 octets");
            const std::vector<uint8_t> behind(octets.begin() + 20,
                                              octets.begin() + 20 + expected.size());
            NS_TEST_EXPECT_MSG_EQ((behind == expected), true, (end ? "the sink" : "the sender"));
        }
        NS_TEST_EXPECT_MSG_EQ(sender->GetError(), "", "sent");
        NS_TEST_EXPECT_MSG_EQ(sink->GetMessages(), 1, "read");
        Simulator::Destroy();
    }

    std::string m_personalities[2]; //!< of sender and sink
    bool m_initiator;               //!< the sink is the Initiator
    std::string m_expected[2];      //!< octets that sender and sink send behind their frames
};

IWARP_TEST_CASES(mpaAppVersion)
{
    for (const bool initiator : {false, true})
    {
        const char* first0 = initiator ? FIRST_V0M : "";
        const char* first1 = initiator ? FIRST_V1M : "";
        suite.AddTestCase(new MpaAppVersionTest("Rdmac", "Rdmac", initiator, APP_V0M, first0));
        suite.AddTestCase(new MpaAppVersionTest("Rdmac", "Permissive", initiator, APP_V0M, first0));
        suite.AddTestCase(new MpaAppVersionTest("Permissive", "Rdmac", initiator, APP_V0M, first0));
        suite.AddTestCase(new MpaAppVersionTest("Ietf", "Ietf", initiator, APP_V1M, first1));
    }
}

} // namespace
