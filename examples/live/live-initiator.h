/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LIVE_INITIATOR_H
#define LIVE_INITIATOR_H

#include "live-conformance.h"

#include <algorithm>
#include <memory>

namespace live
{

/// Takes an endpoint that connects through the cases, again and again until all are over, each time
/// with a Send as its first message.
class InitiatorServer : public ConformanceKit
{
  public:
    /// @param node host @param options what to do @param report where to tell of it
    InitiatorServer(ns3::Ptr<ns3::Node> node, const Options& options, Report& report)
        : ConformanceKit(node, options, report, ListInitiatorCases(), ns3::Time(0))
    {
    }

    /// Wait for the endpoint.
    void Listen()
    {
        using Server = InitiatorServer;
        m_listener = ns3::Socket::CreateSocket(m_node, ns3::TcpSocketFactory::GetTypeId());
        m_listener->SetAcceptCallback(ns3::MakeCallback(&Server::HandleRequest, this),
                                      ns3::MakeCallback(&Server::HandleCreated, this));
        m_report.Check(m_listener->Bind(m_options.GetLocal()) == 0 && m_listener->Listen() == 0,
                       "listening");
        Begin();
    }

  private:
    void Begin() override
    {
        m_asked = m_rejecting = false;
        if (!Prepare())
        {
            m_listener->Close();
        }
    }

    /// @param socket that listens @param from who connects @return whether a case waits for it
    bool HandleRequest(ns3::Ptr<ns3::Socket> socket, const ns3::Address& from)
    {
        return m_state == State::WAITING;
    }

    /// TCP is there. @param socket of it @param from who has connected
    void HandleCreated(ns3::Ptr<ns3::Socket> socket, const ns3::Address& from)
    {
        m_state = State::STARTING;
        Watch(socket);
    }

    void ReadFrame() override
    {
        using Frame = ns3::MpaStartupFrame;
        Frame frame;
        const auto status = Frame::Decode(m_received.data(), m_received.size(), false, frame);
        if (status == Frame::Status::INCOMPLETE)
        {
            return;
        }
        const bool sound = status == Frame::Status::COMPLETE && !frame.reject &&
                           (frame.reserved & ~Frame::ENHANCED) == 0;
        if (!sound)
        {
            Conclude("a Request that is not as it should be");
            return;
        }
        if (!TakeFrame(frame))
        {
            return;
        }
        const bool wanted = frame.crc;
        frame.reply = true;
        frame.crc = true;
        frame.markers = false;
        frame.privateData.resize(frame.IsEnhanced() ? ns3::MpaEnhancedWord::SIZE : 0);
        if (frame.IsEnhanced())
        {
            auto word = ns3::MpaEnhancedWord::Decode(frame.privateData.data());
            std::swap(word.ird, word.ord);
            word.Encode(frame.privateData.data());
        }
        const Octets octets = Spoil(frame);
        m_rejecting = (m_flags & conformance::REJECT) != 0;
        m_crc = wanted || (m_flags & conformance::CRC) != 0;
        Send(octets);
    }

    void HandleMessage(const std::string& what) override
    {
        if (m_asked || !GetCase().ulpdu)
        {
            Conclude(m_asked ? what : "FPDU");
            return;
        }
        m_asked = true;
        Ask();
    }

    void HandleClose(ns3::Ptr<ns3::Socket> socket) override
    {
        Conclude(m_rejecting ? "no FPDU" : "closed");
    }

    void Expire() override
    {
        if (m_asked)
        {
            Probe();
            return;
        }
        Conclude(m_state == State::ASKING ? "no FPDU" : "no Request");
    }

    ns3::Ptr<ns3::Socket> m_listener; //!< where the endpoint connects to
    bool m_asked{false};              //!< what is wrong has been sent behind a good Reply
    bool m_rejecting{false};          //!< the Reply rejects
};

/// An endpoint for it: connects as soon as the connection before is over, and sends four octets
/// over each.
class InitiatorClient
{
  public:
    /// @param node host @param options what to do @param report where to tell of it
    InitiatorClient(ns3::Ptr<ns3::Node> node, const Options& options, Report& report)
        : m_node(node),
          m_options(options),
          m_report(report),
          m_device(ns3::RdmaDevice::Get(node))
    {
    }

    /// Connect.
    void Connect()
    {
        m_attempts.push_back(std::make_unique<ExaminedConnection>());
        auto& attempt = *m_attempts.back();
        attempt.connection = ns3::RdmaConnection::Create(m_node);
        attempt.connection->SetEventCallback(ns3::MakeCallback(&InitiatorClient::Handle, this));
        attempt.MakePair(m_device, m_options.receiveSize);
        m_report.Check(attempt.connection->ResolveAddress(m_options.GetPeer()) == 0, "resolving");
    }

    /// @return true: how often it connects is the kit's
    bool IsDone() const
    {
        return true;
    }

  private:
    /// @param connection which @param event what has happened to it
    void Handle(ns3::Ptr<ns3::RdmaConnection> connection, const ns3::RdmaConnectionEvent& event)
    {
        using Kind = ns3::RdmaConnectionEvent::Kind;
        auto& attempt = *m_attempts.back();
        switch (event.kind)
        {
        case Kind::ADDRESS_RESOLVED:
            connection->ResolveRoute();
            break;
        case Kind::ROUTE_RESOLVED:
            m_report.Check(connection->Connect({}) == 0, "Connect()");
            break;
        case Kind::ESTABLISHED: {
            ns3::RdmaSendRequest request;
            request.opcode = ns3::RdmaOpcode::SEND;
            request.sges = {attempt.receives.Sge(0, 4)};
            m_report.Check(attempt.pair->PostSend(request) == 0, "PostSend()");
            attempt.HangIf(m_options.hangs);
            break;
        }
        case Kind::DISCONNECTED:
            connection->Disconnect();
            break;
        case Kind::CONNECT_RESPONSE:
            break;
        default: // over
            if (connection == attempt.connection && m_next.IsExpired())
            {
                m_next = ns3::Simulator::Schedule(ns3::Seconds(m_options.linger),
                                                  &InitiatorClient::Connect,
                                                  this);
            }
            break;
        }
    }

    ns3::Ptr<ns3::Node> m_node;                                  //!< host
    const Options& m_options;                                    //!< what to do
    Report& m_report;                                            //!< where to tell of it
    ns3::Ptr<ns3::RdmaDevice> m_device;                          //!< of the host
    std::vector<std::unique_ptr<ExaminedConnection>> m_attempts; //!< the last is under way
    ns3::EventId m_next;                                         //!< Connect()
};

} // namespace live

#endif // LIVE_INITIATOR_H
