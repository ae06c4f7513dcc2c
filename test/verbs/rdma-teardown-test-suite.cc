/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../ddp/ddp-counted-stags.h"
#include "../iwarp-test.h"
#include "rdma-test-connections.h"

#include "ns3/ddp-receiver.h"
#include "ns3/rdma-protection-domain.h"
#include "ns3/simulator.h"

#include <cstring>
#include <memory>
#include <numeric>

using namespace ns3;

namespace
{

/// Suite of what comes behind the end of a stream.
IWARP_TEST_SUITE(rdmaTeardown, "rdma-teardown");

/// Nothing that comes behind the end of a stream is taken for DDP.
struct RdmaTeardownTest : TestCase
{
    using TestCase::TestCase;

    void RunTeardown() //!< a stream is torn down while the peer still writes
    {
        RdmaTestConnections party;
        party.Connect();
        std::vector<uint8_t> before;
        RdmaTestSide* sink = nullptr;
        party.ready = [&] {
            RdmaTestSide& source = *party.left[0];
            sink = party.right[0].get();
            for (uint32_t i = 0; i < RdmaTestSide::MEMORY; i++)
            {
                source.memory[i] = 1 + i % 255;
            }
            RdmaSendRequest request;
            request.opcode = RdmaOpcode::RDMA_WRITE;
            request.sges = {source.region->GetSge(0, RdmaTestSide::MEMORY)};
            request.rkey = sink->region->GetRkey();
            source.pair->PostSend(request);
            Simulator::Schedule(MilliSeconds(8), [&] {
                sink->pair->Modify(RdmaQpState::ERR);
                before = sink->memory;
            });
        };
        party.Run();
        NS_TEST_ASSERT_MSG_EQ(before.size(), RdmaTestSide::MEMORY, "torn down");
        NS_TEST_EXPECT_MSG_GT(+before.front(), 0, "some was placed before");
        NS_TEST_EXPECT_MSG_EQ(+before.back(), 0, "but not all");
        NS_TEST_EXPECT_MSG_EQ((sink->memory == before), true, "and nothing behind it");
        IWARP_COVERS("DDP-6.2-3");
    }

    /// A listener of DDP that does nothing, as a ULP that is slow to order the end.
    struct SilentUlp : DdpReceiver::Listener
    {
        DdpAdmission Admit(const DdpHeader&, const uint8_t*, uint32_t, uint32_t) override
        {
            return {};
        }

        void Delivered(DdpDelivery&) override
        {
        }

        void Failed(const DdpErrorReport& report) override
        {
            errors.push_back(report.error);
        }

        std::vector<DdpError> errors; //!< errors reported
    };

    /// A frame of the right host. @param packet frame
    void Sniff(Ptr<const Packet> packet)
    {
        if ((ReadTcpHeader(packet).GetFlags() & (TcpHeader::FIN | TcpHeader::RST)) != 0)
        {
            m_ends.push_back(Simulator::Now());
        }
    }

    /// An error is told. @param fault octets behind a good FPDU @param code DDP's error, or NONE if
    /// MPA finds it
    void RunSilence(const std::vector<uint8_t>& fault, DdpError code)
    {
        m_ends.clear();
        MpaLinkedHosts hosts;
        MpaStreamLog log;
        CountedStagTable table;
        SilentUlp ulp;
        DdpReceiver ddp(table, 1, 1, ulp);
        ddp.EnableQueue(0);
        Ptr<MpaStream> responder;
        std::unique_ptr<RawEnd> peer;
        hosts.Connect(
            [&](Ptr<MpaTcpSocket> socket) {
                peer = std::make_unique<RawEnd>(socket);
                std::vector<uint8_t> request(20);
                std::memcpy(request.data(), "MPA ID Req Frame", 16);
                request[16] = 0x40; // CRC
                request[17] = 1;    // revision
                peer->Send(request);
            },
            [&](Ptr<MpaTcpSocket> socket) {
                responder = log.MakeStream(socket);
                responder->StartResponder();
            });
        hosts.GetDevice(1)->TraceConnectWithoutContext(
            "PhyTxBegin",
            MakeCallback(&RdmaTeardownTest::Sniff, this));
        Simulator::Schedule(MilliSeconds(100), [&] {
            // an RDMA Write of no octets, which is good whatever its STag
            DdpHeader header;
            header.tagged = true;
            header.last = true;
            header.ulpControl = 0x40;
            std::vector<uint8_t> good(header.GetSize());
            header.Write(good.data());
            auto octets = MakeFpdu(good, 0, true);
            octets.insert(octets.end(), fault.begin(), fault.end());
            peer->Send(octets);
        });
        Simulator::Schedule(Seconds(1), [&] {
            for (const auto& ulpdu : log.passed)
            {
                ddp.Segment(ulpdu.seq,
                            ulpdu.octets.data(),
                            ulpdu.octets.size(),
                            ulpdu.octets.size(),
                            true);
                ddp.Deliver(1);
            }
            NS_TEST_EXPECT_MSG_EQ(log.errors.size() + ulp.errors.size(), 1, "one error is told");
        });
        Simulator::Schedule(Seconds(11), [&] {
            NS_TEST_EXPECT_MSG_EQ(m_ends.size(), 0, "10 s of silence: no FIN, no RST");
            IWARP_COVERS("DDP-6.2.2-7");
            responder->Close();
        });
        Simulator::Stop(Seconds(20));
        Simulator::Run();
        if (code == DdpError::NONE)
        {
            NS_TEST_EXPECT_MSG_EQ(log.passed.size(), 1, "plain octets are no ULPDU");
        }
        else
        {
            NS_TEST_EXPECT_MSG_EQ((ulp.errors == std::vector<DdpError>{code}), true, "DDP's error");
        }
        NS_TEST_EXPECT_MSG_EQ(m_ends.empty(), false, "the ULP has ordered the end");
        Simulator::Destroy();
    }

    std::vector<Time> m_ends; //!< when the right host sent FIN or RST
};

IWARP_TEST(rdmaTeardown, "behind the end of DDP, and before the ULP orders it", RdmaTeardownTest)
{
    RunTeardown();

    // octets that are no DDP, behind the last FPDU
    std::vector<uint8_t> plain(30000);
    std::iota(plain.begin(), plain.end(), 'a');
    RunSilence(plain, DdpError::NONE);

    // an untagged segment for a queue that is not there
    DdpHeader header;
    header.last = true;
    header.qn = 9;
    header.msn = 1;
    std::vector<uint8_t> segment(header.GetSize());
    header.Write(segment.data());
    const uint32_t position = MakeFpdu(std::vector<uint8_t>(14), 0, true).size();
    RunSilence(MakeFpdu(segment, position, true), DdpError::UNTAGGED_INVALID_QN);
}

} // namespace
