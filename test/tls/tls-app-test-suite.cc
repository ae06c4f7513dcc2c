/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../helper/iwarp-run-scenario.h"
#include "../helper/iwarp-two-hosts.h"
#include "../iwarp-test.h"

#include "ns3/app-message.h"
#include "ns3/rnic-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/tls-application-helper.h"
#include "ns3/tls-bulk-sender.h"
#include "ns3/tls-keys.h"
#include "ns3/tls-message.h"
#include "ns3/tls-packet.h"
#include "ns3/tls-sink.h"
#include "ns3/tls-stream.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(tlsApp, "tls-app");

/// @param sizes of messages @return octets of them in a stream, as TlsBulkSender writes them
std::vector<uint8_t>
WriteTlsMessages(const std::vector<uint64_t>& sizes)
{
    std::vector<uint8_t> octets;
    for (uint32_t i = 0; i < sizes.size(); i++)
    {
        const auto header = iwarp::WriteTlsMessageHeader(i, sizes[i]);
        octets.insert(octets.end(), header.begin(), header.end());
        const uint8_t* pattern = iwarp::MessagePattern(i, 0);
        octets.insert(octets.end(), pattern, pattern + sizes[i]);
    }
    return octets;
}

} // namespace

/// @brief Messages are found however the stream is divided, and what differs is counted.
IWARP_TEST(tlsApp, "messages in a stream")
{
    const std::vector<uint64_t> sizes{1, 5000, 13, 40000};
    const auto octets = WriteTlsMessages(sizes);
    for (const uint32_t piece : {1, 7, 100, 16384, 100000})
    {
        std::vector<uint64_t> found;
        uint64_t payload = 0;
        iwarp::TlsMessageReader reader(
            true,
            [&payload](uint64_t more) { payload += more; },
            [&found](uint32_t, uint64_t size) { found.push_back(size); });
        for (std::size_t at = 0; at < octets.size(); at += piece)
        {
            const auto size =
                static_cast<uint32_t>(std::min<std::size_t>(piece, octets.size() - at));
            NS_TEST_ASSERT_MSG_EQ(reader.Add(Create<Packet>(octets.data() + at, size)),
                                  true,
                                  piece);
        }
        NS_TEST_EXPECT_MSG_EQ((found == sizes), true, piece);
        NS_TEST_EXPECT_MSG_EQ(payload, 45014, piece);
        NS_TEST_EXPECT_MSG_EQ(reader.GetContentErrors(), 0, piece);
        NS_TEST_EXPECT_MSG_EQ(reader.IsBetween(), true, piece);
    }
    const auto ignore = [](auto...) {};
    iwarp::TlsMessageReader damaged(true, ignore, ignore);
    auto other = octets;
    other[12] ^= 1;
    other[13 + 12 + 4000] ^= 1;
    damaged.Add(MakeTlsPacket(other));
    NS_TEST_EXPECT_MSG_EQ(damaged.GetContentErrors(), 2, "two octets");
    iwarp::TlsMessageReader wrong(true, ignore, ignore);
    other = octets;
    other[13 + 3] = 9; // number of the second message
    NS_TEST_EXPECT_MSG_EQ(wrong.Add(MakeTlsPacket(other)), false, "no message begins so");
    NS_TEST_EXPECT_MSG_EQ(wrong.GetMessages(), 1, "what was before counts");
}

/// Runs of the workload.
class TlsWorkloadTest : public ScenarioTestCase
{
  protected:
    /// @param name of the case
    explicit TlsWorkloadTest(const std::string& name)
        : ScenarioTestCase(name,
                           {{"Workload", "tls"},
                            {"MessageSizes", "fixed:65536"},
                            {"Octets", "1000000"},
                            {"PlainTcp", "false"},
                            {"Backed", "true"}})
    {
    }
};

/// @brief The workload's metrics without loss, by hand: 16 messages of 65,548 octets, the last one
/// cut.
IWARP_TEST(tlsApp, "workload tls", TlsWorkloadTest)
{
    for (const std::string real : {"false", "true"})
    {
        if (real == "true" && !HasRealTls())
        {
            continue;
        }
        const auto found = RunScenario({{"TlsStream.Real", real}});
        NS_TEST_EXPECT_MSG_EQ(found.at("payload_octets"), 1000000, "all comes");
        NS_TEST_EXPECT_MSG_EQ(found.at("content_errors"), 0, "as it was");
        // a message goes in writes of 65,536 and 12 octets, the last, of 16,960, in 16,384 and 588;
        // hello, CCS, Finished before them, close_notify behind
        NS_TEST_EXPECT_MSG_EQ(found.at("fpdus_sent"), 15 * 5 + 2 + 4, "records");
        NS_TEST_EXPECT_MSG_EQ(found.at("messages"), 16, "messages");
    }
}

/// @brief Payload of records that are not whole counts when a warm-up ends: a link that is busy all
/// the time carries its share, to some segments, though a record is longer than these.
IWARP_TEST(tlsApp, "payload of records in part", TlsWorkloadTest)
{
    constexpr double MESSAGE = 16372; // which fills a record, with its header of 12 octets
    constexpr double RECORD = 16406;
    constexpr double SEGMENT = 1448;
    constexpr double FRAME = 1538;
    for (const std::string flows : {"1", "2", "5"})
    {
        const auto found = RunScenario({{"Flows", flows},
                                        {"Alignment", "false"},
                                        {"LinkRate", "1Gbps"},
                                        {"Octets", "1637200"},
                                        {"WarmUp", "327440"},
                                        {"MessageSizes", "fixed:16372"}});
        const double carried =
            found.at("duration") * 1e9 / 8 * (SEGMENT / FRAME) * (MESSAGE / RECORD);
        const double ends = (2 * std::stod(flows) + 1) * SEGMENT;
        NS_TEST_EXPECT_MSG_EQ_TOL(found.at("payload_octets"), carried, ends, flows);
    }
}

/// @brief Records of a segment each are aligned if the socket aligns them, and wait for no others.
IWARP_TEST(tlsApp, "alignment of records", TlsWorkloadTest)
{
    const ScenarioSettings small{{"TlsStream.MaxRecord", "1369"}, {"Loss", "0.01"}};
    auto settings = small;
    const auto aligned = RunScenario(settings);
    settings["Alignment"] = "false";
    const auto cut = RunScenario(settings);
    NS_TEST_EXPECT_MSG_GT(aligned.at("fpdu_aligned_share"), 0.99, "whole records");
    NS_TEST_EXPECT_MSG_LT(cut.at("fpdu_aligned_share"), 0.2, "records lie anywhere");
    NS_TEST_EXPECT_MSG_GT(aligned.at("delivery_latency_mean"),
                          0,
                          "what was lost before is waited for");
    for (const auto& found : {aligned, cut})
    {
        NS_TEST_EXPECT_MSG_EQ(found.at("payload_octets"), 1000000, "all comes");
        NS_TEST_EXPECT_MSG_EQ(found.at("content_errors"), 0, "as it was");
        NS_TEST_EXPECT_MSG_EQ(found.at("fpdus_passed_out_of_order"), 0, "records come in order");
    }
    settings = small;
    settings["IwarpTlsWorkload.Protocol"] = "ns3::TcpSocketFactory";
    const auto plain = RunScenario(settings);
    NS_TEST_EXPECT_MSG_EQ(plain.at("payload_octets"), 1000000, "over ns-3's own TCP");
    NS_TEST_EXPECT_MSG_EQ(plain.at("header_aligned_share"), 0, "of whose segments nothing is told");
}

/// @brief Sizes of records as senders choose them come to the octets that they are to.
IWARP_TEST(tlsApp, "sizes of records", TlsWorkloadTest)
{
    std::map<std::string, double> records;
    for (const std::string sizing : {"Fixed", "Steps", "Growth"})
    {
        const auto found = RunScenario({{"TlsStream.RecordSizing", sizing}});
        NS_TEST_EXPECT_MSG_EQ(found.at("payload_octets"), 1000000, sizing);
        records[sizing] = found.at("fpdus_sent");
    }
    NS_TEST_EXPECT_MSG_GT(records["Steps"], records["Growth"], "81 small and medium ones first");
    NS_TEST_EXPECT_MSG_GT(records["Growth"], records["Fixed"], "some small ones first");
}

/// @brief Both ends count what they were given and what has come, connection by connection; one
/// whose peer is none of TlsBulkSender fails alone.
IWARP_TEST(tlsApp, "counters of applications")
{
    TwoHosts network;
    constexpr uint16_t PORT = 443;
    TlsSinkHelper sinks(network.GetAnySocketAddress(PORT));
    const auto sink = DynamicCast<TlsSink>(sinks.Install(network.GetHost(1)).Get(0));
    TlsBulkSenderHelper senders(network.GetHostSocketAddress(1, PORT));
    senders.SetAttribute("MaxOctets", UintegerValue(250000));
    senders.SetAttribute("MessageSizes",
                         StringValue("ns3::ConstantRandomVariable[Constant=100000]"));
    auto installed = senders.Install(network.GetHost(0));
    const auto sender = DynamicCast<TlsBulkSender>(installed.Get(0));
    std::vector<uint64_t> sent;
    sender->TraceConnectWithoutContext(
        "MessageSent",
        iwarp::MakeLambdaCallback<Callback<void, uint32_t, uint64_t>>(
            [&sent](uint32_t, uint64_t octets) { sent.push_back(octets); }));
    installed.Start(MilliSeconds(1));
    Simulator::Stop(Seconds(1));
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ((sent == std::vector<uint64_t>{100000, 100000, 50000}), true, "told");
    NS_TEST_EXPECT_MSG_EQ(sender->GetMessagesPosted(), 3, "the last cut to fit");
    NS_TEST_EXPECT_MSG_EQ(sender->GetMessagesSent(), 3, "given to the stream");
    NS_TEST_EXPECT_MSG_EQ(sender->GetMessagesRefused(), 0, "none found the queue full");
    NS_TEST_EXPECT_MSG_EQ(sender->GetOctetsSent(), 250000, "payload alone");
    NS_TEST_EXPECT_MSG_EQ(sender->IsFinished(), true, "all");
    NS_TEST_EXPECT_MSG_EQ(sender->GetError(), "", "well");
    NS_TEST_EXPECT_MSG_EQ(sink->GetMessages(), 3, "all came");
    NS_TEST_EXPECT_MSG_EQ(sink->GetMessageOctets(), 250000, "with their payload");
    NS_TEST_EXPECT_MSG_EQ(sink->GetError(), "", "none failed");

    std::string failed;
    sink->TraceConnectWithoutContext(
        "Failed",
        iwarp::MakeLambdaCallback<Callback<void, Ptr<TlsStream>, const std::string&>>(
            [&failed](Ptr<TlsStream>, const std::string& reason) { failed += reason; }));
    const auto stranger = Socket::CreateSocket(network.GetHost(0), TcpSocketFactory::GetTypeId());
    stranger->Connect(network.GetHostSocketAddress(1, PORT));
    stranger->Send(Create<Packet>(100)); // zeros are no record
    Simulator::Stop(Seconds(1));
    Simulator::Run();
    NS_TEST_ASSERT_MSG_EQ(sink->GetNConnections(), 2, "each is one");
    NS_TEST_EXPECT_MSG_EQ(sink->GetConnection(0)->GetError(), "", "the first was well");
    NS_TEST_EXPECT_MSG_NE(sink->GetConnection(1)->GetError(), "", "the second was not");
    NS_TEST_EXPECT_MSG_EQ(sink->GetError(), sink->GetConnection(1)->GetError(), "as of all");
    NS_TEST_EXPECT_MSG_EQ(failed, sink->GetError(), "told once");
    NS_TEST_EXPECT_MSG_EQ(sink->GetMessages(), 3, "and nothing else changes");
    Simulator::Destroy();
}

/// @brief Hardware that has room for one connection takes the next once that is over.
IWARP_TEST(tlsApp, "hardware follows one connection after the other")
{
    TwoHosts network;
    RnicHelper helper;
    helper.Set("Receiver", StringValue("Autonomous"));
    helper.Set("RxRecords.Connections", UintegerValue(1));
    const auto rnic = helper.Install(network.GetHost(1));
    TlsSinkHelper sinks(network.GetAnySocketAddress(443));
    const auto sink = DynamicCast<TlsSink>(sinks.Install(network.GetHost(1)).Get(0));
    TlsBulkSenderHelper senders(network.GetHostSocketAddress(1, 443));
    senders.SetAttribute("MaxOctets", UintegerValue(250000));
    for (const auto& [start, worked] : {std::pair{MilliSeconds(1), 1}, // alone
                                        {MilliSeconds(2), 1},          // while the first is served
                                        {MilliSeconds(500), 2}})
    {
        Simulator::Schedule(start + MilliSeconds(400), [this, &rnic, worked = worked] {
            const auto octets = rnic->GetOffloadCounters().offloadedOctets;
            NS_TEST_EXPECT_MSG_GT(octets, worked * 240000, "octets of so many connections");
            NS_TEST_EXPECT_MSG_LT(octets, worked * 260000, "octets of so many connections");
        });
        senders.Install(network.GetHost(0)).Start(start);
    }
    Simulator::Stop(Seconds(1));
    Simulator::Run();
    NS_TEST_EXPECT_MSG_EQ(sink->GetMessageOctets(), 750000, "all came");
    Simulator::Destroy();
}
