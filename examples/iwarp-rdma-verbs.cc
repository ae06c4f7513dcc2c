/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Verbs by hand: a client writes a text into a server's memory, reads it back, counts in that
// memory and sends a note. The server tells in its private data where its memory is. With --fast it
// opens that memory with a work request (fast registration), and closes it with another.
//
//     client ------------- server
//             rate, delay

#include "ns3/boolean.h"
#include "ns3/command-line.h"
#include "ns3/data-rate.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/iwarp-helper.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/rdma-connection.h"
#include "ns3/rdma-protection-domain.h"
#include "ns3/rnic-helper.h"
#include "ns3/rnic-profile.h"
#include "ns3/simulator.h"
#include "ns3/util-attribute-text.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint64_t TEXT = 0;       //!< where the client's text and the server's copy are
constexpr uint64_t COUNTER = 4096; //!< where the server counts
constexpr uint64_t BACK = 8192;    //!< where the client reads the text back to
constexpr uint64_t OLD = 12288;    //!< where the client gets what the counter was
constexpr uint64_t LENGTH = 16384; //!< octets of each side's memory
constexpr double START = 2;        //!< s: IPv6 addresses are known to be unique by then
constexpr uint32_t DEPTH = 16;     //!< completions that fit a queue

/// What both sides have: memory, a queue of completions, a queue pair, a connection.
class Side
{
  public:
    /// @param name for people @param node host @param markers ask the peer for Markers
    Side(std::string name, Ptr<Node> node, bool markers)
        : m_name(std::move(name)),
          m_pd(RdmaDevice::Get(node)->AllocPd()),
          m_cq(RdmaDevice::Get(node)->CreateCq(DEPTH)),
          m_region(m_pd->RegisterBacked(LENGTH,
                                        DDP_ACCESS_LOCAL_WRITE | DDP_ACCESS_REMOTE_WRITE |
                                            DDP_ACCESS_REMOTE_READ | DDP_ACCESS_REMOTE_ATOMIC)),
          m_connection(RdmaConnection::Create(node))
    {
        RdmaQueuePairConfig config;
        config.sendCq = config.receiveCq = m_cq;
        m_pair = m_pd->CreateQp(config);
        m_pair->Modify(RdmaQpState::INIT); // receives may be posted
        m_cq->SetNotifyCallback(MakeCallback(&Side::HandleCompletions, this));
        m_cq->RequestNotify();
        m_connection->SetStreamAttribute("Markers", BooleanValue(markers));
        m_connection->SetEventCallback(MakeCallback(&Side::HandleEvent, this));
    }

    virtual ~Side() = default;

  protected:
    /// @param connection which @param event what happened to it
    virtual void HandleEvent(Ptr<RdmaConnection> connection, const RdmaConnectionEvent& event) = 0;
    /// @param completion a work request that has ended well
    virtual void HandleCompletion(const RdmaCompletion& completion) = 0;

    /// Tell of something. @param text what
    void Print(const std::string& text) const
    {
        std::cout << std::fixed << std::setprecision(2) << std::setw(7)
                  << (Simulator::Now() - Seconds(START)).ToDouble(Time::US) << " us  " << m_name
                  << ": " << text << '\n';
    }

    const std::string m_name;         //!< for people
    Ptr<RdmaProtectionDomain> m_pd;   //!< what belongs together
    Ptr<RdmaCompletionQueue> m_cq;    //!< completions
    Ptr<RdmaMemoryRegion> m_region;   //!< memory
    Ptr<RdmaQueuePair> m_pair;        //!< queue pair
    Ptr<RdmaConnection> m_connection; //!< its connection; the server's listens

  private:
    /// Completions are there. @param cq the queue
    void HandleCompletions(Ptr<RdmaCompletionQueue> cq)
    {
        cq->RequestNotify(); // first, so that none that comes now is missed
        RdmaCompletion completion;
        while (cq->Poll(completion) > 0)
        {
            if (completion.status == RdmapStatus::SUCCESS)
            {
                HandleCompletion(completion);
            }
            else if (completion.status != RdmapStatus::FLUSHED)
            {
                Print("work request " + std::to_string(completion.id) + " failed");
            }
        }
    }
};

/// The server: says where its memory is, and waits for a note.
class Server : public Side
{
  public:
    /// @param node host @param markers as for Side @param local where to listen
    /// @param fast register by work requests
    Server(Ptr<Node> node, bool markers, const Address& local, bool fast)
        : Side("server", node, markers),
          m_open(m_region)
    {
        if (fast)
        {
            m_open = m_pd->AllocMr(LENGTH / RdmaMemoryRegion::PAGE);
            m_open->Map(m_region->GetMemory(), 0, LENGTH, 0);
        }
        m_pair->PostReceive({1, {m_region->GetSge(BACK, 64)}});
        m_connection->Listen(local);
    }

    /// @return what the client has written
    std::string GetText() const
    {
        return m_text;
    }

  private:
    void HandleEvent(Ptr<RdmaConnection> connection, const RdmaConnectionEvent& event) override
    {
        if (event.kind != RdmaConnectionEvent::Kind::CONNECT_REQUEST)
        {
            return;
        }
        RdmaConnectionParameters parameters;
        parameters.privateData.resize(12);
        boost::endian::store_big_u64(&parameters.privateData[0], m_region->GetAddress());
        boost::endian::store_big_u32(&parameters.privateData[8], m_open->GetRkey());
        m_client = connection;
        m_client->SetQp(m_pair);
        m_client->Accept(parameters);
        if (m_open != m_region)
        {
            RdmaSendRequest request; // its key is known before it is done
            request.opcode = RdmaOpcode::REG_MR;
            request.flags = RDMA_SEND_SIGNALED;
            request.region = m_open;
            request.registerAccess = m_region->GetAccess();
            m_pair->PostSend(request);
        }
    }

    void HandleCompletion(const RdmaCompletion& completion) override
    {
        if (completion.opcode != RdmaCompletionOpcode::RECEIVE)
        {
            const bool opened = completion.opcode == RdmaCompletionOpcode::REG_MR;
            Print(opened ? "my memory is open" : "and closed again");
            return;
        }
        std::vector<uint8_t> text(completion.octets); // the note is as long as the text
        m_region->GetMemory()->Read(TEXT, text.data(), text.size());
        m_text.assign(text.begin(), text.end());
        Print("a note has come, my memory says \"" + m_text + '"');
        if (m_open != m_region)
        {
            RdmaSendRequest request;
            request.opcode = RdmaOpcode::LOCAL_INVALIDATE;
            request.flags = RDMA_SEND_SIGNALED;
            request.rkey = m_open->GetRkey();
            m_pair->PostSend(request);
        }
    }

    Ptr<RdmaMemoryRegion> m_open; //!< what the client may use
    Ptr<RdmaConnection> m_client; //!< the client's connection
    std::string m_text;           //!< written by the client
};

/// The client: writes, reads, counts and sends, one after the other.
class Client : public Side
{
  public:
    /// @param node host @param markers as for Side @param text octets to write
    Client(Ptr<Node> node, bool markers, std::string text)
        : Side("client", node, markers),
          m_text(std::move(text))
    {
        m_region->GetMemory()->Write(TEXT,
                                     reinterpret_cast<const uint8_t*>(m_text.data()),
                                     m_text.size(),
                                     m_text.size());
        m_connection->SetQp(m_pair);
    }

    /// Connect, and do the work. @param peer where the server listens
    void Connect(Address peer)
    {
        m_connection->ResolveAddress(peer);
    }

    /// @return what was read back
    std::string GetBack() const
    {
        return m_back;
    }

  private:
    void HandleEvent(Ptr<RdmaConnection> connection, const RdmaConnectionEvent& event) override
    {
        using Kind = RdmaConnectionEvent::Kind;
        switch (event.kind)
        {
        case Kind::ADDRESS_RESOLVED:
            connection->ResolveRoute();
            break;
        case Kind::ROUTE_RESOLVED:
            connection->Connect({});
            break;
        case Kind::ESTABLISHED:
            Post(boost::endian::load_big_u64(&event.privateData[0]),
                 boost::endian::load_big_u32(&event.privateData[8]));
            break;
        case Kind::UNREACHABLE:
        case Kind::CONNECT_ERROR:
        case Kind::REJECTED:
            Print("not connected: " + event.reason);
            break;
        default:
            break;
        }
    }

    /// Post all work; the queue pair does it in this order. @param address of the server's memory
    /// @param rkey its key
    void Post(uint64_t address, uint32_t rkey)
    {
        Print("connected");
        const auto size = static_cast<uint32_t>(m_text.size());
        RdmaSendRequest request;
        request.rkey = rkey;
        request.flags = RDMA_SEND_SIGNALED; // tell when it is done

        request.opcode = RdmaOpcode::RDMA_WRITE;
        request.remoteAddress = address + TEXT;
        request.sges = {m_region->GetSge(TEXT, size)};
        m_pair->PostSend(request);

        request.opcode = RdmaOpcode::RDMA_READ;
        request.sges = {m_region->GetSge(BACK, size)};
        m_pair->PostSend(request);

        request.opcode = RdmaOpcode::ATOMIC_FETCH_ADD;
        request.remoteAddress = address + COUNTER;
        request.compareAdd = 1;
        request.sges = {m_region->GetSge(OLD, sizeof(uint64_t))};
        m_pair->PostSend(request);

        request = {};
        request.sges = {m_region->GetSge(TEXT, size)};
        request.flags = RDMA_SEND_SIGNALED | RDMA_SEND_FENCE; // when Read and Atomic are over
        m_pair->PostSend(request);
    }

    void HandleCompletion(const RdmaCompletion& completion) override
    {
        switch (completion.opcode)
        {
        case RdmaCompletionOpcode::RDMA_WRITE:
            Print("RDMA Write: its memory may be used again");
            break;
        case RdmaCompletionOpcode::RDMA_READ: {
            std::vector<uint8_t> text(completion.octets);
            m_region->GetMemory()->Read(BACK, text.data(), text.size());
            m_back.assign(text.begin(), text.end());
            Print("RDMA Read: \"" + m_back + '"');
            break;
        }
        case RdmaCompletionOpcode::FETCH_ADD: {
            uint64_t old = 0;
            m_region->GetMemory()->Read(OLD, reinterpret_cast<uint8_t*>(&old), sizeof(old));
            Print("Fetch and Add: the counter was " + std::to_string(old));
            break;
        }
        default:
            Print("Send: its memory may be used again");
            m_connection->Disconnect();
            break;
        }
    }

    const std::string m_text; //!< to write
    std::string m_back;       //!< read back
};

/// Assign addresses. @param devices both ends of the link @param ipv6 IPv6 rather than IPv4
/// @param [out] local where the server listens @return where the client finds it
Address
AssignAddresses(const NetDeviceContainer& devices, bool ipv6, Address& local)
{
    const uint16_t port = 20049;
    if (ipv6)
    {
        Ipv6AddressHelper addresses(Ipv6Address("2001:db8::"), Ipv6Prefix(64));
        local = Inet6SocketAddress(Ipv6Address::GetAny(), port);
        return Inet6SocketAddress(addresses.Assign(devices).GetAddress(1, 1), port);
    }
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
    local = InetSocketAddress(Ipv4Address::GetAny(), port);
    return InetSocketAddress(addresses.Assign(devices).GetAddress(1), port);
}

} // namespace

int
main(int argc, char* argv[])
{
    std::string text = "written by RDMA";
    DataRate rate("10Gbps");
    std::string delayText = "5us";
    std::string rnic;
    bool markers = true;
    bool ipv6 = false;
    bool fast = false;
    std::string pcap;

    CommandLine cmd(__FILE__);
    cmd.AddValue("text", "what to write, 1 to 64 octets", text);
    cmd.AddValue("rate", "rate of the link", rate);
    cmd.AddValue("delay", "propagation delay of the link", delayText);
    cmd.AddValue("rnic", "RNIC of both hosts: ideal, t5-like, e810-like, siw-like; or none", rnic);
    cmd.AddValue("markers", "use Markers", markers);
    cmd.AddValue("ipv6", "use IPv6 rather than IPv4", ipv6);
    cmd.AddValue("fast", "the server registers its memory by a work request", fast);
    cmd.AddValue("pcap", "write pcap files whose names begin with this", pcap);
    cmd.Parse(argc, argv);
    if (!iwarp::HasOnlyOptions(cmd))
    {
        return 2;
    }

    Time delay;
    if (text.empty() || text.size() > 64 || !iwarp::ParseTime(delayText, delay) ||
        rate.GetBitRate() == 0 || (!rnic.empty() && !RnicProfile::Has(rnic)))
    {
        std::cerr << "--text takes 1 to 64 octets, --delay a time such as 5us, --rate more than 0, "
                     "--rnic a profile: "
                     "ideal, t5-like, e810-like or siw-like\n";
        return 2;
    }

    NodeContainer nodes(2);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", DataRateValue(rate));
    link.SetChannelAttribute("Delay", TimeValue(delay));
    NetDeviceContainer devices = link.Install(nodes);
    InternetStackHelper().Install(nodes);
    IwarpHelper().Install(nodes);
    if (!rnic.empty())
    {
        RnicHelper(rnic).Install(nodes);
    }

    Address local;
    const Address remote = AssignAddresses(devices, ipv6, local);
    if (!pcap.empty())
    {
        IwarpHelper::EnablePcap(pcap, nodes);
    }

    Server server(nodes.Get(1), markers, local, fast);
    Client client(nodes.Get(0), markers, text);
    Simulator::Schedule(Seconds(START), &Client::Connect, &client, remote);
    Simulator::Stop(Seconds(100));
    Simulator::Run();
    const bool good = server.GetText() == text && client.GetBack() == text;
    Simulator::Destroy();
    return good ? 0 : 1;
}
