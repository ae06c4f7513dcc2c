/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdmap-capture.h"

#include "ns3/ddp-receiver.h"
#include "ns3/ddp-sender.h"
#include "ns3/ns3-compat.h"
#include "ns3/random-variable-stream.h"
#include "ns3/test.h"

#include <cerrno>
#include <deque>
#include <functional>

using namespace ns3;

namespace
{

constexpr uint32_t PD = 7;
constexpr uint32_t STREAM = 5;

/// A receiver with a record of what it tells.
struct Sink : DdpReceiver::Listener
{
    DdpStagTable table;                  //!< STags of the node
    DdpReceiver receiver;                //!< receiver tried
    std::vector<DdpDelivery> deliveries; //!< messages delivered
    std::vector<DdpError> errors;        //!< errors reported
    std::vector<uint8_t> reported;       //!< octets of the segment in error
    uint32_t reportedLength{0};          //!< its length
    uint32_t next{0};                    //!< order of the next segment

    Sink()
        : receiver(table, PD, STREAM, *this)
    {
        receiver.EnableQueue(0);
    }

    bool Admit(const DdpHeader&, const uint8_t*, uint32_t, uint32_t, uint32_t&) override
    {
        return true;
    }

    void Delivered(DdpDelivery& delivery) override
    {
        deliveries.push_back(delivery);
    }

    void Failed(const DdpErrorReport& report) override
    {
        errors.push_back(report.error);
        reported.assign(report.segment, report.segment + report.available);
        reportedLength = report.length;
    }

    /// Register memory. @param memory what @param base TO of its first octet @return STag
    uint32_t Register(Ptr<DdpMemory> memory, uint64_t base)
    {
        DdpStagEntry entry;
        entry.pd = PD;
        entry.access = DDP_ACCESS_LOCAL_WRITE | DDP_ACCESS_REMOTE_WRITE;
        entry.base = base;
        entry.length = memory->GetLength();
        entry.memory = memory;
        return table.Add(entry);
    }

    /// Post a buffer without content. @param length octets @param context context @param qn queue
    void Post(uint32_t length, uint64_t context = 0, uint32_t qn = 0)
    {
        DdpBuffer buffer;
        buffer.context = context;
        buffer.length = length;
        const uint32_t stag = Register(DdpMemory::CreateVirtual(length), 0);
        buffer.pieces.push_back({0, length, stag});
        receiver.GetQueue(qn).Post(std::move(buffer));
    }

    /// A segment comes in order. @param header header @param payload octets, all 0xAA
    /// @return true if it was taken without an error
    bool Arrive(const DdpHeader& header, uint32_t payload)
    {
        std::vector<uint8_t> octets(header.GetSize() + payload, 0xAA);
        header.Write(octets.data());
        return ArriveOctets(octets);
    }

    /// A segment comes in order. @param octets the segment @return true if it was taken
    bool ArriveOctets(const std::vector<uint8_t>& octets)
    {
        receiver.Segment(next++, octets.data(), octets.size(), octets.size());
        if (!receiver.HasStopped())
        {
            receiver.Deliver(1);
        }
        return !receiver.HasStopped();
    }
};

DdpHeader
Untagged(uint32_t msn, uint32_t mo, bool last, uint32_t qn = 0)
{
    DdpHeader header;
    header.ulpControl = 0x43;
    header.qn = qn;
    header.msn = msn;
    header.mo = mo;
    header.last = last;
    return header;
}

DdpHeader
Tagged(uint32_t stag, uint64_t to, bool last = true)
{
    DdpHeader header;
    header.tagged = true;
    header.ulpControl = 0x40;
    header.stag = stag;
    header.to = to;
    header.last = last;
    return header;
}

/// Random messages of both models through sender and receiver, segments in any order and twice.
class DdpReceiverRandomTest : public TestCase
{
  public:
    DdpReceiverRandomTest()
        : TestCase("DDP-1.1-1 DDP-1.2-1 DDP-4.1-1 DDP-4.1-2 DDP-4.1-5 DDP-4.1-7 DDP-4.1-8 "
                   "DDP-4.2-4 DDP-4.2-8 DDP-4.2-10 DDP-4.2-11 DDP-4.3-3 DDP-4.3-8 DDP-4.3-12 "
                   "DDP-5.1.2-2 DDP-5.2-5 DDP-5.3-1 DDP-5.3-2 DDP-5.3-5 DDP-5.3-6 DDP-5.3-7 "
                   "DDP-5.3-8 DDP-5.4-3 DDP-5.4-4 DDP-5.4-5 DDP-5.4-6 DDP-5.4-7 DDP-5.4-8 "
                   "DDP-5.4-9 random messages in random order")
    {
    }

  private:
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
        uint32_t message;
        bool last;
    };

    void Run(uint32_t seed)
    {
        Ptr<UniformRandomVariable> random = CreateObject<UniformRandomVariable>();
        random->SetStream(seed);
        Sink sink;
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
                buffer.pieces.push_back({uint64_t(0x123456789000) + m.place, cut, stag});
                buffer.pieces.push_back(
                    {uint64_t(0x123456789000) + m.place + cut, room - cut, stag});
                sink.receiver.GetQueue(0).Post(std::move(buffer));
            }
        }

        std::vector<Segment> segments;
        while (!sender.IsIdle())
        {
            const DdpSender::Segment s = sender.Next(random->GetInteger(128, 1500));
            const auto& data = messages[s.context].data;
            Segment segment;
            segment.octets.resize(s.GetSize());
            s.header.Write(segment.octets.data());
            std::copy_n(data.begin() + s.offset,
                        s.length,
                        segment.octets.begin() + s.header.GetSize());
            segment.message = s.context;
            segment.last = s.header.last;
            NS_TEST_ASSERT_MSG_EQ((segments.empty() || s.context >= segments.back().message),
                                  true,
                                  "in submission order");
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
            const auto& octets = segments[i].octets;
            sink.receiver.Segment(base + i, octets.data(), octets.size(), octets.size());
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
        }
        NS_TEST_ASSERT_MSG_EQ(sink.errors.size(), 0, "no error");
        NS_TEST_ASSERT_MSG_EQ(sink.deliveries.size(), messages.size(), "all are delivered");
        NS_TEST_ASSERT_MSG_EQ(sink.receiver.GetWaiting(), 0, "nothing waits");

        std::vector<uint8_t> expected(60000);
        uint32_t msn = firstMsn;
        for (uint32_t i = 0; i < messages.size(); i++)
        {
            const Message& m = messages[i];
            const DdpDelivery& d = sink.deliveries[i];
            std::copy(m.data.begin(), m.data.end(), expected.begin() + m.place);
            NS_TEST_ASSERT_MSG_EQ(d.header.tagged, m.tagged, "model");
            NS_TEST_ASSERT_MSG_EQ(+d.header.ulpControl, +m.control, "RsvdULP");
            NS_TEST_ASSERT_MSG_EQ(d.placed, m.data.size(), "octets of all its segments");
            if (m.tagged)
            {
                NS_TEST_ASSERT_MSG_EQ(d.header.stag, stag, "STag");
                continue;
            }
            NS_TEST_ASSERT_MSG_EQ(d.header.ulpWord, m.word, "all of RsvdULP");
            NS_TEST_ASSERT_MSG_EQ(d.header.msn, msn++, "DDP-4.3-10 MSN, across the wrap");
            NS_TEST_ASSERT_MSG_EQ(d.length, m.data.size(), "length");
            NS_TEST_ASSERT_MSG_EQ(d.buffer.context, i, "the buffer posted for it");
        }
        std::vector<uint8_t> content(60000);
        arena->Read(0, content.data(), content.size());
        NS_TEST_ASSERT_MSG_EQ((content == expected), true, "octets in place, and no others");
    }

    void DoRun() override
    {
        for (uint32_t seed = 1; seed <= 300 && !IsStatusFailure(); seed++)
        {
            Run(seed);
        }
    }
};

/// Every row of the error table, each on a fresh stream.
class DdpReceiverErrorTest : public TestCase
{
  public:
    DdpReceiverErrorTest()
        : TestCase("DDP-7.1-1 DDP-7.1-12 DDP-7.1-18 DDP-7.1-19 DDP-7.1-21 DDP-6.2.2-3 DDP-6.2.2-4 "
                   "DDP-7.1-23 DDP-8.3-9 the error table")
    {
    }

  private:
    /// @param error error expected @param header segment's header @param payload its payload
    /// @param what for messages @param prepare done to the sink before
    void Expect(
        DdpError error,
        const DdpHeader& header,
        uint32_t payload,
        const std::string& what,
        const std::function<void(Sink&)>& prepare = [](Sink&) {})
    {
        Sink sink;
        // an arena with a buffer in its middle: 0x1000 to 0x1FFF
        std::vector<uint8_t> arena(3 * 4096, 0xEE);
        const uint32_t stag = sink.Register(DdpMemory::Wrap(arena.data() + 4096, 4096), 0x1000);
        NS_TEST_ASSERT_MSG_EQ(stag, STAG, "first STag of a table");
        DdpBuffer buffer;
        buffer.length = 4096;
        buffer.pieces.push_back({0x1000, 4096, stag});
        for (uint32_t i = 0; i < 5; i++)
        {
            sink.receiver.GetQueue(0).Post(DdpBuffer(buffer));
        }
        prepare(sink);
        const auto before = arena;
        const uint64_t delivered = sink.deliveries.size();
        NS_TEST_EXPECT_MSG_EQ(sink.Arrive(header, payload), false, what << ": refused");
        NS_TEST_ASSERT_MSG_EQ(sink.errors.size(), 1, what << ": one report");
        NS_TEST_EXPECT_MSG_EQ(DdpErrorText(sink.errors[0]), std::string(DdpErrorText(error)), what);
        NS_TEST_EXPECT_MSG_EQ(sink.reportedLength, header.GetSize() + payload, what);
        NS_TEST_EXPECT_MSG_EQ(sink.reported.size(),
                              header.GetSize() + payload,
                              "DDP-7.1-20 header");
        // a hundred valid segments after the error
        for (uint32_t i = 0; i < 50; i++)
        {
            sink.Arrive(Tagged(stag, 0x1000), 16);
            sink.Arrive(Untagged(sink.receiver.GetQueue(0).GetLower(), 0, true), 16);
        }
        NS_TEST_EXPECT_MSG_EQ((arena == before), true, what << ": nothing placed");
        NS_TEST_EXPECT_MSG_EQ(sink.errors.size(), 1, what << ": no further report");
        NS_TEST_EXPECT_MSG_EQ(sink.deliveries.size(), delivered, what << ": nothing delivered");
        NS_TEST_EXPECT_MSG_EQ(sink.receiver.GetStats().dropped, 100, what << ": silently dropped");
    }

    void DoRun() override
    {
        using E = DdpError;
        Expect(E::TAGGED_INVALID_STAG, Tagged(0x9900, 0x1000), 4, "DDP-7.2-4 DDP-7.1-13 unknown");
        Expect(E::TAGGED_INVALID_STAG,
               Tagged(STAG, 0x1000),
               4,
               "DDP-7.1-14 invalidated",
               [](Sink& s) { s.table.Invalidate(STAG); });
        Expect(E::TAGGED_BASE_BOUNDS, Tagged(STAG, 0x0FFF), 4, "DDP-7.1-15 below base");
        Expect(E::TAGGED_BASE_BOUNDS, Tagged(STAG, 0x1FFE), 4, "DDP-7.2-5 DDP-7.1-16 past end");
        Expect(E::TAGGED_BASE_BOUNDS, Tagged(STAG, 0x5000), 2, "far past the end");
        Expect(E::TAGGED_TO_WRAP, Tagged(STAG, 0xFFFFFFFFFFFFFFFE), 4, "DDP-7.2-7 DDP-7.1-17");
        Expect(E::TAGGED_NOT_ASSOCIATED,
               Tagged(STAG, 0x1000),
               4,
               "DDP-7.2-6 DDP-4.2-6 DDP-8.2-1 another domain",
               [](Sink& s) {
                   DdpStagEntry e = *s.table.Find(STAG);
                   e.pd = PD + 1;
                   s.table.Update(STAG, e);
               });
        Expect(E::TAGGED_NOT_ASSOCIATED,
               Tagged(STAG, 0x1000),
               4,
               "DDP-8.2-3 another stream",
               [](Sink& s) {
                   DdpStagEntry e = *s.table.Find(STAG);
                   e.stream = STREAM + 1;
                   s.table.Update(STAG, e);
               });
        Expect(E::TAGGED_INVALID_STAG,
               Tagged(STAG, 0x1000),
               4,
               "DDP-8.3.1-6 no right to write",
               [](Sink& s) {
                   DdpStagEntry e = *s.table.Find(STAG);
                   e.access = DDP_ACCESS_REMOTE_READ;
                   s.table.Update(STAG, e);
               });
        DdpHeader version = Tagged(STAG, 0x1000);
        version.version = 3;
        Expect(E::TAGGED_VERSION, version, 4, "DDP-7.2-8 DDP-4.1-13");
        version = Untagged(1, 0, true);
        version.version = 3;
        Expect(E::UNTAGGED_VERSION, version, 4, "DDP-7.2-14 DDP-4.1-13");
        version.version = 0;
        Expect(E::UNTAGGED_VERSION, version, 4, "DDP-4.1-12 a version that changes", [](Sink& s) {
            s.Arrive(Untagged(1, 0, true), 0);
        });

        Expect(E::UNTAGGED_INVALID_QN, Untagged(1, 0, true, 9), 4, "DDP-7.2-9 DDP-7.1-2");
        Expect(E::UNTAGGED_INVALID_QN, Untagged(1, 0, true, 0xFFFFFFFF), 4, "largest QN");
        Expect(E::UNTAGGED_NO_BUFFER, Untagged(6, 0, true), 4, "DDP-7.2-10 DDP-7.1-3 MSN 6 of 5");
        Expect(E::UNTAGGED_NO_BUFFER, Untagged(6, 0, true), 0, "even if it is empty");
        Expect(E::UNTAGGED_NO_BUFFER, Untagged(0x80000000, 0, true), 4, "far above the window");
        Expect(E::UNTAGGED_MSN_RANGE, Untagged(0, 0, true), 4, "DDP-4.3-9 MSN 0 comes first");
        Expect(E::UNTAGGED_MSN_RANGE,
               Untagged(0x80000001, 0, true),
               4,
               "half of all numbers below");
        Expect(E::UNTAGGED_MSN_RANGE,
               Untagged(1, 0, true),
               4,
               "DDP-7.2-11 DDP-7.1-10 MSN 1 again",
               [](Sink& s) { s.Arrive(Untagged(1, 0, true), 0); });
        Expect(E::UNTAGGED_INVALID_MO, Untagged(1, 5000, true), 4, "DDP-7.2-12 DDP-7.1-8");
        Expect(E::UNTAGGED_INVALID_MO, Untagged(1, 4096, true), 1, "MO at the end");
        Expect(E::UNTAGGED_INVALID_MO, Untagged(1, 4097, true), 0, "MO behind it, and no octets");
        Expect(E::UNTAGGED_INVALID_MO, Untagged(1, 0xFFFFFFFF, true), 2, "MO plus length wraps");
        Expect(E::UNTAGGED_TOO_LONG, Untagged(1, 4000, true), 200, "DDP-7.2-13 DDP-7.1-9");
        Expect(E::UNTAGGED_TOO_LONG, Untagged(1, 0, true), 4097, "by one octet");
        Expect(E::LOCAL_CATASTROPHIC,
               Untagged(1, 0, true),
               4,
               "DDP-7.2-3 the buffer's own memory is gone",
               [](Sink& s) { s.table.Remove(STAG); });
        Expect(E::UNTAGGED_MSN_RANGE, Untagged(2, 0, true), 0, "a message was left out");

        // DDP-7.1-23: what came before the segment in error stays, so that a buffer is neither as
        // it was nor as the message would have it
        {
            Sink sink;
            std::vector<uint8_t> arena(4096, 0xEE);
            const uint32_t stag = sink.Register(DdpMemory::Wrap(arena.data(), 4096), 0x1000);
            NS_TEST_EXPECT_MSG_EQ(sink.Arrive(Tagged(stag, 0x1000, false), 1000), true, "good");
            NS_TEST_EXPECT_MSG_EQ(sink.Arrive(Tagged(stag, 0x1000 + 3500), 1000), false, "too far");
            std::vector<uint8_t> expected(4096, 0xEE);
            std::fill_n(expected.begin(), 1000, 0xAA);
            NS_TEST_EXPECT_MSG_EQ((arena == expected), true, "the first segment, and no more");
        }

        // segments shorter than their header
        for (uint32_t size = 0; size < 18; size++)
        {
            for (uint8_t control : {0x41, 0xC1})
            {
                if (control == 0xC1 && size >= 14)
                {
                    continue;
                }
                Sink sink;
                std::vector<uint8_t> octets(size, control);
                NS_TEST_EXPECT_MSG_EQ(sink.ArriveOctets(octets), false, "DDP-4.4-1 short");
                NS_TEST_EXPECT_MSG_EQ((sink.errors == std::vector<DdpError>{E::LOCAL_CATASTROPHIC}),
                                      true,
                                      "DDP-4.4-1 malformed");
            }
        }
    }

    static constexpr uint32_t STAG = 0x101; //!< first STag of a table
};

/// What is legal although it looks odd.
class DdpReceiverLegalTest : public TestCase
{
  public:
    DdpReceiverLegalTest()
        : TestCase("DDP-5.2-13 DDP-5.2-14 DDP-5.2-15 DDP-4.1-10 DDP-4.3-5 DDP-5.2-16 DDP-7.1-11 "
                   "DDP-5.1.2-1 DDP-4.3-7 DDP-5.2-12 DDP-8.3-6 DDP-8.3.1-7 legal oddities")
    {
    }

  private:
    void DoRun() override
    {
        Sink sink;
        NS_TEST_EXPECT_MSG_EQ(sink.Arrive(Tagged(0, ~uint64_t(0)), 0), true, "empty, no STag");
        NS_TEST_EXPECT_MSG_EQ(sink.deliveries.size(), 1, "DDP-4.4-2 delivered");
        sink.Post(100, 11);
        NS_TEST_EXPECT_MSG_EQ(sink.Arrive(Untagged(1, 0, true), 0), true, "empty Send");
        NS_TEST_EXPECT_MSG_EQ(sink.deliveries.back().buffer.context, 11, "takes a buffer");
        NS_TEST_EXPECT_MSG_EQ(sink.deliveries.back().length, 0, "of which it fills nothing");

        // all reserved bits set; RsvdULP that differs between segments
        sink.Post(100);
        DdpHeader odd = Untagged(2, 0, false);
        odd.reserved = 0xF;
        odd.ulpControl = 0x45;
        NS_TEST_EXPECT_MSG_EQ(sink.Arrive(odd, 10), true, "0x3D");
        NS_TEST_EXPECT_MSG_EQ(sink.Arrive(Untagged(2, 10, true), 10), true, "another RsvdULP");
        const uint8_t control = sink.deliveries.back().header.ulpControl;
        NS_TEST_EXPECT_MSG_EQ((control == 0x43 || control == 0x45), true, "either");

        // only the L segment of a message
        sink.Post(100);
        NS_TEST_EXPECT_MSG_EQ(sink.Arrive(Untagged(3, 40, true), 10), true, "first part missing");
        NS_TEST_EXPECT_MSG_EQ(sink.deliveries.back().length, 50, "MO and payload");
        NS_TEST_EXPECT_MSG_EQ(sink.deliveries.back().placed, 10, "what came");

        // the window of MSNs moves: buffers 4 to 8, then 5 to 9
        for (uint32_t i = 0; i < 5; i++)
        {
            sink.Post(100);
        }
        auto& queue = sink.receiver.GetQueue(0);
        NS_TEST_EXPECT_MSG_EQ(queue.GetLower(), 4, "lower edge");
        NS_TEST_EXPECT_MSG_EQ(queue.GetWindow(), 5, "five buffers");
        sink.Arrive(Untagged(4, 0, true), 1);
        NS_TEST_EXPECT_MSG_EQ(queue.GetLower(), 5, "lower edge");
        NS_TEST_EXPECT_MSG_EQ(queue.GetWindow(), 4, "four buffers");
        sink.Post(100);
        NS_TEST_EXPECT_MSG_EQ(queue.GetWindow(), 5, "five buffers");

        // queues are apart: none left on 0, one on 2
        sink.receiver.EnableQueue(2);
        sink.Post(100, 22, 2);
        for (uint32_t msn = 5; msn <= 9; msn++)
        {
            sink.Arrive(Untagged(msn, 0, true), 1);
        }
        NS_TEST_EXPECT_MSG_EQ(queue.GetWindow(), 0, "none left");
        NS_TEST_EXPECT_MSG_EQ(sink.Arrive(Untagged(1, 0, true, 2), 1), true, "queue 2 goes on");
        NS_TEST_EXPECT_MSG_EQ(sink.deliveries.back().buffer.context, 22, "its own buffer");

        // three Writes fill one region; then access is withdrawn in mid-message
        Ptr<DdpMemory> memory = DdpMemory::CreateBacked(16384);
        memory->StartRecording();
        const uint32_t stag = sink.Register(memory, 0);
        for (uint32_t i = 0; i < 3; i++)
        {
            sink.Arrive(Tagged(stag, 4096 * i), 4096);
        }
        NS_TEST_EXPECT_MSG_EQ(memory->IsRecorded(0, 12288), true, "12 KiB as one region");
        sink.Arrive(Tagged(stag, 12288, false), 100);
        sink.table.Invalidate(stag);
        NS_TEST_EXPECT_MSG_EQ(sink.Arrive(Tagged(stag, 12388, false), 100), false, "revoked");
        NS_TEST_EXPECT_MSG_EQ(memory->GetRecorded(), 12388, "not an octet after the revoke");
    }
};

/// A supply of buffers shared by streams.
class DdpReceiverSourceTest : public TestCase
{
  public:
    DdpReceiverSourceTest()
        : TestCase("DDP-7.1-3 DDP-7.1-4 DDP-7.1-7 buffers from a shared source")
    {
    }

  private:
    struct Pool : DdpBufferSource
    {
        std::deque<DdpBuffer> buffers; // next first

        uint32_t GetAvailable() const override
        {
            return buffers.size();
        }

        bool Take(DdpBuffer& buffer) override
        {
            if (buffers.empty())
            {
                return false;
            }
            buffer = buffers.front();
            buffers.pop_front();
            return true;
        }
    };

    void DoRun() override
    {
        Pool pool;
        Sink a;
        Sink b;
        a.receiver.EnableQueue(0, &pool);
        b.receiver.EnableQueue(0, &pool);
        std::array<uint8_t, 64> memory{};
        for (uint64_t i = 0; i < 4; i++)
        {
            DdpBuffer buffer;
            buffer.context = i;
            buffer.length = 16;
            buffer.octets = memory.data() + 16 * i;
            pool.buffers.push_back(buffer);
        }
        NS_TEST_EXPECT_MSG_EQ(a.receiver.GetQueue(0).GetWindow(), 4, "all four");
        a.Arrive(Untagged(1, 0, false), 8);
        NS_TEST_EXPECT_MSG_EQ(b.receiver.GetQueue(0).GetWindow(), 3, "three left");
        b.Arrive(Untagged(1, 0, true), 16);
        a.Arrive(Untagged(1, 8, true), 8);
        NS_TEST_EXPECT_MSG_EQ(a.deliveries[0].buffer.context, 0, "taken first");
        NS_TEST_EXPECT_MSG_EQ(b.deliveries[0].buffer.context, 1, "taken next");
        // MSN 3 before MSN 2: both have to find a buffer
        const std::vector<uint8_t> late = Hex("4143 00000000 00000000 00000003 00000000 01");
        const std::vector<uint8_t> early = Hex("4143 00000000 00000000 00000002 00000000 02");
        a.receiver.Segment(11, late.data(), late.size(), late.size());
        a.receiver.Segment(10, early.data(), early.size(), early.size());
        a.receiver.Deliver(2);
        NS_TEST_ASSERT_MSG_EQ(a.deliveries.size(), 3, "both");
        NS_TEST_EXPECT_MSG_EQ(a.deliveries[1].header.msn, 2, "in order");
        NS_TEST_EXPECT_MSG_EQ(+memory[32], 1, "the first to arrive has the first buffer");
        NS_TEST_EXPECT_MSG_EQ(+memory[48], 2, "the second the second");
        NS_TEST_EXPECT_MSG_EQ(b.Arrive(Untagged(2, 0, true), 1), false, "none left");
        NS_TEST_EXPECT_MSG_EQ((b.errors[0] == DdpError::UNTAGGED_NO_BUFFER), true, "code");
        NS_TEST_EXPECT_MSG_EQ(b.receiver.GetStats().systemFaults, 1, "a system fault");
    }
};

/// Random headers never touch anything outside registered buffers.
class DdpReceiverFuzzTest : public TestCase
{
  public:
    DdpReceiverFuzzTest()
        : TestCase("DDP-8.1-1 DDP-8.2-2 random segments stay inside the buffers")
    {
    }

  private:
    void DoRun() override
    {
        Ptr<UniformRandomVariable> random = CreateObject<UniformRandomVariable>();
        random->SetStream(81);
        std::vector<uint8_t> arena(4096, 0xEE);
        uint64_t placed = 0;
        uint64_t failed = 0;
        for (uint32_t round = 0; round < 4000; round++)
        {
            Sink sink;
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
                                      octets.size());
                sink.receiver.Deliver(sink.receiver.HasStopped() ? 0 : 1);
            }
            placed += sink.receiver.GetStats().octets;
            failed += sink.errors.size();
            NS_TEST_ASSERT_MSG_EQ(sink.table.GetSize(), 1, "the table is as it was");
        }
        NS_TEST_EXPECT_MSG_GT(placed, 100000, "much was placed");
        NS_TEST_EXPECT_MSG_GT(failed, 1000, "much was refused");
        for (uint32_t i = 0; i < arena.size(); i++)
        {
            const bool inside =
                (i >= 1024 && i < 1280) || (i >= 2048 && i < 2248) || (i >= 3072 && i < 3272);
            NS_TEST_ASSERT_MSG_EQ((inside || arena[i] == 0xEE), true, "octet " << i);
        }
    }
};

/// The sender's counters and limits.
class DdpSenderTest : public TestCase
{
  public:
    DdpSenderTest()
        : TestCase("DDP-4.3-8 DDP-4.3-9 DDP-4.3-10 DDP-5.2-3 DDP-6.2.1-2 sender")
    {
    }

  private:
    void DoRun() override
    {
        DdpSender sender;
        NS_TEST_EXPECT_MSG_EQ(sender.SubmitUntagged(0x43, 0, 0, 4294967296, 0), EMSGSIZE, "2^32");
        for (uint32_t i = 0; i < 10; i++)
        {
            sender.SubmitUntagged(0x43, 0, 0, 10, i);
            if (i < 3)
            {
                sender.SubmitUntagged(0x41, 0, 1, 28, 100 + i);
            }
        }
        uint32_t sends = 0;
        uint32_t reads = 0;
        while (!sender.IsIdle())
        {
            const auto s = sender.Next(128);
            const uint32_t expected = s.header.qn == 0 ? ++sends : ++reads;
            NS_TEST_EXPECT_MSG_EQ(s.header.msn, expected, "MSN of queue " << s.header.qn);
        }
        NS_TEST_EXPECT_MSG_EQ(sends, 10, "Sends");
        NS_TEST_EXPECT_MSG_EQ(reads, 3, "Reads");

        sender.SetNextMsn(0, 0xFFFFFFFE);
        for (uint32_t msn : {0xFFFFFFFE, 0xFFFFFFFF, 0u})
        {
            sender.SubmitUntagged(0x43, 0, 0, 1, 0);
            NS_TEST_EXPECT_MSG_EQ(sender.Next(128).header.msn, msn, "wrap");
        }

        NS_TEST_EXPECT_MSG_EQ(sender.SubmitTagged(0x40, 1, 0, 0xFFFFFFFF, 0), 0, "2^32 - 1");
        sender.SubmitUntagged(0x43, 0, 0, 1, 7);
        sender.Close();
        NS_TEST_EXPECT_MSG_EQ(sender.SubmitTagged(0x40, 1, 0, 1, 0), ESHUTDOWN, "after Close()");
        NS_TEST_EXPECT_MSG_EQ(sender.GetQueued(), 2, "what was submitted goes out");
        sender.Next(128);
        NS_TEST_EXPECT_MSG_EQ(sender.IsInMessage(), true, "under way");
        sender.Abort();
        NS_TEST_EXPECT_MSG_EQ(sender.IsIdle(), true, "forgotten");
        NS_TEST_EXPECT_MSG_EQ(sender.IsInMessage(), false, "forgotten");
    }
};

/// Suite of sender and receiver.
class DdpReceiverTestSuite : public TestSuite
{
  public:
    DdpReceiverTestSuite()
        : TestSuite("ddp-receiver", TestSuite::Type::UNIT)
    {
        AddTestCase(new DdpReceiverRandomTest, IWARP_TEST_QUICK);
        AddTestCase(new DdpReceiverErrorTest, IWARP_TEST_QUICK);
        AddTestCase(new DdpReceiverLegalTest, IWARP_TEST_QUICK);
        AddTestCase(new DdpReceiverSourceTest, IWARP_TEST_QUICK);
        AddTestCase(new DdpReceiverFuzzTest, IWARP_TEST_QUICK);
        AddTestCase(new DdpSenderTest, IWARP_TEST_QUICK);
    }
};

DdpReceiverTestSuite g_ddpReceiverTestSuite;

} // namespace
