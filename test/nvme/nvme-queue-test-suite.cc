/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../record/record-test-network.h"

#include "ns3/boolean.h"
#include "ns3/error-model.h"
#include "ns3/nvme-controller-queue.h"
#include "ns3/nvme-host-queue.h"
#include "ns3/pointer.h"
#include "ns3/record-tcp-socket.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(nvmeQueue, "nvme-queue");

/// @param size octets @param seed of them @return some
std::vector<uint8_t>
QueueOctets(uint32_t size, uint32_t seed)
{
    std::vector<uint8_t> octets(size);
    for (uint32_t i = 0; i < size; i++)
    {
        octets[i] = static_cast<uint8_t>((i + seed) * 131 + (i >> 9));
    }
    return octets;
}

/// A host and a controller as queues, which move octets and compare them.
class NvmeQueuePair : private NvmeHostQueueUser, private NvmeControllerQueueUser
{
  public:
    /// @param factory of the sockets @param ipv6 over IPv6
    explicit NvmeQueuePair(const std::string& factory, bool ipv6 = false)
        : network(factory, ipv6),
          host(CreateObject<NvmeHostQueue>()),
          controller(CreateObject<NvmeControllerQueue>())
    {
        host->SetUser(this);
        controller->SetUser(this);
        network.onConnect = [this](const Ptr<Socket>& socket) { host->Open(socket); };
        network.onAccept = [this](const Ptr<Socket>& socket) { controller->Open(socket); };
        host->TraceConnectWithoutContext("Payload",
                                         iwarp::MakeLambdaCallback<Callback<void, uint64_t>>(
                                             [this](uint64_t octets) { hostPayload += octets; }));
        controller->TraceConnectWithoutContext(
            "Payload",
            iwarp::MakeLambdaCallback<Callback<void, uint64_t>>(
                [this](uint64_t octets) { controllerPayload += octets; }));
        host->TraceConnectWithoutContext(
            "CommandCompleted",
            iwarp::MakeLambdaCallback<Callback<void, const NvmeSqe&, const NvmeCqe&, Time>>(
                [this](const NvmeSqe&, const NvmeCqe&, Time latency) {
                    longest = Max(longest, latency);
                }));
    }

    ~NvmeQueuePair()
    {
        host->Dispose();
        controller->Dispose();
    }

    RecordTestNetwork network;                            //!< hosts and link
    Ptr<NvmeHostQueue> host;                              //!< left
    Ptr<NvmeControllerQueue> controller;                  //!< right
    std::vector<std::pair<NvmeOpcode, uint32_t>> program; //!< commands to submit, and their sizes
    bool backed{true};                                    //!< data have content
    uint32_t completed{0};                                //!< commands
    uint32_t different{0};                                //!< octets that are not as they were sent
    uint64_t hostPayload{0};                              //!< by the trace
    uint64_t controllerPayload{0};                        //!< by the trace
    uint64_t reads{0};                                    //!< octets that the controller has sent
    uint64_t writes{0};                                   //!< octets that the host has sent
    Time longest;                                         //!< of all commands
    std::vector<NvmeEnd> hostEnds;                        //!< how it ended for the host
    std::vector<NvmeEnd> controllerEnds;                  //!< and for the controller
    std::vector<Time> endTimes;                           //!< when, in this order

  private:
    NvmeData MakeData(uint32_t size, uint32_t seed) const
    {
        return backed ? NvmeData(QueueOctets(size, seed)) : NvmeData::MakeZeros(size);
    }

    void SubmitMore()
    {
        while (m_next < program.size() && host->HasRoom())
        {
            const auto& [opcode, size] = program[m_next];
            const bool write = opcode == NvmeOpcode::WRITE;
            host->Submit(NvmeSqe::MakeIo(opcode, 1, m_next, 1),
                         write ? MakeData(size, m_next) : NvmeData::MakeZeros(size));
            (write ? writes : reads) += size;
            m_next++;
        }
    }

    void HandleReady(NvmeQueue& queue) override
    {
        queue.StartCounting();
        if (&queue == PeekPointer(host))
        {
            SubmitMore();
        }
    }

    void HandleData(NvmeQueue& queue,
                    uint16_t cid,
                    uint32_t offset,
                    const Ptr<Packet>& octets) override
    {
        auto& to = m_data[{&queue == PeekPointer(host), cid}];
        different += to.size() == offset ? 0 : 1;
        to.resize(offset + octets->GetSize());
        octets->CopyData(&to[offset], octets->GetSize());
    }

    /// @param atHost which end has received it @param sqe of the command
    void Compare(bool atHost, const NvmeSqe& sqe)
    {
        auto& data = m_data[{atHost, sqe.cid}];
        const auto seed = static_cast<uint32_t>(sqe.GetSlba());
        const auto wanted = backed ? QueueOctets(program[seed].second, seed)
                                   : std::vector<uint8_t>(program[seed].second);
        different += data == wanted ? 0 : 1;
        data.clear();
    }

    void HandleCommand(NvmeControllerQueue& queue, const NvmeSqe& sqe, uint32_t length) override
    {
        if (sqe.GetDirection() == NvmeDirection::CONTROLLER_TO_HOST)
        {
            queue.Complete(sqe.cid,
                           NvmeStatus::SUCCESS,
                           0,
                           MakeData(length, static_cast<uint32_t>(sqe.GetSlba())));
            return;
        }
        Compare(false, sqe);
        queue.Complete(sqe.cid, NvmeStatus::SUCCESS);
    }

    void HandleCompletion(NvmeHostQueue& /* queue */, uint16_t cid, const NvmeCqe& cqe) override
    {
        different += cqe.GetStatus() == NvmeStatus::SUCCESS && cqe.cid == cid ? 0 : 1;
        completed++;
        const auto found = m_data.find({true, cid});
        if (found != m_data.end() && !found->second.empty())
        {
            // what it is of is known by its first block, which the pattern shows
            m_read.push_back(found->second);
            found->second.clear();
        }
        SubmitMore();
        if (completed == program.size())
        {
            CheckReads();
            host->Close();
        }
    }

    void CheckReads()
    {
        for (std::size_t i = 0; i < program.size(); i++)
        {
            if (program[i].first == NvmeOpcode::READ)
            {
                const auto wanted = backed ? QueueOctets(program[i].second, i)
                                           : std::vector<uint8_t>(program[i].second);
                const auto at = std::find(m_read.begin(), m_read.end(), wanted);
                different += at == m_read.end() ? 1 : 0;
                if (at != m_read.end())
                {
                    m_read.erase(at);
                }
            }
        }
        different += static_cast<uint32_t>(m_read.size());
    }

    void HandleEnd(NvmeQueue& queue, const NvmeEnd& end) override
    {
        (&queue == PeekPointer(host) ? hostEnds : controllerEnds).push_back(end);
        endTimes.push_back(Simulator::Now());
    }

    std::size_t m_next{0};                                            //!< of the program
    std::map<std::pair<bool, uint16_t>, std::vector<uint8_t>> m_data; //!< by end and CID
    std::vector<std::vector<uint8_t>> m_read;                         //!< data of reads
};

/// @return commands of all kinds and sizes
std::vector<std::pair<NvmeOpcode, uint32_t>>
ListCommands()
{
    std::vector<std::pair<NvmeOpcode, uint32_t>> program;
    for (const uint32_t size : {512U, 4U, 8192U, 8196U, 65536U, 4096U, 200000U, 1024U})
    {
        program.emplace_back(NvmeOpcode::WRITE, size);
        program.emplace_back(NvmeOpcode::READ, size + 4);
        program.emplace_back(NvmeOpcode::READ, size + 8);
    }
    return program;
}

/// A peer made by hand: PDUs over TCP.
class NvmeRawPeer : public RecordStream::User
{
  public:
    void HandleRecord(const Ptr<Packet>& record, const RecordHead& /* head */) override
    {
        std::vector<uint8_t> octets(record->GetSize());
        record->CopyData(octets.data(), record->GetSize());
        NvmePdu pdu;
        pdu.Read(octets.data(), record->GetSize());
        pdus.push_back(pdu);
        if (onPdu)
        {
            onPdu(pdu);
        }
    }

    void HandlePayload(uint64_t /* octets */) override
    {
    }

    void HandleRoom() override
    {
    }

    void HandleEnd(RecordStream::End end) override
    {
        ends.push_back(end);
        ended = Simulator::Now();
    }

    /// @param pdu to send, sealed
    void Send(const NvmePdu& pdu)
    {
        SendOctets(pdu.Write(std::vector<uint8_t>(pdu.ch.GetDataSize()).data()));
    }

    /// @param octets to send
    void SendOctets(const std::vector<uint8_t>& octets)
    {
        stream->Send(Create<Packet>(octets.data(), static_cast<uint32_t>(octets.size())));
    }

    NvmeFraming framing;                       //!< of both directions
    Ptr<RecordStream> stream;                  //!< the connection
    std::vector<NvmePdu> pdus;                 //!< that have come
    std::function<void(const NvmePdu&)> onPdu; //!< called for each
    std::vector<RecordStream::End> ends;       //!< of the stream
    Time ended;                                //!< when
};

/// @param pdu PDU @param data octets of DATA @return the same, sealed
NvmePdu
Sealed(NvmePdu pdu, uint32_t data = 0)
{
    pdu.Seal({}, data);
    return pdu;
}

} // namespace

/// @brief All octets arrive, over any socket, with digests and without.
IWARP_TEST(nvmeQueue, "commands and their data over sockets")
{
    for (const auto& [factory, ipv6] : {std::pair{"ns3::MpaTcpSocketFactory", false},
                                        {"ns3::MpaTcpSocketFactory", true},
                                        {"ns3::TcpSocketFactory", false},
                                        {"ns3::Rfc9293TcpSocketFactory", true}})
    {
        for (unsigned bits = 0; bits < 4; bits++)
        {
            NvmeQueuePair pair(factory, ipv6);
            pair.program = ListCommands();
            pair.host->SetAttribute("HeaderDigest", BooleanValue((bits & 1) != 0));
            pair.host->SetAttribute("DataDigest", BooleanValue((bits & 1) != 0));
            pair.host->SetAttribute("QueueDepth", UintegerValue(5));
            pair.host->SetAttribute("DataAlignment", UintegerValue(16));
            pair.host->SetAttribute("MaxR2t", UintegerValue(2));
            pair.controller->SetAttribute("MaxH2cData", UintegerValue(16384));
            pair.controller->SetAttribute("R2tLength", UintegerValue(32768));
            pair.controller->SetAttribute("MaxR2t", UintegerValue(2));
            pair.controller->SetAttribute("MaxC2hData", UintegerValue(40000));
            pair.controller->SetAttribute("DataAlignment", UintegerValue(64));
            pair.controller->SetAttribute("Success", BooleanValue((bits & 2) != 0));
            Simulator::Stop(Seconds(60));
            Simulator::Run();
            const std::string name = std::string(factory) + " " + std::to_string(bits);
            NS_TEST_ASSERT_MSG_EQ(pair.completed, pair.program.size(), name << ": all complete");
            NS_TEST_EXPECT_MSG_EQ(pair.different, 0, name << ": octets as sent");
            NS_TEST_EXPECT_MSG_EQ(pair.hostPayload, pair.reads, name << ": payload of reads");
            NS_TEST_EXPECT_MSG_EQ(pair.controllerPayload, pair.writes, name << ": of writes");
            NS_TEST_EXPECT_MSG_EQ(pair.hostEnds.size(), 0, name << ": the host has closed");
            NS_TEST_ASSERT_MSG_EQ(pair.controllerEnds.size(), 1, name << ": and tells");
            NS_TEST_EXPECT_MSG_EQ((pair.controllerEnds[0].kind == NvmeEnd::Kind::CLOSED),
                                  true,
                                  name << ": behind the last PDU");
            NS_TEST_EXPECT_MSG_GT(pair.longest, MicroSeconds(100), name << ": a round trip");
        }
    }
}

/// @brief Virtual data are zeros, whose digests are right, and take the time of real ones.
IWARP_TEST(nvmeQueue, "data without content")
{
    std::vector<Time> times;
    for (const bool backed : {true, false})
    {
        NvmeQueuePair pair("ns3::MpaTcpSocketFactory");
        pair.program = ListCommands();
        pair.backed = backed;
        Simulator::Stop(Seconds(60));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(pair.completed, pair.program.size(), "all complete");
        NS_TEST_EXPECT_MSG_EQ(pair.different, 0, "zeros, or as sent");
        times.push_back(pair.endTimes.at(0));
    }
    NS_TEST_EXPECT_MSG_EQ(times[0], times[1], "at the same times");
}

/// @brief Loss does not change an octet, nor a digest of zeros that take no memory.
IWARP_TEST(nvmeQueue, "lossy links")
{
    for (const auto& [factory, backed] : {std::pair{"ns3::MpaTcpSocketFactory", true},
                                          {"ns3::MpaTcpSocketFactory", false},
                                          {"ns3::TcpSocketFactory", true},
                                          {"ns3::TcpSocketFactory", false}})
    {
        NvmeQueuePair pair(factory);
        pair.program = ListCommands();
        pair.backed = backed;
        for (uint32_t i = 0; i < 2; i++)
        {
            auto errors = CreateObject<RateErrorModel>();
            errors->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
            errors->SetRate(0.02);
            errors->AssignStreams(i);
            pair.network.devices.Get(i)->SetAttribute("ReceiveErrorModel", PointerValue(errors));
        }
        Simulator::Stop(Seconds(200));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(pair.completed, pair.program.size(), factory << ": all complete");
        NS_TEST_EXPECT_MSG_EQ(pair.different, 0, factory << ": octets as sent");
    }
}

/// @brief Where the socket keeps records' boundaries PDUs begin segments; otherwise they lie
/// anywhere.
IWARP_TEST(nvmeQueue, "PDUs are aligned where the socket knows of them")
{
    for (const bool alignment : {true, false})
    {
        NvmeQueuePair pair("ns3::MpaTcpSocketFactory");
        pair.program.assign(40, {NvmeOpcode::WRITE, 4096});
        uint32_t segments = 0;
        uint32_t headed = 0;
        const auto sent =
            iwarp::MakeLambdaCallback<Callback<void, SequenceNumber32, uint32_t, bool, bool, bool>>(
                [&](SequenceNumber32, uint32_t, bool header, bool, bool) {
                    segments++;
                    headed += header ? 1 : 0;
                });
        pair.network.onConnect = [&](const Ptr<Socket>& socket) {
            socket->SetAttribute("Alignment", BooleanValue(alignment));
            socket->SetAttribute("SndBufSize", UintegerValue(1 << 20)); // TCP has always more
            socket->TraceConnectWithoutContext("SegmentSent", sent);
            pair.host->Open(socket);
        };
        Simulator::Stop(Seconds(60));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(pair.completed, 40, "all complete");
        NS_TEST_EXPECT_MSG_EQ(pair.different, 0, "octets as sent");
        if (alignment)
        {
            // ICReq, and three segments for 72 + 4 + 4096 + 4 octets, the first of which begins one
            NS_TEST_EXPECT_MSG_EQ(headed, 41, "each PDU begins a segment");
            NS_TEST_EXPECT_MSG_EQ(segments, 121, "and no more segments than it takes");
        }
        else
        {
            NS_TEST_EXPECT_MSG_LT(headed, 30, "few do by chance");
        }
    }
}

/// @brief A peer that breaks a rule is told of it, and TCP ends.
IWARP_TEST(nvmeQueue, "errors of a peer")
{
    struct Row
    {
        const char* name;
        std::vector<uint8_t> octets;
        NvmeFes fes;
        uint32_t fei;
    };

    const std::vector<Row> rows{
        {"a response", {5, 0, 24, 0, 24, 0, 0, 0}, NvmeFes::INVALID_HEADER_FIELD, 0},
        {"no type",
         {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF},
         NvmeFes::INVALID_HEADER_FIELD,
         0},
        {"4 GB in a capsule", {4, 0, 72, 72, 0, 0, 0, 0xFF}, NvmeFes::INVALID_HEADER_FIELD, 4},
        {"4 GB in an H2CData", {6, 0, 24, 24, 0, 0, 0, 0xFF}, NvmeFes::LIMIT_EXCEEDED, 0},
        {"PLEN of less than a header", {4, 0, 72, 0, 3, 0, 0, 0}, NvmeFes::INVALID_HEADER_FIELD, 4},
    };
    for (const auto& row : rows)
    {
        for (const bool closes : {true, false})
        {
            NvmeQueuePair pair("ns3::MpaTcpSocketFactory");
            pair.controller->SetAttribute("TerminateTimeout", TimeValue(Seconds(3)));
            NvmeRawPeer peer;
            pair.network.onConnect = [&](const Ptr<Socket>& socket) {
                peer.stream = Create<RecordStream>(peer.framing, peer);
                peer.stream->Open(socket);
                peer.Send(Sealed(NvmePdu::Make(NvmePduType::IC_REQ, NvmeIcReq())));
                peer.SendOctets(row.octets);
                peer.SendOctets(std::vector<uint8_t>(100000)); // goes on, whatever it is
            };
            peer.onPdu = [&](const NvmePdu& pdu) {
                if (closes && pdu.ch.type == NvmePduType::C2H_TERM_REQ)
                {
                    peer.stream->Close();
                }
            };
            Simulator::Stop(Seconds(20));
            Simulator::Run();
            NS_TEST_ASSERT_MSG_EQ(pair.controllerEnds.size(), 1, row.name << ": ends");
            NS_TEST_EXPECT_MSG_EQ((pair.controllerEnds[0].kind == NvmeEnd::Kind::ERROR),
                                  true,
                                  row.name << ": by an error");
            NS_TEST_ASSERT_MSG_EQ(peer.pdus.size(), 2, row.name << ": ICResp, C2HTermReq");
            const auto& term = std::get<NvmeTermReq>(peer.pdus[1].psh);
            NS_TEST_EXPECT_MSG_EQ(term.fes, uint32_t(row.fes), row.name << ": FES");
            NS_TEST_EXPECT_MSG_EQ(term.fei, row.fei, row.name << ": FEI");
            NS_TEST_ASSERT_MSG_EQ(peer.ends.size(), 1, row.name << ": TCP ends");
            NS_TEST_EXPECT_MSG_EQ((peer.ends[0] == RecordStream::End::CLOSED), true, row.name);
            const bool late = peer.ended > Seconds(5);
            NS_TEST_EXPECT_MSG_EQ(late,
                                  !closes,
                                  row.name << ": behind TerminateTimeout, or at once");
            peer.stream = nullptr;
        }
    }
}

/// @brief A data digest that is wrong: the command fails, its data go to nobody, and the next one
/// with the right digest is executed.
IWARP_TEST(nvmeQueue, "a data digest that is wrong")
{
    NvmeQueuePair pair("ns3::MpaTcpSocketFactory");
    pair.controller->SetAttribute("DataDigest", BooleanValue(true));
    pair.program = {{NvmeOpcode::WRITE, 512}}; // which the right one is compared with
    NvmeRawPeer peer;
    const auto send = [&peer](uint16_t cid, bool good) {
        NvmeSqe sqe = NvmeSqe::MakeIo(NvmeOpcode::WRITE, 1, 0, 1);
        sqe.cid = cid;
        sqe.sgl1 = {0, 512, nvme::SGL_IN_CAPSULE};
        NvmePdu pdu = NvmePdu::Make(NvmePduType::CAPSULE_CMD, sqe);
        NvmePduFormat format;
        format.dataDigest = true;
        pdu.Seal(format, 512);
        auto octets = pdu.Write(QueueOctets(512, 0).data());
        octets.back() ^= good ? 0 : 1;
        peer.SendOctets(octets);
    };
    pair.network.onConnect = [&](const Ptr<Socket>& socket) {
        peer.stream = Create<RecordStream>(peer.framing, peer);
        peer.stream->Open(socket);
        NvmeIcReq req;
        req.dgst = nvme::DDGST_ENABLE;
        peer.Send(Sealed(NvmePdu::Make(NvmePduType::IC_REQ, req)));
        send(1, false);
        send(1, true);
    };
    std::vector<NvmeStatus> answers;
    peer.onPdu = [&](const NvmePdu& pdu) {
        if (const auto* cqe = std::get_if<NvmeCqe>(&pdu.psh))
        {
            answers.push_back(cqe->GetStatus());
        }
    };
    Simulator::Stop(Seconds(5));
    Simulator::Run();
    NS_TEST_ASSERT_MSG_EQ(answers.size(), 2, "an answer each");
    NS_TEST_EXPECT_MSG_EQ((answers[0] == NvmeStatus::TRANSIENT_TRANSPORT_ERROR), true, "wrong");
    NS_TEST_EXPECT_MSG_EQ((answers[1] == NvmeStatus::SUCCESS), true, "right");
    NS_TEST_EXPECT_MSG_EQ(pair.different, 0, "octets of the right one alone");
    IWARP_COVERS("NVT-3.5-17");
    peer.stream = nullptr;
}

/// @brief Who says nothing, or nothing more, is not waited for.
IWARP_TEST(nvmeQueue, "a peer that says nothing, and one that ends")
{
    {
        NvmeQueuePair pair("ns3::TcpSocketFactory");
        NvmeRawPeer silent;
        pair.network.onAccept = [&](const Ptr<Socket>& socket) {
            silent.stream = Create<RecordStream>(silent.framing, silent);
            silent.stream->Open(socket);
        };
        Simulator::Stop(Seconds(40));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(pair.hostEnds.size(), 1, "the host ends");
        NS_TEST_EXPECT_MSG_EQ((pair.hostEnds[0].kind == NvmeEnd::Kind::TIMEOUT), true, "no ICResp");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(pair.endTimes[0], Seconds(17), "after StartupTimeout");
        NS_TEST_EXPECT_MSG_LT(pair.endTimes[0], Seconds(17.1), "after StartupTimeout");
        NS_TEST_EXPECT_MSG_EQ(silent.ends.size(), 1, "with TCP");
        silent.stream = nullptr;
    }
    for (const bool whole : {true, false})
    {
        NvmeQueuePair pair("ns3::MpaTcpSocketFactory");
        NvmeRawPeer peer;
        pair.network.onConnect = [&](const Ptr<Socket>& socket) {
            peer.stream = Create<RecordStream>(peer.framing, peer);
            peer.stream->Open(socket);
            peer.Send(Sealed(NvmePdu::Make(NvmePduType::IC_REQ, NvmeIcReq())));
            if (!whole)
            {
                peer.SendOctets(std::vector<uint8_t>{4, 0, 72, 0, 72, 0, 0, 0, 1});
            }
            peer.stream->Close();
        };
        Simulator::Stop(Seconds(20));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(pair.controllerEnds.size(), 1, "the controller ends");
        const auto wanted = whole ? NvmeEnd::Kind::CLOSED : NvmeEnd::Kind::LOST;
        NS_TEST_EXPECT_MSG_EQ((pair.controllerEnds[0].kind == wanted),
                              true,
                              "behind a PDU or in it");
        NS_TEST_EXPECT_MSG_EQ(peer.ends.size(), 1, "and closes as well");
        peer.stream = nullptr;
    }
    NvmeQueuePair pair("ns3::MpaTcpSocketFactory");
    NvmeRawPeer peer;
    pair.network.onAccept = [&](const Ptr<Socket>& socket) {
        peer.stream = Create<RecordStream>(peer.framing, peer);
        peer.stream->Open(socket);
    };
    peer.onPdu = [&](const NvmePdu&) {
        peer.Send(Sealed(NvmePdu::Make(NvmePduType::C2H_TERM_REQ, NvmeTermReq{6, 8}), 16));
    };
    Simulator::Stop(Seconds(20));
    Simulator::Run();
    NS_TEST_ASSERT_MSG_EQ(pair.hostEnds.size(), 1, "a C2HTermReq ends it");
    NS_TEST_EXPECT_MSG_EQ((pair.hostEnds[0].kind == NvmeEnd::Kind::PEER_ERROR),
                          true,
                          "as an error");
    NS_TEST_EXPECT_MSG_EQ(pair.hostEnds[0].error.fei, 8, "FEI");
    NS_TEST_ASSERT_MSG_EQ(peer.ends.size(), 1, "the host ends TCP");
    NS_TEST_EXPECT_MSG_LT(peer.ended, Seconds(2.1), "at once");
    peer.stream = nullptr;
}
