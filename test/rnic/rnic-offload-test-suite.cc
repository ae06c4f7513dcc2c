/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../record/record-stream-pair.h"

#include "ns3/error-model.h"
#include "ns3/iwarp-metrics.h"
#include "ns3/iwarp-rnic-collector.h"
#include "ns3/pointer.h"
#include "ns3/rnic-cpu.h"
#include "ns3/rnic-helper.h"
#include "ns3/rnic-record-stage.h"

#include <algorithm>
#include <list>
#include <map>
#include <string>
#include <vector>

using namespace ns3;
using namespace recordtest;

namespace
{

IWARP_TEST_SUITE(rnicOffload, "rnic-offload");

constexpr uint32_t OFFLOAD_SEGMENT = 1448; //!< octets of payload in a full segment

/// Records of one size from a host to another, both with RNICs of a design.
class OffloadRun
{
  public:
    std::string receiver{"Autonomous"};          //!< kind of both
    std::map<std::string, std::string> settings; //!< more of them
    RecordService service{true, false, true};    //!< of the octets
    uint32_t payload{9991};                      //!< of a record of 10,000 octets
    uint32_t count{100};                         //!< records
    uint32_t alike{0};                           //!< offset in a record of what seems to be
                                                 //!< another, unless 0
    uint32_t alikeSize{2000};                    //!< octets that this seems to have
    bool alignment{false};                       //!< of records and segments
    std::list<uint32_t> lost;                    //!< packets that are lost at the receiver, from 0
    Time restart;                 //!< behind the beginning, when counts of the receiver begin
                                  //!< anew, unless 0
    double reordered{0};          //!< share of packets that are lost and sent again at random
    uint64_t right{0};            //!< records that came as they were
    uint64_t wrong{0};            //!< others
    uint64_t worked{0};           //!< octets of records that the receiver's hardware worked on
    uint64_t payloads{0};         //!< payload that came
    RnicOffloadCounters received; //!< what the receiver's RNIC counted
    RnicOffloadCounters sent;     //!< what the sender's counted
    uint64_t inFront{0};          //!< octets of records in front of segments that were not the next
    uint32_t again{0};            //!< segments sent again
    RnicOps ops;                  //!< what the receiver did
    RnicTime busy{0};             //!< time of the receiver's CPUs
    RnicTime sending{0};          //!< time of the sender's
    std::map<std::string, double> metrics; //!< that scenarios report of the receiver's RNIC

    void Run()
    {
        std::vector<Ptr<Rnic>> rnics;
        const auto collector = Create<iwarp::RnicCollector>();
        RecordStreamPair pair(
            "ns3::MpaTcpSocketFactory",
            false,
            [&](const NodeContainer& nodes, const NetDeviceContainer& devices) {
                RnicHelper helper;
                helper.Set("Receiver", StringValue(receiver));
                for (const auto& [path, value] : settings)
                {
                    const std::string problem = helper.SetFromText(path, value);
                    NS_ABORT_MSG_UNLESS(problem.empty(), problem);
                }
                rnics = helper.Install(nodes);
                collector->Attach(rnics[1]);
                auto list = CreateObject<ReceiveListErrorModel>();
                list->SetList(lost);
                devices.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(list));
                if (reordered > 0)
                {
                    auto random = CreateObject<RateErrorModel>();
                    random->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
                    random->SetRate(reordered);
                    random->AssignStreams(7);
                    devices.Get(1)->SetAttribute("ReceiveErrorModel", PointerValue(random));
                }
            });
        auto record = TaggedFraming::Make(payload);
        if (alike > 0)
        {
            const auto other =
                TaggedFraming::Make(alikeSize - TaggedFraming::HEAD - TaggedFraming::TAIL);
            std::copy_n(other.begin(), TaggedFraming::HEAD, record.begin() + alike);
        }
        using SentCallback = Callback<void, SequenceNumber32, uint32_t, bool, bool, bool>;
        uint32_t next = 1;
        const auto follow = iwarp::MakeLambdaCallback<SentCallback>(
            [&](SequenceNumber32 seq, uint32_t size, bool, bool, bool isAgain) {
                const uint32_t start = seq.GetValue();
                inFront += start == next ? 0 : (start - 1) % record.size();
                again += isAgain ? 1 : 0;
                next = start + size;
            });
        pair.onConnected = [&] {
            pair.left.stream->GetSocket()->TraceConnectWithoutContext("SegmentSent", follow);
            pair.left.stream->GetSocket()->SetAttribute("Alignment", BooleanValue(alignment));
            pair.left.stream->GetSocket()->SetAttribute("SndBufSize", UintegerValue(131072));
            pair.left.stream->SetService(service);
            pair.right.stream->SetService(service);
            for (uint32_t i = 0; i < count; i++)
            {
                pair.left.stream->Send(MakePacket(record));
            }
            if (!restart.IsZero())
            {
                Simulator::Schedule(restart, &Rnic::RestartStatistics, rnics[1]);
            }
        };
        pair.right.onRecord = [&](const std::vector<uint8_t>& octets) {
            (octets == record ? right : wrong)++;
            worked += pair.right.stream->GetWorkedOn();
        };
        Simulator::Stop(Seconds(200));
        Simulator::Run();
        iwarp::MetricSet report;
        collector->Report(report, {});
        for (const auto& metric : report.Get())
        {
            metrics[metric.name] = metric.value;
        }
        payloads = pair.right.payload;
        received = rnics[1]->GetOffloadCounters();
        sent = rnics[0]->GetOffloadCounters();
        ops = rnics[1]->GetOps();
        busy = rnics[1]->GetDatapath().Get<RnicCpu>("Cpu")->GetBusy();
        sending = rnics[0]->GetDatapath().Get<RnicCpu>("Cpu")->GetBusy();
    }
};

} // namespace

/// @brief In order hardware does all of it, and software the same without hardware: CPU time by
/// arithmetic.
IWARP_TEST(rnicOffload, "in order, by hand")
{
    OffloadRun run;
    run.settings = {{"Cpu.CrcRate", "8Gbps"}, {"Cpu.CopyRate", "16Gbps"}}; // 1 and 0.5 ns an octet
    run.Run();
    const uint64_t octets = uint64_t{run.count} * 10'000;
    NS_TEST_EXPECT_MSG_EQ(run.right, run.count, "all come");
    NS_TEST_EXPECT_MSG_EQ(run.worked, octets, "hardware has worked on all of them");
    NS_TEST_EXPECT_MSG_EQ(run.received.offloadedOctets, octets, "as it counts");
    NS_TEST_EXPECT_MSG_EQ(run.received.guesses, 0, "nothing is asked");
    NS_TEST_EXPECT_MSG_EQ(run.ops.crcOctets, 0, "no CRC is left to software");
    NS_TEST_EXPECT_MSG_EQ(run.ops.placedAhead, run.payloads, "all payload is placed");
    NS_TEST_EXPECT_MSG_EQ(run.metrics.at("rnic_op_placed_ahead"), run.payloads, "as is reported");
    NS_TEST_EXPECT_MSG_EQ(run.busy, 0, "and no CPU touches an octet");
    NS_TEST_EXPECT_MSG_EQ(run.sent.recovered, 0, "nothing is sent again");

    OffloadRun software = run;
    software.receiver = "HostSoftware";
    software.right = software.worked = 0;
    software.Run();
    NS_TEST_EXPECT_MSG_EQ(software.right, run.count, "all come");
    NS_TEST_EXPECT_MSG_EQ(software.worked, 0, "there is no hardware");
    NS_TEST_EXPECT_MSG_EQ(software.ops.crcOctets, octets, "CRC of all records");
    const RnicTime expected = octets * 1000 + run.payloads * 500;
    NS_TEST_EXPECT_MSG_EQ(software.busy, expected, "a CRC of all, a copy of the payload");
    OffloadRun ciphers = software;
    ciphers.service = {false, true, true};
    ciphers.Run();
    NS_TEST_EXPECT_MSG_EQ(ciphers.metrics.at("rnic_op_cipher_octets"), octets, "of all records");
}

/// @brief A segment within a record is lost: hardware goes on with the next record.
IWARP_TEST(rnicOffload, "a lost segment without a head")
{
    OffloadRun run;
    run.lost = {2 +
                3}; // behind SYN and ACK of the handshake: the fourth of the first record's seven
    run.settings = {{"Cpu.CrcRate", "8Gbps"}, {"Cpu.CopyRate", "16Gbps"}};
    run.Run();
    NS_TEST_EXPECT_MSG_EQ(run.right, run.count, "all come");
    NS_TEST_EXPECT_MSG_EQ(run.received.resumed, 1, "the next head was known");
    NS_TEST_EXPECT_MSG_EQ(run.received.lost, 0, "no head was lost");
    NS_TEST_EXPECT_MSG_EQ(run.received.absences, 1, "once");
    // three before it are worked on; 4 is late; 5 and 6 are within the record, 7 has its end
    NS_TEST_EXPECT_MSG_EQ(run.received.absentOctets, 3 * OFFLOAD_SEGMENT, "5, 6 and 7");
    NS_TEST_EXPECT_MSG_EQ(run.received.past, 1, "the fourth comes late");
    NS_TEST_EXPECT_MSG_EQ(run.metrics.at("rnic_offload_resumed"), 1, "as is reported");
    NS_TEST_EXPECT_MSG_EQ(run.metrics.at("rnic_offload_lost"), 0, "as is reported");
    NS_TEST_EXPECT_MSG_EQ(run.metrics.at("rnic_offload_absent_octets"),
                          3 * OFFLOAD_SEGMENT,
                          "as is reported");
    // from the fifth's arrival to the eighth's, at 1 Gbit/s: 52 octets of TCP and IP, 2 of PPP
    NS_TEST_EXPECT_MSG_EQ_TOL(run.metrics.at("rnic_offload_absent_time"),
                              3 * (OFFLOAD_SEGMENT + 54) * 8e-9,
                              1e-9,
                              "three segments");
    NS_TEST_EXPECT_MSG_EQ(run.received.offloadedOctets,
                          run.count * 10'000 - 4 * OFFLOAD_SEGMENT,
                          "all but four segments");
    // the seventh has the first octets of the second record, which software checks as well
    NS_TEST_EXPECT_MSG_EQ(run.ops.crcOctets, 2 * 10'000, "two records are checked by software");
    const uint64_t inSeventh = 7 * OFFLOAD_SEGMENT - 10'000 - TaggedFraming::HEAD;
    const uint64_t copied =
        4 * OFFLOAD_SEGMENT - (7 * OFFLOAD_SEGMENT - 10'000) - TaggedFraming::TAIL + inSeventh;
    NS_TEST_EXPECT_MSG_EQ(run.ops.placedAhead, run.payloads - copied, "what was placed");
    NS_TEST_EXPECT_MSG_EQ(run.busy, 2 * 10'000 * 1000 + copied * 500, "CPU time");
}

/// @brief An absence counts where it has ended, and where all of it was counted.
IWARP_TEST(rnicOffload, "absences without an end, or a beginning")
{
    OffloadRun last;
    last.payload = 4991; // heads at 0, 5,000 in the fourth segment, and 10,000 in the seventh
    last.count = 3;
    last.lost = {2 + 1, 2 + 6};
    last.Run();
    NS_TEST_EXPECT_MSG_EQ(last.right, last.count, "all come");
    NS_TEST_EXPECT_MSG_EQ(last.received.lost, 1, "the last head was lost");
    NS_TEST_EXPECT_MSG_EQ(last.received.absences, 1, "behind it hardware does not come back");
    NS_TEST_EXPECT_MSG_EQ(last.received.absentOctets, 2 * OFFLOAD_SEGMENT, "3 and 4");
    NS_TEST_EXPECT_MSG_EQ(last.metrics.at("rnic_offload_absent_octets"),
                          2 * OFFLOAD_SEGMENT,
                          "as is reported");

    OffloadRun begun;
    begun.lost = {2 + 3};
    // the fifth comes after its 1,502 octets and those of four others at 1 Gbit/s, and 50 us
    begun.restart = MicroSeconds(50 + 5 * 12 + 6);
    begun.Run();
    NS_TEST_EXPECT_MSG_EQ(begun.right, begun.count, "all come");
    NS_TEST_EXPECT_MSG_EQ(begun.received.resumed, 1, "hardware comes back behind the seventh");
    NS_TEST_EXPECT_MSG_EQ(begun.received.absences, 0, "from what had begun before");
    NS_TEST_EXPECT_MSG_EQ(begun.received.absentOctets, 0, "as its octets");
    NS_TEST_EXPECT_MSG_EQ(begun.received.absentTime, 0, "and its time");
}

/// @brief A segment with a head is lost: hardware searches, asks, and begins again.
IWARP_TEST(rnicOffload, "a lost segment with a head")
{
    for (const bool isSoftware : {false, true})
    {
        OffloadRun run;
        run.lost = {2 + 6}; // the seventh has the end of the first record and the second's head
        run.settings = {{"RxRecords.Resync", isSoftware ? "Software" : "Scan"},
                        {"RxRecords.AnswerTime", "1us"}};
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.right, run.count, "all come");
        NS_TEST_EXPECT_MSG_EQ(run.received.lost, 1, "the head was lost");
        NS_TEST_EXPECT_MSG_EQ(run.received.guesses, (isSoftware ? 0 : 1), "who finds it");
        NS_TEST_EXPECT_MSG_EQ(run.received.confirmed, (isSoftware ? 0 : 1), "and it is right");
        NS_TEST_EXPECT_MSG_EQ(run.received.absences, 1, "hardware is back");
        NS_TEST_EXPECT_MSG_EQ(run.metrics.at("rnic_offload_absences"), 1, "as is reported");
        NS_TEST_EXPECT_MSG_GT(run.received.offloadedOctets, 500'000, "for most of the stream");
        NS_TEST_EXPECT_MSG_LT(run.received.offloadedOctets, 980'000, "not at once");
        NS_TEST_EXPECT_MSG_GT(run.received.absentTime, 0, "which takes time");
        NS_TEST_EXPECT_MSG_EQ(run.metrics.at("rnic_offload_lost"), 1, "as is reported");
        NS_TEST_EXPECT_MSG_EQ(run.metrics.at("rnic_offload_guesses"), (isSoftware ? 0 : 1), "too");
        // from behind the seventh segment up to the third record's first octet
        NS_TEST_EXPECT_MSG_EQ(run.metrics.at("rnic_offload_searched"),
                              (isSoftware ? 0 : 2 * 10'000 + 1 - 7 * OFFLOAD_SEGMENT),
                              "octets of the second record");
    }
}

/// @brief What follows a guess shows that it was wrong, before software has the octets to say so.
IWARP_TEST(rnicOffload, "payload that looks like a record")
{
    for (const bool isLost : {false, true})
    {
        OffloadRun run;
        run.alike =
            2000; // of the second record in the ninth segment; its end would be in the tenth
        run.lost = isLost ? std::list<uint32_t>{2 + 6} : std::list<uint32_t>{};
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.right, run.count, "all come");
        NS_TEST_EXPECT_MSG_EQ(run.metrics.at("rnic_offload_broken"), (isLost ? 1 : 0), "given up");
        NS_TEST_EXPECT_MSG_EQ(run.metrics.at("rnic_offload_rejected"), 0, "before the answer");
        NS_TEST_EXPECT_MSG_EQ(run.metrics.at("rnic_offload_guesses"),
                              (isLost ? 2 : 0),
                              "the other is right");
        // up to what is alike, and from the tenth segment up to the third record
        NS_TEST_EXPECT_MSG_EQ(
            run.metrics.at("rnic_offload_searched"),
            (isLost ? 12'001 - 7 * OFFLOAD_SEGMENT + 20'001 - 9 * OFFLOAD_SEGMENT : 0),
            "octets");
    }
}

/// @brief Software has the octets of a guess long before what seems to be a record would end.
IWARP_TEST(rnicOffload, "payload that looks like a long record")
{
    OffloadRun run;
    run.alike = 2000; // of the second record
    run.alikeSize = 900'000;
    run.lost = {2 + 6};
    run.Run();
    NS_TEST_EXPECT_MSG_EQ(run.right, run.count, "all come");
    NS_TEST_EXPECT_MSG_EQ(run.metrics.at("rnic_offload_rejected"), 1, "by the answer");
    NS_TEST_EXPECT_MSG_EQ(run.metrics.at("rnic_offload_guesses"), 2, "the other is right");
    NS_TEST_EXPECT_MSG_EQ(run.metrics.at("rnic_offload_broken"), 0, "none before the answer");
}

/// @brief A segment that is sent again has its record's beginning read again.
IWARP_TEST(rnicOffload, "what is sent again")
{
    OffloadRun run;
    run.lost = {2 + 3};
    run.Run();
    NS_TEST_EXPECT_MSG_EQ(run.right, run.count, "all come");
    NS_TEST_EXPECT_MSG_EQ(run.again, 1, "one segment");
    // the fourth with the three before it, and then the next new one with what it follows
    NS_TEST_EXPECT_MSG_EQ(run.sent.recoveries, 2, "there and back");
    NS_TEST_EXPECT_MSG_EQ(run.sent.recovered, run.inFront, "what is in front of them");
    NS_TEST_EXPECT_MSG_GT_OR_EQ(run.inFront, 3 * OFFLOAD_SEGMENT, "three segments among it");
}

/// @brief Software does its work for octets that TCP takes, and not again where TCP sends them
/// again.
IWARP_TEST(rnicOffload, "what software sends again")
{
    OffloadRun run;
    run.receiver = "HostSoftware";
    run.service = {true, true, true};
    run.settings = {{"Cpu.CrcRate", "8Gbps"},    // 1 ns an octet
                    {"Cpu.CipherRate", "4Gbps"}, // 2
                    {"Cpu.CopyRate", "16Gbps"}}; // 0.5
    run.lost = {2 + 3};
    run.Run();
    NS_TEST_EXPECT_MSG_EQ(run.right, run.count, "all come");
    NS_TEST_EXPECT_MSG_EQ(run.again, 1, "one segment");
    NS_TEST_EXPECT_MSG_EQ(run.sending, uint64_t{run.count} * 10'000 * 3500, "each octet once");
}

/// @brief Whatever is lost, no wrong octet is handed up, by any kind of receiver.
IWARP_TEST(rnicOffload, "content under loss")
{
    for (const char* receiver : {"Autonomous", "HostSoftware", "FlowThrough", "StoreAndForward"})
    {
        for (const bool alignment : {false, true})
        {
            OffloadRun run;
            run.receiver = receiver;
            run.alignment = alignment;
            run.reordered = 0.02;
            run.payload = alignment ? 1200 : 3000;
            run.count = 400;
            run.Run();
            NS_TEST_EXPECT_MSG_EQ(run.right, run.count, receiver << ": all come");
            NS_TEST_EXPECT_MSG_EQ(run.wrong, 0, receiver << ": as they were");
        }
    }
}

/// @brief What is not wanted takes no memory of hardware that does TCP, and so its end comes; what
/// was held before is given back.
IWARP_TEST(rnicOffload, "memory of what is discarded")
{
    std::vector<Ptr<Rnic>> rnics;
    RecordStreamPair pair("ns3::MpaTcpSocketFactory",
                          false,
                          [&rnics](const NodeContainer& nodes, const NetDeviceContainer& devices) {
                              RnicHelper helper;
                              helper.Set("Receiver", StringValue("FlowThrough"));
                              helper.Set("ReassemblyMemory.Capacity", UintegerValue(4096));
                              rnics = helper.Install(nodes);
                              auto third = CreateObject<ReceiveListErrorModel>();
                              third->SetList({2 + 2}); // behind SYN and ACK of the handshake
                              devices.Get(1)->SetAttribute("ReceiveErrorModel",
                                                           PointerValue(third));
                          });
    const auto& memory = rnics[1]->GetDatapath().GetMemory();
    uint64_t held = 0;
    pair.onConnected = [&] {
        for (uint32_t i = 0; i < 40; i++)
        {
            pair.left.stream->Send(MakePacket(TaggedFraming::Make(1000)));
        }
        pair.left.stream->Close();
        Simulator::Schedule(MicroSeconds(200), [&] {
            held = memory.GetHeld();
            pair.right.stream->Discard();
            NS_TEST_EXPECT_MSG_EQ(memory.GetHeld(), 0, "nothing waits");
        });
    };
    Simulator::Stop(Seconds(200));
    Simulator::Run();
    NS_TEST_EXPECT_MSG_GT(held, 1009, "more than a record has waited");
    NS_TEST_EXPECT_MSG_EQ(memory.GetPeak(), held, "nothing has since");
    NS_TEST_EXPECT_MSG_EQ(pair.right.ends.size(), 1, "the end comes");
}

/// @brief No more connections are followed than there is room for.
IWARP_TEST(rnicOffload, "room for connections")
{
    auto engine = CreateObject<RnicRxRecordStage>();
    engine->SetAttribute("Connections", UintegerValue(2));
    engine->Initialize();
    NS_TEST_EXPECT_MSG_EQ(engine->Acquire(), true, "one");
    NS_TEST_EXPECT_MSG_EQ(engine->Acquire(), true, "two");
    NS_TEST_EXPECT_MSG_EQ(engine->Acquire(), false, "no third");
    engine->Release();
    NS_TEST_EXPECT_MSG_EQ(engine->Acquire(), true, "until one has gone");
}
