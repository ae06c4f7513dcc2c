/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "rdmap-capture.h"
#include "rdmap-pair.h"

#include "ns3/ddp-octets.h"

#include <algorithm>
#include <set>

using namespace ns3;

namespace
{

/// Suite of captured connections replayed against an endpoint.
IWARP_TEST_SUITE(rdmapReplay, "rdmap-replay");

using Octets = std::vector<uint8_t>;

constexpr uint32_t STAG_AT = 2;       // offset of a Tagged segment's STag
constexpr uint32_t SINK_STAG_AT = 18; // offset of a Read Request's sink STag
constexpr uint32_t SRC_STAG_AT = 34;  // offset of its source STag

/**
 * An endpoint that takes the place of one side of a captured connection: it is posted the work that
 * the captured messages show, is given what the other side sent, and has to send the captured
 * octets.
 */
class Replay
{
  public:
    /// @param connection the connection @param side the side to replace
    Replay(const CapturedConnection& connection, int side)
        : m_connection(connection),
          m_side(side),
          m_node(MakeConfig())
    {
        m_anywhere = m_node.Register(DdpMemory::CreateVirtual(~uint64_t(0)));
        m_buffers = m_node.Register(DdpMemory::CreateVirtual(1 << 20));
        for (uint32_t i = 0; i < 100; i++)
        {
            m_node.PostReceive(i, m_buffers, 0, 1 << 20);
        }
        for (const auto& ulpdu : connection.ulpdus[side])
        {
            m_mulpdu = std::max<uint32_t>(m_mulpdu, ulpdu.octets.size());
        }
    }

    /// @return number of ULPDUs that the endpoint sent as captured, all of them if it went well
    uint32_t Run()
    {
        std::size_t in = 0;
        const auto& inbound = m_connection.ulpdus[1 - m_side];
        const auto& outbound = m_connection.ulpdus[m_side];
        for (m_out = 0; m_out < outbound.size(); m_out++)
        {
            while (in < inbound.size() && inbound[in].frame < outbound[m_out].frame)
            {
                Input(inbound[in++].octets);
            }
            if (!m_inMessage)
            {
                PostMessage();
            }
            const Octets expected = Own(outbound[m_out].octets);
            if (m_node.Output(m_mulpdu) != expected)
            {
                return m_out;
            }
            m_inMessage = (expected[0] & 0x40) == 0;
        }
        while (in < inbound.size())
        {
            Input(inbound[in++].octets);
        }
        return m_out;
    }

    const RdmapTestNode& GetNode() const //!< @return the endpoint
    {
        return m_node;
    }

  private:
    static RdmapConfig MakeConfig()
    {
        RdmapConfig config;
        config.ird = 128;
        config.ord = 128;
        config.terminateForm = RdmapTerminateForm::MIRRORED;
        return config;
    }

    /// @param ulpdu captured octets that this side sent @return the same with STags of the endpoint
    Octets Own(Octets ulpdu) const
    {
        if (ulpdu[1] == 0x41 && ddp::LoadBig<uint32_t>(&ulpdu[30]) > 0)
        {
            ddp::StoreBig(&ulpdu[SINK_STAG_AT], m_anywhere);
        }
        return ulpdu;
    }

    /// The rest of a message from here on. @param ulpdus ULPDUs @param from its first
    static Octets Payload(const std::vector<CapturedUlpdu>& ulpdus, std::size_t from)
    {
        Octets payload;
        DdpHeader header;
        do
        {
            const auto& octets = ulpdus[from++].octets;
            const uint32_t size = header.Read(octets.data(), octets.size());
            payload.insert(payload.end(), octets.begin() + size, octets.end());
        } while (!header.last);
        return payload;
    }

    /// Post the work that the next captured message shows; responses come by themselves.
    void PostMessage()
    {
        const auto& outbound = m_connection.ulpdus[m_side];
        const auto& octets = outbound[m_out].octets;
        DdpHeader header;
        header.Read(octets.data(), octets.size());
        const auto opcode = static_cast<RdmapOpcode>(header.ulpControl & 15);
        RdmapWork work;
        switch (opcode)
        {
        case RdmapOpcode::WRITE:
            work.kind = RdmapWorkKind::WRITE;
            work.remoteStag = header.stag;
            work.remoteTo = header.to;
            break;
        case RdmapOpcode::READ_REQUEST: {
            RdmapReadRequest request;
            request.Read(&octets[header.GetSize()]);
            work.kind = RdmapWorkKind::READ;
            work.remoteStag = request.srcStag;
            work.remoteTo = request.srcTo;
            work.sges.push_back(
                {request.sinkTo, request.size, request.size > 0 ? m_anywhere : request.sinkStag});
            m_node.endpoint->PostSend(std::move(work));
            return;
        }
        case RdmapOpcode::SEND:
        case RdmapOpcode::SEND_SE:
        case RdmapOpcode::SEND_INVALIDATE:
        case RdmapOpcode::SEND_SE_INVALIDATE:
            work.solicited = rdmap::IsSolicited(opcode);
            work.invalidate = rdmap::IsInvalidate(opcode);
            work.invalidateStag = header.ulpWord;
            break;
        default:
            return;
        }
        const Octets payload = Payload(outbound, m_out);
        Ptr<DdpMemory> memory = DdpMemory::CreateBacked(payload.size());
        memory->Write(0, payload.data(), payload.size(), payload.size());
        work.sges.push_back({0, uint32_t(payload.size()), m_node.Register(memory)});
        m_node.endpoint->PostSend(std::move(work));
    }

    /// Give the endpoint what the other side sent, with STags of the endpoint. @param ulpdu octets
    void Input(Octets ulpdu)
    {
        const uint8_t opcode = ulpdu[1] & 15;
        if ((ulpdu[0] & 0x80) != 0 && ulpdu.size() > ddp::TAGGED_HEADER_SIZE)
        {
            ddp::StoreBig(&ulpdu[STAG_AT], m_anywhere);
        }
        else if (opcode == static_cast<uint8_t>(RdmapOpcode::READ_REQUEST))
        {
            PrepareSource(ulpdu);
        }
        else if (rdmap::IsInvalidate(static_cast<RdmapOpcode>(opcode)))
        {
            ddp::StoreBig(&ulpdu[2], m_node.Register(DdpMemory::CreateVirtual(1)));
        }
        m_node.Input(ulpdu);
    }

    /// Make the source of a Read hold what the captured response carries. @param request ULPDU
    void PrepareSource(Octets& request)
    {
        const auto& outbound = m_connection.ulpdus[m_side];
        const auto size = ddp::LoadBig<uint32_t>(&request[30]);
        const auto to = ddp::LoadBig<uint64_t>(&request[38]);
        for (; m_response < outbound.size(); m_response++)
        {
            const auto& octets = outbound[m_response].octets;
            const bool first = m_response == 0 || (outbound[m_response - 1].octets[0] & 0x40) != 0;
            if (octets[1] == 0x42 && first)
            {
                const Octets payload = Payload(outbound, m_response++);
                Ptr<DdpMemory> memory = DdpMemory::CreateBacked(size);
                memory->Write(0, payload.data(), payload.size(), payload.size());
                ddp::StoreBig(&request[SRC_STAG_AT], m_node.Register(memory, to));
                return;
            }
        }
    }

    const CapturedConnection& m_connection; //!< the connection
    const int m_side;                       //!< the side replaced
    RdmapTestNode m_node;                   //!< the endpoint
    uint32_t m_anywhere;                    //!< STag of virtual memory at every TO
    uint32_t m_buffers;                     //!< STag of receive buffers
    uint32_t m_mulpdu{128};                 //!< MULPDU of the captured side
    std::size_t m_out{0};                   //!< next ULPDU to send
    std::size_t m_response{0};              //!< where to look for the next response
    bool m_inMessage{false};                //!< the captured message goes on
};

/// An endpoint in the place of each side of each well-behaved capture.
IWARP_TEST(rdmapReplay, "replaying each side of a capture gives the captured octets")
{
    std::set<std::string> files;
    for (const auto& row : ReadCaptureManifest())
    {
        const bool raw = row.file.compare(0, 3, "raw") == 0;
        // there the driver follows what TCP can offload at the moment, not a MULPDU
        const bool gso = row.file.find("_gso_") != std::string::npos;
        const bool fails = row.operations.find("Terminate") != std::string::npos ||
                           row.file.find("_term_") != std::string::npos ||
                           row.file.find("sendinv_then_write") != std::string::npos;
        if (!raw && !gso && !fails)
        {
            files.insert(row.file);
        }
    }
    NS_TEST_EXPECT_MSG_GT(files.size(), 40, "captures to replay");
    uint32_t total = 0;
    for (const auto& file : files)
    {
        for (const auto& connection : ReadCapture(CaptureFolder() + file))
        {
            for (int side = 0; side < 2; side++)
            {
                Replay replay(connection, side);
                const uint32_t sent = replay.Run();
                const RdmapTestNode& node = replay.GetNode();
                total += sent;
                NS_TEST_EXPECT_MSG_EQ(sent,
                                      connection.ulpdus[side].size(),
                                      file << " side " << side << ": as captured");
                IWARP_COVERS("DDP-5.2-1 DDP-5.2-6 DDP-5.2-10 DDP-5.3-2 DDP-4.3-14");
                NS_TEST_EXPECT_MSG_EQ(node.failure.has_value(),
                                      false,
                                      file << " side " << side << ": "
                                           << (node.failure ? node.failure->Describe() : ""));
                uint32_t sends = 0;
                uint32_t messages = 0;
                for (const auto& ulpdu : connection.ulpdus[1 - side])
                {
                    const bool last = (ulpdu.octets[0] & 0x40) != 0;
                    const auto opcode = static_cast<RdmapOpcode>(ulpdu.octets[1] & 15);
                    sends += last && rdmap::IsSend(opcode);
                    messages += last;
                }
                NS_TEST_EXPECT_MSG_EQ(node.received.size(), sends, file << ": receives");
                NS_TEST_EXPECT_MSG_EQ(node.delivered.size(), messages, file << ": messages");
                IWARP_COVERS("DDP-5.4-9");
                NS_TEST_EXPECT_MSG_EQ(node.endpoint->IsDrained(), true, file << ": drained");
            }
        }
    }
    NS_TEST_EXPECT_MSG_GT(total, 2000, "ULPDUs compared");
}

/// The hand-made peer that breaks rules: what the captured driver says of it, and what we say.
struct RdmapReplayRawTest : TestCase
{
    using TestCase::TestCase;

    /// @param file capture @param ours layer, type and code that we answer with
    /// @param theirs what the driver answered
    void Expect(const std::string& file, const std::string& ours, const std::string& theirs)
    {
        const auto connections = ReadCapture(CaptureFolder() + file + ".pcap");
        NS_TEST_ASSERT_MSG_EQ(connections.size(), 1, file);
        RdmapTestNode node{RdmapConfig()};
        const uint32_t stag = node.Register(DdpMemory::CreateVirtual(4096));
        for (uint32_t i = 0; i < 4; i++)
        {
            node.PostReceive(i, stag, 0, 4096);
        }
        for (const auto& ulpdu : connections[0].ulpdus[0])
        {
            node.Input(ulpdu.octets);
        }
        NS_TEST_ASSERT_MSG_EQ(node.failure.has_value(), true, file << ": refused");
        NS_TEST_EXPECT_MSG_EQ(Numbers(*node.failure), ours, file << ": our answer");
        IWARP_COVERS("DDP-7.2-1");
        const auto& answers = connections[0].ulpdus[1];
        RdmapTerminate terminate;
        for (const auto& ulpdu : answers)
        {
            if (ulpdu.octets[1] == 0x47)
            {
                terminate.Read(&ulpdu.octets[ddp::UNTAGGED_HEADER_SIZE],
                               ulpdu.octets.size() - ddp::UNTAGGED_HEADER_SIZE,
                               RdmapTerminateForm::MIRRORED);
            }
        }
        NS_TEST_EXPECT_MSG_EQ(Numbers(terminate), theirs, file << ": the driver's answer");
        if (ours == theirs && terminate.hasDdpHeader)
        {
            NS_TEST_EXPECT_MSG_EQ((node.failure->ddpHeader == terminate.ddpHeader),
                                  true,
                                  file << ": same copy of the header");
            NS_TEST_EXPECT_MSG_EQ((node.failure->readHeader == terminate.readHeader),
                                  true,
                                  file << ": same copy of the Read Request");
        }
    }

    static std::string Numbers(const RdmapTerminate& t)
    {
        return std::to_string(t.layer) + "/" + std::to_string(t.type) + "/" +
               std::to_string(t.code);
    }
};

IWARP_TEST(rdmapReplay, "a captured peer that breaks rules is refused", RdmapReplayRawTest)
{
    Expect("raw_ddp_ver2", "1/2/6", "1/2/6");
    IWARP_COVERS("DDP-4.1-13");
    Expect("raw_qn5", "1/2/1", "1/2/1");
    IWARP_COVERS("DDP-7.1-2");
    Expect("raw_write_badstag", "1/1/0", "1/1/0");
    // the responder of these has no IRD here, so that the request finds no buffer
    Expect("raw_read_badstag", "1/2/2", "0/1/0");
    // an MSN above the window is one without a buffer
    Expect("raw_msn7", "1/2/2", "1/2/3");
    // opcodes where they do not belong are RDMAP's errors
    Expect("raw_qn1_send", "0/2/6", "1/2/1");
    Expect("raw_tagged_send", "0/2/6", "1/2/1");
    Expect("raw_untagged_write", "0/2/6", "1/1/0");
    Expect("raw_opcode_b", "0/2/6", "0/2/6");
    // the STag is not known here; the driver finds the wrap and calls it a local failure
    Expect("raw_write_wrap", "1/1/0", "1/0/0");
}

} // namespace
