/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_TEST_PAIR_H
#define RDMA_TEST_PAIR_H

#include "../mpa/mpa-stream-fixture.h"

#include "ns3/inet-socket-address.h"
#include "ns3/ipv4-address.h"
#include "ns3/rdma-connection.h"
#include "ns3/rdma-protection-domain.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

/// @ingroup iwarp-tests
/// One host with a device, a region of backed memory and a queue pair.
struct RdmaTestHost
{
    /// All rights
    static constexpr uint32_t ALL = ns3::DDP_ACCESS_LOCAL_WRITE | ns3::DDP_ACCESS_REMOTE_WRITE |
                                    ns3::DDP_ACCESS_REMOTE_READ | ns3::DDP_ACCESS_REMOTE_ATOMIC |
                                    ns3::DDP_ACCESS_MW_BIND;
    static constexpr uint32_t SIZE = 1 << 20; //!< octets of the region

    std::vector<uint8_t> memory = std::vector<uint8_t>(SIZE); //!< memory
    ns3::Ptr<ns3::RdmaDevice> device;                         //!< device
    ns3::Ptr<ns3::RdmaProtectionDomain> pd;                   //!< protection domain
    ns3::Ptr<ns3::RdmaCompletionQueue> cq;                    //!< all completions
    ns3::Ptr<ns3::RdmaMemoryRegion> region;                   //!< the memory, registered
    ns3::Ptr<ns3::RdmaQueuePair> qp;                          //!< queue pair
    ns3::RdmaQueuePairConfig config;                          //!< its configuration
    std::vector<ns3::RdmaCompletion> completions;             //!< completions taken
    std::vector<ns3::RdmaConnectionEvent> events;             //!< what happened to the connection
    std::vector<ns3::RdmaEvent> deviceEvents;                 //!< what the device told

    /// @param node node @param capacity of the completion queue
    explicit RdmaTestHost(ns3::Ptr<ns3::Node> node, uint32_t capacity = 1000)
        : device(ns3::RdmaDevice::Get(node)),
          pd(device->AllocPd()),
          cq(device->CreateCq(capacity)),
          region(pd->RegisterMemory(ns3::DdpMemory::Wrap(memory.data(), SIZE), 0x10000, ALL))
    {
        config.sendCq = cq;
        config.receiveCq = cq;
        config.maxSendSge = 4;
        config.maxInline = 64;
        device->SetEventCallback(ns3::MakeCallback(&RdmaTestHost::HandleDeviceEvent, this));
    }

    /// The device tells something. @param event what
    void HandleDeviceEvent(ns3::RdmaEvent event, uint32_t)
    {
        deviceEvents.push_back(event);
    }

    /// @param kind kind @return events of that kind
    uint32_t Count(ns3::RdmaConnectionEvent::Kind kind) const
    {
        return std::count_if(events.begin(), events.end(), [kind](const auto& e) {
            return e.kind == kind;
        });
    }

    void Drain() //!< take all completions
    {
        ns3::RdmaCompletion completion;
        while (cq->Poll(completion) > 0)
        {
            completions.push_back(completion);
        }
    }

    /// @param id id @param opcode opcode @param offset place in the region @param length octets
    /// @return a work request, signaled
    ns3::RdmaSendRequest Send(uint64_t id,
                              ns3::RdmaOpcode opcode,
                              uint64_t offset,
                              uint32_t length) const
    {
        ns3::RdmaSendRequest request;
        request.id = id;
        request.opcode = opcode;
        request.flags = ns3::RDMA_SEND_SIGNALED;
        request.sges = {region->GetSge(offset, length)};
        return request;
    }

    /// @param id id @param offset place in the region @param length octets @return as the verb
    int PostReceive(uint64_t id, uint64_t offset, uint32_t length) const
    {
        return qp->PostReceive({id, {region->GetSge(offset, length)}});
    }
};

/// @ingroup iwarp-tests
/// Two hosts, a connecting and a listening one.
struct RdmaTestPair
{
    static constexpr uint16_t PORT = 4791; //!< where b listens

    MpaLinkedHosts hosts;             //!< hosts and link
    RdmaTestHost a{hosts.GetNode(0)}; //!< connects
    RdmaTestHost b{hosts.GetNode(1)}; //!< listens
    ns3::Ptr<ns3::RdmaConnection> connector =
        ns3::RdmaConnection::Create(hosts.GetNode(0)); //!< a's
    ns3::Ptr<ns3::RdmaConnection> listener =
        ns3::RdmaConnection::Create(hosts.GetNode(1)); //!< b's listener
    ns3::Ptr<ns3::RdmaConnection> accepted;            //!< b's
    ns3::RdmaConnectionParameters parametersA;         //!< of the request
    ns3::RdmaConnectionParameters parametersB;         //!< of the answer
    bool reject{false};                                //!< b rejects
    std::function<void()> onEstablished{[] {}};        //!< runs once it is so at both ends
    /// Runs when an end's peer has closed, before it disconnects, too
    std::function<void(RdmaTestHost&)> onDisconnected{[](RdmaTestHost&) {}};

    RdmaTestPair()
    {
        for (uint32_t i = 0; i < RdmaTestHost::SIZE; i++)
        {
            a.memory[i] = i * 7 + i / 251;
        }
        connector->SetEventCallback(ns3::MakeCallback(&RdmaTestPair::HandleA, this));
        listener->SetEventCallback(ns3::MakeCallback(&RdmaTestPair::HandleB, this));
    }

    ~RdmaTestPair()
    {
        ns3::Simulator::Destroy();
    }

    /// Connect at 10 ms. @param port to which
    void Start(uint16_t port = PORT)
    {
        if (!a.qp)
        {
            a.qp = a.pd->CreateQp(a.config);
            b.qp = b.pd->CreateQp(b.config);
            a.qp->Modify(ns3::RdmaQpState::INIT);
            b.qp->Modify(ns3::RdmaQpState::INIT);
        }
        listener->Listen(ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), PORT));
        connector->SetQp(a.qp);
        ns3::Simulator::Schedule(ns3::MilliSeconds(10), [this, port] {
            connector->ResolveAddress(ns3::InetSocketAddress(ns3::Ipv4Address("10.0.0.2"), port));
        });
    }

    /// Simulate, and take what completions are left. @param duration how long
    void Run(ns3::Time duration = ns3::Seconds(20))
    {
        ns3::Simulator::Stop(duration);
        ns3::Simulator::Run();
        a.Drain();
        b.Drain();
    }

    /// An event at a. @param connection connection @param event what happened
    void HandleA(ns3::Ptr<ns3::RdmaConnection> connection, const ns3::RdmaConnectionEvent& event)
    {
        using Kind = ns3::RdmaConnectionEvent::Kind;
        a.events.push_back(event);
        if (event.kind == Kind::ADDRESS_RESOLVED)
        {
            connection->ResolveRoute();
        }
        else if (event.kind == Kind::ROUTE_RESOLVED)
        {
            connection->Connect(parametersA);
        }
        else if (event.kind == Kind::ESTABLISHED && b.Count(Kind::ESTABLISHED) > 0)
        {
            onEstablished();
        }
        else if (event.kind == Kind::DISCONNECTED)
        {
            onDisconnected(a);
            connection->Disconnect();
        }
    }

    /// An event at b. @param connection connection @param event what happened
    void HandleB(ns3::Ptr<ns3::RdmaConnection> connection, const ns3::RdmaConnectionEvent& event)
    {
        using Kind = ns3::RdmaConnectionEvent::Kind;
        b.events.push_back(event);
        if (event.kind == Kind::CONNECT_REQUEST)
        {
            accepted = connection;
            if (reject)
            {
                accepted->Reject({9, 8, 7});
                return;
            }
            accepted->SetQp(b.qp);
            accepted->Accept(parametersB);
        }
        else if (event.kind == Kind::ESTABLISHED && a.Count(Kind::ESTABLISHED) > 0)
        {
            onEstablished();
        }
        else if (event.kind == Kind::DISCONNECTED)
        {
            onDisconnected(b);
            connection->Disconnect();
        }
    }
};

#endif // RDMA_TEST_PAIR_H
