/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LIVE_PERFTEST_H
#define LIVE_PERFTEST_H

#include "live-memory.h"
#include "live-options.h"
#include "live-report.h"

#include "ns3/boolean.h"
#include "ns3/rdma-connection.h"
#include "ns3/rdmap-stream.h"

#include <boost/endian/conversion.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace live
{

/**
 * What ib_{send,write,read}_{bw,lat} -R of perftest 4.5 find as their server: a connection over
 * which parameters are told, message for message, and one that is measured.
 */
class PerftestServer
{
  public:
    /// @param node host @param options what to do @param report where to tell of it
    PerftestServer(ns3::Ptr<ns3::Node> node, const Options& options, Report& report)
        : m_options(options),
          m_report(report),
          m_device(ns3::RdmaDevice::Get(node)),
          m_pd(m_device->AllocPd()),
          m_listener(ns3::RdmaConnection::Create(node))
    {
        m_listener->SetEventCallback(ns3::MakeCallback(&PerftestServer::HandleConnection, this));
        m_info.Make(m_pd, 256, 0x1000, LOCAL);
        m_buffer.Make(m_pd, 2 * HALF, 0x7f1234500000, SHARED);
        m_sink.Make(m_pd, std::max(options.size, 64U), 0x20000, LOCAL);
        m_buffer.Fill(2 * HALF);
    }

    /// Wait for a client.
    void Listen()
    {
        m_report.Check(m_listener->Listen(m_options.GetLocal()) == 0, "listening");
    }

    /// @return whether all is done that was to be done
    bool IsDone() const
    {
        const bool sends = m_options.operations.find("send") == 0;
        return m_exchanges >= EXCHANGES && m_closed > 0 &&
               (!sends || m_received == m_options.count) &&
               (!IsWriteLatency() || m_written == m_options.count);
    }

  private:
    static constexpr uint32_t DESTINATION = 56; //!< octets of perftest's struct pingpong_dest
    static constexpr uint32_t EXCHANGES = 10;   //!< messages until the test begins
    static constexpr uint64_t HALF = 4 << 20;   //!< of the memory: the peer's, and this side's
    static constexpr uint64_t CREDIT = 128;     //!< where a credit is, in the memory of messages
    static constexpr uint64_t ANSWER = 64;      //!< where an answer is, in the same
    static constexpr uint32_t RECEIVES = 512;   //!< of the connection that is measured

    /// A connection.
    struct Lane
    {
        ns3::Ptr<ns3::RdmaConnection> connection; //!< itself
        ns3::Ptr<ns3::RdmaQueuePair> pair;        //!< its queue pair
        ns3::Ptr<ns3::RdmaCompletionQueue> cq;    //!< its completions
    };

    /// @return whether both ends write in turn
    bool IsWriteLatency() const
    {
        return m_options.operations == "write_lat";
    }

    /// @param connection which @param event what has happened to it
    void HandleConnection(ns3::Ptr<ns3::RdmaConnection> connection,
                          const ns3::RdmaConnectionEvent& event)
    {
        using Kind = ns3::RdmaConnectionEvent::Kind;
        m_report.Say("EVENT " + std::to_string(static_cast<int>(event.kind)) + " " + event.reason);
        if (event.kind == Kind::CONNECT_REQUEST)
        {
            Accept(connection);
        }
        else if (event.kind == Kind::ESTABLISHED && m_lanes.size() == 2 && IsWriteLatency())
        {
            m_lanes[1].pair->GetStream()->TraceConnectWithoutContext(
                "MessageVisible",
                ns3::MakeCallback(&PerftestServer::HandleVisible, this));
        }
        else if (event.kind == Kind::DISCONNECTED)
        {
            connection->Disconnect();
        }
        else if (event.kind == Kind::CLOSED)
        {
            m_closed++;
            ns3::Simulator::Stop(ns3::Seconds(m_closed == 2 ? m_options.linger : 4));
        }
    }

    /// Take a client's connection: the first is for parameters. @param connection it
    void Accept(ns3::Ptr<ns3::RdmaConnection> connection)
    {
        if (m_lanes.size() == 2)
        {
            m_report.Problem("a third connection");
            connection->Reject();
            return;
        }
        const bool control = m_lanes.empty();
        Lane lane;
        lane.connection = connection;
        lane.cq = m_device->CreateCq(4096);
        lane.cq->SetNotifyCallback(ns3::MakeCallback(&PerftestServer::HandleCompletions, this));
        lane.cq->RequestNotify();
        ns3::RdmaQueuePairConfig config;
        config.sendCq = config.receiveCq = lane.cq;
        config.maxSendWr = config.maxReceiveWr = 2 * RECEIVES;
        lane.pair = m_pd->CreateQp(config);
        lane.pair->Modify(ns3::RdmaQpState::INIT);
        for (uint32_t i = 0; i < (control ? 1 : RECEIVES); i++)
        {
            lane.pair->PostReceive(
                {i, {control ? m_info.Sge(0, DESTINATION) : m_sink.Sge(0, m_options.size)}});
        }
        connection->SetEventCallback(ns3::MakeCallback(&PerftestServer::HandleConnection, this));
        connection->SetQp(lane.pair);
        m_lanes.push_back(lane);
        m_report.Check(connection->Accept({}) == 0,
                       control ? "first connection" : "second connection");
    }

    /// An RDMA Write has come, in whose last octet the client counts: answer with one.
    /// @param opcode of the message @param octets of it
    void HandleVisible(ns3::RdmapOpcode opcode, uint64_t octets)
    {
        if (opcode != ns3::RdmapOpcode::WRITE)
        {
            return;
        }
        m_report.Check(octets == m_options.size &&
                           m_buffer.octets[m_options.size - 1] == static_cast<uint8_t>(m_written),
                       "RDMA Write " + std::to_string(m_written) + " of " + std::to_string(octets));
        WriteBack();
    }

    /// Write, and count in the last octet. The server of ib_write_lat writes first, which MPA lets
    /// a Responder do only if MpaStream.WaitForFirstFpdu is off (RFC 5044 section 7.1.2).
    void WriteBack()
    {
        if (m_written == m_options.count)
        {
            return;
        }
        m_buffer.octets[HALF + m_options.size - 1] = static_cast<uint8_t>(++m_written);
        Post(m_lanes[1],
             ns3::RdmaOpcode::RDMA_WRITE,
             m_buffer.Sge(HALF, m_options.size),
             m_address);
    }

    /// Post work. @param lane where @param opcode what @param sge octets @param address at the peer
    void Post(const Lane& lane, ns3::RdmaOpcode opcode, const ns3::RdmaSge& sge, uint64_t address)
    {
        ns3::RdmaSendRequest request;
        request.opcode = opcode;
        request.sges = {sge};
        request.remoteAddress = address;
        request.rkey = address == 0 ? 0 : m_key;
        m_report.Check(lane.pair->PostSend(request) == 0, "PostSend");
    }

    /// Completions are there. @param cq their queue
    void HandleCompletions(ns3::Ptr<ns3::RdmaCompletionQueue> cq)
    {
        cq->RequestNotify();
        const bool control = cq == m_lanes[0].cq;
        ns3::RdmaCompletion completion;
        while (cq->Poll(completion) > 0)
        {
            if (completion.status != ns3::RdmapStatus::SUCCESS)
            {
                if (completion.status != ns3::RdmapStatus::FLUSHED)
                {
                    m_report.Problem("work ends with status " +
                                     std::to_string(static_cast<int>(completion.status)));
                }
            }
            else if (completion.opcode != ns3::RdmaCompletionOpcode::RECEIVE)
            {
                continue;
            }
            else if (control)
            {
                Exchange(completion.octets);
            }
            else
            {
                Receive(completion);
            }
        }
    }

    /// A message of the test has come. @param completion of its receive
    void Receive(const ns3::RdmaCompletion& completion)
    {
        m_received++;
        m_report.Check(completion.octets == m_options.size, "a message of the right size");
        m_lanes[1].pair->PostReceive({completion.id, {m_sink.Sge(0, m_options.size)}});
        if (m_options.operations == "send_lat")
        {
            Post(m_lanes[1], ns3::RdmaOpcode::SEND, m_buffer.Sge(0, m_options.size), 0);
        }
        else if (m_received % std::min(8U, (m_options.count + 1) / 2) == 0 ||
                 m_received == m_options.count)
        {
            // what was received, as the client of ib_send_bw wants to know
            boost::endian::store_little_u32(&m_info.octets[CREDIT], m_received);
            Post(m_lanes[1], ns3::RdmaOpcode::RDMA_WRITE, m_info.Sge(CREDIT, 4), m_address);
        }
    }

    /// A message of the client's has come over the first connection: answer with the same, or where
    /// it tells of memory with this side's. @param octets of the message
    void Exchange(uint32_t octets)
    {
        m_exchanges++;
        const uint8_t* theirs = m_info.octets.data();
        uint8_t* ours = &m_info.octets[ANSWER];
        const bool memory = octets == DESTINATION &&
                            std::any_of(theirs, theirs + octets, [](uint8_t o) { return o != 0; });
        std::copy_n(theirs, octets, ours);
        if (memory)
        {
            m_key = boost::endian::load_big_u32(theirs + 16);
            m_address = boost::endian::load_big_u64(theirs + 24);
            boost::endian::store_big_u32(ours + 8, 2); // number of the queue pair
            boost::endian::store_big_u32(ours + 16, m_buffer.region->GetRkey());
            boost::endian::store_big_u64(ours + 24, m_buffer.region->GetAddress());
        }
        m_report.Say("exchange " + std::to_string(m_exchanges) + " of " + std::to_string(octets) +
                     " octets: " + ToHex(theirs, octets));
        m_lanes[0].pair->PostReceive({0, {m_info.Sge(0, DESTINATION)}});
        Post(m_lanes[0], ns3::RdmaOpcode::SEND, m_info.Sge(ANSWER, octets), 0);
        if (m_exchanges == EXCHANGES && IsWriteLatency())
        {
            ns3::Simulator::Schedule(ns3::MilliSeconds(100), &PerftestServer::WriteBack, this);
        }
    }

    /// @param octets octets @param count of them @return them, two digits each
    static std::string ToHex(const uint8_t* octets, uint32_t count)
    {
        std::ostringstream text;
        text << std::hex << std::setfill('0');
        for (uint32_t i = 0; i < count; i++)
        {
            text << std::setw(2) << +octets[i];
        }
        return text.str();
    }

    const Options& m_options;                 //!< what to do
    Report& m_report;                         //!< where to tell of it
    ns3::Ptr<ns3::RdmaDevice> m_device;       //!< of the host
    ns3::Ptr<ns3::RdmaProtectionDomain> m_pd; //!< what belongs together
    ns3::Ptr<ns3::RdmaConnection> m_listener; //!< waits for clients
    std::vector<Lane> m_lanes;                //!< for parameters, and what is measured
    Memory m_info;                            //!< messages over the first
    Memory m_buffer;                          //!< what is written and read
    Memory m_sink;                            //!< what Sends bring
    uint32_t m_exchanges{0};                  //!< messages over the first connection
    uint32_t m_received{0};                   //!< messages over the second
    uint32_t m_closed{0};                     //!< connections that are over
    uint32_t m_written{0};                    //!< RDMA Writes of this side, of write_lat
    uint64_t m_address{0};                    //!< of the client's memory
    uint32_t m_key{0};                        //!< of the same
};

} // namespace live

#endif // LIVE_PERFTEST_H
