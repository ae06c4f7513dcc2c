/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../path/path-mtu-run.h"

#include "ns3/double.h"
#include "ns3/error-model.h"
#include "ns3/mpa-tcp-socket.h"
#include "ns3/path-random-impairment.h"
#include "ns3/pointer.h"
#include "ns3/string.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-l4-protocol.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(mpaMtuProbe, "mpa-mtu-probe");

/// A black hole: what is larger than a path takes vanishes without a word.
class HoleErrorModel : public ErrorModel
{
  public:
    static constexpr uint32_t MOST = 1400; //!< octets of a datagram that the path takes

    /// @param others segments that are lost behind the first large one
    explicit HoleErrorModel(uint32_t others)
        : m_others(others)
    {
    }

    uint32_t lost{0}; //!< large ones

  private:
    bool DoCorrupt(Ptr<Packet> packet) override
    {
        if (packet->GetSize() > MOST + 2) // PPP
        {
            lost++;
            return true;
        }
        return lost == 1 && m_others > 0 && m_others-- > 0;
    }

    void DoReset() override
    {
    }

    uint32_t m_others; //!< segments still to lose
};

/**
 * @ingroup iwarp-test
 * Without SACK, what is in flight when a probe or the path's MTU fails is sent again in other
 * pieces, of which TcpTxBuffer takes none for lost and for arrived at once, or it would end the
 * process: whatever the path loses, all comes.
 */
class RoughProbeTest : public TestCase
{
  public:
    /// @param first seed @param seeds how many
    RoughProbeTest(uint32_t first, uint32_t seeds)
        : TestCase("probes without SACK on rough paths, from seed " + std::to_string(first)),
          m_first(first),
          m_seeds(seeds)
    {
    }

  private:
    void DoRun() override
    {
        for (uint32_t seed = m_first; seed < m_first + m_seeds; seed++)
        {
            RunSeed(seed);
        }
    }

    /// Run once. @param seed of all that is random
    void RunSeed(uint32_t seed)
    {
        std::mt19937 random(seed);
        const auto draw = [&random](const std::vector<std::string>& values) {
            return values[random() % values.size()];
        };
        PathMtuSetup setup;
        setup.octets = 400'000;
        setup.ipv6 = random() % 2;
        setup.filter = random() % 2;
        setup.core = std::stoul(draw({"1500", "1450", "1400", "1300"}));
        if (random() % 2)
        {
            setup.changes = {{MilliSeconds(5 + random() % 30), 1280 + random() % 200}};
        }
        setup.factory = {{"MtuProbing", "Always"}};
        setup.socket = {{"Sack", "false"},
                        {"Alignment", draw({"true", "false"})},
                        {"Timestamp", draw({"true", "false"})},
                        {"RcvBufSize", draw({"20000", "65536", "131072"})}};
        PathMtuRun run(setup);
        Ptr<PathRandomImpairment> rough = CreateObjectWithAttributes<PathRandomImpairment>(
            "Packets",
            StringValue("data"),
            "Loss",
            DoubleValue(random() % 3 * 0.01),
            "Reordering",
            DoubleValue(random() % 3 * 0.02),
            "HoldTime",
            StringValue("ns3::UniformRandomVariable[Min=50e-6|Max=1e-3]"));
        rough->AssignStreams(10 * seed);
        rough->Install(run.network.GetHostDevice(1));
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all there, seed " << seed);
    }

    uint32_t m_first; //!< seed
    uint32_t m_seeds; //!< how many
};

/**
 * @ingroup iwarp-test
 * A probe that is lost alone tells of the MTU, and not of congestion: no window shrinks (RFC 4821
 * section 3, Linux's tcp_fastretrans_alert()), whether a router refuses it with a message (RFC 1191
 * section 6.4) or not. With others lost beside it, it is congestion.
 */
class LostProbeTest : public TestCase
{
  public:
    /// How it is found what was lost.
    enum class Detection
    {
        DUPLICATES, //!< by ACKs that come again
        SACK,       //!< RFC 6675
        RACK        //!< RFC 8985
    };

    /// @param control congestion control @param detection in use @param others segments that
    /// are lost behind the probe @param refused a router refuses it
    LostProbeTest(const std::string& control, Detection detection, uint32_t others, bool refused)
        : TestCase((refused ? "a refused probe, " : "a lost probe, ") + control +
                   (detection == Detection::DUPLICATES ? ", "
                    : detection == Detection::SACK     ? ", SACK, "
                                                       : ", RACK, ") +
                   std::to_string(others) + " others lost"),
          m_control(control),
          m_detection(detection),
          m_others(others),
          m_refused(refused)
    {
    }

  private:
    void DoRun() override
    {
        PathMtuSetup setup;
        setup.core = m_refused ? HoleErrorModel::MOST : 1500;
        setup.octets = 1'000'000;
        setup.factory = {{"MtuProbing", "Always"}};
        setup.socket = {{"Sack", m_detection == Detection::DUPLICATES ? "false" : "true"},
                        {"Rack", m_detection == Detection::RACK ? "true" : "false"},
                        {"RcvBufSize", "20000"}};
        PathMtuRun run(setup);
        const auto tcp = run.network.GetHost(0)->GetObject<TcpL4Protocol>();
        tcp->SetAttribute("SocketType", TypeIdValue(TypeId::LookupByName(m_control)));
        const auto hole = CreateObject<HoleErrorModel>(m_others);
        run.network.GetHostDevice(1)->SetAttribute("ReceiveErrorModel", PointerValue(hole));
        run.onSender = [this](Ptr<MpaStream> stream) {
            const auto socket = stream->GetSocket();
            m_socket = socket;
            m_first = GetControl();
            socket->TraceConnectWithoutContext("CongestionWindow",
                                               MakeCallback(&LostProbeTest::NoteWindow, this));
        };
        run.Run();
        NS_TEST_EXPECT_MSG_EQ(run.IsDone(), true, "all there");
        NS_TEST_EXPECT_MSG_GT(std::count_if(run.sent.begin(),
                                            run.sent.end(),
                                            [](const PathMtuRun::Sent& sent) {
                                                return sent.datagram > HoleErrorModel::MOST;
                                            }),
                              (m_refused ? 0 : 1),
                              "probes were lost");
        NS_TEST_EXPECT_MSG_EQ((hole->lost == 0), m_refused, "where they were");
        NS_TEST_EXPECT_MSG_EQ((m_reductions > 0), (m_others > 0), "a window shrank");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(run.emss.back() + PathMtuRun::HEADERS,
                                    HoleErrorModel::MOST,
                                    "fits");
        m_socket = nullptr;
        m_first = nullptr;
    }

    /// @return congestion control of the sender
    Ptr<TcpCongestionOps> GetControl() const
    {
        PointerValue control;
        m_socket->GetAttribute("CongestionOps", control);
        return control.Get<TcpCongestionOps>();
    }

    /// @param now window, which counts once the ACK has been processed
    void NoteWindow(uint32_t /* before */, uint32_t now)
    {
        m_window = now;
        Simulator::ScheduleNow([this] {
            m_reductions += m_window < m_settled;
            m_settled = m_window;
            // no copy, since that of TcpCubic lacks what it counts
            NS_TEST_EXPECT_MSG_EQ(GetControl(), m_first, "the same congestion control");
        });
    }

    std::string m_control;         //!< congestion control
    Detection m_detection;         //!< in use
    uint32_t m_others;             //!< segments that are lost behind the probe
    bool m_refused;                //!< a router refuses it
    Ptr<Socket> m_socket;          //!< the sender's
    Ptr<TcpCongestionOps> m_first; //!< its congestion control at first
    uint32_t m_window{0};          //!< congestion window
    uint32_t m_settled{0};         //!< the same after the event before
    uint32_t m_reductions{0};      //!< of the window
};

IWARP_TEST_CASES(mpaMtuProbe)
{
    for (const std::string control : {"ns3::TcpCubic", "ns3::TcpNewReno"})
    {
        using Detection = LostProbeTest::Detection;
        for (const auto detection : {Detection::DUPLICATES, Detection::SACK, Detection::RACK})
        {
            suite.AddTestCase(new LostProbeTest(control, detection, 0, false));
            suite.AddTestCase(new LostProbeTest(control, detection, 0, true));
        }
        suite.AddTestCase(new LostProbeTest(control, Detection::SACK, 1, false));
        suite.AddTestCase(new LostProbeTest(control, Detection::RACK, 1, false));
    }
    for (uint32_t first = 1; first <= 40; first += 10)
    {
        suite.AddTestCase(new RoughProbeTest(first, 10));
    }
}

} // namespace
