/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../rdmap/rdmap-capture.h"
#include "mpa-startup-endpoint.h"

#include "ns3/rdmap-terminate.h"
#include "ns3/system-path.h"

#include <algorithm>
#include <list>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

/// @brief Suite of startup against captures of soft-iWARP (test/data/captures).
IWARP_TEST_SUITE(mpaStartupCapture, "mpa-startup-capture");

using Octets = MpaStartupEndpoint::Octets;
using State = MpaStartup::State;

/// @param name name without ".pcap" @return its only connection
CapturedConnection
Capture(const std::string& name)
{
    return ReadCapture(CaptureFolder() + name + ".pcap").at(0);
}

/// @param stream what a side sent @return its startup frame
Octets
FirstFrame(const Octets& stream)
{
    if (stream.empty())
    {
        return {};
    }
    const std::size_t size = 20 + stream.at(18) * 256 + stream.at(19);
    return Octets(stream.begin(), stream.begin() + size);
}

/// @param stream what a side sent @return what is behind the startup frame
Octets
Behind(const Octets& stream)
{
    return Octets(stream.begin() + FirstFrame(stream).size(), stream.end());
}

/// @param frame startup frame @return the ULP's Private Data: behind the word if S is set
Octets
UlpData(const Octets& frame)
{
    const std::size_t word = (frame.at(16) & 0x10) != 0 && frame.at(17) >= 2 ? 4 : 0;
    return Octets(frame.begin() + 20 + word, frame.end());
}

/// What the driver at one end was set to, and what it makes of the peer's frame
struct Row
{
    const char* name;  //!< capture
    bool crc;          //!< C
    uint16_t ird;      //!< its IRD
    uint16_t ord;      //!< its ORD
    const char* kinds; //!< kinds of indication: C, D or both; none for the client-server model
    std::string words; //!< what our machine does with the peer's frame
};

/// @param role our role @param row settings @param revision of the Request @return the same for us
MpaStartupConfig
CaptureConfig(MpaRole role, const Row& row, uint8_t revision)
{
    const std::string kinds = row.kinds;
    MpaStartupConfig config;
    config.role = role;
    config.revision = role == MpaRole::RESPONDER ? 2 : revision;
    config.markers = false;
    config.crc = row.crc;
    config.enhanced.ird = row.ird;
    config.enhanced.ord = row.ord;
    config.enhanced.peerToPeer = !kinds.empty();
    if (!kinds.empty())
    {
        config.enhanced.rtr = {false,
                               kinds.find('C') != std::string::npos,
                               kinds.find('D') != std::string::npos};
    }
    return config;
}

} // namespace

/// @brief Every startup frame of every capture decodes and encodes to the same octets.
IWARP_TEST(mpaStartupCapture, "soft-iWARP's frames, there and back")
{
    int frames = 0;
    int enhanced = 0;
    int bad = 0;
    for (const std::string& file : SystemPath::ReadFiles(CaptureFolder()))
    {
        if (file.size() < 5 || file.substr(file.size() - 5) != ".pcap")
        {
            continue;
        }
        for (const auto& connection : ReadCapture(CaptureFolder() + file))
        {
            for (const auto& stream : connection.octets)
            {
                if (stream.size() < 20)
                {
                    continue;
                }
                MpaStartupFrame frame;
                const bool reply = stream[9] == 'p';
                if (MpaStartupFrame::Decode(stream.data(), stream.size(), reply, frame) !=
                    MpaStartupFrame::Status::COMPLETE)
                {
                    bad++;
                    continue;
                }
                frames++;
                NS_TEST_EXPECT_MSG_EQ((frame.Encode() == FirstFrame(stream)), true, file);
                IWARP_COVERS("MPA-7.1.1-01 MPA-7.1.1-03 MPA-7.1.1-22 ENH-6-1");
                if (frame.IsEnhanced())
                {
                    enhanced++;
                    uint8_t octets[4];
                    MpaEnhancedWord::Decode(&stream[20]).Encode(octets);
                    NS_TEST_EXPECT_MSG_EQ(std::equal(octets, octets + 4, &stream[20]), true, file);
                    IWARP_COVERS("ENH-9-1");
                }
            }
        }
    }
    NS_TEST_EXPECT_MSG_GT(frames, 200, "both frames of more than 100 captures");
    NS_TEST_EXPECT_MSG_GT(enhanced, 180, "most with the enhanced word");
    NS_TEST_EXPECT_MSG_EQ(bad, 2, "a bad key and a PD_Length of 600");
}

/// @brief The captured Initiator talks to our Responder, which answers as the driver did.
struct MpaCapturedRequestTest : TestCase
{
    using TestCase::TestCase;

    /**
     * @brief Accept or reject as the ULP of the capture did.
     * @param name capture
     * @param capture its connection
     * @param r our Responder
     */
    void Answer(const char* name, const CapturedConnection& capture, MpaStartupEndpoint& r)
    {
        const Octets request = FirstFrame(capture.octets[0]);
        const Octets reply = FirstFrame(capture.octets[1]);
        NS_TEST_EXPECT_MSG_EQ((r.machine.PeerFrame().privateData == UlpData(request)), true, name);
        if ((reply[16] & 0x20) != 0)
        {
            NS_TEST_EXPECT_MSG_EQ(r.Reject(UlpData(reply)), "send", name);
            return;
        }
        NS_TEST_EXPECT_MSG_EQ(r.Accept(UlpData(reply)), "rx send", name);
        const Octets fpdus = Behind(capture.octets[0]);
        NS_TEST_EXPECT_MSG_EQ(r.Feed(fpdus), "", name);
        NS_TEST_EXPECT_MSG_EQ((r.rest == fpdus), true, "FPDUs are left alone");
        IWARP_COVERS("MPA-7.1.2-11");
        NS_TEST_EXPECT_MSG_EQ(r.machine.Result().crc, ((reply[16] & 0x40) != 0), "CRC as captured");
    }

    /// Where the driver and the RFCs differ, the RFCs win.
    void Departures()
    {
        const Row plain = {"", false, 4, 4, "", ""};
        // Reserved bits are not copied into the Reply.
        const CapturedConnection noisy = Capture("raw_resbits");
        MpaStartupEndpoint r(CaptureConfig(MpaRole::RESPONDER, plain, 2));
        r.Start();
        r.Feed(FirstFrame(noisy.octets[0]));
        Octets reply = FirstFrame(noisy.octets[1]);
        r.Accept(UlpData(reply));
        NS_TEST_EXPECT_MSG_EQ(+reply[16], 0x1F, "the driver's flags");
        reply[16] = 0x10;
        NS_TEST_EXPECT_MSG_EQ((r.sent == reply), true, "ours");

        // S in revision 1 is a reserved bit.
        const CapturedConnection mixed = Capture("raw_rev1_with_S");
        MpaStartupEndpoint one(CaptureConfig(MpaRole::RESPONDER, plain, 2));
        one.Start();
        one.Feed(FirstFrame(mixed.octets[0]));
        NS_TEST_EXPECT_MSG_EQ(one.machine.PeerFrame().privateData.size(), 4, "the ULP's");
        reply = FirstFrame(mixed.octets[1]);
        one.Accept(UlpData(reply));
        reply[16] = 0;
        NS_TEST_EXPECT_MSG_EQ((one.sent == reply), true, "Reply of revision 1");

        // Markers are sent to an Initiator that wants them.
        for (const char* name : {"raw_markers", "raw_markers_v1"})
        {
            const CapturedConnection markers = Capture(name);
            MpaStartupEndpoint m(CaptureConfig(MpaRole::RESPONDER, plain, 2));
            m.Start();
            m.Feed(FirstFrame(markers.octets[0]));
            NS_TEST_EXPECT_MSG_EQ(m.Accept(), "rx send", name);
            NS_TEST_EXPECT_MSG_EQ(m.machine.Result().txMarkers, true, name);
            NS_TEST_EXPECT_MSG_EQ(m.machine.Result().rxMarkers, false, name);
        }
    }
};

IWARP_TEST(mpaStartupCapture, "our Responder in soft-iWARP's place", MpaCapturedRequestTest)
{
    const std::string good = "stop report";
    const std::string malformed = "stop close fail4";
    // IRD and ORD are those of the program that ran: 4 and up, perftest and rping 0 and up.
    const Row rows[] = {
        {"raw_v2_ok", false, 4, 4, "", good},
        {"raw_v1_ok", false, 4, 4, "", good},
        {"raw_frag_req", false, 4, 4, "", good},
        {"raw_ird0_ord0", false, 4, 4, "", good},
        {"raw_p2p_none", false, 4, 4, "C", good},
        {"raw_p2p_zero", false, 4, 4, "C", good},
        {"raw_p2p_read", false, 4, 4, "D", good},
        {"raw_tune_crcreq_crc1", true, 4, 4, "", good},
        {"stock_pd0_mtu1500", false, 4, 4, "", good},
        {"stock_pd1_mtu1500", false, 4, 4, "", good},
        {"stock_pd200_mtu1500", false, 4, 4, "", good},
        {"stock_reject_mtu1500", false, 4, 4, "", good},
        {"stock_reject_pd0_mtu1500", false, 4, 4, "", good},
        {"stock_initiator_ird0_ord0_mtu1500", false, 0, 4, "", good},
        {"stock_ird1_ord1_mtu1500", false, 0, 16, "", good},
        {"stock_target_ord_gt_initiator_ird_mtu1500", false, 16, 16, "", good},
        {"stock_rping_S64_mtu1500", false, 0, 1, "", good},
        {"stock_ib_read_bw_64_mtu1500", false, 0, 16, "", good},
        {"tune_crc_reject_mtu1500", true, 4, 4, "", good},
        {"tune_crc_rping_S64_mtu1500", true, 0, 1, "", good},
        {"tune_crc_p2p_write_mtu1500", true, 4, 4, "C", good},
        {"tune_p2p_write_mtu1500", false, 4, 4, "C", good},
        {"tune_p2p_read_mtu1500", false, 4, 4, "D", good},
        {"tune_p2p_both_mtu1500", false, 4, 4, "C", good},
        {"tune_p2p_both_rping_S1000_mtu1500", false, 0, 1, "C", good},
        {"tune_v1_pd0_mtu1500", false, 4, 4, "", good},
        {"tune_v1_ird_ord_mtu1500", false, 4, 4, "", good},
        {"tune_v1_reject_mtu1500", false, 4, 4, "", good},
        {"tune_v1_crc_rping_S4096_mtu1500", true, 4, 4, "", good},
        {"raw_badkey", false, 4, 4, "", malformed},
        {"raw_repkey", false, 4, 4, "", malformed},
        {"raw_pdlen_600", false, 4, 4, "", malformed},
        {"raw_rev3", false, 4, 4, "", "stop close fail0"},
    };
    for (const auto& row : rows)
    {
        const CapturedConnection capture = Capture(row.name);
        const Octets request = FirstFrame(capture.octets[0]);
        for (const std::size_t segment : {std::size_t(1), std::size_t(7), SIZE_MAX})
        {
            MpaStartupEndpoint r(CaptureConfig(MpaRole::RESPONDER, row, 2));
            r.Start();
            NS_TEST_EXPECT_MSG_EQ(r.Feed(request, segment), row.words, row.name);
            IWARP_COVERS("MPA-7.1.2-04");
            if (r.State() == State::ULP_DECIDES)
            {
                Answer(row.name, capture, r);
            }
            NS_TEST_EXPECT_MSG_EQ((r.sent == FirstFrame(capture.octets[1])), true, row.name);
            IWARP_COVERS("ENH-9.3-2 ENH-10-1 ENH-10-2 MPA-7.1.2-09");
        }
    }
    Departures();
}

/// @brief Our Initiator sends the captured Request and gets the captured Reply.
struct MpaCapturedReplyTest : TestCase
{
    using TestCase::TestCase;

    /**
     * @brief The driver sent first what our machine says has to go first.
     * @param name capture
     * @param rtr what our machine says
     * @param ulpdus what the driver sent
     */
    void CheckIndication(const char* name, MpaRtr rtr, const std::vector<CapturedUlpdu>& ulpdus)
    {
        NS_TEST_ASSERT_MSG_EQ(ulpdus.empty(), false, name);
        const Octets& first = ulpdus[0].octets;
        switch (rtr)
        {
        case MpaRtr::WRITE:
            NS_TEST_EXPECT_MSG_EQ(first.size(), 14, "Write without payload");
            NS_TEST_EXPECT_MSG_EQ(+first.at(1), 0x40, "Write");
            IWARP_COVERS("ENH-1.1-1 ENH-9.2-12");
            break;
        case MpaRtr::READ:
            NS_TEST_EXPECT_MSG_EQ(first.size(), 46, "Read Request");
            NS_TEST_EXPECT_MSG_EQ(+first.at(1), 0x41, "Read Request");
            NS_TEST_EXPECT_MSG_EQ((Octets(first.begin() + 30, first.begin() + 34) == Octets(4)),
                                  true,
                                  "of no octets");
            IWARP_COVERS("ENH-1.1-1 ENH-9.2-12");
            break;
        default:
            NS_TEST_EXPECT_MSG_EQ((first.size() > 18), true, "an ordinary message");
            break;
        }
    }

    /**
     * @param capture a capture in which the driver sent a Terminate
     * @param code its code
     */
    void CheckTerminate(const CapturedConnection& capture, int code)
    {
        NS_TEST_ASSERT_MSG_EQ(capture.ulpdus[0].size(), 1, "a Terminate alone");
        const Octets& ulpdu = capture.ulpdus[0][0].octets;
        NS_TEST_EXPECT_MSG_EQ(+ulpdu.at(1), 0x47, "Terminate");
        RdmapTerminate terminate;
        NS_TEST_ASSERT_MSG_GT(
            terminate.Read(ulpdu.data() + 18, ulpdu.size() - 18, RdmapTerminateForm::MIRRORED),
            0,
            "decodes");
        NS_TEST_EXPECT_MSG_EQ(+terminate.layer, 2, "layer");
        NS_TEST_EXPECT_MSG_EQ(+terminate.type, 0, "type");
        NS_TEST_EXPECT_MSG_EQ(+terminate.code, code, "code");
    }

    /**
     * @param name capture
     * @param crc C of our Request
     * @param words what our Initiator makes of the captured Reply
     * @return it
     */
    MpaStartupEndpoint Replay(const char* name, bool crc, const std::string& words)
    {
        const CapturedConnection capture = Capture(name);
        const Octets request = FirstFrame(capture.octets[0]);
        MpaStartupEndpoint i(CaptureConfig(MpaRole::INITIATOR, {name, crc, 4, 4, "", ""}, 2));
        i.Start(UlpData(request));
        NS_TEST_EXPECT_MSG_EQ((i.sent == request), true, name);
        NS_TEST_EXPECT_MSG_EQ(i.Feed(FirstFrame(capture.octets[1])), words, name);
        return i;
    }

    /// Where the driver and the RFCs differ, the RFCs win.
    void Departures()
    {
        // 0x3FFF is no depth to the RFC; the driver says that it has no resources for it.
        const MpaStartupEndpoint left = Replay("rawsrv_ord_big", false, "stop report");
        NS_TEST_EXPECT_MSG_EQ(left.machine.Result().enhanced.ird, 4, "as it was");
        CheckTerminate(Capture("rawsrv_ord_big"), 6);
        // A malformed Reply closes at once; the driver sends a Terminate where no FPDU may go.
        Replay("rawsrv_reqkey", false, "stop close fail4");
        IWARP_COVERS("MPA-7.1.2-15");
        CheckTerminate(Capture("rawsrv_reqkey"), 4);
        // The driver closes without a word.
        Replay("rawsrv_noS", false, "stop term5 close fail5");
        Replay("rawsrv_rev1", false, "stop term5 close fail5");
        // The driver has no Markers, and the Reply's C alone counts for it.
        const MpaStartupEndpoint markers = Replay("rawsrv_markers", false, "stop report");
        NS_TEST_EXPECT_MSG_EQ(markers.machine.Result().txMarkers, true, "the Responder's M");
        NS_TEST_EXPECT_MSG_EQ(markers.machine.Result().rxMarkers, false, "our M");
        const MpaStartupEndpoint crc = Replay("rawsrv_tune_crcreq_ok", true, "stop report");
        NS_TEST_EXPECT_MSG_EQ(crc.machine.Result().crc, true, "our C is enough");
        // A FIN instead of a Reply
        MpaStartupEndpoint closed = Replay("rawsrv_close", false, "");
        NS_TEST_EXPECT_MSG_EQ(closed.Do(closed.machine.ConnectionLost()),
                              "stop close fail1",
                              "FIN");
        NS_TEST_EXPECT_MSG_EQ(closed.machine.MayRetryUnenhanced(), true, "an old peer?");
    }
};

IWARP_TEST(mpaStartupCapture, "our Initiator in soft-iWARP's place", MpaCapturedReplyTest)
{
    const std::string good = "stop report";
    const Row rows[] = {
        {"rawsrv_ok", false, 4, 4, "", good},
        {"rawsrv_frag", false, 4, 4, "", good},
        {"rawsrv_ird0", false, 4, 4, "", good},
        {"rawsrv_crc1", false, 4, 4, "", good},
        {"rawsrv_p2p_answer_none", false, 4, 4, "", good},
        {"rawsrv_p2p_answer_read", false, 4, 4, "", good},
        {"rawsrv_tune_crcreq_crc1", true, 4, 4, "", good},
        {"rawsrv_tune_p2p_p2p_answer_read", false, 4, 4, "CD", good},
        {"rawsrv_tune_p2p_p2p_answer_write", false, 4, 4, "CD", good},
        {"rawsrv_tune_p2p_p2p_answer_noA", false, 4, 4, "CD", "stop term7 close fail7"},
        {"rawsrv_rej", false, 4, 4, "", "stop rejected"},
        {"rawsrv_rej_pd", false, 4, 4, "", "stop rejected"},
        {"stock_pd0_mtu1500", false, 4, 4, "", good},
        {"stock_pd200_mtu1500", false, 4, 4, "", good},
        {"stock_reject_mtu1500", false, 4, 4, "", "stop rejected"},
        {"stock_rping_S64_mtu1500", false, 1, 1, "", good},
        {"stock_target_ord_gt_initiator_ird_mtu1500", false, 1, 1, "", good},
        {"tune_crc_p2p_write_mtu1500", true, 4, 4, "C", good},
        {"tune_p2p_write_mtu1500", false, 4, 4, "C", good},
        {"tune_p2p_read_mtu1500", false, 4, 4, "D", good},
        {"tune_p2p_both_mtu1500", false, 4, 4, "CD", good},
        {"tune_v1_pd0_mtu1500", false, 4, 4, "", good},
        {"tune_v1_ird_ord_mtu1500", false, 4, 4, "", good},
        {"tune_v1_reject_mtu1500", false, 4, 4, "", "stop rejected"},
        {"tune_v1_crc_rping_S4096_mtu1500", true, 4, 4, "", good},
    };
    for (const auto& row : rows)
    {
        const CapturedConnection capture = Capture(row.name);
        const Octets request = FirstFrame(capture.octets[0]);
        const Octets reply = FirstFrame(capture.octets[1]);
        for (const std::size_t segment : {std::size_t(1), SIZE_MAX})
        {
            MpaStartupEndpoint i(CaptureConfig(MpaRole::INITIATOR, row, request[17]));
            i.Start(UlpData(request));
            NS_TEST_EXPECT_MSG_EQ((i.sent == request), true, row.name);
            IWARP_COVERS("ENH-9.2-3 ENH-9.2-4 ENH-9.3-1");
            NS_TEST_EXPECT_MSG_EQ(i.Feed(reply, segment), row.words, row.name);
            IWARP_COVERS("ENH-9.2-14");
            NS_TEST_EXPECT_MSG_EQ((i.machine.PeerFrame().privateData == UlpData(reply)),
                                  true,
                                  row.name);
            IWARP_COVERS("MPA-7.1.2-16");
            if (i.State() != State::ULP_DECIDES)
            {
                continue;
            }
            NS_TEST_EXPECT_MSG_EQ(i.Accept(), "rx tx", row.name);
            const Octets fpdus = Behind(capture.octets[1]);
            NS_TEST_EXPECT_MSG_EQ(i.Feed(fpdus), "", row.name);
            NS_TEST_EXPECT_MSG_EQ((i.rest == fpdus), true, "FPDUs are left alone");
            IWARP_COVERS("MPA-7.1.2-18");
            CheckIndication(row.name, i.machine.Result().enhanced.rtr, capture.ulpdus[0]);
        }
        if (row.words == "stop term7 close fail7")
        {
            CheckTerminate(capture, 7);
            IWARP_COVERS("ENH-9.2-15");
        }
    }
    Departures();
}
