/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../rdmap/rdmap-capture.h"

#include "ns3/abort.h"
#include "ns3/ddp-header.h"
#include "ns3/ddp-octets.h"
#include "ns3/perftest-exchange.h"

#include <algorithm>
#include <array>
#include <cstring>

using namespace ns3;

namespace
{

/// Suite of perftest's exchange as octets, against captures of perftest itself.
IWARP_TEST_SUITE(rdmaPerftestExchange, "rdma-perftest-exchange");

/// A message of a capture.
struct CapturedMessage
{
    uint32_t frame{0};            //!< number of the frame in which it is complete
    DdpHeader header;             //!< DDP header
    std::vector<uint8_t> payload; //!< octets behind it
};

/// @param ulpdus of one side of a connection @return its messages, each of one segment
std::vector<CapturedMessage>
MessagesOf(const std::vector<CapturedUlpdu>& ulpdus)
{
    std::vector<CapturedMessage> messages;
    for (const auto& ulpdu : ulpdus)
    {
        CapturedMessage message;
        message.frame = ulpdu.frame;
        const uint32_t header = message.header.Read(ulpdu.octets.data(), ulpdu.octets.size());
        message.payload.assign(ulpdu.octets.begin() + header, ulpdu.octets.end());
        messages.push_back(message);
    }
    return messages;
}

/// @param octets of a struct pingpong_dest @return what iWARP has no use for made zero: packet
/// sequence number, padding and GID
std::vector<uint8_t>
WithoutInfiniband(std::vector<uint8_t> octets)
{
    std::fill_n(octets.begin() + 12, 4, uint8_t(0));
    std::fill_n(octets.begin() + 20, 4, uint8_t(0));
    std::fill_n(octets.begin() + 32, 16, uint8_t(0));
    return octets;
}

/// Both ends of a run of perftest are played again from its capture.
struct PerftestCaptureTest : TestCase
{
    using TestCase::TestCase;

    /// @param name of the capture @param test its test @param size octets @return both ends at END
    std::array<PerftestExchange, 2> Replay(const std::string& name,
                                           RdmaPerfTest test,
                                           uint32_t size)
    {
        const auto connections = ReadCapture(CaptureFolder() + "stock_ib_" + name + ".pcap");
        NS_ABORT_MSG_IF(connections.size() != 2, name << " has two connections");
        for (int side = 0; side < 2; side++)
        {
            control[side] = MessagesOf(connections[0].ulpdus[side]);
            measured[side] = MessagesOf(connections[1].ulpdus[side]);
        }
        std::array<PerftestExchange, 2> ends{PerftestExchange(test, false, size, 20),
                                             PerftestExchange(test, true, size, 20)};
        std::size_t i = 0;
        while (ends[0].GetStep() != PerftestStep::END)
        {
            const PerftestStep step = ends[0].GetStep();
            if (step == PerftestStep::TEST)
            {
                CheckPlace(name, i);
            }
            else if (step != PerftestStep::CONNECT)
            {
                NS_ABORT_MSG_IF(i >= control[0].size() || i >= control[1].size(), name);
                CheckMessage(name, step, i, ends);
                i++;
            }
            ends[0].Next();
            ends[1].Next();
        }
        NS_TEST_EXPECT_MSG_EQ(i, control[0].size(), name << ": all the client's messages");
        NS_TEST_EXPECT_MSG_EQ(i, control[1].size(), name << ": all the server's");
        return ends;
    }

    /// The messages of the test come where TEST stands. @param name of the capture @param i
    /// messages of the exchange before it
    void CheckPlace(const std::string& name, std::size_t i)
    {
        const uint32_t first = std::min(measured[0].empty() ? UINT32_MAX : measured[0][0].frame,
                                        measured[1].empty() ? UINT32_MAX : measured[1][0].frame);
        NS_TEST_EXPECT_MSG_LT(control[0][i - 1].frame, first, name << ": the exchange before it");
        NS_TEST_EXPECT_MSG_EQ((i == control[0].size() || control[0][i].frame > first),
                              true,
                              name << ": and behind it");
    }

    /// A message and its answer. @param name of the capture @param step which @param i its number
    /// @param ends of the exchange
    void CheckMessage(const std::string& name,
                      PerftestStep step,
                      std::size_t i,
                      std::array<PerftestExchange, 2>& ends)
    {
        const std::string what = name + ", message " + std::to_string(i + 1);
        for (int side = 0; side < 2; side++)
        {
            const auto& octets = control[side][i].payload;
            NS_TEST_EXPECT_MSG_EQ(octets.size(), PerftestExchange::GetLength(step), what);
            const bool told = step == PerftestStep::MEMORY || step == PerftestStep::CLOSE;
            const bool report = PerftestExchange::GetLength(step) == 8;
            const bool known =
                step == PerftestStep::REPORT_SIZE || step == PerftestStep::REPORT_ITERATIONS;
            if (told)
            {
                const auto destination = PerftestDestination::Decode(octets);
                NS_TEST_EXPECT_MSG_EQ((destination.Encode() == WithoutInfiniband(octets)),
                                      true,
                                      what << ": the memory of side " << side);
            }
            else if (step == PerftestStep::MTU && name.find("mtu1500") == std::string::npos)
            {
                NS_TEST_EXPECT_MSG_EQ(+octets[0], '5', what << ": 4096 on jumbo frames");
            }
            else if (!report || (known && side == 0))
            {
                NS_TEST_EXPECT_MSG_EQ((ends[side].MakeMessage() == octets),
                                      true,
                                      what << ": octets of side " << side);
            }
            NS_TEST_EXPECT_MSG_EQ(ends[1 - side].Take(octets), "", what);
        }
    }

    std::array<std::vector<CapturedMessage>, 2> control;  //!< of the first connection, by side
    std::array<std::vector<CapturedMessage>, 2> measured; //!< of the second
};

IWARP_TEST(rdmaPerftestExchange, "Captures of perftest, message by message", PerftestCaptureTest)
{
    using Test = RdmaPerfTest;
    auto ends = Replay("send_lat_64_mtu1500", Test::SEND_LAT, 64);
    NS_TEST_EXPECT_MSG_EQ(measured[0].size(), 20, "Sends");

    ends = Replay("read_lat_64_mtu1500", Test::READ_LAT, 64);
    // a Read Request's source STag and TO stand behind sink and length
    const auto& request = measured[0][0].payload;
    NS_TEST_EXPECT_MSG_EQ(ddp::LoadBig<uint32_t>(&request[16]), ends[0].GetPeer().key, "STag");
    NS_TEST_EXPECT_MSG_EQ(ddp::LoadBig<uint64_t>(&request[20]), ends[0].GetPeer().address, "TO");

    ends = Replay("write_lat_64_mtu1500", Test::WRITE_LAT, 64);
    NS_TEST_EXPECT_MSG_LT(measured[1][0].frame, measured[0][0].frame, "the server writes first");
    for (int side = 0; side < 2; side++)
    {
        for (std::size_t i = 0; i < measured[side].size(); i++)
        {
            const auto& [frame, header, payload] = measured[side][i];
            NS_TEST_EXPECT_MSG_EQ(header.stag, ends[side].GetPeer().key, "STag");
            NS_TEST_EXPECT_MSG_EQ(header.to, ends[side].GetPeer().address, "TO");
            NS_TEST_EXPECT_MSG_EQ(+payload.back(), i + 1, "the last octet counts");
        }
    }

    ends = Replay("send_bw_4096_mtu9000", Test::SEND_BW, 4096);
    std::vector<uint32_t> credits;
    for (const auto& [frame, header, payload] : measured[1])
    {
        NS_TEST_EXPECT_MSG_EQ(header.stag, ends[1].GetPeer().key, "STag of the client's memory");
        credits.push_back(PerftestCredit::Decode(payload.data()));
        NS_TEST_EXPECT_MSG_EQ((PerftestCredit::Encode(credits.back()) == payload), true, "credit");
    }
    const uint32_t interval = PerftestCredit::GetInterval(20);
    const std::vector<uint32_t> due{interval, 2 * interval, 3 * interval, 20};
    NS_TEST_EXPECT_MSG_EQ((credits == due), true, "each third of the receives, and the last");
}

IWARP_TEST(rdmaPerftestExchange,
           "The client's report as the capture of read_bw has it",
           PerftestCaptureTest)
{
    Replay("read_bw_64_mtu1500", RdmaPerfTest::READ_BW, 64);
    PerftestExchange client(RdmaPerfTest::READ_BW, false, 64, 20);
    PerftestReport report;
    double* const values[] = {&report.peak, &report.average, &report.rate};
    for (std::size_t i = 0; i < 3; i++)
    {
        const auto bits = ddp::LoadBig<uint64_t>(control[0][12 + i].payload.data());
        std::memcpy(values[i], &bits, sizeof(bits));
    }
    // 64 octets a message: MiB/s from million messages/s
    NS_TEST_EXPECT_MSG_EQ_TOL(report.average, report.rate * 1e6 * 64 / 1048576, 1e-9, "average");
    NS_TEST_EXPECT_MSG_LT(report.average, report.peak, "peak");
    client.SetReport(report);
    while (client.GetStep() != PerftestStep::REPORT_PEAK)
    {
        client.Next();
    }
    for (std::size_t i = 0; i < 3; i++)
    {
        NS_TEST_EXPECT_MSG_EQ((client.MakeMessage() == control[0][12 + i].payload), true, i);
        client.Next();
    }
}

IWARP_TEST(rdmaPerftestExchange, "Nonsense is told from sense")
{
    PerftestExchange server(RdmaPerfTest::WRITE_BW, true, 64, 20);
    /// Have a message refused. @param octets of it @param words of the answer
    const auto refuse = [&](const std::vector<uint8_t>& octets, const std::string& words) {
        const std::string answer = server.Take(octets);
        NS_TEST_EXPECT_MSG_EQ((answer.find(words) != std::string::npos), true, answer);
    };
    /// Have a message taken, and go on. @param octets of it
    const auto accept = [&](const std::vector<uint8_t>& octets) {
        NS_TEST_EXPECT_MSG_EQ(server.Take(octets), "", "step " << int(server.GetStep()));
        server.Next();
    };
    const auto text = [](const std::string& words, std::size_t length) {
        std::vector<uint8_t> octets(words.begin(), words.end());
        octets.resize(length);
        return octets;
    };
    const auto number = [](uint64_t value, std::size_t length) {
        std::vector<uint8_t> octets(8);
        ddp::StoreBig<uint64_t>(octets.data(), value);
        return std::vector<uint8_t>(octets.end() - static_cast<std::ptrdiff_t>(length),
                                    octets.end());
    };

    refuse({}, "0 octets where perftest's exchange has one of 16");
    refuse(text("6.06", 56), "56 octets");
    refuse(text("", 16), "does not begin with a version");
    refuse(text("GET / HTTP", 16), "does not begin with a version");
    refuse(text("6.21", 16), "version 6.21 of perftest's exchange, not 6.06");
    refuse(text("6.060000000000001", 16), "not 6.06");
    accept(text("6.06", 16));

    for (const uint64_t buffer : {0ULL, 3ULL, 4097ULL, 1ULL << 25, 0xffffffffULL})
    {
        refuse(number(buffer, 4), "no power of two");
    }
    NS_TEST_EXPECT_MSG_EQ(server.GetBuffer(), 4096, "a page, if not more");
    accept(number(65536, 4));
    NS_TEST_EXPECT_MSG_EQ(server.GetBuffer(), 65536, "the larger of both ends' pages");
    refuse(number(100, 4), "no power of two");
    accept(number(128, 4));
    NS_TEST_EXPECT_MSG_EQ(server.GetBuffer(), 65536, "a line is no page");
    for (const char* mtu : {"", "0", "6", "35", "a"})
    {
        refuse(text(mtu, 2), "MTU");
    }
    accept(text("5", 2));
    accept(std::vector<uint8_t>(56));
    refuse(std::vector<uint8_t>(56), "56 octets where perftest's exchange has none");
    server.Next(); // the connection is there
    accept(std::vector<uint8_t>(56));

    PerftestDestination memory;
    memory.key = 0x19f7df00;
    memory.address = 0x561cb777b000;
    for (int i = 0; i < 3; i++)
    {
        accept(memory.Encode());
    }
    NS_TEST_EXPECT_MSG_EQ(server.GetPeer().key, 0x19f7df00U, "STag");
    NS_TEST_EXPECT_MSG_EQ(server.GetPeer().address, 0x561cb777b000ULL, "TO");
    NS_TEST_EXPECT_MSG_EQ((server.GetStep() == PerftestStep::TEST), true, "the test");
    server.Next();
    accept(memory.Encode());
    refuse(number(128, 8), "the client's Size is 128, and 64 here");
    accept(number(64, 8));
    refuse(number(1000, 8), "the client's Iterations is 1000, and 20 here");
    accept(number(20, 8));
    for (int i = 0; i < 3; i++)
    {
        accept(std::vector<uint8_t>(8, 0xff));
    }
    accept(memory.Encode());
    server.Next();
    NS_TEST_EXPECT_MSG_EQ((server.GetStep() == PerftestStep::END), true, "there is nothing more");

    // a client does not look at what the server reports, which perftest's leaves to chance
    PerftestExchange client(RdmaPerfTest::WRITE_BW, false, 64, 20);
    while (client.GetStep() != PerftestStep::REPORT_SIZE)
    {
        client.Next();
    }
    NS_TEST_EXPECT_MSG_EQ(client.Take(number(0x7ffccc67ab34, 8)), "", "of a server");
}

IWARP_TEST(rdmaPerftestExchange, "Tests that go by it")
{
    using Test = RdmaPerfTest;
    for (const Test test : {Test::SEND_BW, Test::WRITE_LAT, Test::READ_BW})
    {
        NS_TEST_EXPECT_MSG_EQ(PerftestExchange::Check(test, 5), "", "least");
        NS_TEST_EXPECT_MSG_EQ(PerftestExchange::Check(test, 100000000), "", "most");
        NS_TEST_EXPECT_MSG_NE(PerftestExchange::Check(test, 4), "", "too few");
        NS_TEST_EXPECT_MSG_NE(PerftestExchange::Check(test, 100000001), "", "too many");
    }
    NS_TEST_EXPECT_MSG_NE(PerftestExchange::Check(Test::ATOMIC_BW, 5), "", "siw has none");
    NS_TEST_EXPECT_MSG_NE(PerftestExchange::Check(Test::ATOMIC_LAT, 5), "", "siw has none");
    NS_TEST_EXPECT_MSG_EQ(PerftestCredit::GetInterval(1), 1, "never 0");
    NS_TEST_EXPECT_MSG_EQ(PerftestCredit::GetInterval(512), 170, "a third");
}

} // namespace
