/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_VERBS_PAIR_H
#define RNIC_VERBS_PAIR_H

#include "ns3/error-model.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/pointer.h"
#include "ns3/rdma-connection.h"
#include "ns3/rdma-protection-domain.h"
#include "ns3/rnic-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <string>
#include <utility>
#include <vector>

/// @ingroup iwarp-test
/// Two hosts with RNICs and a queue pair at each; the left one works.
class RnicVerbsPair
{
  public:
    static constexpr uint32_t REGIONS = 4; //!< memory regions of each host

    using Figures = std::vector<std::pair<std::string, std::string>>; //!< of an RNIC

    /// @param figures of both RNICs that are not ideal
    explicit RnicVerbsPair(const Figures& figures)
        : RnicVerbsPair(figures, figures)
    {
    }

    /// @param left figures of the left RNIC that are not ideal @param right of the right one
    RnicVerbsPair(const Figures& left, const Figures& right)
    {
        ns3::NodeContainer nodes;
        nodes.Create(2);
        ns3::PointToPointHelper link;
        link.SetDeviceAttribute("DataRate", ns3::StringValue("10Gbps"));
        link.SetChannelAttribute("Delay", ns3::StringValue("10us"));
        m_devices = link.Install(nodes);
        ns3::InternetStackHelper().Install(nodes);
        const auto addresses = ns3::Ipv4AddressHelper("10.1.0.0", "255.255.0.0").Assign(m_devices);
        for (const auto* figures : {&left, &right})
        {
            ns3::RnicHelper helper;
            for (const auto& [name, value] : *figures)
            {
                helper.Set(name, ns3::StringValue(value));
            }
            rnics.push_back(helper.Install(nodes.Get(rnics.size())));
        }
        for (uint32_t i = 0; i < 2; i++)
        {
            auto device = ns3::RdmaDevice::Get(nodes.Get(i));
            auto pd = device->AllocPd();
            for (uint32_t j = 0; j < REGIONS; j++)
            {
                m_regions[i].push_back(pd->RegisterVirtual(100000,
                                                           ns3::DDP_ACCESS_LOCAL_WRITE |
                                                               ns3::DDP_ACCESS_REMOTE_WRITE |
                                                               ns3::DDP_ACCESS_REMOTE_READ));
            }
            ns3::RdmaQueuePairConfig config;
            config.maxInline = 97;
            config.sendCq = config.receiveCq = m_queues[i] = device->CreateCq(1000);
            m_pairs[i] = pd->CreateQp(config);
            m_pairs[i]->Modify(ns3::RdmaQpState::INIT);
            m_connections[i] = ns3::RdmaConnection::Create(nodes.Get(i));
            m_connections[i]->SetEventCallback(ns3::MakeCallback(&RnicVerbsPair::Handle, this));
        }
        for (uint32_t i = 0; i < 50; i++)
        {
            m_pairs[1]->PostReceive({i, {m_regions[1][0]->GetSge(0, 100)}});
        }
        m_connections[1]->Listen(ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), 4791));
        m_connections[0]->SetQp(m_pairs[0]);
        m_queues[0]->SetNotifyCallback(ns3::MakeCallback(&RnicVerbsPair::Completed, this));
        m_queues[0]->RequestNotify();
        m_peer = ns3::InetSocketAddress(addresses.GetAddress(1), 4791);
        ns3::Simulator::Schedule(ns3::MilliSeconds(10), &RnicVerbsPair::Resolve, this);
    }

    ~RnicVerbsPair()
    {
        ns3::Simulator::Destroy();
    }

    /// @param work done once the connection has been idle for a while
    void Run(std::function<void()> work)
    {
        ns3::Simulator::Schedule(ns3::MilliSeconds(100), [work] { work(); });
        ns3::Simulator::Stop(ns3::Seconds(10));
        ns3::Simulator::Run();
    }

    /// Post a request of the left host. @param opcode what @param size octets @param region of the
    /// peer
    void Post(ns3::RdmaOpcode opcode, uint32_t size, uint32_t region = 0, uint32_t flags = 0)
    {
        ns3::RdmaSendRequest request;
        request.flags = ns3::RDMA_SEND_SIGNALED | flags;
        request.opcode = opcode;
        request.sges = {m_regions[0][0]->GetSge(0, size)};
        request.rkey = GetRkey(region);
        m_pairs[0]->PostSend(request);
    }

    /// Post requests of the left host together. @param count how many @param request each of them
    void PostChain(uint32_t count, ns3::RdmaSendRequest request)
    {
        std::size_t bad = 0;
        request.rkey = GetRkey(0);
        request.sges[0].lkey = m_regions[0][0]->GetLkey();
        m_pairs[0]->PostSend(std::vector<ns3::RdmaSendRequest>(count, request), bad);
    }

    /// @return completions of the left host
    ns3::Ptr<ns3::RdmaCompletionQueue> GetQueue() const
    {
        return m_queues[0];
    }

    /// @return the left host's queue pair
    ns3::Ptr<ns3::RdmaQueuePair> GetPair() const
    {
        return m_pairs[0];
    }

    /// @return doorbells of the left host
    uint64_t GetDoorbells() const
    {
        return rnics[0]->GetDatapath().GetHost().GetDoorbells();
    }

    /// @param region of the right host @return its STag
    uint32_t GetRkey(uint32_t region) const
    {
        return m_regions[1][region]->GetRkey();
    }

    /// @param n how many of the packets that come to the right host from now on to lose
    void LoseNext(uint32_t n)
    {
        std::list<uint32_t> which;
        for (uint32_t i = 0; i < n; i++)
        {
            which.push_back(i);
        }
        auto model = ns3::CreateObject<ns3::ReceiveListErrorModel>();
        model->SetList(which);
        m_devices.Get(1)->SetAttribute("ReceiveErrorModel", ns3::PointerValue(model));
    }

    /// @return reads of host memory by the left RNIC
    uint64_t GetReads() const
    {
        return rnics[0]->GetDatapath().GetHost().GetReads();
    }

    std::vector<ns3::Ptr<ns3::Rnic>> rnics;    //!< of both hosts
    std::function<void()> onCompletion{[] {}}; //!< done at each completion of the left host
    uint32_t completions{0};                   //!< of these, successful ones

  private:
    void Resolve() //!< look for the right host
    {
        m_connections[0]->ResolveAddress(m_peer);
    }

    /// @param connection which @param event what happened
    void Handle(ns3::Ptr<ns3::RdmaConnection> connection, const ns3::RdmaConnectionEvent& event)
    {
        using Kind = ns3::RdmaConnectionEvent::Kind;
        if (event.kind == Kind::ADDRESS_RESOLVED)
        {
            connection->ResolveRoute();
        }
        else if (event.kind == Kind::ROUTE_RESOLVED)
        {
            connection->Connect({});
        }
        else if (event.kind == Kind::CONNECT_REQUEST)
        {
            connection->SetQp(m_pairs[1]);
            connection->Accept({});
            m_accepted = connection;
        }
    }

    /// @param queue with completions
    void Completed(ns3::Ptr<ns3::RdmaCompletionQueue> queue)
    {
        queue->RequestNotify();
        ns3::RdmaCompletion completion;
        while (queue->Poll(completion) > 0)
        {
            completions += completion.status == ns3::RdmapStatus::SUCCESS;
            onCompletion();
        }
    }

    ns3::NetDeviceContainer m_devices;                         //!< of the link
    ns3::Address m_peer;                                       //!< where the right host listens
    std::vector<ns3::Ptr<ns3::RdmaMemoryRegion>> m_regions[2]; //!< memory
    ns3::Ptr<ns3::RdmaCompletionQueue> m_queues[2];            //!< completions
    ns3::Ptr<ns3::RdmaQueuePair> m_pairs[2];                   //!< queue pairs
    ns3::Ptr<ns3::RdmaConnection> m_connections[2];            //!< connections
    ns3::Ptr<ns3::RdmaConnection> m_accepted;                  //!< that of the right host
};

#endif // RNIC_VERBS_PAIR_H
