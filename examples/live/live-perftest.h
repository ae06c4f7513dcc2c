/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LIVE_PERFTEST_H
#define LIVE_PERFTEST_H

#include "live-memory.h"
#include "live-options.h"
#include "live-report.h"

#include "ns3/mpa-stream.h"
#include "ns3/mpa-tcp-socket.h"
#include "ns3/rdma-connection.h"
#include "ns3/rdmap-stream.h"
#include "ns3/uinteger.h"

#include <boost/endian/conversion.hpp>
#include <string>
#include <vector>

namespace live
{

/**
 * What both ends of ib_{send,write,read}_{bw,lat} -R have in common, of perftest 4.5: a connection
 * over which parameters are told, each message answered by one of its size, and a second one that
 * is measured.
 */
class Perftest
{
  public:
    /// @param node host @param options what to do @param report where to tell of it
    Perftest(ns3::Ptr<ns3::Node> node, const Options& options, Report& report)
        : m_options(options),
          m_report(report),
          m_node(node),
          m_device(ns3::RdmaDevice::Get(node)),
          m_pd(m_device->AllocPd())
    {
        m_info.Make(m_pd, 256, 0x1000, LOCAL);
        m_buffer.Make(m_pd, 2 * HALF, 0x7f1234500000, SHARED);
        m_sink.Make(m_pd, std::max(options.size, 64U), 0x20000, LOCAL);
        m_buffer.Fill(2 * HALF);
    }

    virtual ~Perftest() = default;

  protected:
    static constexpr uint32_t DESTINATION = 56; //!< octets of perftest's struct pingpong_dest
    static constexpr uint32_t KEY = 16;         //!< where in it the key of the memory is
    static constexpr uint32_t ADDRESS = 24;     //!< where in it its address is
    static constexpr uint32_t EXCHANGES = 10;   //!< messages until the test begins
    static constexpr uint64_t HALF = 4 << 20;   //!< of the memory: the peer's, and this side's
    static constexpr uint64_t OURS = 64;        //!< where a message to be sent is, in m_info
    static constexpr uint64_t CREDIT = 128;     //!< where a credit is, in m_info
    static constexpr uint32_t RECEIVES = 512;   //!< of the connection that is measured

    /// A connection.
    struct Lane
    {
        ns3::Ptr<ns3::RdmaConnection> connection; //!< itself
        ns3::Ptr<ns3::RdmaQueuePair> pair;        //!< its queue pair
        ns3::Ptr<ns3::RdmaCompletionQueue> cq;    //!< its completions
    };

    /// A message has come over the first connection. @param octets of it
    virtual void HandleMessage(uint32_t octets) = 0;
    /// Work over the second connection is done. @param completion of it
    virtual void HandleWork(const ns3::RdmaCompletion& completion) = 0;

    /// An RDMA Write of write_lat has come.
    virtual void HandleWrite() = 0;

    /// @param test such as "send" or "lat" @return whether it is a part of the test's name
    bool Is(const std::string& test) const
    {
        return m_options.operations.find(test) != std::string::npos;
    }

    /// @return whether both ends write in turn
    bool IsWriteLatency() const
    {
        return Is("write_lat");
    }

    /// Give a connection a queue pair with receives: the first is for parameters.
    /// @param connection it
    void AddLane(ns3::Ptr<ns3::RdmaConnection> connection)
    {
        const bool control = m_lanes.empty();
        Lane lane;
        lane.connection = connection;
        lane.cq = m_device->CreateCq(4096);
        lane.cq->SetNotifyCallback(ns3::MakeCallback(&Perftest::HandleCompletions, this));
        lane.cq->RequestNotify();
        ns3::RdmaQueuePairConfig config;
        config.sendCq = config.receiveCq = lane.cq;
        config.maxSendWr = config.maxReceiveWr = 2 * RECEIVES;
        lane.pair = m_pd->CreateQp(config);
        lane.pair->Modify(ns3::RdmaQpState::INIT);
        m_lanes.push_back(lane);
        for (uint32_t i = 0; i < (control ? 1 : RECEIVES); i++)
        {
            PostReceive(control);
        }
        connection->SetQp(lane.pair);
    }

    /// Hear of the RDMA Writes that come over the second connection.
    void WatchWrites()
    {
        m_lanes[1].pair->GetStream()->TraceConnectWithoutContext(
            "MessageVisible",
            ns3::MakeCallback(&Perftest::HandleVisible, this));
    }

    /// Post a receive. @param control of the first connection
    void PostReceive(bool control)
    {
        const ns3::RdmaSge sge =
            control ? m_info.Sge(0, DESTINATION) : m_sink.Sge(0, m_options.size);
        m_lanes[control ? 0 : 1].pair->PostReceive({0, {sge}});
    }

    /// Post work. @param lane where @param opcode what @param sge octets @param address at the peer
    void Post(const Lane& lane,
              ns3::RdmaOpcode opcode,
              const ns3::RdmaSge& sge,
              uint64_t address = 0)
    {
        ns3::RdmaSendRequest request;
        request.opcode = opcode;
        request.flags = ns3::RDMA_SEND_SIGNALED;
        request.sges = {sge};
        request.remoteAddress = address;
        request.rkey = address == 0 ? 0 : m_key;
        if (const int error = lane.pair->PostSend(request))
        {
            m_report.Problem("PostSend gives " + std::to_string(error));
        }
    }

    /// Write to the peer's memory, and count in the last octet.
    void WriteCounted()
    {
        m_buffer.octets[HALF + m_options.size - 1] = static_cast<uint8_t>(++m_written);
        Post(m_lanes[1],
             ns3::RdmaOpcode::RDMA_WRITE,
             m_buffer.Sge(HALF, m_options.size),
             m_address);
    }

    /// Learn where the peer's memory is, from the message that has come.
    void TakeMemory()
    {
        m_key = boost::endian::load_big_u32(&m_info.octets[KEY]);
        m_address = boost::endian::load_big_u64(&m_info.octets[ADDRESS]);
    }

    /// Tell in the message to be sent where the memory of this side is.
    void TellMemory()
    {
        uint8_t* ours = &m_info.octets[OURS];
        boost::endian::store_big_u32(ours + 8, 2); // number of the queue pair
        boost::endian::store_big_u32(ours + KEY, m_buffer.region->GetRkey());
        boost::endian::store_big_u64(ours + ADDRESS, m_buffer.region->GetAddress());
    }

    const Options& m_options;                 //!< what to do
    Report& m_report;                         //!< where to tell of it
    ns3::Ptr<ns3::Node> m_node;               //!< host
    ns3::Ptr<ns3::RdmaDevice> m_device;       //!< of the host
    ns3::Ptr<ns3::RdmaProtectionDomain> m_pd; //!< what belongs together
    std::vector<Lane> m_lanes;                //!< for parameters, and what is measured
    Memory m_info;                            //!< messages over the first
    Memory m_buffer;                          //!< what is written and read
    Memory m_sink;                            //!< what Sends bring
    uint32_t m_exchanges{0};                  //!< messages over the first connection
    uint32_t m_written{0};                    //!< RDMA Writes of this side, of write_lat
    uint32_t m_closed{0};                     //!< connections that are over
    uint64_t m_address{0};                    //!< of the peer's memory
    uint32_t m_key{0};                        //!< of the same

  private:
    /// A message is in memory. @param opcode of it @param octets of it
    void HandleVisible(ns3::RdmapOpcode opcode, uint64_t octets)
    {
        if (opcode == ns3::RdmapOpcode::WRITE)
        {
            m_report.Check(octets == m_options.size, "RDMA Write of " + std::to_string(octets));
            HandleWrite();
        }
    }

    /// Completions are there. @param cq their queue
    void HandleCompletions(ns3::Ptr<ns3::RdmaCompletionQueue> cq)
    {
        cq->RequestNotify();
        const bool control = cq == m_lanes[0].cq;
        ns3::RdmaCompletion completion;
        while (cq->Poll(completion) > 0)
        {
            const bool received = completion.opcode == ns3::RdmaCompletionOpcode::RECEIVE;
            if (completion.status == ns3::RdmapStatus::FLUSHED)
            {
                continue;
            }
            if (completion.status != ns3::RdmapStatus::SUCCESS)
            {
                m_report.Problem("work ends with status " +
                                 std::to_string(static_cast<int>(completion.status)));
                continue;
            }
            if (received)
            {
                PostReceive(control);
            }
            if (!control)
            {
                HandleWork(completion);
            }
            else if (received)
            {
                m_report.Say("message of " + std::to_string(completion.octets) + " octets");
                HandleMessage(completion.octets);
            }
        }
    }
};

/// What the clients of perftest find as their server.
class PerftestServer : public Perftest
{
  public:
    using Perftest::Perftest;

    /// Wait for a client.
    void Listen()
    {
        m_listener = ns3::RdmaConnection::Create(m_node);
        m_listener->SetEventCallback(ns3::MakeCallback(&PerftestServer::HandleConnection, this));
        m_report.Check(m_listener->Listen(m_options.GetLocal()) == 0, "listening");
    }

    /// @return whether all is done that was to be done
    bool IsDone() const
    {
        return m_exchanges >= EXCHANGES && m_closed > 0 &&
               (!Is("send") || m_received == m_options.count) &&
               (!IsWriteLatency() || m_written == m_options.count);
    }

  private:
    /// @param connection which @param event what has happened to it
    void HandleConnection(ns3::Ptr<ns3::RdmaConnection> connection,
                          const ns3::RdmaConnectionEvent& event)
    {
        using Kind = ns3::RdmaConnectionEvent::Kind;
        if (event.kind == Kind::CONNECT_REQUEST && m_lanes.size() < 2)
        {
            connection->SetEventCallback(
                ns3::MakeCallback(&PerftestServer::HandleConnection, this));
            AddLane(connection);
            m_report.Check(connection->Accept({}) == 0,
                           m_lanes.size() == 1 ? "first connection" : "second connection");
        }
        else if (event.kind == Kind::CONNECT_REQUEST)
        {
            m_report.Problem("a third connection");
            connection->Reject();
        }
        else if (event.kind == Kind::ESTABLISHED && m_lanes.size() == 2 && IsWriteLatency())
        {
            WatchWrites();
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

    void HandleMessage(uint32_t octets) override
    {
        m_exchanges++;
        m_unanswered = octets;
        if (m_exchanges <= EXCHANGES || !Is("send") || m_received == m_options.count)
        {
            Answer(octets);
        }
    }

    /// Answer with the same, or where the client tells of its memory with that of this side.
    /// @param octets of the message
    void Answer(uint32_t octets)
    {
        const uint8_t* theirs = m_info.octets.data();
        std::copy_n(theirs, octets, &m_info.octets[OURS]);
        if (octets == DESTINATION &&
            std::any_of(theirs, theirs + octets, [](uint8_t octet) { return octet != 0; }))
        {
            TakeMemory();
            TellMemory();
        }
        Post(m_lanes[0], ns3::RdmaOpcode::SEND, m_info.Sge(OURS, octets));
        if (m_exchanges == EXCHANGES && IsWriteLatency())
        {
            // the server writes first, which MPA lets a Responder do only if
            // MpaStream.WaitForFirstFpdu is off (RFC 5044 section 7.1.2)
            ns3::Simulator::Schedule(ns3::MilliSeconds(100), &PerftestServer::WriteCounted, this);
        }
    }

    void HandleWork(const ns3::RdmaCompletion& completion) override
    {
        if (completion.opcode != ns3::RdmaCompletionOpcode::RECEIVE)
        {
            return;
        }
        m_received++;
        m_report.Check(completion.octets == m_options.size, "a message of the right size");
        if (Is("send_lat"))
        {
            Post(m_lanes[1], ns3::RdmaOpcode::SEND, m_buffer.Sge(0, m_options.size));
        }
        else if (m_received % std::min(8U, (m_options.count + 1) / 2) == 0 ||
                 m_received == m_options.count)
        {
            // what was received, as the client of ib_send_bw wants to know
            boost::endian::store_little_u32(&m_info.octets[CREDIT], m_received);
            Post(m_lanes[1], ns3::RdmaOpcode::RDMA_WRITE, m_info.Sge(CREDIT, 4), m_address);
        }
        if (m_received == m_options.count && m_exchanges > EXCHANGES)
        {
            Answer(m_unanswered);
        }
    }

    void HandleWrite() override
    {
        m_report.Check(m_buffer.octets[m_options.size - 1] == static_cast<uint8_t>(m_written),
                       "its last octet counts " + std::to_string(m_written));
        if (m_written < m_options.count)
        {
            WriteCounted();
        }
    }

    ns3::Ptr<ns3::RdmaConnection> m_listener; //!< waits for clients
    uint32_t m_received{0};                   //!< messages over the second connection
    uint32_t m_unanswered{0};                 //!< octets of the client's last message
};

/// What the servers of perftest find as their client.
class PerftestClient : public Perftest
{
  public:
    using Perftest::Perftest;

    /// Connect, the first time.
    void Connect()
    {
        const auto connection = ns3::RdmaConnection::Create(m_node);
        connection->SetEventCallback(ns3::MakeCallback(&PerftestClient::HandleConnection, this));
        AddLane(connection);
        m_report.Check(connection->ResolveAddress(m_options.GetPeer()) == 0, "resolving");
    }

    /// @return whether all is done that was to be done
    bool IsDone() const
    {
        return m_exchanges == GetLastExchange() && m_ended == m_options.count;
    }

  private:
    static constexpr uint32_t REPORT = 5; //!< messages of a report, 8 octets each
    static constexpr uint32_t FIRST_DESTINATION =
        5;                                //!< exchange behind which the second connection is made
    static constexpr uint32_t MEMORY = 7; //!< exchange from which on memory is told of

    /// @param connection which @param event what has happened to it
    void HandleConnection(ns3::Ptr<ns3::RdmaConnection> connection,
                          const ns3::RdmaConnectionEvent& event)
    {
        using Kind = ns3::RdmaConnectionEvent::Kind;
        switch (event.kind)
        {
        case Kind::ADDRESS_RESOLVED:
            connection->ResolveRoute();
            break;
        case Kind::ROUTE_RESOLVED:
            m_report.Check(connection->Connect({}) == 0, "Connect()");
            break;
        case Kind::ESTABLISHED:
            if (m_lanes.size() == 2 && IsWriteLatency())
            {
                WatchWrites();
            }
            ns3::Simulator::Schedule(ns3::MicroSeconds(1000 * m_options.firstDelay),
                                     &PerftestClient::SendMessage,
                                     this);
            break;
        case Kind::DISCONNECTED:
            connection->Disconnect();
            break;
        case Kind::CLOSED:
            m_closed++;
            ns3::Simulator::Stop(ns3::Seconds(m_closed == 2 ? m_options.linger : 4));
            break;
        case Kind::UNREACHABLE: // perftest's server stops listening for a while
            m_report.Say("again: " + event.reason);
            ns3::Simulator::Schedule(ns3::MilliSeconds(200), &PerftestClient::Reconnect, this);
            break;
        default:
            m_report.Problem(event.reason);
            ns3::Simulator::Stop(ns3::Seconds(1));
            break;
        }
    }

    /// Connect once more.
    void Reconnect()
    {
        m_lanes.pop_back();
        Connect();
    }

    /// @return the number of the last message: clients that alone know what they measured report it
    uint32_t GetLastExchange() const
    {
        return EXCHANGES + 1 + (Is("write_bw") || Is("read_bw") ? REPORT : 0);
    }

    /// Put a message of the report together: size, count, and rates, of which 0 is as good as any.
    void MakeReport()
    {
        const uint32_t number = m_exchanges - EXCHANGES;
        const uint64_t value = number == 1 ? m_options.size : number == 2 ? m_options.count : 0;
        boost::endian::store_big_u64(&m_info.octets[OURS], value);
    }

    /// Send the next message: version, two sizes of the machine, MTU, two times nothing, and then
    /// what this side is.
    void SendMessage()
    {
        m_exchanges++;
        uint8_t* ours = &m_info.octets[OURS];
        std::fill_n(ours, DESTINATION, uint8_t(0));
        uint32_t octets = DESTINATION;
        switch (m_exchanges)
        {
        case 1:
            octets = 16;
            std::copy_n("6.06", 4, ours); // of the exchange
            break;
        case 2: // a page
        case 3: // a line of cache
            octets = 4;
            boost::endian::store_big_u32(ours, m_exchanges == 2 ? 4096 : 64);
            break;
        case 4:
            octets = 2;
            *ours = '3'; // 1024 octets
            break;
        default:
            if (m_exchanges > EXCHANGES && m_exchanges < GetLastExchange())
            {
                octets = 8;
                MakeReport();
            }
            else if (m_exchanges >= MEMORY)
            {
                ours[7] = 1; // RDMA Reads at a time
                TellMemory();
            }
            break;
        }
        m_sent = octets;
        Post(m_lanes[0], ns3::RdmaOpcode::SEND, m_info.Sge(OURS, octets));
    }

    void HandleMessage(uint32_t octets) override
    {
        m_report.Check(octets == m_sent, "answer " + std::to_string(m_exchanges));
        if (m_exchanges == FIRST_DESTINATION)
        {
            Connect(); // the second connection
        }
        else if (m_exchanges == EXCHANGES)
        {
            Begin();
        }
        else if (m_exchanges == GetLastExchange())
        {
            // the server has to see that its last answer was sent
            ns3::Simulator::Schedule(ns3::MilliSeconds(500), &PerftestClient::Disconnect, this);
        }
        else
        {
            if (m_exchanges == MEMORY)
            {
                TakeMemory();
            }
            SendMessage();
        }
    }

    /// End both connections.
    void Disconnect()
    {
        m_lanes[1].connection->Disconnect();
        m_lanes[0].connection->Disconnect();
    }

    /// Begin the test.
    void Begin()
    {
        if (IsWriteLatency())
        {
            return; // the server begins
        }
        for (uint32_t i = 0; i < (Is("lat") ? 1 : m_options.count); i++)
        {
            PostTest();
        }
    }

    /// Post one piece of work of the test.
    void PostTest()
    {
        using ns3::RdmaOpcode;
        const RdmaOpcode opcode = Is("send")    ? RdmaOpcode::SEND
                                  : Is("write") ? RdmaOpcode::RDMA_WRITE
                                                : RdmaOpcode::RDMA_READ;
        Post(m_lanes[1],
             opcode,
             m_buffer.Sge(HALF, m_options.size),
             opcode == RdmaOpcode::SEND ? 0 : m_address);
    }

    void HandleWork(const ns3::RdmaCompletion& completion) override
    {
        const bool received = completion.opcode == ns3::RdmaCompletionOpcode::RECEIVE;
        if (received)
        {
            m_report.Check(completion.octets == m_options.size, "a message of the right size");
        }
        if (!IsWriteLatency() && received == Is("send_lat"))
        {
            End();
        }
    }

    void HandleWrite() override
    {
        m_report.Check(m_buffer.octets[m_options.size - 1] == static_cast<uint8_t>(m_written + 1),
                       "its last octet counts " + std::to_string(m_written + 1));
        WriteCounted();
        End();
    }

    /// One piece of work is over.
    void End()
    {
        if (++m_ended < m_options.count)
        {
            if (Is("lat") && !IsWriteLatency())
            {
                PostTest();
            }
            return;
        }
        Finish();
    }

    /// Tell the server of the end once it has acknowledged everything, lest it ends before the
    /// last RDMA Writes come, which are over here as soon as TCP has them.
    void Finish()
    {
        const auto socket = m_lanes[1].pair->GetStream()->GetMpa()->GetSocket();
        ns3::UintegerValue buffer;
        socket->GetAttribute("SndBufSize", buffer);
        if (socket->GetTxAvailable() < buffer.Get())
        {
            ns3::Simulator::Schedule(ns3::MilliSeconds(1), &PerftestClient::Finish, this);
            return;
        }
        SendMessage();
    }

    uint32_t m_sent{0};  //!< octets of the message that is to be answered
    uint32_t m_ended{0}; //!< work of the test that is over
};

} // namespace live

#endif // LIVE_PERFTEST_H
