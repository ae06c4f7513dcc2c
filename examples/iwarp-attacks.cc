/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Attacks of a peer that RFC 5042 speaks of. A server has a connection to an honest client and one
// to an attacker, who misuses his. What has to be refused is refused with the Terminate that is
// expected, the server's memory stays as it was, and the honest connection goes on; the status is
// the number of attacks of which that is not so.
//
//     honest client -------- router -------- server
//     attacker     ------------|

#include "ns3/boolean.h"
#include "ns3/command-line.h"
#include "ns3/iwarp-network.h"
#include "ns3/rdma-connection.h"
#include "ns3/rdma-protection-domain.h"
#include "ns3/rdma-shared-receive-queue.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/util-attribute-text.h"

#include <functional>
#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint32_t SIZE = 65536;       //!< octets of each region
constexpr uint32_t NOTE = 1000;        //!< octets of the honest client's messages
constexpr uint32_t NOTES = 20;         //!< how many there are
constexpr uint16_t PORTS[] = {20, 21}; //!< of the honest client, and of the attacker
constexpr uint32_t BUFFERS = 32;       //!< receives of each queue pair
constexpr uint8_t SECRET = 0x5A;       //!< each octet of the server's memory
constexpr uint32_t ALL = DDP_ACCESS_LOCAL_WRITE | DDP_ACCESS_REMOTE_WRITE | DDP_ACCESS_REMOTE_READ |
                         DDP_ACCESS_MW_BIND; //!< rights

/// One end of a connection: memory, queues, queue pair.
struct End
{
    Ptr<RdmaProtectionDomain> pd;   //!< what belongs together
    Ptr<RdmaCompletionQueue> cq;    //!< completions
    Ptr<RdmaMemoryRegion> region;   //!< memory
    Ptr<RdmaQueuePair> pair;        //!< queue pair
    Ptr<RdmaConnection> connection; //!< its connection

    /// @param node host @param domain of the server's, or nullptr for a new one
    /// @param capacity of the completion queue @param fill each octet of its memory
    void Open(const Ptr<Node>& node,
              const Ptr<RdmaProtectionDomain>& domain,
              uint32_t capacity,
              uint8_t fill)
    {
        const auto device = RdmaDevice::Get(node);
        pd = domain ? domain : device->AllocPd();
        cq = device->CreateCq(capacity);
        region = pd->RegisterBacked(SIZE, ALL);
        const std::vector<uint8_t> octets(SIZE, fill);
        region->GetMemory()->Write(0, octets.data(), SIZE, SIZE);
        connection = RdmaConnection::Create(node);
    }

    /// @param srq of the receives, or nullptr
    void MakePair(const Ptr<RdmaSharedReceiveQueue>& srq)
    {
        RdmaQueuePairConfig config;
        config.sendCq = config.receiveCq = cq;
        config.srq = srq;
        config.maxSendWr = 1024;
        pair = pd->CreateQp(config);
        pair->Modify(RdmaQpState::INIT);
    }

    /// @param opcode what @param rkey key at the peer @param address there @param length octets
    void Post(RdmaOpcode opcode, uint32_t rkey, uint64_t address, uint32_t length) const
    {
        RdmaSendRequest request;
        request.opcode = opcode;
        request.flags = RDMA_SEND_SIGNALED;
        request.sges = {region->GetSge(0, length)};
        request.remoteAddress = address;
        request.rkey = rkey;
        pair->PostSend(request);
    }

    /// @return whether its memory is as it was
    bool IsUntouched() const
    {
        std::vector<uint8_t> octets(SIZE);
        return !region->GetMemory() || !region->GetMemory()->Read(0, octets.data(), SIZE) ||
               octets == std::vector<uint8_t>(SIZE, SECRET);
    }
};

class Scene;

/// An attack.
struct Attack
{
    std::string name;                    //!< for the command line
    std::string section;                 //!< of RFC 5042
    std::string demand;                  //!< what is to become of it
    std::string refusal;                 //!< of the Terminate: layer/type/code; "" if there is none
    std::function<void(Scene&)> prepare; //!< before connections are made, or empty
    std::function<void(Scene&)> act;     //!< once they stand
    bool honest{true};                   //!< the honest connection goes on
};

/// Three hosts, and an attack.
class Scene
{
  public:
    Scene()
    {
        network.AddRouter();
        for (uint32_t i = 0; i < 3; i++)
        {
            network.AddHost(0, {DataRate("10Gbps"), MicroSeconds(1)});
        }
        network.InstallRoutes();
        for (const uint32_t i : {0, 1, 2})
        {
            RdmaDevice::Get(network.GetHost(i))->AssignStreams(10 + i);
        }
        const auto device = RdmaDevice::Get(network.GetHost(0));
        device->TraceConnectWithoutContext("Terminate",
                                           MakeCallback(&Scene::HandleTerminate, this));
        device->SetEventCallback(MakeCallback(&Scene::HandleEvent, this));
    }

    ~Scene()
    {
        Simulator::Destroy();
    }

    /// @param attack it @return whether it ended as it is to
    bool Run(const Attack& attack)
    {
        if (attack.prepare)
        {
            attack.prepare(*this);
        }
        const Ptr<RdmaProtectionDomain> domain =
            shared ? RdmaDevice::Get(network.GetHost(0))->AllocPd() : nullptr;
        const auto srq = shared ? domain->CreateSrq(64) : nullptr;
        for (const uint32_t i : {0, 1})
        {
            at[i].Open(network.GetHost(0), domain, i == 1 || common ? capacity : 1000, SECRET);
            at[i].cq = common ? at[0].cq : at[i].cq;
            at[i].MakePair(srq);
            peers[i].Open(network.GetHost(1 + i), nullptr, 2000, 0);
            peers[i].MakePair(nullptr);
            Listen(i);
        }
        for (const uint32_t i : {0, 1})
        {
            const auto buffer = at[i].pd->RegisterBacked(NOTE, ALL);
            for (uint32_t n = 0; n < BUFFERS; n++)
            {
                const RdmaReceiveRequest request{n, {buffer->GetSge(0, NOTE)}};
                srq ? srq->PostReceive(request) : at[i].pair->PostReceive(request);
            }
            m_buffers.push_back(buffer);
        }
        Simulator::Schedule(MilliSeconds(1), [this, &attack] { attack.act(*this); });
        Simulator::Stop(Seconds(1));
        Simulator::Run();
        return Judge(attack);
    }

    End at[2];               //!< the server's, of the honest client and of the attacker
    End peers[2];            //!< theirs
    bool shared{false};      //!< the server's queue pairs have one protection domain and receives
    bool common{false};      //!< the server's queue pairs have one completion queue
    uint32_t capacity{1000}; //!< of the completion queue for the attacker
    bool old{false};         //!< MPA of revision 1, that settles no depth of Reads
    bool overflow{false};    //!< a completion queue has overflowed
    bool unfair{false};      //!< the shared queue tells of one who takes too much

    IwarpNetwork network;                      //!< server, honest client, attacker
    std::vector<Ptr<RdmaMemoryRegion>> opened; //!< regions of the server's for the attacker

  private:
    /// Have one connect. @param i which
    void Listen(uint32_t i)
    {
        at[i].connection->SetEventCallback(MakeCallback(&Scene::HandleServer, this));
        at[i].connection->Listen(network.GetAnySocketAddress(PORTS[i]));
        const auto& connection = peers[i].connection;
        connection->SetEventCallback(MakeCallback(&Scene::HandlePeer, this));
        if (old && i == 1)
        {
            connection->SetAttribute("Revision", UintegerValue(1));
        }
        connection->SetQp(peers[i].pair);
        connection->ResolveAddress(network.GetHostSocketAddress(0, PORTS[i]));
    }

    void HandleServer(Ptr<RdmaConnection> connection, const RdmaConnectionEvent& event)
    {
        if (event.kind == RdmaConnectionEvent::Kind::CONNECT_REQUEST)
        {
            const uint32_t i = m_accepted++ == 0 ? 0 : 1; // the honest client asks first
            m_connections.push_back(connection);
            connection->SetQp(at[i].pair);
            RdmaConnectionParameters parameters;
            parameters.responderResources = 4;
            connection->Accept(parameters);
        }
    }

    void HandlePeer(Ptr<RdmaConnection> connection, const RdmaConnectionEvent& event)
    {
        using Kind = RdmaConnectionEvent::Kind;
        if (event.kind == Kind::ADDRESS_RESOLVED)
        {
            connection->ResolveRoute();
        }
        else if (event.kind == Kind::ROUTE_RESOLVED)
        {
            RdmaConnectionParameters parameters;
            parameters.initiatorDepth = 16;
            connection->Connect(parameters);
        }
        else if (event.kind == Kind::ESTABLISHED && connection == peers[0].connection)
        {
            SendNote(0);
        }
    }

    /// The honest client sends. @param n number of the message
    void SendNote(uint32_t n)
    {
        peers[0].Post(RdmaOpcode::SEND, 0, 0, NOTE);
        if (n + 1 < NOTES)
        {
            Simulator::Schedule(MicroSeconds(200), [this, n] { SendNote(n + 1); });
        }
    }

    void HandleTerminate(uint32_t number, const RdmapTerminate& terminate, bool byPeer)
    {
        if (!byPeer && number == at[1].pair->GetNumber() && m_refusal.empty())
        {
            m_refusal = terminate.Describe();
        }
    }

    void HandleEvent(RdmaEvent event, uint32_t /* number */)
    {
        overflow = overflow || event == RdmaEvent::CQ_ERROR;
        unfair = unfair || event == RdmaEvent::SRQ_UNFAIR;
    }

    /// @param attack it @return whether it ended as it is to
    bool Judge(const Attack& attack) const
    {
        uint32_t notes = 0;
        RdmaCompletion completion;
        while (at[0].cq->Poll(completion) > 0)
        {
            notes += completion.status == RdmapStatus::SUCCESS &&
                     completion.opcode == RdmaCompletionOpcode::RECEIVE;
        }
        const bool refused = attack.refusal.empty()
                                 ? m_refusal.empty()
                                 : m_refusal.find('(' + attack.refusal + ')') != std::string::npos;
        const bool stands = notes == NOTES;
        const bool good =
            refused && stands == attack.honest && at[0].IsUntouched() && at[1].IsUntouched();
        std::cout << std::left << std::setw(19) << attack.name << std::setw(9) << attack.section
                  << (m_refusal.empty() ? "no Terminate" : m_refusal) << "; honest connection "
                  << (stands ? "stands" : "lost") << (overflow ? "; CQ_ERROR" : "")
                  << (unfair ? "; SRQ_UNFAIR" : "") << (good ? "" : "; NOT AS EXPECTED") << '\n';
        return good;
    }

    std::vector<Ptr<RdmaMemoryRegion>> m_buffers;   //!< for what is received
    uint32_t m_accepted{0};                         //!< connections
    std::vector<Ptr<RdmaConnection>> m_connections; //!< the server's
    std::string m_refusal;                          //!< the Terminate for the attacker
};

/// @return attacks, in the order of RFC 5042
std::vector<Attack>
MakeAttacks()
{
    const auto write = [](uint32_t rkey, uint64_t address, uint32_t length, Scene& s) {
        s.peers[1].Post(RdmaOpcode::RDMA_WRITE, rkey, address, length);
    };
    return {
        {"guessed-stag",
         "6.1.1",
         "an STag that does not exist is refused",
         "1/1/0",
         {},
         [=](Scene& s) { write(0x12345678, 0, 100, s); }},
        {"stag-of-another",
         "6.1.1",
         "an STag of another protection domain is refused",
         "1/1/2",
         {},
         [=](Scene& s) { write(s.at[0].region->GetRkey(), 0, 100, s); }},
        {"overrun",
         "6.2.1",
         "a Write does not pass the end of the buffer",
         "1/1/1",
         {},
         [=](Scene& s) { write(s.at[1].region->GetRkey(), SIZE - 10, 100, s); }},
        {"after-invalidation",
         "6.2.2",
         "a buffer that was taken back cannot be changed",
         "1/1/0",
         {},
         [=](Scene& s) {
             const uint32_t rkey = s.at[1].region->GetRkey();
             s.at[1].region->Deregister();
             write(rkey, 0, 100, s);
         }},
        {"two-stags",
         "6.2.3",
         "of two STags for a buffer each has its own rights",
         "1/1/0",
         {},
         [=](Scene& s) { // the other may be written by
             const auto only =
                 s.at[1].pd->RegisterMemory(s.at[1].region->GetMemory(), 0, DDP_ACCESS_REMOTE_READ);
             s.opened.push_back(only);
             write(only->GetRkey(), 0, 100, s);
         }},
        {"probe",
         "6.3.1",
         "a Read does not pass the end of the buffer",
         "0/1/1",
         {},
         [](Scene& s) {
             s.peers[1].Post(RdmaOpcode::RDMA_READ, s.at[1].region->GetRkey(), SIZE - 10, 100);
         }},
        {"after-transfer",
         "6.3.3",
         "a window that is closed cannot be read",
         "0/1/0",
         {},
         [](Scene& s) {
             const auto window = s.at[1].pd->AllocMw();
             window->Bind(s.at[1].region,
                          0,
                          100,
                          DDP_ACCESS_REMOTE_READ,
                          s.at[1].pair->GetNumber());
             const uint32_t rkey = window->GetRkey();
             window->Deallocate();
             s.peers[1].Post(RdmaOpcode::RDMA_READ, rkey, 0, 100);
         }},
        {"write-only",
         "6.3.5",
         "a buffer for Writes cannot be read",
         "0/1/2",
         {},
         [](Scene& s) {
             const auto only =
                 s.at[1].pd->RegisterBacked(SIZE, DDP_ACCESS_LOCAL_WRITE | DDP_ACCESS_REMOTE_WRITE);
             s.opened.push_back(only);
             s.peers[1].Post(RdmaOpcode::RDMA_READ, only->GetRkey(), 0, 100);
         }},
        {"own-receives",
         "6.4.3.1",
         "who sends more than there are buffers ends alone",
         "1/2/2",
         {},
         [](Scene& s) {
             for (uint32_t i = 0; i < 100; i++)
             {
                 s.peers[1].Post(RdmaOpcode::SEND, 0, 0, 10);
             }
         }},
        {"shared-receives",
         "6.4.3.1",
         "of those who share buffers one can take all: share them only "
         "with whom you trust",
         "1/2/2",
         [](Scene& s) { s.shared = true; },
         [](Scene& s) {
             for (uint32_t i = 0; i < 100; i++)
             {
                 s.peers[1].Post(RdmaOpcode::SEND, 0, 0, 10);
             }
         },
         false},
        {"shared-completions",
         "6.4.3.2",
         "who shares a completion queue ends with it: share one only with whom you trust",
         "2/0/1",
         [](Scene& s) {
             s.common = true;
             s.capacity = 40; // twice what the honest client has it hold
         },
         [](Scene& s) {
             for (uint32_t i = 0; i < 30; i++)
             {
                 s.peers[1].Post(RdmaOpcode::SEND, 0, 0, 10);
             }
         },
         false},
        {"reads",
         "6.4.3.3",
         "more Reads than were agreed on are refused",
         "1/2/2",
         [](Scene& s) { s.old = true; },
         [](Scene& s) {
             for (uint32_t i = 0; i < 16; i++)
             {
                 s.peers[1].Post(RdmaOpcode::RDMA_READ, s.at[1].region->GetRkey(), 0, SIZE);
             }
         }},
        {"empty-writes",
         "6.4.4",
         "Writes of no octets harm nobody",
         "",
         {},
         [=](Scene& s) {
             for (uint32_t i = 0; i < 1000; i++)
             {
                 write(s.at[1].region->GetRkey(), 0, 0, s);
             }
         }},
        {"invalidate-another",
         "6.4.5",
         "an STag of another is not invalidated",
         "0/1/9",
         {},
         [](Scene& s) {
             s.peers[1].Post(RdmaOpcode::SEND_WITH_INVALIDATE, s.at[0].region->GetRkey(), 0, 10);
         }},
        {"own-completions",
         "6.4.6",
         "a completion queue that overflows ends its own connections",
         "2/0/1",
         [](Scene& s) { s.capacity = 4; },
         [](Scene& s) {
             for (uint32_t i = 0; i < 30; i++)
             {
                 s.peers[1].Post(RdmaOpcode::SEND, 0, 0, 10);
             }
         }},
    };
}

} // namespace

int
main(int argc, char* argv[])
{
    std::string name;
    bool list = false;
    CommandLine cmd(__FILE__);
    cmd.AddValue("attack", "run this one only", name);
    cmd.AddValue("list", "list the attacks, and what is to become of them", list);
    cmd.Parse(argc, argv);
    if (!iwarp::HasOnlyOptions(cmd))
    {
        return 2;
    }
    int failed = 0;
    bool known = name.empty();
    for (const auto& attack : MakeAttacks())
    {
        if (!name.empty() && name != attack.name)
        {
            continue;
        }
        known = true;
        if (list)
        {
            std::cout << std::left << std::setw(19) << attack.name << std::setw(9) << attack.section
                      << attack.demand << '\n';
            continue;
        }
        Scene scene;
        failed += scene.Run(attack) ? 0 : 1;
    }
    if (!known)
    {
        std::cerr << "there is no attack " << name << "; --list has them\n";
    }
    return known ? failed : 1;
}
