/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LIVE_SIDE_H
#define LIVE_SIDE_H

#include "live-memory.h"
#include "live-options.h"
#include "live-report.h"

#include "ns3/rdma-connection.h"
#include "ns3/rdma-protection-domain.h"
#include "ns3/rdmap-stream.h"
#include "ns3/rdmap-terminate.h"

#include <string>
#include <vector>

namespace live
{

/// One end of a connection: a domain, a queue of completions, a queue pair, and what is done with
/// them.
class Side
{
  public:
    /// @param node host @param options what to do @param report where to tell of it
    Side(ns3::Ptr<ns3::Node> node, const Options& options, Report& report)
        : m_options(options),
          m_report(report)
    {
        const auto device = ns3::RdmaDevice::Get(node);
        device->SetEventCallback(ns3::MakeCallback(&Side::HandleAsync, this));
        m_pd = device->AllocPd();
        m_cq = device->CreateCq(4096);
        m_cq->SetNotifyCallback(ns3::MakeCallback(&Side::HandleCompletions, this));
        m_cq->RequestNotify();
        m_connection = ns3::RdmaConnection::Create(node);
        m_connection->SetEventCallback(ns3::MakeCallback(&Side::HandleConnection, this));
    }

    virtual ~Side() = default;

    /// Wait for a client.
    void Listen()
    {
        m_report.Check(m_connection->Listen(m_options.GetLocal()) == 0, "listening");
    }

    /// Look for the server.
    void Connect()
    {
        MakePair();
        m_connection->SetQp(m_pair);
        m_report.Check(m_connection->ResolveAddress(m_options.GetPeer()) == 0, "resolving");
    }

    /// @return whether all is done that was to be done
    bool IsDone() const
    {
        return m_done;
    }

  protected:
    /// Register memory and post receives.
    virtual void Prepare() = 0;

    /// @return private data of the Request or the Reply
    virtual std::vector<uint8_t> GetPrivateData() const
    {
        return {};
    }

    /// The connection is there. @param theirs private data of the peer
    virtual void HandleEstablished(const std::vector<uint8_t>& theirs)
    {
    }

    /// Work is done, and not flushed. @param completion it
    virtual void HandleCompletion(const ns3::RdmaCompletion& completion) = 0;

    /// The peer has disconnected.
    virtual void HandleEnd()
    {
    }

    /// Post one piece of work. @param opcode what @param sges local octets
    /// @param id as its completion has it @param remote address at the peer @param rkey of it
    void Post(ns3::RdmaOpcode opcode,
              const std::vector<ns3::RdmaSge>& sges,
              uint64_t id,
              uint64_t remote = 0,
              uint32_t rkey = 0)
    {
        ns3::RdmaSendRequest request;
        request.id = id;
        request.opcode = opcode;
        request.flags = ns3::RDMA_SEND_SIGNALED;
        request.sges = sges;
        request.remoteAddress = remote;
        request.rkey = rkey;
        if (const int error = m_pair->PostSend(request))
        {
            m_report.Problem("PostSend gives " + std::to_string(error));
        }
    }

    /// Post a receive. @param sge where to @param id as its completion has it
    void PostReceive(const ns3::RdmaSge& sge, uint64_t id)
    {
        if (const int error = m_pair->PostReceive({id, {sge}}))
        {
            m_report.Problem("PostReceive gives " + std::to_string(error));
        }
    }

    /// End the connection.
    void Disconnect()
    {
        const int error = (m_accepted ? m_accepted : m_connection)->Disconnect();
        m_report.Say("Disconnect() = " + std::to_string(error));
    }

    const Options& m_options;                   //!< what to do
    Report& m_report;                           //!< where to tell of it
    ns3::Ptr<ns3::RdmaProtectionDomain> m_pd;   //!< what belongs together
    ns3::Ptr<ns3::RdmaCompletionQueue> m_cq;    //!< completions
    ns3::Ptr<ns3::RdmaQueuePair> m_pair;        //!< queue pair
    ns3::Ptr<ns3::RdmaConnection> m_connection; //!< connects or listens
    ns3::Ptr<ns3::RdmaConnection> m_accepted;   //!< the client's, at a server
    bool m_done{false};                         //!< all is done that was to be done

  private:
    /// Make a queue pair that has its receives.
    void MakePair()
    {
        ns3::RdmaQueuePairConfig config;
        config.sendCq = config.receiveCq = m_cq;
        config.maxSendWr = config.maxReceiveWr = 256;
        m_pair = m_pd->CreateQp(config);
        m_pair->Modify(ns3::RdmaQpState::INIT);
        Prepare();
    }

    /// @param event what has happened @param number of the queue pair
    void HandleAsync(ns3::RdmaEvent event, uint32_t number)
    {
        m_report.Say("asynchronous event " + std::to_string(static_cast<int>(event)) + " of QP " +
                     std::to_string(number));
    }

    /// @param terminate what it says @param byPeer whether it came, rather than went
    void HandleTerminate(const ns3::RdmapTerminate& terminate, bool byPeer)
    {
        m_report.Say(std::string("TERMINATE ") + (byPeer ? "received" : "sent") + ": layer " +
                     std::to_string(terminate.layer) + " type " + std::to_string(terminate.type) +
                     " code " + std::to_string(terminate.code) + ", " + terminate.Describe());
    }

    /// Connect or answer. @param connection which @param event what has happened to it
    void HandleConnection(ns3::Ptr<ns3::RdmaConnection> connection,
                          const ns3::RdmaConnectionEvent& event)
    {
        using Kind = ns3::RdmaConnectionEvent::Kind;
        m_report.Say("EVENT " + std::string(GetName(event.kind)) + " " + event.reason + ", " +
                     std::to_string(event.privateData.size()) + " octets of private data, IRD " +
                     std::to_string(event.peerIrd) + " ORD " + std::to_string(event.peerOrd));
        switch (event.kind)
        {
        case Kind::ADDRESS_RESOLVED:
            connection->ResolveRoute();
            break;
        case Kind::ROUTE_RESOLVED:
            m_report.Check(connection->Connect(MakeParameters()) == 0, "Connect()");
            Watch();
            break;
        case Kind::CONNECT_REQUEST:
            Answer(connection);
            break;
        case Kind::ESTABLISHED:
            Watch();
            HandleEstablished(event.privateData);
            break;
        case Kind::DISCONNECTED:
            HandleEnd();
            if (m_pair->GetState() != ns3::RdmaQpState::ERR)
            {
                Disconnect();
            }
            ns3::Simulator::Stop(ns3::Seconds(3)); // if CLOSED does not come
            break;
        case Kind::CLOSED:
            ns3::Simulator::Stop(ns3::Seconds(m_options.linger));
            break;
        case Kind::REJECTED:
            m_report.Say("REJECTED with \"" +
                         std::string(event.privateData.begin(), event.privateData.end()) + '"');
            m_done = m_options.reject;
            ns3::Simulator::Stop(ns3::Seconds(1));
            break;
        default:
            ns3::Simulator::Stop(ns3::Seconds(5)); // TCP may still have something to end
            break;
        }
    }

    /// Accept or reject a client. @param connection its connection
    void Answer(ns3::Ptr<ns3::RdmaConnection> connection)
    {
        if (m_accepted)
        {
            m_report.Say("another client: rejected");
            connection->Reject();
            return;
        }
        m_accepted = connection;
        m_accepted->SetEventCallback(ns3::MakeCallback(&Side::HandleConnection, this));
        if (m_options.reject)
        {
            const std::string text = "the simulation says no";
            m_report.Check(m_accepted->Reject({text.begin(), text.end()}) == 0, "Reject()");
            m_done = true;
            ns3::Simulator::Stop(ns3::Seconds(1));
            return;
        }
        MakePair();
        m_accepted->SetQp(m_pair);
        m_report.Check(m_accepted->Accept(MakeParameters()) == 0, "Accept()");
        Watch();
    }

    /// @return what to connect or to accept with
    ns3::RdmaConnectionParameters MakeParameters() const
    {
        ns3::RdmaConnectionParameters parameters;
        parameters.privateData = GetPrivateData();
        return parameters;
    }

    /// Tell of Terminates, as soon as there is a stream.
    void Watch()
    {
        if (!m_watched && m_pair->GetStream())
        {
            m_watched = true;
            m_pair->GetStream()->TraceConnectWithoutContext(
                "Terminate",
                ns3::MakeCallback(&Side::HandleTerminate, this));
        }
    }

    /// Completions are there. @param cq their queue
    void HandleCompletions(ns3::Ptr<ns3::RdmaCompletionQueue> cq)
    {
        cq->RequestNotify();
        ns3::RdmaCompletion completion;
        while (cq->Poll(completion) > 0)
        {
            if (completion.status != ns3::RdmapStatus::FLUSHED)
            {
                HandleCompletion(completion);
            }
        }
    }

    /// @param kind of an event @return its name
    static const char* GetName(ns3::RdmaConnectionEvent::Kind kind)
    {
        static const char* names[] = {"ADDRESS_RESOLVED",
                                      "ADDRESS_ERROR",
                                      "ROUTE_RESOLVED",
                                      "UNREACHABLE",
                                      "CONNECT_REQUEST",
                                      "CONNECT_RESPONSE",
                                      "ESTABLISHED",
                                      "REJECTED",
                                      "UNANSWERED",
                                      "CONNECT_ERROR",
                                      "FAILED",
                                      "DISCONNECTED",
                                      "CLOSED"};
        return names[static_cast<int>(kind)];
    }

    bool m_watched{false}; //!< Terminates are told of
};

} // namespace live

#endif // LIVE_SIDE_H
