/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPSEC_RUN_H
#define IPSEC_RUN_H

#include "ns3/boolean.h"
#include "ns3/esp-codec.h"
#include "ns3/ipsec-helper.h"
#include "ns3/iwarp-network.h"
#include "ns3/mpa-application-helper.h"
#include "ns3/mpa-bulk-sender.h"
#include "ns3/mpa-sink.h"
#include "ns3/mpa-stream.h"
#include "ns3/ns3-compat.h"
#include "ns3/path-middlebox.h"
#include "ns3/rnic-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/tcp-end-point-table.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/**
 * @file
 * @ingroup iwarp-test
 * Two hosts, two routers between them, which may be security gateways; an MPA stream of backed
 * messages from host 0 to host 1; and what was seen on the way.
 */

constexpr uint32_t IPV4_SIZE = 20; //!< octets of an IPv4 header without options

/// Take down associations. @param keying that makes them @param made receives what each is made of
inline void
RecordCreated(const ns3::Ptr<ns3::IpsecKeying>& keying,
              std::vector<ns3::IpsecAssociationConfig>& made)
{
    using Configs = std::vector<ns3::IpsecAssociationConfig>;
    keying->TraceConnectWithoutContext(
        "Created",
        ns3::MakeBoundCallback(
            +[](Configs* all, const ns3::IpsecAssociationConfig& config) {
                all->push_back(config);
            },
            &made));
}

/// Where there is IPsec.
enum class IpsecPlace
{
    NOWHERE,   //!< there is none
    TRANSPORT, //!< between the hosts, TCP
    TUNNEL,    //!< between the hosts, everything
    GATEWAY,   //!< between the routers
    NESTED,    //!< transport between the hosts, and the gateways' tunnel around it
};

/// What a run is to be like.
struct IpsecSetup
{
    IpsecPlace place{IpsecPlace::TRANSPORT}; //!< where there is IPsec
    bool ipv6{false};                        //!< IPv6
    bool labels{false};                      //!< nodes label what they send
    std::string transform{"aes-gcm-16-128"}; //!< cipher and integrity
    ns3::IpsecAssociationConfig proposal;    //!< what associations are like
    ns3::IpsecDontFragment dontFragment{ns3::IpsecDontFragment::COPY}; //!< of tunnels
    ns3::IpsecFragments fragments{ns3::IpsecFragments::AFTER_ESP};     //!< of tunnels
    ns3::Ptr<ns3::IpsecKeying> keying; //!< how keys come, or at once
    double interval{0};                //!< seconds from one message to the next
    uint32_t core{1500};               //!< MTU of the link between the routers
    uint32_t deep{0};                  //!< a third router is between them; MTU behind it
    uint32_t access{1500};             //!< MTU of the hosts' links
    bool deny{false};                  //!< what no policy selects is discarded
    bool dontFragmentTcp{true};        //!< TcpEndPointTable::DontFragment
    bool rnic{false};                  //!< hosts have RNICs
    uint64_t octets{200'000};          //!< octets of messages
    uint32_t message{20'000};          //!< octets of a message
    ns3::Time stop{ns3::Seconds(100)}; //!< latest end
};

/// Lets a test decide what becomes of packets on the link between the routers.
class IpsecTestBox : public ns3::PathMiddlebox
{
  public:
    /// Decides: may change the packet, call send any number of times, now or later.
    std::function<void(ns3::Ptr<ns3::Packet> packet,
                       bool forth,
                       const std::function<void(ns3::Ptr<ns3::Packet>)>& send)>
        onPacket;

  private:
    void Pass(ns3::Ptr<ns3::Packet> packet,
              uint16_t protocol,
              ns3::PathDirection direction) override
    {
        const auto send = [this, protocol, direction](ns3::Ptr<ns3::Packet> out) {
            Forward(out, protocol, direction);
        };
        onPacket ? onPacket(packet, direction == ns3::PathDirection::A_TO_B, send) : send(packet);
    }
};

/// One run.
class IpsecRun
{
  public:
    /// A datagram as a link saw it.
    struct Datagram
    {
        ns3::Time time;   //!< when
        uint32_t octets;  //!< its size
        uint8_t protocol; //!< next layer protocol
        uint8_t tos;      //!< TOS or traffic class
        bool whole;       //!< "don't fragment", IPv4
        bool fragment;    //!< it is a fragment

        /// @param other another @return whether it is the same
        bool operator==(const Datagram& other) const
        {
            return time == other.time && octets == other.octets && protocol == other.protocol &&
                   tos == other.tos && whole == other.whole && fragment == other.fragment;
        }
    };

    /// @param s what it is to be like
    explicit IpsecRun(const IpsecSetup& s)
        : setup(s),
          network(s.ipv6),
          ipsec(s.transform)
    {
        using namespace ns3;
        IwarpNetwork::Link access{DataRate("1Gbps"), MicroSeconds(10)};
        access.mtu = setup.access;
        IwarpNetwork::Link core{DataRate("100Mbps"), MilliSeconds(1)};
        core.mtu = setup.core;
        network.AddRouter();
        network.AddRouter();
        uint32_t end = 1;
        if (setup.deep > 0)
        {
            end = network.AddRouter();
        }
        const uint32_t middle = network.AddLink(0, end, core);
        if (setup.deep > 0)
        {
            core.mtu = setup.deep;
            network.AddLink(end, 1, core);
        }
        network.AddHost(0, access);
        network.AddHost(1, access);
        network.InstallRoutes();
        if (setup.labels)
        {
            network.UseFlowLabels();
        }
        box = CreateObject<IpsecTestBox>();
        network.InsertMiddlebox(middle, box);
        Watch(network.GetHostDevice(0), sent);
        Watch(network.GetLinkDevices(middle).Get(0), crossed);
        Watch(network.GetHostDevice(1), answered);
        for (const uint32_t i : {0, 1})
        {
            TcpEndPointTable::Install(network.GetHost(i))
                ->SetAttribute("DontFragment", BooleanValue(setup.dontFragmentTcp));
        }
        if (setup.rnic)
        {
            RnicHelper("ideal").Install({network.GetHost(0), network.GetHost(1)});
        }
        Protect();
        Install();
    }

    ~IpsecRun()
    {
        ns3::Simulator::Destroy();
    }

    void Run() //!< to its end
    {
        ns3::Simulator::Stop(setup.stop);
        ns3::Simulator::Run();
    }

    /// @return all messages have come, and right
    bool IsDone() const
    {
        return sink->GetMessageOctets() == setup.octets && sink->GetContentErrors() == 0 &&
               sink->GetBadUlpdus() == 0;
    }

    /// @param i of a host @return its address
    ns3::IpsecAddress GetHostAddress(uint32_t i) const
    {
        return setup.ipv6
                   ? ns3::IpsecAddress(ns3::Ipv6Address::ConvertFrom(network.GetHostAddress(i)))
                   : ns3::IpsecAddress(ns3::Ipv4Address::ConvertFrom(network.GetHostAddress(i)));
    }

    /// @param i of a router @return its address on its host's link
    ns3::IpsecAddress GetRouterAddress(uint32_t i) const
    {
        return ns3::IpsecHelper::GetAddress(network.GetLinkDevices(network.GetHostLink(i)).Get(0),
                                            setup.ipv6);
    }

    IpsecSetup setup;                                //!< what it is like
    ns3::IwarpNetwork network;                       //!< network
    ns3::IpsecHelper ipsec;                          //!< made it
    ns3::Ptr<IpsecTestBox> box;                      //!< between the routers
    std::vector<ns3::Ptr<ns3::IpsecStack>> hosts;    //!< IPsec of the hosts
    std::vector<ns3::Ptr<ns3::IpsecStack>> gateways; //!< IPsec of the routers
    std::vector<Datagram> sent;                      //!< what host 0 sent
    std::vector<Datagram> crossed;                   //!< what went on from router 0
    std::vector<Datagram> answered;                  //!< what host 1 sent
    std::vector<uint32_t> emss{0};                   //!< host 0's, one after the other
    std::vector<uint32_t> fpdus{0};                  //!< octets of host 0's
    ns3::Ptr<ns3::MpaSink> sink;                     //!< at host 1
    uint32_t errors{0};                              //!< of host 0's MPA stream before all has come
    std::string reason;                              //!< of the last of these
    ns3::Time last;                                  //!< when the last message came

  private:
    void Protect()
    {
        using namespace ns3;
        ipsec.GetProposal() = setup.proposal;
        if (setup.keying)
        {
            ipsec.SetKeying(setup.keying);
        }
        ipsec.SetAttribute("DontFragment", iwarp::MakeEnumValue(setup.dontFragment));
        ipsec.SetAttribute("Fragments", iwarp::MakeEnumValue(setup.fragments));
        ipsec.SetAttribute(
            "OtherTraffic",
            iwarp::MakeEnumValue(setup.deny ? IpsecAction::DISCARD : IpsecAction::BYPASS));
        const auto place = setup.place;
        if (place == IpsecPlace::GATEWAY || place == IpsecPlace::NESTED)
        {
            for (const uint32_t i : {0, 1})
            {
                gateways.push_back(ipsec.InstallGateway(network.GetRouter(i)));
                IpsecSelector selector;
                selector.source = IpsecPrefix(GetHostAddress(i));
                selector.destination = IpsecPrefix(GetHostAddress(1 - i));
                ipsec.ProtectTunnel(gateways[i],
                                    selector,
                                    GetRouterAddress(i),
                                    GetRouterAddress(1 - i));
            }
        }
        if (place == IpsecPlace::NOWHERE || place == IpsecPlace::GATEWAY)
        {
            return;
        }
        const NodeContainer nodes(network.GetHost(0), network.GetHost(1));
        for (const uint32_t i : {0, 1})
        {
            hosts.push_back(ipsec.Install(nodes.Get(i)));
            if (place == IpsecPlace::TUNNEL)
            {
                IpsecSelector selector;
                selector.source = IpsecPrefix(GetHostAddress(i));
                selector.destination = IpsecPrefix(GetHostAddress(1 - i));
                ipsec.ProtectTunnel(hosts[i], selector, GetHostAddress(i), GetHostAddress(1 - i));
            }
        }
        if (place != IpsecPlace::TUNNEL)
        {
            ipsec.ProtectTransport(nodes);
        }
    }

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
        if (setup.interval > 0)
        {
            senders.SetAttribute("Intervals",
                                 StringValue("ns3::ConstantRandomVariable[Constant=" +
                                             std::to_string(setup.interval) + "]"));
        }
        sink = DynamicCast<MpaSink>(sinks.Install(network.GetHost(1)).Get(0));
        auto sender = senders.Install(network.GetHost(0));
        sender.Start(MilliSeconds(1));
        sink->TraceConnectWithoutContext("MessageReceived",
                                         MakeCallback(&IpsecRun::HandleMessage, this));
        sender.Get(0)->TraceConnectWithoutContext("StreamCreated",
                                                  MakeCallback(&IpsecRun::HandleSender, this));
    }

    void Watch(ns3::Ptr<ns3::NetDevice> device, std::vector<Datagram>& seen)
    {
        using Seen = std::vector<Datagram>;
        device->TraceConnectWithoutContext(
            "PhyTxEnd",
            ns3::MakeBoundCallback(
                +[](IpsecRun* run, Seen* list, ns3::Ptr<const ns3::Packet> p) {
                    run->HandlePacket(*list, p);
                },
                this,
                &seen));
    }

    void HandlePacket(std::vector<Datagram>& seen, const ns3::Ptr<const ns3::Packet>& packet)
    {
        uint8_t o[12] = {};
        packet->CopyData(o, sizeof(o)); // 2 octets of PPP
        const uint8_t* ip = o + 2;
        const bool v6 = ip[0] >> 4 == 6;
        const uint8_t protocol = v6 ? ip[6] : ip[9];
        const auto tos = static_cast<uint8_t>(v6 ? ip[0] << 4 | ip[1] >> 4 : ip[1]);
        if (protocol != 58) // neighbour discovery
        {
            seen.push_back({ns3::Simulator::Now(),
                            packet->GetSize() - 2,
                            protocol,
                            tos,
                            !v6 && (ip[6] & 0x40) != 0,
                            v6 ? protocol == 44 : ((ip[6] & 0x3F) != 0 || ip[7] != 0)});
        }
    }

    void HandleSender(ns3::Ptr<ns3::MpaStream> stream)
    {
        emss.push_back(stream->GetSocket()->GetEmss());
        stream->GetSocket()->TraceConnectWithoutContext(
            "Emss",
            ns3::MakeCallback(&IpsecRun::HandleEmss, this));
        stream->TraceConnectWithoutContext("Error",
                                           ns3::MakeCallback(&IpsecRun::HandleError, this));
        stream->TraceConnectWithoutContext("FpduSent",
                                           ns3::MakeCallback(&IpsecRun::HandleFpdu, this));
    }

    void HandleEmss(uint32_t /* before */, uint32_t now)
    {
        emss.push_back(now);
    }

    void HandleError(ns3::MpaError /* error */, const std::string& text)
    {
        if (!IsDone()) // the end of the connection comes after that
        {
            ++errors;
            reason = text;
        }
    }

    void HandleFpdu(uint32_t /* seq */, uint32_t /* ulpdu */, uint32_t wire)
    {
        fpdus.push_back(wire);
    }

    void HandleMessage(ns3::Ptr<ns3::MpaStream> /* stream */,
                       uint32_t /* message */,
                       uint64_t /* size */)
    {
        last = ns3::Simulator::Now();
    }
};

/// A test of runs at one place and in one mode of ESP, if the library has that mode.
class IpsecRunTestCase : public ns3::TestCase
{
  protected:
    /// @param name of the case @param place where there is IPsec @param mode of ESP
    IpsecRunTestCase(const std::string& name, IpsecPlace place, ns3::EspCodec::Mode mode)
        : TestCase(name + ", place " + std::to_string(static_cast<int>(place)) +
                   (mode == ns3::EspCodec::Mode::REAL ? ", real" : "")),
          m_place(place),
          m_mode(mode)
    {
    }

    /// Run and check. @param setup with place and mode
    virtual void DoRunWith(IpsecSetup setup) = 0;

  private:
    void DoRun() override
    {
        if (m_mode == ns3::EspCodec::Mode::REAL && !ns3::EspCodec::HasReal())
        {
            return;
        }
        IpsecSetup setup;
        setup.place = m_place;
        setup.proposal.codec = m_mode;
        DoRunWith(setup);
    }

    const IpsecPlace m_place;         //!< where there is IPsec
    const ns3::EspCodec::Mode m_mode; //!< of ESP
};

#endif // IPSEC_RUN_H
