/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "../mpa/mpa-stream-fixture.h"

#include "ns3/boolean.h"
#include "ns3/inet-socket-address.h"
#include "ns3/rdma-connection.h"
#include "ns3/rdma-protection-domain.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <cerrno>

using namespace ns3;

namespace
{

/// Suite of connections.
IWARP_TEST_SUITE(rdmaConnection, "rdma-connection");

using Kind = RdmaConnectionEvent::Kind;

/// A connecting and a listening host; each sends one message as soon as it is told that it may.
class Link
{
  public:
    Link()
    {
        for (uint32_t i = 0; i < 2; i++)
        {
            auto device = RdmaDevice::Get(m_hosts.GetNode(i));
            auto pd = device->AllocPd();
            m_ends[i].region = pd->RegisterVirtual(1000, DDP_ACCESS_LOCAL_WRITE);
            RdmaQueuePairConfig config;
            config.sendCq = config.receiveCq = m_ends[i].cq = device->CreateCq(10);
            m_ends[i].pair = pd->CreateQp(config);
            m_ends[i].pair->Modify(RdmaQpState::INIT);
            m_ends[i].pair->PostReceive({1, {m_ends[i].region->GetSge(0, 100)}});
            m_ends[i].connection = RdmaConnection::Create(m_hosts.GetNode(i));
            m_ends[i].connection->SetEventCallback(MakeCallback(&Link::Handle, this));
        }
    }

    ~Link()
    {
        Simulator::Destroy();
    }

    /// Connect and simulate. @return what the first call that fails returns
    int Run()
    {
        const int error = Listener()->Listen(InetSocketAddress(Ipv4Address::GetAny(), 4791));
        Connector()->SetQp(m_ends[0].pair);
        Simulator::Schedule(MilliSeconds(10), &Link::Resolve, this);
        Simulator::Stop(Seconds(20));
        Simulator::Run();
        return error != 0 ? error : m_error;
    }

    Ptr<RdmaConnection> Connector() const //!< @return the connection that connects
    {
        return m_ends[0].connection;
    }

    Ptr<RdmaConnection> Listener() const //!< @return the connection that listens
    {
        return m_ends[1].connection;
    }

    Ptr<RdmaConnection> Accepted() const //!< @return the connection that was asked for
    {
        return m_accepted;
    }

    /// @param end 0 connects, 1 listens @param kind kind @return events of that kind there
    uint32_t Count(uint32_t end, Kind kind) const
    {
        uint32_t count = 0;
        for (const auto& event : m_ends[end].events)
        {
            count += event.kind == kind;
        }
        return count;
    }

    /// @return text of the first event of a kind at the end that connects @param kind kind
    std::string Reason(Kind kind) const
    {
        for (const auto& event : m_ends[0].events)
        {
            if (event.kind == kind)
            {
                return event.reason;
            }
        }
        return "";
    }

    /// @param end an end @return messages received there
    uint32_t Received(uint32_t end) const
    {
        uint32_t count = 0;
        RdmaCompletion completion;
        while (m_ends[end].cq->Poll(completion) > 0)
        {
            count += completion.opcode == RdmaCompletionOpcode::RECEIVE &&
                     completion.status == RdmapStatus::SUCCESS && completion.octets == 10;
        }
        return count;
    }

    /// @param end an end @return its requesting side
    const RdmapRequester& Requester(uint32_t end) const
    {
        return m_ends[end].pair->GetStream()->GetEndpoint()->GetRequester();
    }

    RdmaConnectionParameters parameters; //!< for Connect()

  private:
    /// An end.
    struct End
    {
        Ptr<RdmaMemoryRegion> region;            //!< memory
        Ptr<RdmaCompletionQueue> cq;             //!< completions
        Ptr<RdmaQueuePair> pair;                 //!< queue pair
        Ptr<RdmaConnection> connection;          //!< connects or listens
        std::vector<RdmaConnectionEvent> events; //!< what happened
    };

    void Resolve() //!< look for the listening host
    {
        Connector()->ResolveAddress(InetSocketAddress(Ipv4Address("10.0.0.2"), 4791));
    }

    /// @param connection it @param event what
    void Handle(Ptr<RdmaConnection> connection, const RdmaConnectionEvent& event)
    {
        End& end = m_ends[connection == Connector() ? 0 : 1];
        end.events.push_back(event);
        switch (event.kind)
        {
        case Kind::ADDRESS_RESOLVED:
            connection->ResolveRoute();
            break;
        case Kind::ROUTE_RESOLVED:
            m_error = connection->Connect(parameters);
            break;
        case Kind::CONNECT_REQUEST:
            m_accepted = connection;
            m_accepted->SetQp(m_ends[1].pair);
            m_accepted->Accept({});
            break;
        case Kind::ESTABLISHED: {
            RdmaSendRequest request;
            request.sges = {end.region->GetSge(0, 10)};
            end.pair->PostSend(request);
            break;
        }
        default:
            break;
        }
    }

    MpaLinkedHosts m_hosts;         //!< network
    End m_ends[2];                  //!< connecting, listening
    Ptr<RdmaConnection> m_accepted; //!< the listening side's connection
    int m_error{0};                 //!< what Connect() returned
};

/// A peer that knows revision 1 alone ends TCP, and is tried once more.
IWARP_TEST(rdmaConnection, "an unenhanced peer is connected with revision 1")
{
    {
        Link link;
        link.Listener()->SetAttribute("Revision", UintegerValue(1));
        link.parameters.privateData = {7};
        NS_TEST_EXPECT_MSG_EQ(link.Run(), 0, "no error");
        NS_TEST_EXPECT_MSG_EQ(link.Count(0, Kind::ESTABLISHED), 1, "established");
        IWARP_COVERS("ENH-10-7 ENH-10-6");
        NS_TEST_EXPECT_MSG_EQ(link.Count(0, Kind::CONNECT_ERROR), 0, "and nothing else");
        NS_TEST_EXPECT_MSG_EQ(link.Count(1, Kind::CONNECT_REQUEST), 1, "one request");
        IWARP_COVERS("ENH-10-8");
        NS_TEST_EXPECT_MSG_EQ(link.Received(0), 1, "a receive posted early is kept");
        NS_TEST_EXPECT_MSG_EQ(link.Received(1), 1, "and one at the other end");
        const auto& frame = link.Accepted()->GetMpa()->GetPeerFrame();
        NS_TEST_EXPECT_MSG_EQ(+frame.revision, 1, "revision of the second Request");
        NS_TEST_EXPECT_MSG_EQ(frame.IsEnhanced(), false, "S=0");
        IWARP_COVERS("ENH-10-2 ENH-10-3");
        NS_TEST_EXPECT_MSG_EQ((frame.privateData == std::vector<uint8_t>{7}),
                              true,
                              "the same private data, without the enhanced word");
        NS_TEST_EXPECT_MSG_EQ(link.Requester(0).GetOrd(), 16, "ORD is what the ULP wants");
    }
    {
        Link link;
        link.Listener()->SetAttribute("Revision", UintegerValue(1));
        link.Connector()->SetAttribute("RetryUnenhanced", BooleanValue(false));
        link.Run();
        NS_TEST_EXPECT_MSG_EQ(link.Count(0, Kind::ESTABLISHED), 0, "not established");
        NS_TEST_EXPECT_MSG_EQ(link.Count(0, Kind::CONNECT_ERROR), 1, "an error");
        NS_TEST_EXPECT_MSG_NE(link.Reason(Kind::CONNECT_ERROR).find("revision 1"),
                              std::string::npos,
                              link.Reason(Kind::CONNECT_ERROR));
    }
    {
        Link link;
        link.Listener()->SetAttribute("Revision", UintegerValue(1));
        link.Connector()->SetAttribute("PeerToPeer", BooleanValue(true));
        link.Run();
        NS_TEST_EXPECT_MSG_EQ(link.Count(0, Kind::CONNECT_ERROR), 1, "revision 1 has no RTR");
        IWARP_COVERS("ENH-10-4");
    }
    {
        Link link;
        link.Connector()->SetAttribute("Revision", UintegerValue(1));
        NS_TEST_EXPECT_MSG_EQ(link.Run(), 0, "no error");
        NS_TEST_EXPECT_MSG_EQ(link.Count(0, Kind::ESTABLISHED), 1, "revision 1 is accepted");
    }
}

/// IRD, ORD and indications as the attributes say.
IWARP_TEST(rdmaConnection, "attributes decide what is negotiated")
{
    {
        Link link;
        link.Connector()->SetAttribute("Ord", UintegerValue(20));
        link.Connector()->SetAttribute("Ird", UintegerValue(3));
        link.Listener()->SetAttribute("MaxIrd", UintegerValue(4));
        NS_TEST_EXPECT_MSG_EQ(link.Run(), 0, "no error");
        NS_TEST_EXPECT_MSG_EQ(link.Requester(0).GetOrd(), 4, "what the peer grants");
        IWARP_COVERS("ENH-9.1-16 ENH-9.1-10");
        NS_TEST_EXPECT_MSG_EQ(link.Requester(1).GetOrd(), 3, "what the Initiator grants");
    }
    {
        Link link;
        link.Connector()->SetAttribute("Ord", UintegerValue(20));
        link.Connector()->SetAttribute("StrictIrd", BooleanValue(true));
        link.Listener()->SetAttribute("MaxIrd", UintegerValue(4));
        link.Run();
        NS_TEST_EXPECT_MSG_EQ(link.Count(0, Kind::CONNECT_ERROR), 1, "too few");
    }
    {
        Link link;
        link.Connector()->SetAttribute("Ird", UintegerValue(3));
        link.Listener()->SetAttribute("MinOrd", UintegerValue(4));
        link.Run();
        NS_TEST_EXPECT_MSG_EQ(link.Count(0, Kind::REJECTED), 1, "the peer needs more");
        IWARP_COVERS("ENH-9.1-13");
    }

    const struct
    {
        bool send;
        bool write;
        bool read;
        MpaRtr rtr;
    } kinds[] = {{true, false, false, MpaRtr::SEND},
                 {false, true, false, MpaRtr::WRITE},
                 {false, false, true, MpaRtr::READ}};

    for (const auto& kind : kinds)
    {
        Link link;
        link.Connector()->SetAttribute("PeerToPeer", BooleanValue(true));
        link.Connector()->SetAttribute("RtrSend", BooleanValue(kind.send));
        link.Connector()->SetAttribute("RtrWrite", BooleanValue(kind.write));
        link.Connector()->SetAttribute("RtrRead", BooleanValue(kind.read));
        link.Listener()->SetAttribute("RtrSend", BooleanValue(true));
        NS_TEST_EXPECT_MSG_EQ(link.Run(), 0, "no error");
        NS_TEST_EXPECT_MSG_EQ((link.Connector()->GetMpa()->GetResult().enhanced.rtr == kind.rtr),
                              true,
                              "indication");
        IWARP_COVERS("ENH-5-3 ENH-9.2-12 ENH-9.2-4");
        NS_TEST_EXPECT_MSG_EQ(link.Received(0), 1, "messages of the side that listens");
    }
    {
        Link link;
        link.Connector()->SetAttribute("PeerToPeer", BooleanValue(true));
        link.Connector()->SetAttribute("RtrRead", BooleanValue(false));
        link.Listener()->SetAttribute("RtrWrite", BooleanValue(false));
        link.Run();
        NS_TEST_EXPECT_MSG_EQ(link.Count(0, Kind::CONNECT_ERROR), 1, "no common indication");
        IWARP_COVERS("ENH-9.2-13");
    }
    {
        Link link;
        link.Connector()->SetAttribute("RtrWrite", BooleanValue(false));
        link.Connector()->SetAttribute("RtrRead", BooleanValue(false));
        NS_TEST_EXPECT_MSG_EQ(link.Run(), EINVAL, "no indication at all");
    }
    {
        Link link;
        link.parameters.initiatorDepth = 1000;
        NS_TEST_EXPECT_MSG_EQ(link.Run(), EMFILE, "more than the device takes");
    }
    {
        Link link;
        const BooleanValue off(false);
        for (const auto& connection : {link.Connector(), link.Listener()})
        {
            NS_TEST_EXPECT_MSG_EQ(connection->SetStreamAttribute("Markers", off), 0, "set");
            NS_TEST_EXPECT_MSG_EQ(connection->SetSocketAttribute("Packing", off), 0, "set");
        }
        NS_TEST_EXPECT_MSG_EQ(link.Connector()->SetStreamAttribute("Marker", off),
                              EINVAL,
                              "no such attribute");
        NS_TEST_EXPECT_MSG_EQ(link.Connector()->SetStreamAttribute("Revision", off),
                              EINVAL,
                              "the connection's own");
        NS_TEST_EXPECT_MSG_EQ(link.Connector()->SetSocketAttribute("MaxEmss", off),
                              EINVAL,
                              "no such value");
        NS_TEST_EXPECT_MSG_EQ(link.Run(), 0, "no error");
        NS_TEST_EXPECT_MSG_EQ(link.Connector()->GetMpa()->GetResult().txMarkers,
                              false,
                              "Markers off at the other end");
        NS_TEST_EXPECT_MSG_EQ(link.Connector()->GetMpa()->GetResult().rxMarkers,
                              false,
                              "Markers off");
        BooleanValue packing;
        link.Accepted()->GetMpa()->GetSocket()->GetAttribute("Packing", packing);
        NS_TEST_EXPECT_MSG_EQ(packing.Get(), false, "inherited by the connection accepted");
    }
}

} // namespace
