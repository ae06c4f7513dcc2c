/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_TEST_CONNECTIONS_H
#define RDMA_TEST_CONNECTIONS_H

#include "../mpa/mpa-stream-fixture.h"

#include "ns3/inet-socket-address.h"
#include "ns3/ipv4-address.h"
#include "ns3/rdma-connection.h"
#include "ns3/rdma-protection-domain.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

/// @ingroup iwarp-tests
/// One end of a connection.
struct RdmaTestSide
{
    using Kind = ns3::RdmaConnectionEvent::Kind; //!< kind of an event

    static constexpr uint32_t MEMORY = 1 << 20; //!< octets of memory

    /// @param kind a kind of event @return how many of it there were
    uint32_t Count(Kind kind) const
    {
        return std::count_if(events.begin(), events.end(), [kind](const auto& event) {
            return event.kind == kind;
        });
    }

    /// Make queue pair and memory. @param pd protection domain
    void Make(ns3::Ptr<ns3::RdmaProtectionDomain> pd)
    {
        cq = pd->GetDevice()->CreateCq(100);
        cq->SetNotifyCallback(ns3::MakeCallback(&RdmaTestSide::HandleCompletion, this));
        cq->RequestNotify();
        region = pd->RegisterMemory(ns3::DdpMemory::Wrap(memory.data(), MEMORY),
                                    0,
                                    ns3::DDP_ACCESS_LOCAL_WRITE | ns3::DDP_ACCESS_REMOTE_WRITE |
                                        ns3::DDP_ACCESS_REMOTE_READ);
        ns3::RdmaQueuePairConfig config;
        config.sendCq = config.receiveCq = cq;
        pair = pd->CreateQp(config);
        pair->TraceConnectWithoutContext("State",
                                         ns3::MakeCallback(&RdmaTestSide::HandleState, this));
        pair->Modify(ns3::RdmaQpState::INIT);
        pair->PostReceive({1, {region->GetSge(0, MEMORY)}});
    }

    /// Send octets. @param size how many
    void Send(uint32_t size)
    {
        ns3::RdmaSendRequest request;
        request.flags = ns3::RDMA_SEND_SIGNALED;
        request.sges = {region->GetSge(0, size)};
        pair->PostSend(request);
    }

    void HandleCompletion(ns3::Ptr<ns3::RdmaCompletionQueue>) //!< take completions
    {
        cq->RequestNotify();
        ns3::RdmaCompletion completion;
        while (cq->Poll(completion) > 0)
        {
            const bool message = completion.opcode == ns3::RdmaCompletionOpcode::RECEIVE &&
                                 completion.status == ns3::RdmapStatus::SUCCESS;
            received = message ? ns3::Simulator::Now() : received;
        }
    }

    /// The queue pair changes its state. @param to new state
    void HandleState(ns3::RdmaQpState, ns3::RdmaQpState to)
    {
        over = to == ns3::RdmaQpState::ERR ? ns3::Simulator::Now() : over;
    }

    std::vector<uint8_t> memory = std::vector<uint8_t>(MEMORY); //!< memory
    ns3::Ptr<ns3::RdmaCompletionQueue> cq;                      //!< completions
    ns3::Ptr<ns3::RdmaMemoryRegion> region;                     //!< memory, registered
    ns3::Ptr<ns3::RdmaQueuePair> pair;                          //!< queue pair
    ns3::Ptr<ns3::RdmaConnection> connection;                   //!< connection
    std::vector<ns3::RdmaConnectionEvent> events;               //!< what happened to it
    ns3::Time received;                                         //!< when a message came
    ns3::Time over;                                             //!< when the queue pair was over
    ns3::Time closed;                                           //!< when the connection was
};

/// @ingroup iwarp-tests
/// Two hosts with any number of connections between them, the left one connects.
class RdmaTestConnections
{
  public:
    static constexpr uint16_t PORT = 4791; //!< where the right host listens

    /// What the right host does with a request: accept it, or not. @param side to fill @return
    /// whether to accept
    using Admission =
        std::function<bool(RdmaTestSide& side, const ns3::RdmaConnectionEvent& event)>;

    RdmaTestConnections()
        : m_domain(ns3::RdmaDevice::Get(hosts.GetNode(1))->AllocPd())
    {
        admission = [this](RdmaTestSide& side, const ns3::RdmaConnectionEvent&) {
            side.Make(m_domain);
            return true;
        };
        listener = ns3::RdmaConnection::Create(hosts.GetNode(1));
        listener->SetEventCallback(ns3::MakeCallback(&RdmaTestConnections::HandleListener, this));
        listener->Listen(ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), PORT));
    }

    ~RdmaTestConnections()
    {
        ns3::Simulator::Destroy();
    }

    /// Connect at 10 ms. @param privateData octets for the right host @return number of the
    /// connection
    std::size_t Connect(const std::vector<uint8_t>& privateData = {})
    {
        left.push_back(std::make_unique<RdmaTestSide>());
        RdmaTestSide& side = *left.back();
        side.Make(ns3::RdmaDevice::Get(hosts.GetNode(0))->AllocPd());
        side.connection = ns3::RdmaConnection::Create(hosts.GetNode(0));
        side.connection->SetQp(side.pair);
        side.connection->SetEventCallback(
            ns3::MakeCallback(&RdmaTestConnections::HandleEvent, this));
        m_privateData.push_back(privateData);
        const auto resolve = [&side] {
            side.connection->ResolveAddress(
                ns3::InetSocketAddress(ns3::Ipv4Address("10.0.0.2"), PORT));
        };
        // in their order
        ns3::Simulator::Schedule(ns3::MilliSeconds(10) + ns3::MicroSeconds(left.size()), resolve);
        return left.size() - 1;
    }

    void Run() //!< simulate 20 s
    {
        ns3::Simulator::Stop(ns3::Seconds(20));
        ns3::Simulator::Run();
    }

    MpaLinkedHosts hosts;                             //!< hosts
    ns3::Ptr<ns3::RdmaConnection> listener;           //!< of the right host
    std::vector<std::unique_ptr<RdmaTestSide>> left;  //!< by connection
    std::vector<std::unique_ptr<RdmaTestSide>> right; //!< by request
    Admission admission;                              //!< what the right host does
    std::function<void()> ready;                      //!< runs when all are established

  private:
    using Kind = ns3::RdmaConnectionEvent::Kind; //!< kind of an event

    void HandleListener(ns3::Ptr<ns3::RdmaConnection> connection,
                        const ns3::RdmaConnectionEvent& event)
    {
        if (event.kind != Kind::CONNECT_REQUEST)
        {
            return;
        }
        right.push_back(std::make_unique<RdmaTestSide>());
        RdmaTestSide& side = *right.back();
        side.connection = connection;
        side.events.push_back(event);
        connection->SetEventCallback(ns3::MakeCallback(&RdmaTestConnections::HandleEvent, this));
        if (admission(side, event))
        {
            connection->SetQp(side.pair);
            connection->Accept({});
        }
        else
        {
            connection->Reject();
        }
    }

    /// @param connection it @param event what happened
    void HandleEvent(ns3::Ptr<ns3::RdmaConnection> connection,
                     const ns3::RdmaConnectionEvent& event)
    {
        for (auto* sides : {&left, &right})
        {
            for (std::size_t i = 0; i < sides->size(); i++)
            {
                if ((*sides)[i]->connection == connection)
                {
                    HandleSide(*(*sides)[i], i, event);
                }
            }
        }
    }

    /// @param side end of a connection @param i its number @param event what happened
    void HandleSide(RdmaTestSide& side, std::size_t i, const ns3::RdmaConnectionEvent& event)
    {
        side.events.push_back(event);
        ns3::RdmaConnectionParameters parameters;
        switch (event.kind)
        {
        case Kind::ADDRESS_RESOLVED:
            side.connection->ResolveRoute();
            break;
        case Kind::ROUTE_RESOLVED:
            parameters.privateData = m_privateData[i];
            side.connection->Connect(parameters);
            break;
        case Kind::ESTABLISHED: {
            m_established += &side == left[i].get();
            if (m_established == left.size() && ready)
            {
                std::exchange(ready, nullptr)();
            }
            break;
        }
        case Kind::DISCONNECTED:
            side.connection->Disconnect();
            break;
        case Kind::CLOSED:
            side.closed = ns3::Simulator::Now();
            break;
        default:
            break;
        }
    }

    ns3::Ptr<ns3::RdmaProtectionDomain> m_domain;    //!< of the right host
    std::vector<std::vector<uint8_t>> m_privateData; //!< by connection
    std::size_t m_established{0};                    //!< connections that are established
};

#endif // RDMA_TEST_CONNECTIONS_H
