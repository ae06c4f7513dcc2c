/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../random-seed.h"
#include "ddp-receiver-test-util.h"

#include "ns3/ddp-receiver.h"
#include "ns3/ddp-sender.h"
#include "ns3/random-variable-stream.h"

#include <algorithm>
#include <utility>

using namespace ns3;

namespace
{

/// Suite of sender and receiver with random segments.
IWARP_TEST_SUITE(ddpReceiverRandom, "ddp-receiver-random");

/// Random messages of both models through sender and receiver, segments in any order and twice.
struct DdpReceiverRandomTest : TestCase
{
    using TestCase::TestCase;

    struct Message
    {
        bool tagged;
        uint8_t control;
        uint32_t word;
        uint32_t place; // in the arena
        std::vector<uint8_t> data;
    };

    struct Segment
    {
        std::vector<uint8_t> octets;
        uint32_t place; // of its payload in the arena
        uint32_t message;
        bool last;
    };

    void Run(uint32_t seed)
    {
        Ptr<UniformRandomVariable> random = CreateObject<UniformRandomVariable>();
        random->SetStream(RandomSeed(seed));
        DdpTestSink sink;
        // half of the runs number messages across the wrap
        const uint32_t firstMsn = seed % 2 == 0 ? 1 : 0xFFFFFFFE;
        sink.receiver.EnableQueue(0, nullptr, firstMsn);
        DdpSender sender;
        sender.SetNextMsn(0, firstMsn);
        Ptr<DdpMemory> arena = DdpMemory::CreateBacked(60000);
        const uint32_t stag = sink.Register(arena, 0x123456789000);

        std::vector<Message> messages(random->GetInteger(1, 12));
        uint32_t place = 0;
        for (uint32_t i = 0; i < messages.size(); i++)
        {
            Message& m = messages[i];
            m.tagged = random->GetInteger(0, 1) != 0;
            m.control = random->GetInteger(0, 255);
            m.word = random->GetInteger(0, 0xFFFFFFFE);
            m.data.resize(random->GetInteger(0, 4) == 0 ? 0 : random->GetInteger(1, 4000));
            for (auto& octet : m.data)
            {
                octet = random->GetInteger(1, 255);
            }
            m.place = place;
            const uint32_t room = m.data.size() + (m.tagged ? 0 : random->GetInteger(0, 300));
            place += room + 5;
            if (m.tagged)
            {
                sender.SubmitTagged(m.control, stag, 0x123456789000 + m.place, m.data.size(), i);
            }
            else
            {
                sender.SubmitUntagged(m.control, m.word, 0, m.data.size(), i);
                DdpBuffer buffer;
                buffer.context = i;
                buffer.length = room;
                // in two pieces
                const uint32_t cut = random->GetInteger(0, room);
                buffer.sges.push_back({uint64_t(0x123456789000) + m.place, cut, stag});
                buffer.sges.push_back({uint64_t(0x123456789000) + m.place + cut, room - cut, stag});
                sink.receiver.GetQueue(0).Post(std::move(buffer));
            }
        }

        std::vector<Segment> segments;
        while (!sender.IsIdle())
        {
            const DdpSender::Segment s = sender.Show(random->GetInteger(128, 1500));
            sender.Take(s);
            const auto& data = messages[s.context].data;
            Segment segment;
            segment.octets.resize(s.GetSize());
            s.header.Write(segment.octets.data());
            std::copy_n(data.begin() + s.offset,
                        s.length,
                        segment.octets.begin() + s.header.GetSize());
            segment.place = messages[s.context].place + s.offset;
            segment.message = s.context;
            segment.last = s.header.last;
            NS_TEST_ASSERT_MSG_EQ((segments.empty() || s.context >= segments.back().message),
                                  true,
                                  "in submission order");
            IWARP_COVERS("DDP-5.3-2 DDP-4.1-5");
            segments.push_back(segment);
        }

        // arrival in a window that slides, each perhaps twice; numbers wrap in the middle
        const uint32_t base = uint32_t(0) - uint32_t(segments.size() / 2);
        std::vector<bool> arrived(segments.size());
        uint32_t edge = 0;
        uint32_t messagesDone = 0;
        while (edge < segments.size())
        {
            const uint32_t ahead = std::min<uint32_t>(segments.size() - 1, edge + 8);
            const uint32_t i = random->GetInteger(edge, ahead);
            const auto& [octets, where, message, last] = segments[i];
            const bool tagged = messages[message].tagged;
            const auto payload = octets.begin() + (tagged ? 14 : 18);
            // blank, so that what comes again has to be placed again
            std::vector<uint8_t> there(octets.end() - payload);
            arena->Write(where, there.data(), there.size(), there.size());
            sink.receiver.Segment(base + i, octets.data(), octets.size(), octets.size(), i == edge);
            arena->Read(where, there.data(), there.size());
            NS_TEST_ASSERT_MSG_EQ(std::equal(payload, octets.end(), there.begin()),
                                  true,
                                  "in place at once, by TO or MO");
            IWARP_COVERS("DDP-4.2-10 DDP-4.2-11 DDP-4.3-12");
            m_early += i > edge && !there.empty();
            m_again += arrived[i] && !there.empty();
            arrived[i] = true;
            uint32_t count = 0;
            while (edge < segments.size() && arrived[edge])
            {
                messagesDone += segments[edge].last;
                edge++;
                count++;
            }
            sink.receiver.Deliver(count);
            NS_TEST_ASSERT_MSG_EQ(sink.deliveries.size(), messagesDone, "delivered at once, once");
            IWARP_COVERS("DDP-4.1-7 DDP-4.1-8 DDP-5.3-1 DDP-5.3-7 DDP-5.4-3 DDP-5.4-4 DDP-5.4-5 "
                         "DDP-5.4-6");
        }
        NS_TEST_ASSERT_MSG_EQ(sink.errors.size(), 0, "no error");
        NS_TEST_ASSERT_MSG_EQ(sink.deliveries.size(), messages.size(), "all are delivered");
        IWARP_COVERS("DDP-5.3-7");
        NS_TEST_ASSERT_MSG_EQ(sink.receiver.GetWaiting(), 0, "nothing waits");

        std::vector<uint8_t> content(60000);
        arena->Read(0, content.data(), content.size());
        uint32_t msn = firstMsn;
        for (uint32_t i = 0; i < messages.size(); i++)
        {
            const Message& m = messages[i];
            const DdpDelivery& d = sink.deliveries[i];
            const auto octets = content.begin() + m.place;
            NS_TEST_ASSERT_MSG_EQ(std::equal(m.data.begin(), m.data.end(), octets), true, "octets");
            IWARP_COVERS("DDP-5.2-5");
            std::fill_n(octets, m.data.size(), 0);
            NS_TEST_ASSERT_MSG_EQ(d.header.tagged, m.tagged, "model");
            NS_TEST_ASSERT_MSG_EQ(+d.header.ulpControl, +m.control, "RsvdULP");
            IWARP_COVERS("DDP-5.4-9 DDP-4.2-4");
            NS_TEST_ASSERT_MSG_EQ(d.placed, m.data.size(), "octets of all its segments");
            if (m.tagged)
            {
                NS_TEST_ASSERT_MSG_EQ(d.header.stag, stag, "STag");
                IWARP_COVERS("DDP-4.2-8");
                NS_TEST_ASSERT_MSG_EQ(d.buffer.sges.size(), 0, "no buffer of a queue");
                IWARP_COVERS("DDP-4.1-1");
                continue;
            }
            NS_TEST_ASSERT_MSG_EQ(d.header.ulpWord, m.word, "all of RsvdULP");
            IWARP_COVERS("DDP-4.3-3");
            NS_TEST_ASSERT_MSG_EQ(d.header.msn, msn++, "MSN, across the wrap");
            IWARP_COVERS("DDP-5.3-8 DDP-4.3-8 DDP-4.3-10");
            NS_TEST_ASSERT_MSG_EQ(d.length, m.data.size(), "length");
            IWARP_COVERS("DDP-1.2-1 DDP-5.4-7 DDP-5.4-8");
            NS_TEST_ASSERT_MSG_EQ(d.buffer.context, i, "the buffer posted for it");
            IWARP_COVERS("DDP-4.1-2 DDP-5.1.2-2");
        }
        NS_TEST_ASSERT_MSG_EQ((content == std::vector<uint8_t>(60000)), true, "and no others");
        IWARP_COVERS("DDP-4.1-1 DDP-4.1-2");
    }

    uint32_t m_early{0}; //!< segments with payload that were placed out of order
    uint32_t m_again{0}; //!< those that were placed again
};

IWARP_TEST(ddpReceiverRandom, "random messages in random order", DdpReceiverRandomTest)
{
    for (uint32_t seed = 1; seed <= 300 && !IsStatusFailure(); seed++)
    {
        Run(seed);
    }
    NS_TEST_EXPECT_MSG_GT(m_early, 100, "segments were placed before those ahead of them");
    IWARP_COVERS("DDP-5.3-5");
    NS_TEST_EXPECT_MSG_GT(m_again, 100, "and some twice");
    IWARP_COVERS("DDP-5.3-6");
}

/// Random headers never touch anything outside registered buffers.
IWARP_TEST(ddpReceiverRandom, "random segments stay inside the buffers")
{
    Ptr<UniformRandomVariable> random = CreateObject<UniformRandomVariable>();
    random->SetStream(RandomSeed(81));
    std::vector<uint8_t> arena(4096, 0xEE);
    uint64_t placed = 0;
    uint64_t failed = 0;
    for (uint32_t round = 0; round < 4000; round++)
    {
        DdpTestSink sink;
        const uint64_t base = random->GetInteger(0, 1) != 0 ? 0x1000 : 0xFFFFFFFFFFFFFE00;
        const uint32_t stag = sink.Register(DdpMemory::Wrap(arena.data() + 1024, 256), base);
        DdpBuffer buffer;
        buffer.length = 200;
        buffer.octets = arena.data() + 2048;
        sink.receiver.GetQueue(0).Post(DdpBuffer(buffer));
        buffer.octets = arena.data() + 3072;
        sink.receiver.GetQueue(0).Post(DdpBuffer(buffer));
        for (uint32_t i = 0; i < 25 && !sink.receiver.HasStopped(); i++)
        {
            std::vector<uint8_t> octets(random->GetInteger(0, 300), 0x11);
            DdpHeader h;
            h.tagged = random->GetInteger(0, 1) != 0;
            h.last = random->GetInteger(0, 3) == 0;
            h.version = random->GetInteger(0, 50) == 0 ? 2 : 1;
            h.stag = random->GetInteger(0, 20) == 0 ? stag + 1 : stag;
            h.to = base + random->GetInteger(0, 300) -
                   (random->GetInteger(0, 9) == 0 ? random->GetInteger(0, 999) : 0);
            h.msn = random->GetInteger(0, 9) == 0 ? random->GetInteger(0, 0xFFFFFFFE)
                                                  : random->GetInteger(1, 2);
            h.mo = random->GetInteger(0, 20) == 0 ? random->GetInteger(0, 0xFFFFFFFE)
                                                  : random->GetInteger(0, 100);
            uint8_t header[ddp::MAX_HEADER_SIZE];
            const uint32_t size = h.Write(header);
            std::copy_n(header, std::min<std::size_t>(size, octets.size()), octets.begin());
            // some of the payload may be virtual
            const uint32_t real = random->GetInteger(0, octets.size());
            sink.receiver.Segment(i,
                                  octets.data(),
                                  std::max(real, std::min<uint32_t>(18, octets.size())),
                                  octets.size(),
                                  true);
            sink.receiver.Deliver(sink.receiver.HasStopped() ? 0 : 1);
        }
        placed += sink.receiver.GetStats().octets;
        failed += sink.errors.size();
        NS_TEST_ASSERT_MSG_EQ(sink.table.GetSize(), 1, "the table is as it was");
        IWARP_COVERS("DDP-8.2-2");
    }
    NS_TEST_EXPECT_MSG_GT(placed, 100000, "much was placed");
    NS_TEST_EXPECT_MSG_GT(failed, 1000, "much was refused");
    for (uint32_t i = 0; i < arena.size(); i++)
    {
        const bool inside =
            (i >= 1024 && i < 1280) || (i >= 2048 && i < 2248) || (i >= 3072 && i < 3272);
        NS_TEST_ASSERT_MSG_EQ((inside || arena[i] == 0xEE), true, "octet " << i);
    }
    IWARP_COVERS("DDP-8.1-1");
}

} // namespace
