/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../random-seed.h"
#include "record-stream-pair.h"

#include "ns3/error-model.h"
#include "ns3/pointer.h"
#include "ns3/record-chain.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;
using namespace recordtest;

namespace
{

IWARP_TEST_SUITE(recordStream, "record-stream");

} // namespace

/// @brief However octets are cut, the same records are found.
IWARP_TEST(recordStream, "any cut of a stream shows the same records")
{
    const std::vector<uint32_t> sizes{0, 1, 5000, 0, 700, 3};
    const auto octets = MakeRecords(sizes);
    std::mt19937 rng(RandomSeed(1));
    for (uint32_t trial = 0; trial < 500; trial++)
    {
        RecordChain chain(g_tagged, 1000);
        std::vector<std::pair<uint64_t, uint32_t>> found;
        uint32_t at = 0;
        while (at < octets.size())
        {
            const uint32_t most = trial % 2 == 0 ? 4 : 3000; // within heads, and through several
            const uint32_t size = std::min<uint32_t>(1 + rng() % most, octets.size() - at);
            const bool good = chain.Follow(
                size,
                [&](uint32_t from, uint32_t n, uint8_t* to) {
                    NS_TEST_ASSERT_MSG_LT_OR_EQ(from + n, size, "asks for what there is");
                    std::memcpy(to, octets.data() + at + from, n);
                },
                [&](const RecordChain::Record& record) {
                    found.emplace_back(record.start, record.head.payload);
                });
            NS_TEST_ASSERT_MSG_EQ(good, true, "no record is broken");
            at += size;
            NS_TEST_ASSERT_MSG_EQ(chain.GetPosition(), 1000 + at, "all octets are followed");
        }
        NS_TEST_ASSERT_MSG_EQ(found.size(), sizes.size(), "each record once");
        uint64_t start = 1000;
        for (std::size_t i = 0; i < sizes.size(); i++)
        {
            NS_TEST_ASSERT_MSG_EQ(found[i].first, start, "where it begins");
            NS_TEST_ASSERT_MSG_EQ(found[i].second, sizes[i], "what it holds");
            start += TaggedFraming::HEAD + sizes[i] + TaggedFraming::TAIL;
        }
        NS_TEST_ASSERT_MSG_EQ(chain.IsAtBoundary(), true, "behind the last one");
    }
}

/// @brief What is no record ends the chain.
IWARP_TEST(recordStream, "a chain breaks where no record begins")
{
    auto octets = MakeRecords({10, 20});
    octets[TaggedFraming::HEAD + 10 + TaggedFraming::TAIL] = 'X';
    RecordChain chain(g_tagged);
    uint32_t found = 0;
    const auto follow = [&](uint32_t from, uint32_t size) {
        return chain.Follow(
            size,
            [&](uint32_t at, uint32_t n, uint8_t* to) {
                std::memcpy(to, octets.data() + from + at, n);
            },
            [&found](const RecordChain::Record&) { found++; });
    };
    NS_TEST_EXPECT_MSG_EQ(follow(0, 25), true, "the second head is not whole yet");
    NS_TEST_EXPECT_MSG_EQ(chain.IsAtBoundary(), false, "within a head");
    NS_TEST_EXPECT_MSG_EQ(follow(25, 10), false, "it is none");
    NS_TEST_EXPECT_MSG_EQ(chain.IsBroken(), true, "so it is over");
    NS_TEST_EXPECT_MSG_EQ(follow(35, 3), false, "for good");
    NS_TEST_EXPECT_MSG_EQ(found, 1, "the first one");
    chain.Restart(0);
    NS_TEST_EXPECT_MSG_EQ(follow(0, 19), true, "until it begins anew");
    NS_TEST_EXPECT_MSG_EQ(found, 2, "with a record");
}

/// @brief Records arrive whole and in order over MPA-aware and plain TCP, longer than the send
/// buffer or empty, and the stream ends behind them.
IWARP_TEST(recordStream, "records over sockets")
{
    const std::vector<uint32_t> sizes{0, 100, 1439, 50000, 0, 19991, 19992, 3};
    for (const auto& [factory, ipv6] : {std::pair{"ns3::MpaTcpSocketFactory", false},
                                        {"ns3::MpaTcpSocketFactory", true},
                                        {"ns3::TcpSocketFactory", false},
                                        {"ns3::Rfc9293TcpSocketFactory", false}})
    {
        RecordStreamPair pair(factory, ipv6);
        pair.onConnected = [&pair, &sizes] {
            for (const uint32_t size : sizes)
            {
                pair.left.stream->Send(MakePacket(TaggedFraming::Make(size)));
            }
            pair.right.stream->Send(MakePacket(TaggedFraming::Make(1)));
            pair.left.stream->Close();
        };
        Simulator::Stop(Seconds(20));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(pair.right.records.size(), sizes.size(), factory << ": all come");
        uint64_t payload = 0;
        for (std::size_t i = 0; i < sizes.size(); i++)
        {
            const bool same = pair.right.records[i] == TaggedFraming::Make(sizes[i]);
            NS_TEST_EXPECT_MSG_EQ(same, true, factory << ": record " << i);
            NS_TEST_EXPECT_MSG_EQ(pair.right.payloads[i], sizes[i], factory << ": record " << i);
            payload += sizes[i];
        }
        NS_TEST_EXPECT_MSG_EQ(pair.right.payload, payload, factory << ": payload of all");
        NS_TEST_ASSERT_MSG_EQ(pair.right.ends.size(), 1, factory << ": one end");
        const bool closed = pair.right.ends[0] == RecordStream::End::CLOSED;
        NS_TEST_EXPECT_MSG_EQ(closed, true, factory << ": behind the last record");
        NS_TEST_EXPECT_MSG_EQ(pair.left.records.size(), 1, factory << ": the other way");
    }
}

/// @brief With MpaTcpSocket each record begins a segment, with plain TCP they do not.
IWARP_TEST(recordStream, "records are aligned where the socket knows of them")
{
    RecordStreamPair pair("ns3::MpaTcpSocketFactory", false);
    uint32_t headed = 0;
    uint32_t whole = 0;
    uint32_t segments = 0;
    const auto sent =
        iwarp::MakeLambdaCallback<Callback<void, SequenceNumber32, uint32_t, bool, bool, bool>>(
            [&](SequenceNumber32, uint32_t, bool header, bool record, bool) {
                segments++;
                headed += header ? 1 : 0;
                whole += record ? 1 : 0;
            });
    pair.onConnected = [&] {
        pair.left.stream->GetSocket()->TraceConnectWithoutContext("SegmentSent", sent);
        for (uint32_t i = 0; i < 40; i++)
        {
            pair.left.stream->Send(MakePacket(TaggedFraming::Make(1000)));
        }
    };
    Simulator::Stop(Seconds(20));
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(pair.right.records.size(), 40, "all come");
    NS_TEST_EXPECT_MSG_EQ(segments, 40, "a segment each: two do not fit");
    NS_TEST_EXPECT_MSG_EQ(headed, 40, "each begins with a record");
    NS_TEST_EXPECT_MSG_EQ(whole, 40, "and holds it whole");
}

/// @brief A record that is nearly as long as the send buffer does not wait until that is empty: a
/// stream of such records takes as long as over a socket that knows of no records, and each is cut
/// once into segments, of which the first one alone begins with it.
IWARP_TEST(recordStream, "long records go as room comes")
{
    constexpr uint32_t RECORDS = 40;
    constexpr uint32_t PAYLOAD = 15000; // of a send buffer of 20,000 octets
    std::map<std::string, Time> times;
    for (const std::string factory : {"ns3::Rfc9293TcpSocketFactory", "ns3::MpaTcpSocketFactory"})
    {
        RecordStreamPair pair(factory, false);
        uint32_t headed = 0;
        uint32_t whole = 0;
        uint32_t segments = 0;
        const auto sent =
            iwarp::MakeLambdaCallback<Callback<void, SequenceNumber32, uint32_t, bool, bool, bool>>(
                [&](SequenceNumber32, uint32_t, bool header, bool record, bool) {
                    segments++;
                    headed += header ? 1 : 0;
                    whole += record ? 1 : 0;
                });
        Time begin;
        pair.onConnected = [&] {
            begin = Simulator::Now();
            pair.left.stream->GetSocket()->TraceConnectWithoutContext("SegmentSent", sent);
            for (uint32_t i = 0; i < RECORDS; i++)
            {
                pair.left.stream->Send(MakePacket(TaggedFraming::Make(PAYLOAD)));
            }
        };
        pair.right.onRecord = [&](const std::vector<uint8_t>&) {
            times[factory] = Simulator::Now() - begin;
        };
        Simulator::Stop(Seconds(20));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(pair.right.records.size(), RECORDS, "all come");
        if (pair.left.stream->GetRecordSocket())
        {
            NS_TEST_EXPECT_MSG_EQ(headed, RECORDS, "segments that begin with a record");
            NS_TEST_EXPECT_MSG_EQ(whole, 0, "none is as short as a segment");
            const uint32_t octets = TaggedFraming::HEAD + PAYLOAD + TaggedFraming::TAIL;
            const uint32_t emss = pair.left.stream->GetRecordSocket()->GetEmss();
            const uint32_t each = (octets + emss - 1) / emss;
            NS_TEST_EXPECT_MSG_EQ(segments, RECORDS * each, "full ones, and one behind them");
        }
    }
    const double plain = times["ns3::Rfc9293TcpSocketFactory"].GetSeconds();
    const double records = times["ns3::MpaTcpSocketFactory"].GetSeconds();
    NS_TEST_EXPECT_MSG_LT(records, 1.1 * plain, "no slower");
}

/// @brief A record goes through a send buffer that has no room for a whole segment.
IWARP_TEST(recordStream, "a send buffer smaller than a segment")
{
    RecordStreamPair pair("ns3::MpaTcpSocketFactory", false);
    const std::vector<uint32_t> sizes{100, 1200, 5000, 3};
    pair.onConnected = [&pair, &sizes] {
        pair.left.stream->GetSocket()->SetAttribute("SndBufSize", UintegerValue(1000));
        for (const uint32_t size : sizes)
        {
            pair.left.stream->Send(MakePacket(TaggedFraming::Make(size)));
        }
        pair.left.stream->Close();
    };
    Simulator::Stop(Seconds(20));
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ((pair.right.payloads == sizes), true, "all come");
    NS_TEST_EXPECT_MSG_EQ(pair.right.ends.size(), 1, "and the end");
}

/// @brief Segments behind one that is lost are held until it comes again: by hand, as many as
/// follow it, and each change goes on where the last one ended.
IWARP_TEST(recordStream, "octets that wait for a segment")
{
    RecordStreamPair pair("ns3::MpaTcpSocketFactory",
                          false,
                          [](const NodeContainer&, const NetDeviceContainer& devices) {
                              Simulator::Schedule(Seconds(3), [devices] {
                                  auto first = CreateObject<ReceiveListErrorModel>();
                                  first->SetList({0});
                                  devices.Get(1)->SetAttribute("ReceiveErrorModel",
                                                               PointerValue(first));
                              });
                          });
    Simulator::Schedule(Seconds(4), [&pair] {
        for (uint32_t i = 0; i < 4; i++)
        {
            pair.left.stream->Send(MakePacket(TaggedFraming::Make(1000)));
        }
    });
    pair.onConnected = [] {};
    Simulator::Stop(Seconds(20));
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(pair.right.records.size(), 4, "all come");
    NS_TEST_EXPECT_MSG_EQ(pair.right.mostHeld, 3 * 1009, "three behind the first");
    NS_TEST_EXPECT_MSG_EQ(pair.right.held, 0, "none is left");
    NS_TEST_EXPECT_MSG_EQ(pair.right.gaps, 0, "from one level to the next");
}

/// @brief The other ends of a stream.
IWARP_TEST(recordStream, "ends within a record, and where none begins")
{
    auto half = TaggedFraming::Make(500);
    half.resize(100);
    std::vector<uint8_t> none(100, 'X');
    for (const auto& [octets, end] :
         {std::pair{half, RecordStream::End::TRUNCATED}, {none, RecordStream::End::BROKEN}})
    {
        RecordStreamPair pair("ns3::MpaTcpSocketFactory", false);
        pair.onConnected = [&pair, &octets = octets] {
            pair.left.stream->Send(MakePacket(TaggedFraming::Make(5)));
            pair.left.stream->Send(MakePacket(octets));
            pair.left.stream->Close();
        };
        Simulator::Stop(Seconds(20));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(pair.right.records.size(), 1, "what is whole");
        NS_TEST_ASSERT_MSG_EQ(pair.right.ends.size(), 1, "one end");
        NS_TEST_EXPECT_MSG_EQ((pair.right.ends[0] == end), true, "of that kind");
    }
}

/// @brief Heads come ahead of their payload, and who sees one may do without the rest.
IWARP_TEST(recordStream, "heads, and what is discarded")
{
    auto wrong = TaggedFraming::Make(1);
    wrong[0] = 'X';
    for (const auto& third : {TaggedFraming::Make(30000), wrong})
    {
        RecordStreamPair pair("ns3::MpaTcpSocketFactory", false);
        pair.right.discardAt = 30000;
        pair.onConnected = [&pair, &third] {
            pair.left.stream->Send(MakePacket(TaggedFraming::Make(5)));
            pair.left.stream->Send(MakePacket(TaggedFraming::Make(50000)));
            pair.left.stream->Send(MakePacket(third));
            pair.left.stream->Send(MakePacket(TaggedFraming::Make(6)));
            pair.right.stream->Send(MakePacket(TaggedFraming::Make(7)));
        };
        Simulator::Schedule(Seconds(10), [&pair] { pair.left.stream->Close(); });
        Simulator::Stop(Seconds(20));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(pair.right.heads.size(), 3, "each head once");
        NS_TEST_EXPECT_MSG_EQ(pair.right.heads[1], 50009, "whose size it says");
        NS_TEST_EXPECT_MSG_EQ(pair.right.payloadAtHead, 50005, "all that precedes it has come");
        NS_TEST_EXPECT_MSG_EQ(pair.right.payload, 50005, "nothing behind it has");
        NS_TEST_EXPECT_MSG_EQ(pair.right.records.size(), 2, "nor a record");
        NS_TEST_ASSERT_MSG_EQ(pair.right.ends.size(), 1, "the end is told when TCP's comes");
        NS_TEST_EXPECT_MSG_EQ((pair.right.ends[0] == RecordStream::End::TRUNCATED),
                              true,
                              "as it is");
        NS_TEST_EXPECT_MSG_EQ(pair.left.records.size(), 1, "the other way goes on");
        NS_TEST_EXPECT_MSG_EQ(pair.right.mostHeld, 0, "nothing waits: nothing is lost");
    }
}

/// @brief What waits for a lost segment does so no longer once it is not wanted, or TCP has failed.
IWARP_TEST(recordStream, "what ends does not wait")
{
    for (const bool discards : {true, false})
    {
        Ptr<NetDevice> device;
        RecordStreamPair pair("ns3::MpaTcpSocketFactory",
                              false,
                              [&device](const NodeContainer&, const NetDeviceContainer& devices) {
                                  device = devices.Get(1);
                              });
        pair.onConnected = [] {};
        Simulator::Schedule(Seconds(4), [&pair, device] {
            auto second = CreateObject<ReceiveListErrorModel>();
            second->SetList({1});
            device->SetAttribute("ReceiveErrorModel", PointerValue(second));
            for (uint32_t i = 0; i < 4; i++)
            {
                pair.left.stream->Send(MakePacket(TaggedFraming::Make(1000)));
            }
        });
        uint64_t held = 0;
        Simulator::Schedule(Seconds(4) + MicroSeconds(200), [&pair, &held, device, discards] {
            held = pair.right.held;
            if (discards)
            {
                pair.right.stream->Discard();
                return;
            }
            auto all = CreateObject<RateErrorModel>();
            all->SetRate(1);
            device->SetAttribute("ReceiveErrorModel", PointerValue(all));
            pair.right.stream->Send(MakePacket(TaggedFraming::Make(1000)));
        });
        Simulator::Stop(Seconds(300));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(pair.right.records.size(), 1, "what came before");
        NS_TEST_EXPECT_MSG_EQ(held, 2 * 1009, "what waits");
        NS_TEST_EXPECT_MSG_EQ(pair.right.ends.size(), (discards ? 0 : 1), "one way to end");
        NS_TEST_EXPECT_MSG_EQ(pair.right.held, 0, "no longer");
        NS_TEST_EXPECT_MSG_EQ(pair.right.gaps, 0, "from one level to the next");
    }
}
