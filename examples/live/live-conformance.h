/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LIVE_CONFORMANCE_H
#define LIVE_CONFORMANCE_H

#include "live-conformance-cases.h"
#include "live-work.h"

#include "ns3/mpa-fpdu.h"
#include "ns3/socket.h"
#include "ns3/tcp-socket-factory.h"

#include <boost/endian/conversion.hpp>
#include <memory>
#include <optional>

namespace live
{

/**
 * What takes an endpoint through cases, a connection each, by octets of its own over ns-3's TCP. Of
 * each case it prints a row with the ids of requirements, what came of it, and what the RFCs ask
 * for.
 */
class ConformanceKit
{
  public:
    /// @param node host @param options what to do @param report where to tell of it
    /// @param cases of which Options::operations chooses @param pause before each but the first
    ConformanceKit(ns3::Ptr<ns3::Node> node,
                   const Options& options,
                   Report& report,
                   const std::vector<ConformanceCase>& cases,
                   ns3::Time pause)
        : m_node(node),
          m_options(options),
          m_report(report),
          m_pause(pause)
    {
        const std::string chosen = "," + options.operations + ",";
        const auto has = [&](const std::string& name) {
            return chosen.find("," + name + ",") != std::string::npos;
        };
        for (const auto& one : cases)
        {
            if ((has("all") || has(one.name)) && !has("-" + one.name))
            {
                m_cases.push_back(one);
            }
        }
        m_report.Check(!m_cases.empty(), "--operations has all or names, without -NAME");
    }

    virtual ~ConformanceKit() = default;

    /// @return whether all is done that was to be done
    bool IsDone() const
    {
        return m_done && m_good + m_apart == m_cases.size();
    }

  protected:
    /// Where a case is.
    enum class State
    {
        WAITING,  //!< TCP is not there
        STARTING, //!< the startup frame of the endpoint has not come
        ASKING,   //!< that of the kit has gone, and so has what is wrong, as soon as it may
        OVER      //!< an outcome is known
    };

    /// Begin the next case.
    virtual void Begin() = 0;
    /// The endpoint's startup frame, or a part of it, has come.
    virtual void ReadFrame() = 0;
    /// A whole message has come. @param what it is
    virtual void HandleMessage(const std::string& what) = 0;
    /// The endpoint has ended TCP. @param socket of it
    virtual void HandleClose(ns3::Ptr<ns3::Socket> socket) = 0;
    /// Nothing has come for a while.
    virtual void Expire() = 0;

    /// @return the case
    const ConformanceCase& GetCase() const
    {
        return m_cases[m_number];
    }

    /// Make ready for a case, or end if there is none left. @return false then
    bool Prepare()
    {
        while (m_number < m_cases.size() && GetCase().markers && m_markers == false)
        {
            LeaveOut(); // that needs no connection
        }
        if (m_number == m_cases.size())
        {
            m_done = true;
            m_report.Say(std::to_string(m_good) + " of " + std::to_string(m_number - m_apart) +
                         " cases conform" +
                         (m_apart > 0 ? ", " + std::to_string(m_apart) + " do not apply" : ""));
            ns3::Simulator::Stop(ns3::Seconds(m_options.linger));
            return false;
        }
        m_received.clear();
        m_position = m_sent = 0;
        m_answered = 0;
        m_probed = false;
        m_state = State::WAITING;
        return true;
    }

    /// Begin to wait for an answer over a socket. @param socket of TCP
    void Watch(ns3::Ptr<ns3::Socket> socket)
    {
        m_socket = socket;
        m_socket->SetCloseCallbacks(ns3::MakeCallback(&ConformanceKit::HandleClose, this),
                                    ns3::MakeCallback(&ConformanceKit::HandleClose, this));
        m_socket->SetRecvCallback(ns3::MakeCallback(&ConformanceKit::HandleOctets, this));
        StartTimer();
    }

    /// @param frame startup frame of the kit @return its octets, with what the case has wrong
    Octets Spoil(const ns3::MpaStartupFrame& frame)
    {
        Octets octets = frame.Encode();
        if (GetCase().spoil)
        {
            GetCase().spoil(octets);
        }
        m_flags = octets[conformance::FLAGS];
        return octets;
    }

    /// Go on behind the endpoint's startup frame. @param frame it
    /// @return false if the case is over: it is about Markers, for which the frame does not ask
    bool TakeFrame(const ns3::MpaStartupFrame& frame)
    {
        m_markers = frame.markers;
        m_answersReads = frame.reply; // a Reply tells of memory to read
        if (frame.IsEnhanced() && frame.privateData.size() >= ns3::MpaEnhancedWord::SIZE)
        {
            m_answersReads = ns3::MpaEnhancedWord::Decode(frame.privateData.data()).ird > 0;
        }
        if (GetCase().markers && !frame.markers)
        {
            End();
            LeaveOut();
            return false;
        }
        m_received.erase(m_received.begin(),
                         m_received.begin() +
                             static_cast<std::ptrdiff_t>(ns3::MpaStartupFrame::HEADER_SIZE +
                                                         frame.privateData.size()));
        m_state = State::ASKING;
        return true;
    }

    /// Send a good message and what is wrong behind it, once the endpoint has had its time.
    void Ask()
    {
        m_asking = ns3::Simulator::Schedule(ns3::MicroSeconds(1000 * m_options.firstDelay),
                                            &ConformanceKit::SendCase,
                                            this);
    }

    /// Nothing has come of what is wrong. That may be as it should, or the endpoint hangs: the case
    /// is over when it has answered something that nobody can leave alone.
    void Probe()
    {
        if (m_probed)
        {
            Conclude("no answer");
            return;
        }
        m_probed = true;
        StartTimer();
        if (m_answersReads)
        {
            SendFpdu(conformance::MakeRead(0, 0, 0));
            return;
        }
        auto header = conformance::MakeUntagged(static_cast<uint8_t>(ns3::RdmapOpcode::SEND), 1);
        header.qn = conformance::NO_QUEUE;
        SendFpdu(conformance::MakeSegment(header, {}));
    }

    /// The case is over. @param outcome what came of it
    void Conclude(const std::string& outcome)
    {
        if (m_state == State::OVER)
        {
            return;
        }
        End();
        const bool good = outcome == GetCase().expected;
        m_good += good ? 1 : 0;
        Tell(outcome + (good ? "" : ", where the RFC asks for " + GetCase().expected));
    }

    /// @param octets to be sent
    void Send(const Octets& octets)
    {
        m_socket->Send(
            ns3::Create<ns3::Packet>(octets.data(), static_cast<uint32_t>(octets.size())));
    }

    ns3::Ptr<ns3::Node> m_node;     //!< host
    const Options& m_options;       //!< what to do
    Report& m_report;               //!< where to tell of it
    State m_state{State::WAITING};  //!< of the case
    ns3::Ptr<ns3::Socket> m_socket; //!< of the case
    ns3::EventId m_timer;           //!< silence
    Octets m_received;              //!< that have not been looked at
    Target m_target;                //!< memory of the endpoint
    uint8_t m_flags{0};             //!< of the kit's startup frame
    bool m_crc{true};               //!< the endpoint's FPDUs have to have CRCs
    /// the kit's FPDUs have to have Markers, as the endpoint has said
    std::optional<bool> m_markers;

  private:
    static constexpr double SILENCE = 2; //!< s without an answer: there is none

    /// Begin to wait anew.
    void StartTimer()
    {
        m_timer.Cancel();
        m_timer = ns3::Simulator::Schedule(ns3::Seconds(SILENCE), &ConformanceKit::Expire, this);
    }

    /// Tell what came of a case, and go on to the next. @param outcome what it was
    void Tell(const std::string& outcome)
    {
        m_report.Say("ROW " + GetCase().name + ": " + outcome + " (" + GetCase().requirements +
                     ")");
        m_number++;
    }

    /// The case is about Markers, for which the endpoint does not ask.
    void LeaveOut()
    {
        m_apart++;
        Tell("does not apply: no Markers asked for");
    }

    /// End the connection, and begin the next case behind it.
    void End()
    {
        m_state = State::OVER;
        m_timer.Cancel();
        m_asking.Cancel();
        // what its end brings is no answer to the next case
        using Heard = ns3::Ptr<ns3::Socket>;
        m_socket->SetCloseCallbacks(ns3::MakeNullCallback<void, Heard>(),
                                    ns3::MakeNullCallback<void, Heard>());
        m_socket->SetRecvCallback(ns3::MakeNullCallback<void, Heard>());
        m_socket->Close();
        ns3::Simulator::Schedule(m_pause, &ConformanceKit::Begin, this);
    }

    /// See Ask().
    void SendCase()
    {
        StartTimer(); // startup may have taken a while
        Octets payload(4);
        for (uint32_t i = 0; i < payload.size(); i++)
        {
            payload[i] = Memory::Pattern(i, 0);
        }
        SendFpdu(conformance::MakeSegment(
            conformance::MakeUntagged(static_cast<uint8_t>(ns3::RdmapOpcode::SEND), 1),
            payload));
        if (GetCase().ulpdu)
        {
            const Octets ulpdu = GetCase().ulpdu(m_target);
            ns3::DdpHeader header;
            header.Read(ulpdu.data(), static_cast<uint32_t>(ulpdu.size()));
            // of a Read behind a Read that nobody answers, nobody knows the MSN
            const bool reads = !header.tagged && header.qn == ns3::rdmap::QN_READ_REQUEST;
            m_answersReads = m_answersReads && !reads;
            SendFpdu(ulpdu, GetCase().bend);
        }
    }

    /// @param ulpdu to be sent @param bend what becomes of its FPDU
    void SendFpdu(const Octets& ulpdu, const std::function<void(Octets&, uint32_t)>& bend = {})
    {
        Octets fpdu = conformance::MakeFpdu(ulpdu, m_sent, *m_markers);
        if (bend)
        {
            bend(fpdu, m_sent);
        }
        m_sent += static_cast<uint32_t>(fpdu.size());
        Send(fpdu);
    }

    /// Octets have come. @param socket of TCP
    void HandleOctets(ns3::Ptr<ns3::Socket> socket)
    {
        while (const auto packet = socket->Recv())
        {
            if (packet->GetSize() == 0)
            {
                return;
            }
            const std::size_t before = m_received.size();
            m_received.resize(before + packet->GetSize());
            packet->CopyData(&m_received[before], packet->GetSize());
        }
        if (m_state == State::STARTING)
        {
            ReadFrame();
        }
        if (m_state == State::ASKING)
        {
            ReadFpdus();
        }
    }

    /// Look for messages in FPDUs. The first Marker is the first of the stream.
    void ReadFpdus()
    {
        const ns3::mpa::FpduFormat format{(m_flags & conformance::MARKERS) != 0, m_crc};
        while (m_state == State::ASKING)
        {
            const auto view = ns3::mpa::ParseFpdu(m_received.data(),
                                                  m_received.size(),
                                                  m_position,
                                                  format,
                                                  ns3::mpa::CheckMarkers::ALL);
            if (!view.complete)
            {
                return;
            }
            if (view.fault != ns3::mpa::FpduFault::NONE)
            {
                const bool crc = view.fault == ns3::mpa::FpduFault::CRC;
                Conclude(crc ? "an FPDU whose CRC is wrong" : "an FPDU whose Markers are wrong");
                return;
            }
            Octets scratch;
            const uint8_t* const ulpdu =
                ns3::mpa::ExtractUlpdu(m_received.data(), view, m_position, format, scratch);
            ns3::DdpHeader header;
            const uint32_t size = header.Read(ulpdu, view.ulpduLength);
            if (size == 0)
            {
                Conclude("an FPDU without a DDP header");
                return;
            }
            m_answered += view.ulpduLength - size;
            const std::string what =
                header.last ? Describe(header, ulpdu + size, view.ulpduLength - size) : "";
            m_received.erase(m_received.begin(), m_received.begin() + view.wireSize);
            m_position += view.wireSize;
            if (header.last)
            {
                m_answered = 0;
                const bool proves =
                    m_probed && what == (m_answersReads ? "Read Response 0" : "Terminate 1/2/1");
                HandleMessage(proves ? "accepted" : what);
            }
        }
    }

    /// @param header of the last DDP Segment of a message @param payload octets behind it
    /// @param size of these @return what an endpoint has sent
    std::string Describe(const ns3::DdpHeader& header, const uint8_t* payload, uint32_t size) const
    {
        using ns3::RdmapOpcode;
        const auto form =
            m_options.mirrored ? ns3::RdmapTerminateForm::MIRRORED : ns3::RdmapTerminateForm::RFC;
        ns3::RdmapTerminate terminate;
        switch (static_cast<RdmapOpcode>(ns3::RdmapControl::Decode(header.ulpControl).opcode))
        {
        case RdmapOpcode::TERMINATE:
            return terminate.Read(payload, size, form) == 0
                       ? "a Terminate that is cut short"
                       : "Terminate " + std::to_string(terminate.layer) + "/" +
                             std::to_string(terminate.type) + "/" + std::to_string(terminate.code);
        case RdmapOpcode::READ_RESPONSE:
            return "Read Response " + std::to_string(m_answered);
        case RdmapOpcode::ATOMIC_RESPONSE:
            return "Atomic Response";
        default:
            return "another message";
        }
    }

    ns3::Time m_pause;                    //!< before each case but the first
    ns3::EventId m_asking;                //!< SendCase()
    std::vector<ConformanceCase> m_cases; //!< what is to be tried
    std::size_t m_number{0};              //!< cases over
    std::size_t m_good{0};                //!< of these, those that came to what the RFC asks for
    std::size_t m_apart{0};               //!< and those that do not apply to the endpoint
    uint32_t m_position{0};               //!< of the FPDU that is looked at in the stream
    uint32_t m_sent{0};                   //!< position of the kit's next FPDU
    uint32_t m_answered{0};               //!< payload octets of the message so far
    bool m_answersReads{false};           //!< the endpoint has an IRD above 0
    bool m_probed{false};                 //!< it has been asked for an answer, see Probe()
    bool m_done{false};                   //!< all is done that was to be done
};

/// Takes an endpoint through the cases, any that accepts one connection after the other and tells
/// of its memory in the private data of its Reply as WorkServer does.
class ConformanceClient : public ConformanceKit
{
  public:
    /// @param node host @param options what to do @param report where to tell of it
    ConformanceClient(ns3::Ptr<ns3::Node> node, const Options& options, Report& report)
        : ConformanceKit(node,
                         options,
                         report,
                         ListConformanceCases(),
                         ns3::Seconds(options.linger))
    {
    }

    /// Begin the next case, or end.
    void Begin() override
    {
        if (!Prepare())
        {
            return;
        }
        m_target = {};
        const auto socket = ns3::Socket::CreateSocket(m_node, ns3::TcpSocketFactory::GetTypeId());
        m_options.IsIpv6() ? socket->Bind6() : socket->Bind();
        socket->SetConnectCallback(ns3::MakeCallback(&ConformanceClient::HandleConnected, this),
                                   ns3::MakeCallback(&ConformanceClient::HandleRefused, this));
        Watch(socket);
        socket->Connect(m_options.GetPeer());
    }

  private:
    static constexpr uint32_t MAX_TRIES = 50; //!< attempts to connect

    /// TCP is there: send the Request. @param socket of it
    void HandleConnected(ns3::Ptr<ns3::Socket> socket)
    {
        m_state = State::STARTING;
        ns3::MpaStartupFrame frame;
        frame.privateData = {'k', 'i', 't'};
        Send(Spoil(frame));
    }

    /// There is nobody. @param socket that did not connect
    void HandleRefused(ns3::Ptr<ns3::Socket> socket)
    {
        TryAgain();
    }

    /// Nobody has answered a good Request, as if the endpoint were about to listen again.
    void TryAgain()
    {
        m_state = State::OVER;
        m_timer.Cancel();
        if (++m_tries == MAX_TRIES)
        {
            m_report.Problem("nobody listens");
            ns3::Simulator::Stop();
            return;
        }
        ns3::Simulator::Schedule(ns3::Seconds(m_options.linger), &ConformanceClient::Begin, this);
    }

    void HandleClose(ns3::Ptr<ns3::Socket> socket) override
    {
        if (m_state == State::ASKING || (m_state != State::OVER && GetCase().spoil))
        {
            Conclude("closed");
        }
        else if (m_state != State::OVER)
        {
            TryAgain();
        }
    }

    void Expire() override
    {
        if (m_state == State::ASKING)
        {
            Probe();
        }
        else if (GetCase().spoil)
        {
            Conclude("no answer");
        }
        else
        {
            m_socket->Close();
            TryAgain();
        }
    }

    void ReadFrame() override
    {
        using Status = ns3::MpaStartupFrame::Status;
        ns3::MpaStartupFrame reply;
        const auto status =
            ns3::MpaStartupFrame::Decode(m_received.data(), m_received.size(), true, reply);
        if (status == Status::INCOMPLETE)
        {
            return;
        }
        const auto& data = reply.privateData;
        const std::size_t word = reply.IsEnhanced() ? ns3::MpaEnhancedWord::SIZE : 0;
        if (status == Status::COMPLETE && reply.reject)
        {
            Conclude("rejected");
            return;
        }
        if (status != Status::COMPLETE || data.size() < word + WORK_PRIVATE ||
            (m_flags & ns3::MpaStartupFrame::ENHANCED) !=
                (reply.reserved & ns3::MpaStartupFrame::ENHANCED))
        {
            Conclude("no Reply that tells of memory");
            return;
        }
        m_target = {boost::endian::load_big_u64(&data[word]),
                    boost::endian::load_big_u32(&data[word + 8]),
                    boost::endian::load_big_u32(&data[word + 12])};
        m_tries = 0;
        if (TakeFrame(reply))
        {
            Ask();
        }
    }

    void HandleMessage(const std::string& what) override
    {
        Conclude(what);
    }

    uint32_t m_tries{0}; //!< attempts to connect
};

/// A connection of an endpoint that is examined: a queue pair with four receives.
struct ExaminedConnection
{
    ns3::Ptr<ns3::RdmaConnection> connection; //!< itself
    ns3::Ptr<ns3::RdmaProtectionDomain> pd;   //!< what belongs together
    ns3::Ptr<ns3::RdmaQueuePair> pair;        //!< queue pair
    Memory buffer;                            //!< of a server, to read and write
    Memory receives;                          //!< what Sends bring

    /// Make the queue pair. @param device of the host @param size octets of a receive
    void MakePair(ns3::Ptr<ns3::RdmaDevice> device, uint32_t size)
    {
        constexpr uint32_t count = 4;
        pd = device->AllocPd();
        ns3::RdmaQueuePairConfig config;
        config.sendCq = config.receiveCq = device->CreateCq(16);
        pair = pd->CreateQp(config);
        pair->Modify(ns3::RdmaQpState::INIT);
        receives.Make(pd, uint64_t{count} * size, 0x5000, LOCAL);
        for (uint32_t i = 0; i < count; i++)
        {
            pair->PostReceive({i, {receives.Sge(uint64_t{i} * size, size)}});
        }
        connection->SetQp(pair);
    }

    /// Take nothing that the peer sends any more. @param hangs whether to
    void HangIf(bool hangs)
    {
        if (hangs)
        {
            connection->GetMpa()->GetSocket()->SetRecvCallback(
                ns3::MakeNullCallback<void, ns3::Ptr<ns3::Socket>>());
        }
    }
};

/// An endpoint for it: each client gets a queue pair, receives, and memory to read, write and count
/// in.
class ConformanceServer
{
  public:
    /// @param node host @param options what to do @param report where to tell of it
    ConformanceServer(ns3::Ptr<ns3::Node> node, const Options& options, Report& report)
        : m_options(options),
          m_report(report),
          m_device(ns3::RdmaDevice::Get(node)),
          m_connection(ns3::RdmaConnection::Create(node))
    {
        m_connection->SetEventCallback(ns3::MakeCallback(&ConformanceServer::Handle, this));
    }

    /// Wait for clients.
    void Listen()
    {
        m_report.Check(m_connection->Listen(m_options.GetLocal()) == 0, "listening");
    }

    /// @return true: how many come is the client's
    bool IsDone() const
    {
        return true;
    }

  private:
    /// Accept a client, or let it go. @param connection its @param event what has happened
    void Handle(ns3::Ptr<ns3::RdmaConnection> connection, const ns3::RdmaConnectionEvent& event)
    {
        using Kind = ns3::RdmaConnectionEvent::Kind;
        if (event.kind == Kind::CONNECT_REQUEST)
        {
            m_clients.push_back(std::make_unique<ExaminedConnection>());
            Accept(*m_clients.back(), connection);
        }
        else if (event.kind == Kind::DISCONNECTED)
        {
            connection->Disconnect();
        }
    }

    /// @param client what it gets @param connection its
    void Accept(ExaminedConnection& client, ns3::Ptr<ns3::RdmaConnection> connection)
    {
        client.connection = connection;
        client.MakePair(m_device, m_options.receiveSize);
        client.buffer.Make(client.pd, 65536, WORK_ADDRESS, SHARED | ns3::DDP_ACCESS_REMOTE_ATOMIC);
        connection->SetEventCallback(ns3::MakeCallback(&ConformanceServer::Handle, this));
        ns3::RdmaConnectionParameters parameters;
        parameters.privateData.resize(WORK_PRIVATE);
        boost::endian::store_big_u64(&parameters.privateData[0], WORK_ADDRESS);
        boost::endian::store_big_u32(&parameters.privateData[8], client.buffer.region->GetRkey());
        boost::endian::store_big_u32(&parameters.privateData[12], 65536);
        boost::endian::store_big_u32(&parameters.privateData[16], WORK_MAGIC);
        m_report.Check(connection->Accept(parameters) == 0, "Accept()");
        client.HangIf(m_options.hangs);
    }

    const Options& m_options;                                   //!< what to do
    Report& m_report;                                           //!< where to tell of it
    ns3::Ptr<ns3::RdmaDevice> m_device;                         //!< of the host
    ns3::Ptr<ns3::RdmaConnection> m_connection;                 //!< listens
    std::vector<std::unique_ptr<ExaminedConnection>> m_clients; //!< in the order of their coming
};

} // namespace live

#endif // LIVE_CONFORMANCE_H
