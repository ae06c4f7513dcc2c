/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_STARTUP_TEST_UTIL_H
#define RDMA_STARTUP_TEST_UTIL_H

#include "rdma-test-pair.h"

#include "ns3/mpa-tcp-socket-factory.h"
#include "ns3/net-device.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/// @file
/// @ingroup iwarp-tests
/// Startup of queue pairs as it is on the wire, and peers made by hand.

/// The startup frames that a host sends, as they are on the wire.
class StartupFrames
{
  public:
    /// @param device of the host
    explicit StartupFrames(ns3::Ptr<ns3::NetDevice> device)
    {
        device->TraceConnectWithoutContext("MacTx", ns3::MakeCallback(&StartupFrames::Note, this));
    }

    /// @return octets 16 to 23 of the last frame, flags to ORD, as hexadecimal digits
    std::string Last() const
    {
        static const char* const digits = "0123456789ABCDEF";
        std::string text;
        for (std::size_t i = 16; !frames.empty() && i < std::min<std::size_t>(24, Size()); i++)
        {
            text += digits[frames.back()[i] >> 4];
            text += digits[frames.back()[i] & 15];
            text += i % 4 == 3 && i < 23 ? " " : "";
        }
        return text;
    }

    std::vector<std::vector<uint8_t>> frames; //!< from the key on

  private:
    std::size_t Size() const //!< @return octets of the last frame
    {
        return frames.back().size();
    }

    /// @param packet sent
    void Note(ns3::Ptr<const ns3::Packet> packet)
    {
        const std::string key = "MPA ID Re";
        std::vector<uint8_t> octets(packet->GetSize());
        packet->CopyData(octets.data(), octets.size());
        const auto at = std::search(octets.begin(), octets.end(), key.begin(), key.end());
        if (at != octets.end())
        {
            frames.emplace_back(at, octets.end());
        }
    }
};

/// @param end an end @return requests that ended well there
inline uint32_t
Successes(const RdmaTestHost& end)
{
    return std::count_if(end.completions.begin(), end.completions.end(), [](const auto& c) {
        return c.status == ns3::RdmapStatus::SUCCESS;
    });
}

/// A peer made by hand at either host.
struct RawPeer
{
    ns3::Ptr<ns3::Socket> listener; //!< listens, or connects
    std::unique_ptr<RawEnd> end;    //!< once connected
    ns3::Ptr<ns3::Socket> socket;   //!< its socket

    /// Listen where the verbs side connects to. @param node where
    void Listen(ns3::Ptr<ns3::Node> node)
    {
        listener = ns3::Socket::CreateSocket(node, ns3::MpaTcpSocketFactory::GetTypeId());
        listener->Bind(ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), RdmaTestPair::PORT));
        listener->Listen();
        listener->SetAcceptCallback(
            ns3::MakeNullCallback<bool, ns3::Ptr<ns3::Socket>, const ns3::Address&>(),
            ns3::MakeCallback(&RawPeer::Accepted, this));
    }

    /// Connect to where the verbs side listens. @param node from where
    void Connect(ns3::Ptr<ns3::Node> node)
    {
        socket = ns3::Socket::CreateSocket(node, ns3::MpaTcpSocketFactory::GetTypeId());
        socket->Connect(ns3::InetSocketAddress(ns3::Ipv4Address("10.0.0.2"), RdmaTestPair::PORT));
        end = std::make_unique<RawEnd>(socket);
    }

    /// @param accepted socket
    void Accepted(ns3::Ptr<ns3::Socket> accepted, const ns3::Address&)
    {
        socket = accepted;
        end = std::make_unique<RawEnd>(socket);
    }
};

/// Start the connecting side of a pair against a peer made by hand. @param p the pair
inline void
StartConnector(RdmaTestPair& p)
{
    p.a.qp = p.a.pd->CreateQp(p.a.config);
    p.a.qp->Modify(ns3::RdmaQpState::INIT);
    p.connector->SetQp(p.a.qp);
    ns3::Simulator::Schedule(ns3::MilliSeconds(10), [&p] {
        p.connector->ResolveAddress(
            ns3::InetSocketAddress(ns3::Ipv4Address("10.0.0.2"), RdmaTestPair::PORT));
    });
}

#endif // RDMA_STARTUP_TEST_UTIL_H
