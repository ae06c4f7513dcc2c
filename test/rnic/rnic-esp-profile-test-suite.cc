/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rnic-esp-test-util.h"

#include "ns3/ike-processor.h"
#include "ns3/rnic-esp-profile.h"

#include <map>
#include <string>

using namespace ns3;
using namespace rnictest;

/// Suite "rnic-esp-profile".
IWARP_TEST_SUITE(rnicEspProfile, "rnic-esp-profile");

/// Profiles fit receivers, and say where each figure is from.
IWARP_TEST(rnicEspProfile,
           "profiles of ESP can be applied, and their rates are those of their sources")
{
    for (const auto& name : RnicEspProfile::GetNames())
    {
        NS_TEST_EXPECT_MSG_EQ(RnicEspProfile::Has(name), true, name);
        auto design =
            RnicEspProfile::GetPlace(name) == EspPlace::SOFTWARE ? MakeSoftware() : RnicDesign();
        NS_TEST_EXPECT_MSG_EQ(RnicEspProfile::Apply(name, design), "", name);
        NS_TEST_EXPECT_MSG_EQ(design.Make()->Check(), "", name);
        for (const auto& figure : RnicEspProfile::Get(name))
        {
            NS_TEST_EXPECT_MSG_EQ(figure.source.empty(), false, name << " " << figure.path);
        }
    }
    NS_TEST_EXPECT_MSG_EQ(RnicEspProfile::Has("none"), false, "none");
    // cycles at 3 GHz: X25519 134236 and 118455, Ed25519 125875 and 410016
    std::map<std::string, Time> times;
    for (const auto& figure : RnicEspProfile::GetKeyExchange())
    {
        times[figure.path] = Time(figure.value);
    }
    const double power = times["exponentiation"].GetSeconds();
    const double signature = times["signature"].GetSeconds();
    NS_TEST_EXPECT_MSG_EQ_TOL(power, (134236 + 118455) / 2 / 3e9, 1e-7, "exponentiation");
    NS_TEST_EXPECT_MSG_EQ_TOL(signature, (125875 + 410016) / 2 / 3e9, 1e-7, "signature");
    // a storm: 10,000 pairs replaced at once, with forward secrecy, by who answers
    IkeProcessor processor;
    const Time work = times["exponentiation"] * int64_t{2} + times["handling"] * int64_t{2};
    Time last;
    for (uint32_t i = 0; i < 10000; ++i)
    {
        last = processor.Compute(work, Seconds(1));
    }
    NS_TEST_EXPECT_MSG_EQ(last, Seconds(1) + work * int64_t{10000}, "one behind the other");
    // cycles an octet at 3 GHz: 0.64 of AES-GCM, 4.4 of AES-CBC
    auto design = MakeSoftware();
    RnicEspProfile::Apply("aesni-like", design);
    auto octets = [&design](const char* transform) {
        const auto path = StartPath(MakeDesign("TxEsp.TimePerPacket=0ns", design));
        RnicConnectionState connection;
        const auto work = MakeWork(1, transform);
        return TransmitProtected(*path, 0, connection, work).time / double(work.ciphered);
    };
    NS_TEST_EXPECT_MSG_EQ_TOL(octets("aes-gcm-16-128"), 640.0 / 3, 1, "AES-GCM");
    NS_TEST_EXPECT_MSG_EQ_TOL(octets("aes-cbc-128/none"), 4400.0 / 3, 3, "AES-CBC");
}
