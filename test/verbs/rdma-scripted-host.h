/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_SCRIPTED_HOST_H
#define RDMA_SCRIPTED_HOST_H

#include "../rdmap/rdmap-capture.h"
#include "../tcp/tcp-scripted-peer.h"
#include "rdma-test-pair.h"

#include "ns3/boolean.h"
#include "ns3/inet-socket-address.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

/**
 * @ingroup iwarp-tests
 * A host with a queue pair and its connection, before a peer made by hand.
 */
struct RdmaScriptedHost
{
    using Kind = ns3::RdmaConnectionEvent::Kind; //!< kind of an event

    static constexpr uint16_t PORT = 4791; //!< where the host listens, or the peer

    TcpScriptedPeer peer;                          //!< peer
    RdmaTestHost host{WithFixedKeys(peer)};        //!< host
    ns3::Ptr<ns3::RdmaConnection> connection;      //!< the one that Connect() or Listen() made
    std::function<void()> onEstablished{[] {}};    //!< done once the host may post work
    bool reject{false};                            //!< the host rejects the Request
    std::vector<std::pair<Kind, ns3::Time>> times; //!< events, and when they came

    RdmaScriptedHost()
    {
        host.qp = host.pd->CreateQp(host.config);
        host.qp->Modify(ns3::RdmaQpState::INIT);
        host.PostReceive(1, 0, 1000);
        connection = ns3::RdmaConnection::Create(peer.GetHost());
        connection->SetEventCallback(ns3::MakeCallback(&RdmaScriptedHost::Handle, this));
        connection->SetStreamAttribute("Markers", ns3::BooleanValue(false));
    }

    /// The host connects to the peer, that answers the Request. @param reply octets of its answer
    /// @param flags of the segment with them
    void Connect(const std::vector<uint8_t>& reply, uint8_t flags = 0)
    {
        connection->SetQp(host.qp);
        connection->ResolveAddress(ns3::InetSocketAddress("10.0.0.2", PORT));
        peer.onSegment = [this, reply, flags](const TcpScriptedPeer::Segment& segment) {
            if (!segment.payload.empty())
            {
                peer.onSegment = [](const TcpScriptedPeer::Segment&) {};
                peer.Send(flags, reply);
            }
        };
    }

    /// The host listens, and the peer connects. @param request octets that it sends @param flags of
    /// the segment with them
    void Listen(const std::vector<uint8_t>& request, uint8_t flags = 0)
    {
        connection->Listen(ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), PORT));
        ns3::Simulator::Schedule(ns3::MilliSeconds(10), [this] { peer.Connect(PORT); });
        peer.onConnected = [this, request, flags] { peer.Send(flags, request); };
    }

    /// Simulate. @param duration how long
    void Run(ns3::Time duration = ns3::Seconds(30))
    {
        ns3::Simulator::Stop(duration);
        ns3::Simulator::Run();
        host.Drain();
    }

    /// @param kind kind of an event @return when it came first; 0 if it did not
    ns3::Time When(Kind kind) const
    {
        const auto found = std::find_if(times.begin(), times.end(), [kind](const auto& event) {
            return event.first == kind;
        });
        return found == times.end() ? ns3::Time(0) : found->second;
    }

    /// @param kind kind of an event @return the first of them, or an empty one
    ns3::RdmaConnectionEvent Get(Kind kind) const
    {
        const auto found = std::find_if(host.events.begin(),
                                        host.events.end(),
                                        [kind](const auto& event) { return event.kind == kind; });
        return found == host.events.end() ? ns3::RdmaConnectionEvent{Kind::ROUTE_RESOLVED} : *found;
    }

  private:
    /// Have the host draw the same keys each time. @param peer its peer @return the host
    static ns3::Ptr<ns3::Node> WithFixedKeys(const TcpScriptedPeer& peer)
    {
        ns3::RdmaDevice::Get(peer.GetHost())->AssignStreams(1);
        return peer.GetHost();
    }

    /// Something happened. @param which connection @param event what
    void Handle(ns3::Ptr<ns3::RdmaConnection> which, const ns3::RdmaConnectionEvent& event)
    {
        host.events.push_back(event);
        times.emplace_back(event.kind, ns3::Simulator::Now());
        switch (event.kind)
        {
        case Kind::ADDRESS_RESOLVED:
            which->ResolveRoute();
            break;
        case Kind::ROUTE_RESOLVED:
            which->Connect({});
            break;
        case Kind::CONNECT_REQUEST:
            m_accepted = which;
            if (reject)
            {
                which->Reject({});
                break;
            }
            which->SetQp(host.qp);
            which->Accept({});
            break;
        case Kind::ESTABLISHED:
            onEstablished();
            break;
        default:
            break;
        }
    }

    ns3::Ptr<ns3::RdmaConnection> m_accepted; //!< the one that asked, of the side that listens
};

#endif // RDMA_SCRIPTED_HOST_H
