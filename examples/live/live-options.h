/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LIVE_OPTIONS_H
#define LIVE_OPTIONS_H

#include "ns3/command-line.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"

#include <cstdint>
#include <string>

namespace live
{

/// What both ends of a run are to do. Attributes of connections are set as defaults of ns-3.
struct Options
{
    std::string role{"ping-server"};    //!< who this is
    std::string peer{"10.8.0.2"};       //!< address to connect to
    uint16_t port{7471};                //!< to connect to, or to listen at
    uint32_t size{64};                  //!< octets of a message, or a request of NVMe
    uint32_t count{3};                  //!< messages, or requests of NVMe
    bool reject{false};                 //!< server: reject; client: to be rejected is right
    bool closeFirst{false};             //!< server: disconnect after the first receive
    bool waitClose{false};              //!< client: wait for the peer to disconnect
    uint32_t receives{16};              //!< server: receives posted
    uint32_t receiveSize{65536};        //!< server: octets of each
    std::string access{"rw"};           //!< server: what the peer may do with the memory
    std::string operations{"send:100"}; //!< client, perftest: what to do
    uint32_t privateData{0};            //!< client: octets of private data, 0: a word
    double firstDelay{0};               //!< client, kit: ms from ESTABLISHED to the first message
    bool mirrored{false};               //!< conformance: Terminates are laid out as siw's
    bool hangs{false};                  //!< endpoint of the kit: takes nothing behind startup
    double linger{0.3}; //!< s from the end of the connection to that of the run or the next

    /// Let a command line set them. @param cmd it
    void AddTo(ns3::CommandLine& cmd)
    {
        cmd.AddValue("role",
                     "ping-, work-, perftest-, nvme-, conformance- or initiator-, and server or "
                     "client",
                     role);
        cmd.AddValue("peer", "client: address to connect to", peer);
        cmd.AddValue("port", "to listen at or connect to", port);
        cmd.AddValue("size", "ping, perftest, nvme: octets of a message or request", size);
        cmd.AddValue("count", "ping, perftest, nvme: messages or requests", count);
        cmd.AddValue("reject", "server: reject; client: being rejected is right", reject);
        cmd.AddValue("closeFirst", "server: disconnect after the first receive", closeFirst);
        cmd.AddValue("waitClose", "client: wait for the peer to disconnect", waitClose);
        cmd.AddValue("receives", "server: receives posted", receives);
        cmd.AddValue("receiveSize", "server: octets of each", receiveSize);
        cmd.AddValue("access", "server: rw, r, w or n, what the peer may do", access);
        cmd.AddValue("operations",
                     "client: NAME:OCTETS,...; perftest: send_bw, ...; conformance, initiator: "
                     "cases or all, without -NAME",
                     operations);
        cmd.AddValue("privateData", "client: octets of private data", privateData);
        cmd.AddValue("firstDelay",
                     "client or conformance kit: ms to wait before the first message",
                     firstDelay);
        cmd.AddValue("mirrored",
                     "conformance, initiator: Terminates are laid out as siw's",
                     mirrored);
        cmd.AddValue("hangs",
                     "conformance, initiator: the simulated endpoint takes nothing behind startup",
                     hangs);
        cmd.AddValue("linger",
                     "s from the end of the connection to that of the run, or to the next",
                     linger);
    }

    /// @return whether addresses are of IPv6
    bool IsIpv6() const
    {
        return peer.find(':') != std::string::npos;
    }

    /// @return whom a client connects to
    ns3::Address GetPeer() const
    {
        if (IsIpv6())
        {
            return ns3::Inet6SocketAddress(ns3::Ipv6Address(peer.c_str()), port);
        }
        return ns3::InetSocketAddress(ns3::Ipv4Address(peer.c_str()), port);
    }

    /// @return where a server listens
    ns3::Address GetLocal() const
    {
        if (IsIpv6())
        {
            return ns3::Inet6SocketAddress(ns3::Ipv6Address::GetAny(), port);
        }
        return ns3::InetSocketAddress(ns3::Ipv4Address::GetAny(), port);
    }
};

} // namespace live

#endif // LIVE_OPTIONS_H
