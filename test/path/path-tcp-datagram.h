/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_TCP_DATAGRAM_H
#define PATH_TCP_DATAGRAM_H

#include "ns3/packet.h"
#include "ns3/path-tcp-segment.h"

#include <cstdint>
#include <optional>
#include <vector>

/**
 * @ingroup iwarp-test
 * A TCP segment in an IP datagram, made and read octet by octet (RFC 791, RFC 8200, RFC 9293).
 */
struct Datagram
{
    using Octets = std::vector<uint8_t>; //!< octets

    bool ipv6{false};          //!< IPv6 rather than IPv4
    uint8_t host{1};           //!< last octet of the source address
    uint8_t ecn{2};            //!< ECN field
    uint8_t ttl{64};           //!< time to live, hop limit
    uint16_t id{7};            //!< identification
    uint16_t fragment{0x4000}; //!< flags and offset of IPv4: DF
    uint16_t port{5000};       //!< source port
    uint32_t seq{1};           //!< sequence number
    uint32_t ack{1};           //!< acknowledgment number
    uint8_t flags{0x10};       //!< flags
    uint16_t window{1000};     //!< window
    Octets options;            //!< options, a multiple of 4
    Octets payload;            //!< payload
    bool checksums{true};      //!< when made: compute them; when read: they are right
    bool good{true};           //!< lengths agree with the packet's, when read

    /// @return checksum of octets in network order, 0 where they have their own
    static uint16_t Checksum(const Octets& octets)
    {
        uint32_t sum = 0;
        for (std::size_t i = 0; i < octets.size(); i++)
        {
            sum += octets[i] * (i % 2 == 0 ? 256U : 1U);
            sum = sum % 0x10000 + sum / 0x10000;
        }
        return static_cast<uint16_t>(0xFFFF - sum);
    }

    /// @param octets at whose end @param value goes @param size octets
    static void Put(Octets& octets, uint64_t value, int size)
    {
        while (size-- > 0)
        {
            octets.push_back(static_cast<uint8_t>(value >> 8 * size));
        }
    }

    /// @param octets octets @param at where @param size octets @return number
    static uint32_t Get(const Octets& octets, std::size_t at, int size)
    {
        uint32_t value = 0;
        while (size-- > 0)
        {
            value = value << 8 | octets.at(at++);
        }
        return value;
    }

    /// @param size octets @param first which number the first one is @return octets that differ
    static Octets MakePayload(uint32_t size, uint32_t first = 0)
    {
        Octets octets(size);
        for (uint32_t i = 0; i < size; i++)
        {
            octets[i] = static_cast<uint8_t>((first + i) * 2654435761U >> 13);
        }
        return octets;
    }

    /// @return timestamps option, aligned @param value TSval @param echo TSecr
    static Octets Timestamps(uint32_t value, uint32_t echo)
    {
        Octets octets{1, 1, 8, 10};
        Put(octets, value, 4);
        Put(octets, echo, 4);
        return octets;
    }

    /// @return addresses of the pseudo-header
    Octets GetAddresses() const
    {
        Octets octets;
        for (const uint8_t last : {host, uint8_t{9}})
        {
            if (ipv6)
            {
                Put(octets, 0x20010DB800000000, 8);
                Put(octets, last, 8);
            }
            else
            {
                Put(octets, 0x0A000000U + last, 4);
            }
        }
        return octets;
    }

    /// @param segment TCP segment @return what its checksum covers
    Octets WithPseudoHeader(const Octets& segment) const
    {
        Octets octets = GetAddresses();
        Put(octets, segment.size(), 4);
        Put(octets, 6, 4);
        octets.insert(octets.end(), segment.begin(), segment.end());
        return octets;
    }

    Octets MakeOctets() const //!< @return octets of the datagram
    {
        Octets tcp;
        Put(tcp, port, 2);
        Put(tcp, 80, 2);
        Put(tcp, seq, 4);
        Put(tcp, ack, 4);
        tcp.push_back(static_cast<uint8_t>((20 + options.size()) / 4 << 4));
        tcp.push_back(flags);
        Put(tcp, window, 2);
        Put(tcp, 0, 4);
        tcp.insert(tcp.end(), options.begin(), options.end());
        tcp.insert(tcp.end(), payload.begin(), payload.end());
        Octets ip;
        if (ipv6)
        {
            Put(ip, 0x60012345U | uint32_t{ecn} << 20, 4);
            Put(ip, tcp.size(), 2);
            ip.push_back(6);
            ip.push_back(ttl);
        }
        else
        {
            Put(ip, 0x4500U | ecn, 2);
            Put(ip, 20 + tcp.size(), 2);
            Put(ip, id, 2);
            Put(ip, fragment, 2);
            ip.push_back(ttl);
            ip.push_back(6);
            Put(ip, 0, 2);
        }
        const Octets addresses = GetAddresses();
        ip.insert(ip.end(), addresses.begin(), addresses.end());
        if (checksums)
        {
            const uint16_t sum = Checksum(WithPseudoHeader(tcp));
            tcp[16] = static_cast<uint8_t>(sum >> 8);
            tcp[17] = static_cast<uint8_t>(sum);
            if (!ipv6)
            {
                const uint16_t header = Checksum(ip);
                ip[10] = static_cast<uint8_t>(header >> 8);
                ip[11] = static_cast<uint8_t>(header);
            }
        }
        ip.insert(ip.end(), tcp.begin(), tcp.end());
        return ip;
    }

    ns3::Ptr<ns3::Packet> Make() const //!< @return the datagram
    {
        return ToPacket(MakeOctets());
    }

    uint16_t GetProtocol() const //!< @return EtherType
    {
        return ipv6 ? 0x86DD : 0x0800;
    }

    /// @param octets octets @return them as a packet
    static ns3::Ptr<ns3::Packet> ToPacket(const Octets& octets)
    {
        return ns3::Create<ns3::Packet>(octets.data(), static_cast<uint32_t>(octets.size()));
    }

    /// @param packet packet @return its octets
    static Octets ToOctets(const ns3::Ptr<const ns3::Packet>& packet)
    {
        Octets octets(packet->GetSize());
        packet->CopyData(octets.data(), packet->GetSize());
        return octets;
    }

    /// @param packet a datagram @return what it says
    static Datagram Read(const ns3::Ptr<const ns3::Packet>& packet)
    {
        const Octets octets = ToOctets(packet);
        Datagram read;
        read.ipv6 = octets[0] >> 4 == 6;
        const std::size_t ip = read.ipv6 ? 40 : 20;
        read.host = octets[read.ipv6 ? 23 : 15];
        read.ecn = (read.ipv6 ? octets[1] >> 4 : octets[1]) & 3;
        read.ttl = octets[read.ipv6 ? 7 : 8];
        read.id = static_cast<uint16_t>(read.ipv6 ? 0 : Get(octets, 4, 2));
        read.fragment = static_cast<uint16_t>(read.ipv6 ? 0 : Get(octets, 6, 2));
        read.port = static_cast<uint16_t>(Get(octets, ip, 2));
        read.seq = Get(octets, ip + 4, 4);
        read.ack = Get(octets, ip + 8, 4);
        read.flags = octets[ip + 13];
        read.window = static_cast<uint16_t>(Get(octets, ip + 14, 2));
        const std::size_t end = ip + 4 * (octets[ip + 12] >> 4);
        read.options.assign(octets.begin() + ip + 20, octets.begin() + end);
        read.payload.assign(octets.begin() + end, octets.end());
        const uint32_t length = read.ipv6 ? 40 + Get(octets, 4, 2) : Get(octets, 2, 2);
        read.good = length == octets.size();
        const Octets segment(octets.begin() + ip, octets.end());
        read.checksums = Checksum(read.WithPseudoHeader(segment)) == 0 &&
                         (read.ipv6 || Checksum({octets.begin(), octets.begin() + ip}) == 0);
        return read;
    }
};

/// @param datagram datagram @return it as a middlebox reads it, if it does
inline std::optional<ns3::PathTcpSegment>
ReadSegment(const Datagram& datagram)
{
    return ns3::PathTcpSegment::Read(datagram.Make(), datagram.GetProtocol(), true);
}

#endif // PATH_TCP_DATAGRAM_H
