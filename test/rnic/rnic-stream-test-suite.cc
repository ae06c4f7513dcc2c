/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../mpa/mpa-stream-fixture.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/iwarp-metrics.h"
#include "ns3/iwarp-rnic-collector.h"
#include "ns3/pointer.h"
#include "ns3/rnic-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(rnicStream, "rnic-stream");

/// What a run is to be like.
struct StreamSetup
{
    std::function<void(RnicHelper&)> change; //!< figures of the RNICs
    bool markers{true};                      //!< Markers in use
    bool alignment{true};                    //!< the sender cuts segments at FPDU ends
    double loss{0};                          //!< share of packets lost on the way to the receiver
    uint32_t ulpdus{200};                    //!< ULPDUs to be sent
    uint32_t size{1000};                     //!< octets of each
    bool ipv6{false};                        //!< IPv6
    uint32_t mtu{1500};                      //!< of the link
};

/// An MPA stream between two hosts with RNICs, and what came out of it.
class StreamRun
{
  public:
    explicit StreamRun(const StreamSetup& setup)
        : m_setup(setup),
          m_hosts(MicroSeconds(100), setup.mtu, setup.ipv6)
    {
        RnicHelper helper;
        if (setup.change)
        {
            setup.change(helper);
        }
        for (uint32_t i = 0; i < 2; ++i)
        {
            rnics.push_back(helper.Install(m_hosts.GetNode(i)));
        }
        collector->Attach(rnics[1]);
        rnics[1]->TraceConnectWithoutContext("Drop", MakeCallback(&StreamRun::Dropped, this));
        rnics[1]->TraceConnectWithoutContext("Placed", MakeCallback(&StreamRun::Placed, this));
        if (setup.loss > 0)
        {
            auto error = CreateObject<RateErrorModel>();
            error->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
            error->SetRate(setup.loss);
            error->AssignStreams(11);
            m_hosts.GetDevice(1)->SetAttribute("ReceiveErrorModel", PointerValue(error));
        }
        m_hosts.Connect(
            [this](Ptr<MpaTcpSocket> socket) {
                socket->SetAttribute("Alignment", BooleanValue(m_setup.alignment));
                m_left = m_leftLog.MakeStream(socket);
                m_leftLog.fill = [this](Ptr<MpaStream> left) { Fill(left); };
                m_left->StartInitiator();
            },
            [this](Ptr<MpaTcpSocket> socket) {
                m_right = m_rightLog.MakeStream(socket);
                m_right->SetAttribute("Markers", BooleanValue(m_setup.markers));
                m_right->TraceConnectWithoutContext("SegmentReceived",
                                                    MakeCallback(&StreamRun::Received, this));
                m_right->TraceConnectWithoutContext("Passed",
                                                    MakeCallback(&StreamRun::Passed, this));
                m_right->TraceConnectWithoutContext("Drop",
                                                    MakeCallback(&StreamRun::Refused, this));
                m_right->TraceConnectWithoutContext("ReassemblyMemory",
                                                    MakeCallback(&StreamRun::Held, this));
                m_right->StartResponder();
            });
        Simulator::Schedule(MilliSeconds(50), &StreamRun::Begin, this);
        Simulator::Stop(Seconds(300));
        Simulator::Run();
    }

    ~StreamRun()
    {
        m_left = nullptr;
        m_right = nullptr;
        Simulator::Destroy();
    }

    /// @return every ULPDU came as it was sent, once
    bool Complete() const
    {
        auto passed = m_rightLog.passed;
        std::sort(passed.begin(), passed.end(), [](const auto& a, const auto& b) {
            return static_cast<int32_t>(a.seq - b.seq) < 0;
        });
        bool same = passed.size() == m_setup.ulpdus;
        for (uint32_t i = 0; same && i < m_setup.ulpdus; ++i)
        {
            same = passed[i].octets == PatternUlpdu(m_setup.size, i);
        }
        return same && m_rightLog.delivered == m_setup.ulpdus && m_rightLog.errors.empty();
    }

    Ptr<iwarp::RnicCollector> collector = Create<iwarp::RnicCollector>(); //!< of scenarios' metrics
    std::vector<Ptr<Rnic>> rnics;                                         //!< sender's, receiver's
    std::map<Rnic::DropReason, uint64_t> dropped; //!< octets that the RNIC had no room for
    uint64_t placed{0};                           //!< octets placed
    uint64_t alignedSegments{0};                  //!< segments that were aligned
    uint64_t otherSegments{0};                    //!< segments that were not
    std::vector<Time> alignedDelays;        //!< from TCP to the host's sight, aligned segments
    std::vector<Time> otherDelays;          //!< other segments that placed something
    uint64_t in{0};                         //!< octets of the stream that came, once each
    uint64_t out{0};                        //!< octets of the FPDUs passed
    uint64_t lost{0};                       //!< segments after which octets were unaccounted for
    uint64_t refused{0};                    //!< octets of segments that were dropped
    std::map<MpaDropReason, uint64_t> said; //!< of these, as MPA says why

  private:
    /// The stream is set up: send.
    void Begin()
    {
        Fill(m_left);
    }

    /// @param stream with room for more
    void Fill(Ptr<MpaStream> stream)
    {
        while (m_next < m_setup.ulpdus && m_left && m_left->CanSend() &&
               SendUlpdu(m_left, PatternUlpdu(m_setup.size, m_next)) >= 0)
        {
            ++m_next;
        }
    }

    /// @param size octets of a segment @param report what it meant
    void Received(uint32_t, uint32_t size, const RecordSegmentReport& report)
    {
        in += report.duplicate || report.dropped ? 0 : size;
        refused += report.dropped ? size : 0;
        lost += in != out + m_held;
        lost += rnics[1]->GetDatapath().GetMemory().GetHeld() != m_held;
    }

    /// @param ulpdu passed
    void Passed(const MpaUlpdu& ulpdu, Time)
    {
        out += ulpdu.wireSize;
    }

    /// @param now octets held
    void Held(uint64_t, uint64_t now)
    {
        m_held = now;
    }

    /// @param octets of a segment that MPA drops @param reason why
    void Refused(uint32_t, uint32_t octets, MpaDropReason reason)
    {
        said[reason] += octets;
    }

    /// @param octets dropped @param reason why
    void Dropped(uint64_t, uint32_t octets, Rnic::DropReason reason)
    {
        dropped[reason] += octets;
    }

    /// @param octets placed @param delay until seen @param aligned the segment is
    void Placed(uint64_t, uint64_t octets, Time delay, bool aligned)
    {
        placed += octets;
        ++(aligned ? alignedSegments : otherSegments);
        if (octets > 0)
        {
            (aligned ? alignedDelays : otherDelays).push_back(delay);
        }
    }

    StreamSetup m_setup;     //!< what it is like
    MpaLinkedHosts m_hosts;  //!< hosts
    MpaStreamLog m_leftLog;  //!< sender's
    MpaStreamLog m_rightLog; //!< receiver's
    Ptr<MpaStream> m_left;   //!< sender
    Ptr<MpaStream> m_right;  //!< receiver
    uint32_t m_next{0};      //!< ULPDU to be sent
    uint64_t m_held{0};      //!< octets that the stream holds
};

} // namespace

/// Aligned and other streams through an ideal RNIC: what the receiver has to do and to hold.
IWARP_TEST(rnicStream, "operations and memory of aligned and other streams")
{
    for (bool ipv6 : {false, true})
    {
        StreamSetup setup;
        setup.ipv6 = ipv6;
        setup.loss = 0.02;
        StreamRun aligned(setup);
        NS_TEST_EXPECT_MSG_EQ(aligned.Complete(), true, "aligned");
        NS_TEST_EXPECT_MSG_EQ(aligned.placed, 200000, "all placed");
        const RnicOps& ops = aligned.rnics[1]->GetOps();
        NS_TEST_EXPECT_MSG_EQ(ops.localStore, 0, "nothing copied in the RNIC");
        IWARP_COVERS("MPA-B-01");
        NS_TEST_EXPECT_MSG_EQ(ops.slowPath, 0, "no slow path");
        NS_TEST_EXPECT_MSG_EQ(ops.copy, 200, "a copy an FPDU");
        NS_TEST_EXPECT_MSG_EQ(aligned.rnics[1]->GetDatapath().GetMemory().GetPeak(),
                              0,
                              "aligned with Markers: no memory, even under loss");
        IWARP_COVERS("MPA-A.5-02");
    }
    StreamSetup setup;
    setup.loss = 0.02;
    setup.alignment = false;
    setup.size = 1300;
    StreamRun other(setup);
    NS_TEST_EXPECT_MSG_EQ(other.Complete(), true, "not aligned");
    const RnicOps& ops = other.rnics[1]->GetOps();
    NS_TEST_EXPECT_MSG_EQ(ops.slowPath, other.otherSegments, "MPA-B.2.1-15");
    IWARP_COVERS("MPA-B.2.1-15");
    NS_TEST_EXPECT_MSG_GT(ops.slowPath, 50, "most segments");
    NS_TEST_EXPECT_MSG_GT(ops.copy, 200, "more copies than FPDUs");
    NS_TEST_EXPECT_MSG_GT(ops.partialCrcStore, 50, "partial CRCs");
    auto& memory = other.rnics[1]->GetDatapath().GetMemory();
    NS_TEST_EXPECT_MSG_GT(memory.GetPeak(), 1000, "memory is needed");
    IWARP_COVERS("MPA-A.5-02 MPA-5-01");
    NS_TEST_EXPECT_MSG_EQ(memory.GetHeld(), 0, "and given back");
}

/// A limited reassembly memory: what does not fit is dropped, counted and sent again.
IWARP_TEST(rnicStream, "limited memory")
{
    // without Markers whatever is out of order waits
    uint64_t before = UINT64_MAX;
    for (uint32_t memory : {1500U, 6000U, 30000U, 1000000U})
    {
        StreamSetup setup;
        setup.markers = false;
        setup.loss = 0.02;
        setup.ulpdus = 400;
        setup.change = [memory](RnicHelper& helper) {
            helper.Set("ReassemblyMemory.Capacity", UintegerValue(memory));
        };
        StreamRun run(setup);
        NS_TEST_EXPECT_MSG_EQ(run.Complete(), true, "completes with " << memory);
        auto& m = run.rnics[1]->GetDatapath().GetMemory();
        NS_TEST_EXPECT_MSG_LT_OR_EQ(m.GetPeak(), memory, "never more");
        NS_TEST_EXPECT_MSG_EQ(m.GetHeld(), 0, "empty at the end");
        const uint64_t dropped = run.dropped[Rnic::DropReason::MEMORY_FULL];
        NS_TEST_EXPECT_MSG_EQ(m.GetRefused(RnicReassemblyMemory::Refusal::FULL),
                              dropped,
                              "counted");
        IWARP_COVERS("MPA-A.5-01");
        NS_TEST_EXPECT_MSG_EQ(run.said[MpaDropReason::MEMORY_FULL], dropped, "MPA says the same");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(dropped, before, "more memory, less loss");
        IWARP_COVERS("MPA-A.5.2-04");
        before = dropped;
        if (memory == 1500)
        {
            NS_TEST_EXPECT_MSG_GT(dropped, 0, "too little for what is out of order");
        }
    }
    NS_TEST_EXPECT_MSG_EQ(before, 0, "enough for all");

    // FPDUs that cross segments, in the least memory that takes one: no deadlock
    StreamSetup setup;
    setup.alignment = false;
    setup.size = 1300;
    setup.loss = 0.01;
    setup.change = [](RnicHelper& helper) {
        helper.Set("ReassemblyMemory.Capacity", UintegerValue(1500));
    };
    StreamRun run(setup);
    NS_TEST_EXPECT_MSG_EQ(run.Complete(), true, "MPA-A.5.2-02");
    IWARP_COVERS("MPA-A.5.2-02");
    NS_TEST_EXPECT_MSG_LT_OR_EQ(run.rnics[1]->GetDatapath().GetMemory().GetPeak(), 1500, "peak");
}

/// What a connection may hold, and a memory that not even one segment fits: as the memory, the RNIC
/// and scenarios count it, of segments with an FPDU of 2 + 1000 + 2 + 4 octets each.
IWARP_TEST(rnicStream, "limited memory of a connection, and one that is too small")
{
    using Reason = Rnic::DropReason;
    using Refusal = RnicReassemblyMemory::Refusal;

    struct Row
    {
        const char* limit;
        Reason reason;
        Refusal refusal;
        const char* metric;
    };

    for (const auto& row : {Row{"ReassemblyMemory.PerConnection",
                                Reason::MEMORY_PER_CONNECTION,
                                Refusal::PER_CONNECTION,
                                "rnic_drops_memory_per_connection"},
                            Row{"ReassemblyMemory.Capacity",
                                Reason::MEMORY_TOO_SMALL,
                                Refusal::TOO_SMALL,
                                "rnic_drops_memory_too_small"}})
    {
        StreamSetup setup;
        setup.markers = false;
        setup.loss = 0.02;
        setup.change = [&row](RnicHelper& helper) { helper.Set(row.limit, UintegerValue(500)); };
        StreamRun run(setup);
        const uint64_t dropped = run.dropped[row.reason];
        NS_TEST_EXPECT_MSG_EQ(run.Complete(), true, row.limit);
        NS_TEST_EXPECT_MSG_GT(dropped, 0, row.limit);
        NS_TEST_EXPECT_MSG_EQ(run.rnics[1]->GetDatapath().GetMemory().GetRefused(row.refusal),
                              dropped,
                              row.limit);
        NS_TEST_EXPECT_MSG_EQ(run.dropped.size(), 1, "no other reason");
        iwarp::MetricSet report;
        run.collector->Report(report, {});
        std::map<std::string, double> metrics;
        for (const auto& metric : report.Get())
        {
            metrics[metric.name] = metric.value;
        }
        NS_TEST_EXPECT_MSG_EQ(metrics.at(row.metric) * 1008, dropped, row.limit);
    }
}

/// Every octet that enters leaves, is held or is counted as dropped.
IWARP_TEST(rnicStream, "conservation: octets that came are passed, held or dropped, at any time")
{
    for (bool alignment : {true, false})
    {
        for (bool markers : {true, false})
        {
            for (uint64_t memory : {0U, 5000U}) // 0 is no limit
            {
                StreamSetup setup;
                setup.alignment = alignment;
                setup.markers = markers;
                setup.loss = 0.02;
                setup.size = 1300;
                setup.change = [memory](RnicHelper& helper) {
                    helper.Set("ReassemblyMemory.Capacity", UintegerValue(memory));
                    helper.Set("RxTcp.TimePerPacket", TimeValue(NanoSeconds(500)));
                    helper.Set("PacketBuffer.Capacity", UintegerValue(20000));
                };
                StreamRun run(setup);
                NS_TEST_EXPECT_MSG_EQ(run.Complete(), true, "completes");
                NS_TEST_EXPECT_MSG_EQ(run.lost, 0, "accounts at each segment");
                NS_TEST_EXPECT_MSG_EQ(run.in, run.out, "nothing is held at the end");
                NS_TEST_EXPECT_MSG_EQ(run.refused,
                                      run.dropped[Rnic::DropReason::MEMORY_FULL],
                                      "drops that the RNIC counts");
                NS_TEST_EXPECT_MSG_EQ(run.placed, 1300 * 200, "payload placed");
                auto& path = run.rnics[1]->GetDatapath();
                NS_TEST_EXPECT_MSG_EQ(path.GetBuffer().GetHeld(ToRnicTime(Seconds(300))),
                                      0,
                                      "all frames have left");
                NS_TEST_EXPECT_MSG_EQ((memory == 0 || path.GetMemory().GetPeak() <= memory),
                                      true,
                                      "within it");
            }
        }
    }
}

/// The time from TCP to the host, aligned and not.
IWARP_TEST(rnicStream, "placement times in a simulation")
{
    auto change = [](RnicHelper& helper) {
        helper.Set("RxMpa.TimePerPacket", TimeValue(NanoSeconds(10)));
        helper.Set("RxMpa.TimePerUnit", TimeValue(NanoSeconds(20)));
        helper.Set("RxCrc.TimePerUnit", TimeValue(NanoSeconds(30)));
        helper.Set("RxPlace.TimePerUnit", TimeValue(NanoSeconds(40)));
        helper.Set("HostInterface.WriteLatency", TimeValue(NanoSeconds(250)));
        helper.Set("RxMpa.SlowPathTime", TimeValue(NanoSeconds(1000)));
        helper.Set("RxMpa.StateFetchTime", TimeValue(NanoSeconds(100)));
        helper.Set("RxMpa.PartialCrcTime", TimeValue(NanoSeconds(50)));
    };
    StreamSetup setup;
    setup.change = change;
    {
        StreamRun aligned(setup);
        NS_TEST_EXPECT_MSG_EQ(aligned.Complete(), true, "aligned");
        NS_TEST_EXPECT_MSG_EQ(aligned.alignedDelays.size(), 200, "one FPDU a segment");
        for (Time delay : aligned.alignedDelays)
        {
            NS_TEST_EXPECT_MSG_EQ(delay, NanoSeconds(10 + 20 + 30 + 40 + 250), "MPA-B.1.4-01");
        }
        IWARP_COVERS("MPA-B.1.4-01 MPA-A.5.2-07");
    }
    setup.alignment = false;
    setup.size = 1300;
    StreamRun other(setup);
    NS_TEST_EXPECT_MSG_EQ(other.Complete(), true, "not aligned");
    // in the midst of the stream: one FPDU ends and one begins in each segment
    const Time crossing = NanoSeconds(10 + 20 + 2 * 30 + 2 * 40 + 250 + 1000 + 100 + 2 * 50);
    const auto same = std::count(other.otherDelays.begin(), other.otherDelays.end(), crossing);
    NS_TEST_EXPECT_MSG_GT(same, 100, "MPA-B.2.1-14");
    IWARP_COVERS("MPA-B.2.1-14 MPA-B-04");
}

/// The part of an FPDU that stands in the reserve, for which others wait, is acknowledged at once,
/// so that the rest comes soon; another is as TCP delays it.
struct RnicStreamReserve : TestCase
{
    using TestCase::TestCase;

    /// @param memory octets @param atOnce an ACK is to come within 2 ms
    void Check(uint32_t memory, bool atOnce)
    {
        constexpr uint32_t PART = 100;
        MpaLinkedHosts hosts(MicroSeconds(100), 1500, false);
        RnicHelper helper;
        helper.Set("ReassemblyMemory.Capacity", UintegerValue(memory));
        helper.Install(hosts.GetNode(0));
        MpaStreamLog log;
        Ptr<MpaStream> stream;
        std::unique_ptr<RawEnd> raw;
        Ptr<MpaTcpSocket> sender;
        log.judge = [](Ptr<MpaStream> s, const MpaConnectionEvent&) { s->Accept(); };
        hosts.Connect(
            [&](Ptr<MpaTcpSocket> socket) {
                stream = log.MakeStream(socket);
                stream->SetAttribute("Markers", BooleanValue(false));
                stream->StartInitiator();
            },
            [&](Ptr<MpaTcpSocket> socket) {
                sender = socket;
                raw = std::make_unique<RawEnd>(socket);
            });
        const auto fpdu = MakeFpdu(PatternUlpdu(1000, 0), 0, false);
        uint32_t room = 0;
        uint32_t left = 0;
        Simulator::Schedule(MilliSeconds(50), [&] { raw->Send(MakeReply()); });
        Simulator::Schedule(Seconds(1), [&] {
            room = sender->GetTxAvailable();
            raw->Send({fpdu.begin(), fpdu.begin() + PART});
        });
        Simulator::Schedule(MilliSeconds(1002), [&] { left = sender->GetTxAvailable(); });
        Simulator::Schedule(Seconds(2), [&] {
            NS_TEST_EXPECT_MSG_EQ(sender->GetTxAvailable(), room, "after a while");
            raw->Send({fpdu.begin() + PART, fpdu.end()});
        });
        Simulator::Stop(Seconds(3));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(room - left, (atOnce ? 0 : PART), "memory of " << memory);
        NS_TEST_EXPECT_MSG_EQ(log.passed.size(), 1, "the FPDU, with " << memory);
        stream = nullptr;
        sender = nullptr;
        Simulator::Destroy();
    }
};

IWARP_TEST(rnicStream, "what stands in the reserve is acknowledged at once", RnicStreamReserve)
{
    Check(0, false);
    Check(1600, false);
    Check(1599, true);
    Check(1500, true);
}
