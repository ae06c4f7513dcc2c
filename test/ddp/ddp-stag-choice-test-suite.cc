/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/rdma-device.h"
#include "ns3/rdma-memory.h"
#include "ns3/rdma-protection-domain.h"
#include "ns3/rng-seed-manager.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(ddpStagChoice, "ddp-stag-choice");

constexpr uint32_t READABLE = DDP_ACCESS_REMOTE_READ; //!< right granted

/// Memory of a device of its own.
struct Registrar
{
    /// @param stream random stream of the device
    explicit Registrar(int64_t stream)
        : device(CreateObject<RdmaDevice>())
    {
        device->AssignStreams(stream);
        pd = device->AllocPd();
    }

    ~Registrar()
    {
        device->Dispose();
    }

    /// @param count of regions to register @return their STags
    std::vector<uint32_t> Register(uint32_t count)
    {
        std::vector<uint32_t> stags;
        for (uint32_t i = 0; i < count; i++)
        {
            regions.push_back(pd->RegisterVirtual(64, READABLE));
            stags.push_back(regions.back()->GetRkey());
        }
        return stags;
    }

    Ptr<RdmaDevice> device;                     //!< device
    Ptr<RdmaProtectionDomain> pd;               //!< one of its protection domains
    std::vector<Ptr<RdmaMemoryRegion>> regions; //!< what is registered
};

/// STags are spread over all 32 bits, and one says nothing of the next (RFC 5040 section 8.1.1).
struct StagSpreadTest : TestCase
{
    using TestCase::TestCase;

    static constexpr uint32_t COUNT = 25600; //!< STags drawn

    /// @param stag STag @return its place in the range of STags, -0.5 to 0.5
    static double Centred(uint32_t stag)
    {
        return stag / 4294967296. - 0.5;
    }

    /// Chi-square of an octet of STags: 255 degrees of freedom, which 147 and 389 leave out in one
    /// case of a million on either side. @param stags all @param shift of the octet
    void ExpectEven(const std::vector<uint32_t>& stags, uint32_t shift)
    {
        std::array<uint32_t, 256> counts{};
        for (const uint32_t stag : stags)
        {
            counts[stag >> shift & 0xFF]++;
        }
        const double expected = COUNT / 256.;
        double square = 0;
        for (const uint32_t count : counts)
        {
            square += (count - expected) * (count - expected) / expected;
        }
        NS_TEST_EXPECT_MSG_LT(square, 389, "octet at " << shift);
        NS_TEST_EXPECT_MSG_GT(square, 147, "octet at " << shift << ", as if counted");
    }
};

IWARP_TEST(ddpStagChoice,
           "STags are spread evenly, and the next does not follow from the last",
           StagSpreadTest)
{
    Registrar registrar(1);
    const std::vector<uint32_t> stags = registrar.Register(COUNT);
    const std::set<uint32_t> different(stags.begin(), stags.end());
    NS_TEST_EXPECT_MSG_EQ(different.size(), COUNT, "no two are the same");
    NS_TEST_EXPECT_MSG_EQ(different.count(0), 0, "none is 0");
    for (uint32_t shift = 0; shift < 32; shift += 8)
    {
        ExpectEven(stags, shift);
    }

    // of n pairs without a tie the coefficient of correlation is normal, of deviation 1/sqrt(n)
    double sum = 0;
    std::set<uint32_t> steps;
    std::set<uint32_t> changes;
    for (uint32_t i = 1; i < COUNT; i++)
    {
        sum += Centred(stags[i - 1]) * Centred(stags[i]);
        steps.insert(stags[i] - stags[i - 1]);
        changes.insert(stags[i] ^ stags[i - 1]);
    }
    NS_TEST_EXPECT_MSG_LT(std::abs(12 * sum / COUNT), 4 / std::sqrt(COUNT), "correlation");
    // of 25600 drawn from 2^32, 0.08 meet another
    NS_TEST_EXPECT_MSG_GT(steps.size(), COUNT - 5, "no step comes again");
    NS_TEST_EXPECT_MSG_GT(changes.size(), COUNT - 5, "no change of bits does");
    IWARP_COVERS("RDMAP-8.1.1-08");
}

/// An STag taken back, or of a window bound anew, does not come again, nor show what comes next.
IWARP_TEST(ddpStagChoice, "STags taken back do not come again")
{
    Registrar registrar(2);
    std::set<uint32_t> regions;
    for (uint32_t i = 0; i < 1000; i++)
    {
        regions.insert(registrar.Register(1).back());
        NS_TEST_EXPECT_MSG_EQ(registrar.regions.back()->Deregister(), 0, "taken back");
    }
    NS_TEST_EXPECT_MSG_EQ(regions.size(), 1000, "of regions");

    const uint32_t access = DDP_ACCESS_LOCAL_WRITE | DDP_ACCESS_MW_BIND | READABLE;
    const auto region = registrar.pd->RegisterVirtual(64, access);
    const auto window = registrar.pd->AllocMw();
    std::set<uint32_t> windows;
    uint32_t bits = 0;
    uint32_t last = 0;
    for (uint32_t i = 0; i < 1000; i++)
    {
        NS_TEST_EXPECT_MSG_EQ(window->Bind(region, 0, 64, READABLE, 0), 0, "bound");
        windows.insert(window->GetRkey());
        bits |= window->GetRkey() ^ last;
        last = window->GetRkey();
    }
    NS_TEST_EXPECT_MSG_EQ(windows.size(), 1000, "of windows");
    NS_TEST_EXPECT_MSG_EQ(bits, 0xFFFFFFFF, "which change in every bit");
    NS_TEST_EXPECT_MSG_EQ(registrar.device->GetTable().GetSize(), 2, "two are left");
    window->Deallocate();
}

/// STags depend on the device's random stream and on the seed, on nothing else.
struct StagStreamTest : TestCase
{
    using TestCase::TestCase;

    /// @param a STags @param b others @param what says why
    void ExpectOthers(const std::vector<uint32_t>& a,
                      const std::vector<uint32_t>& b,
                      const char* what)
    {
        std::set<uint32_t> all(a.begin(), a.end());
        all.insert(b.begin(), b.end());
        NS_TEST_EXPECT_MSG_EQ(all.size(), a.size() + b.size(), what);
    }
};

IWARP_TEST(ddpStagChoice, "STags are those of the device's stream and of the seed", StagStreamTest)
{
    NS_TEST_EXPECT_MSG_EQ(CreateObject<RdmaDevice>()->AssignStreams(7), 1, "one stream");
    const std::vector<uint32_t> first = Registrar(7).Register(100);
    NS_TEST_EXPECT_MSG_EQ((Registrar(7).Register(100) == first), true, "the same again");
    ExpectOthers(first, Registrar(8).Register(100), "of another device");
    const uint32_t seed = RngSeedManager::GetSeed();
    RngSeedManager::SetSeed(seed + 1);
    ExpectOthers(first, Registrar(7).Register(100), "with another seed");
    RngSeedManager::SetSeed(seed);
}

} // namespace
