/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_MTU_RUN_H
#define PATH_MTU_RUN_H

#include "ns3/boolean.h"
#include "ns3/iwarp-network.h"
#include "ns3/mpa-application-helper.h"
#include "ns3/mpa-bulk-sender.h"
#include "ns3/mpa-sink.h"
#include "ns3/mpa-stream.h"
#include "ns3/mpa-tcp-socket-factory.h"
#include "ns3/path-icmp-filter-middlebox.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/rnic-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-end-point-table.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

/**
 * @file
 * @ingroup iwarp-test
 * Two hosts with RNICs, two routers between them, whose link may take less than the others; an MPA
 * stream of backed messages; and what was seen on the way.
 */

/// What a run is to be like.
struct PathMtuSetup
{
    bool ipv6{false};                  //!< IPv6
    uint32_t core{1500};               //!< MTU of the link between the routers
    bool dontFragment{true};           //!< TcpEndPointTable::DontFragment
    bool filter{false};                //!< ICMP messages do not reach the sender
    uint64_t octets{200'000};          //!< octets of messages
    uint32_t message{20'000};          //!< octets of a message
    ns3::Time stop{ns3::Seconds(300)}; //!< latest end
    std::vector<std::pair<std::string, std::string>> rnic;    //!< attributes of the receiving RNIC
    std::vector<std::pair<std::string, std::string>> factory; //!< of MpaTcpSocketFactory
    std::vector<std::pair<std::string, std::string>> socket;  //!< of the sockets
    std::vector<std::pair<ns3::Time, uint32_t>> changes;      //!< MTU of that link from a time on
};

/// One run.
class PathMtuRun
{
  public:
    static constexpr uint32_t HEADERS = 52; //!< IPv4 and TCP with timestamps, octets

    /// A segment as the sender's link saw it.
    struct Sent
    {
        ns3::Time time;    //!< when
        uint32_t datagram; //!< octets
        bool dontFragment; //!< bit of IPv4
    };

    /// @param s what it is to be like
    explicit PathMtuRun(const PathMtuSetup& s)
        : setup(s),
          network(s.ipv6)
    {
        using namespace ns3;
        const IwarpNetwork::Link access{DataRate("1Gbps"), MicroSeconds(10)};
        IwarpNetwork::Link core{DataRate("100Mbps"), MilliSeconds(1)};
        core.mtu = setup.core;
        network.AddRouter();
        network.AddRouter();
        m_core = network.AddLink(0, 1, core);
        network.AddHost(0, access);
        network.AddHost(1, access);
        network.InstallRoutes();
        if (setup.filter)
        {
            filter = CreateObject<PathIcmpFilterMiddlebox>();
            network.InsertMiddlebox(network.GetHostLink(0), filter);
        }
        RnicHelper helper("ideal");
        for (const auto& [name, value] : setup.rnic)
        {
            helper.Set(name, StringValue(value));
        }
        for (uint32_t host = 0; host < 2; host++)
        {
            const Ptr<Node> node = network.GetHost(host);
            rnics.push_back(helper.Install(node));
            TcpEndPointTable::Install(node)->SetAttribute("DontFragment",
                                                          BooleanValue(setup.dontFragment));
            for (const auto& [name, value] : setup.factory)
            {
                MpaTcpSocketFactory::Install(node)->SetAttribute(name, StringValue(value));
            }
        }
        Install();
    }

    ~PathMtuRun()
    {
        ns3::Simulator::Destroy();
    }

    void Run() //!< to its end
    {
        using namespace ns3;
        for (const auto& [time, mtu] : setup.changes)
        {
            const auto devices = network.GetLinkDevices(m_core);
            Simulator::Schedule(time, [devices, mtu = mtu] {
                devices.Get(0)->SetMtu(static_cast<uint16_t>(mtu));
                devices.Get(1)->SetMtu(static_cast<uint16_t>(mtu));
            });
        }
        Simulator::Stop(setup.stop);
        Simulator::Run();
    }

    /// @return fragments that the link between the routers makes of what was sent (RFC 791)
    uint64_t CountFragments() const
    {
        const uint32_t most = (setup.core - 20) / 8 * 8;
        uint64_t fragments = 0;
        for (const auto& segment : sent)
        {
            if (segment.datagram > setup.core)
            {
                fragments += (segment.datagram - 20 + most - 1) / most;
            }
        }
        return fragments;
    }

    PathMtuSetup setup;                            //!< what it is like
    ns3::IwarpNetwork network;                     //!< network
    ns3::Ptr<ns3::PathIcmpFilterMiddlebox> filter; //!< in the sender's link, or nullptr
    std::vector<ns3::Ptr<ns3::Rnic>> rnics;        //!< sender's and receiver's
    std::vector<Sent> sent;                        //!< what the sender sent
    std::vector<uint32_t> emss;                    //!< the sender's, one after the other
    std::vector<uint32_t> fpdus;                   //!< octets of the sender's, one after the other
    std::vector<uint32_t> passed;                  //!< octets of the receiver's ULPDUs
    std::vector<bool> aligned;                     //!< segments that the sender has sent
    std::vector<ns3::MpaError> errors;             //!< errors at the sender
    ns3::Ptr<ns3::MpaSink> sink;                   //!< receiver
    ns3::Time last;                                //!< when the last message came
    std::function<void(ns3::Ptr<ns3::MpaStream>)> onSender; //!< sees the sender's stream

    /// @return the RNIC that receives
    const ns3::RnicIpReassembly& GetReassembly() const
    {
        return *rnics[1]->GetDatapath().Get<ns3::RnicIpReassembly>("IpReassembly");
    }

    /// @return all messages have come, and right
    bool IsDone() const
    {
        return sink->GetMessageOctets() == setup.octets && sink->GetContentErrors() == 0 &&
               sink->GetBadUlpdus() == 0;
    }

  private:
    void Install()
    {
        using namespace ns3;
        MpaSinkHelper sinks(network.GetAnySocketAddress(7));
        sinks.SetAttribute("Backed", BooleanValue(true));
        MpaBulkSenderHelper senders(network.GetHostSocketAddress(1, 7));
        senders.SetAttribute("Backed", BooleanValue(true));
        senders.SetAttribute("MaxOctets", UintegerValue(setup.octets));
        senders.SetAttribute("MessageSizes",
                             StringValue("ns3::ConstantRandomVariable[Constant=" +
                                         std::to_string(setup.message) + "]"));
        for (const auto& [name, value] : setup.socket)
        {
            sinks.SetSocketAttribute(name, StringValue(value));
            senders.SetSocketAttribute(name, StringValue(value));
        }
        sink = DynamicCast<MpaSink>(sinks.Install(network.GetHost(1)).Get(0));
        auto sender = senders.Install(network.GetHost(0));
        sender.Start(MilliSeconds(1));
        sink->TraceConnectWithoutContext("StreamCreated",
                                         MakeCallback(&PathMtuRun::HandleAccepted, this));
        sink->TraceConnectWithoutContext("MessageReceived",
                                         MakeCallback(&PathMtuRun::HandleMessage, this));
        sender.Get(0)->TraceConnectWithoutContext("StreamCreated",
                                                  MakeCallback(&PathMtuRun::HandleSender, this));
        network.GetHostDevice(0)->TraceConnectWithoutContext(
            "PhyTxEnd",
            MakeCallback(&PathMtuRun::HandlePacket, this));
    }

    void HandlePacket(ns3::Ptr<const ns3::Packet> packet)
    {
        std::vector<uint8_t> head(10);
        packet->CopyData(head.data(), static_cast<uint32_t>(head.size())); // 2 octets of PPP
        const uint8_t protocol = setup.ipv6 ? head[8] : 6;
        if (protocol == 6)
        {
            sent.push_back({ns3::Simulator::Now(), packet->GetSize() - 2, (head[8] & 0x40) != 0});
        }
    }

    void HandleSender(ns3::Ptr<ns3::MpaStream> stream)
    {
        using namespace ns3;
        emss.push_back(stream->GetSocket()->GetEmss());
        stream->GetSocket()->TraceConnectWithoutContext(
            "Emss",
            MakeCallback(&PathMtuRun::HandleEmss, this));
        stream->GetSocket()->TraceConnectWithoutContext("SegmentSent",
                                                        MakeCallback(&PathMtuRun::HandleCut, this));
        stream->TraceConnectWithoutContext("FpduSent", MakeCallback(&PathMtuRun::HandleFpdu, this));
        stream->TraceConnectWithoutContext("Error", MakeCallback(&PathMtuRun::HandleError, this));
        if (onSender)
        {
            onSender(stream);
        }
    }

    void HandleAccepted(ns3::Ptr<ns3::MpaStream> stream)
    {
        stream->TraceConnectWithoutContext("Passed",
                                           ns3::MakeCallback(&PathMtuRun::HandlePassed, this));
    }

    void HandleEmss(uint32_t /* before */, uint32_t now)
    {
        emss.push_back(now);
    }

    void HandleCut(ns3::SequenceNumber32 /* seq */,
                   uint32_t /* size */,
                   bool /* header */,
                   bool whole,
                   bool /* again */)
    {
        aligned.push_back(whole);
    }

    void HandleFpdu(uint32_t /* seq */, uint32_t /* ulpdu */, uint32_t wire)
    {
        fpdus.push_back(wire);
    }

    void HandleError(ns3::MpaError error, const std::string& /* reason */)
    {
        errors.push_back(error);
    }

    void HandlePassed(const ns3::MpaUlpdu& ulpdu, ns3::Time /* wait */)
    {
        passed.push_back(ulpdu.length);
    }

    void HandleMessage(ns3::Ptr<ns3::MpaStream> /* stream */,
                       uint32_t /* message */,
                       uint64_t /* size */)
    {
        last = ns3::Simulator::Now();
    }

    uint32_t m_core{0}; //!< link between the routers
};

#endif // PATH_MTU_RUN_H
