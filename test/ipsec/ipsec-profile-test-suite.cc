/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "ipsec-run.h"

#include "ns3/esp-format.h"
#include "ns3/ike-keying.h"
#include "ns3/udp-l4-protocol.h"

#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// The profile of IPsec for RDMA.
IWARP_TEST_SUITE(ipsecProfile, "ipsec-profile", TestSuite::Type::SYSTEM);

/**
 * @ingroup iwarp-test
 * What RFC 3723 section 2.3 asks of IPsec under RDMA: ESP in tunnel mode (and, as an option, in
 * transport mode) with HMAC-SHA1, without encryption and with AES in counter mode, keys from IKE,
 * and replay protection that nobody has to ask for: every packet comes twice, and counts once.
 */
class ProfileTest : public TestCase
{
  public:
    /// @param transform of ESP @param place where there is IPsec
    ProfileTest(const std::string& transform, IpsecPlace place)
        : TestCase(transform.substr(0, transform.find('/')) + ", place " +
                   std::to_string(static_cast<int>(place))),
          m_transform(transform),
          m_place(place)
    {
    }

  private:
    void DoRun() override
    {
        IpsecSetup setup;
        setup.transform = m_transform;
        setup.place = m_place;
        setup.keying = CreateObject<IkeKeying>();
        IpsecRun run(setup);
        uint64_t repeated = 0;
        run.box->onPacket = [&](Ptr<Packet> packet, bool forth, const auto& send) {
            uint8_t octets[10] = {};
            packet->CopyData(octets, sizeof(octets));
            send(packet->Copy());
            if (forth && octets[9] == ESP_PROTOCOL)
            {
                send(packet);
                ++repeated;
            }
        };
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all messages, and right");
        uint32_t others = 0;
        for (const auto& datagram : run.crossed)
        {
            others += datagram.protocol != ESP_PROTOCOL &&
                      datagram.protocol != UdpL4Protocol::PROT_NUMBER;
        }
        NS_TEST_EXPECT_MSG_EQ(others, 0, "nothing but ESP and what makes its keys");
        const auto& stack = run.gateways.empty() ? run.hosts[1] : run.gateways[1];
        NS_TEST_EXPECT_MSG_GT(repeated, 140, "packets were repeated");
        NS_TEST_EXPECT_MSG_EQ(stack->GetCounters().GetDropped(IpsecDrop::REPLAYED),
                              repeated,
                              "and dropped, each of them");
        IWARP_COVERS("RDMAP-8.2.2-01 DDP-8.4.2-3 MPA-9.2-01");
    }

    std::string m_transform; //!< of ESP
    IpsecPlace m_place;      //!< where there is IPsec
};

IWARP_TEST_CASES(ipsecProfile)
{
    for (const auto place : {IpsecPlace::TUNNEL, IpsecPlace::GATEWAY, IpsecPlace::TRANSPORT})
    {
        for (const std::string transform : {"null/hmac-sha1-96",
                                            "aes-ctr-128/hmac-sha1-96",
                                            "aes-cbc-128/hmac-sha1-96",
                                            "aes-gcm-16-128"})
        {
            suite.AddTestCase(new ProfileTest(transform, place));
        }
    }
}

} // namespace
