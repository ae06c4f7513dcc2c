/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdmap-capture.h"

#include "ns3/abort.h"
#include "ns3/pcap-file.h"

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <tuple>

using namespace ns3;

namespace
{

constexpr uint32_t FRAME_HEADER = 14;
constexpr uint32_t STARTUP_HEADER = 20;
constexpr uint32_t CRC = 4;

uint32_t
ReadNumber(const uint8_t* from, unsigned octets)
{
    uint32_t n = 0;
    for (unsigned i = 0; i < octets; i++)
    {
        n = n << 8 | from[i];
    }
    return n;
}

/// One direction of a TCP connection.
struct CapturedFlow
{
    bool synSeen = false;
    uint32_t start = 0;                                 // sequence number of the first octet
    std::map<uint32_t, std::vector<uint8_t>> waiting;   // segments ahead of a gap, by position
    std::vector<uint8_t> octets;                        // in order
    std::vector<std::pair<uint32_t, uint32_t>> arrived; // stream length, frame that reached it

    void Add(uint32_t seq, const uint8_t* data, uint32_t size, uint32_t frame)
    {
        if (!synSeen || size == 0 || static_cast<int32_t>(seq - start) < 0)
        {
            return;
        }
        auto& held = waiting[seq - start];
        if (held.size() < size)
        {
            held.assign(data, data + size);
        }
        while (!waiting.empty() && waiting.begin()->first <= octets.size())
        {
            const auto& [position, segment] = *waiting.begin();
            const std::size_t known = octets.size() - position;
            if (known < segment.size())
            {
                octets.insert(octets.end(), segment.begin() + known, segment.end());
            }
            waiting.erase(waiting.begin());
        }
        arrived.emplace_back(octets.size(), frame);
    }
};

using FlowKey = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>; // addresses and ports

bool
Checksum(const uint8_t* ip, const uint8_t* tcp, uint32_t size)
{
    uint64_t sum = 6 + size;
    for (uint32_t i = 12; i < 20; i += 2)
    {
        sum += ReadNumber(ip + i, 2);
    }
    for (uint32_t i = 0; i + 1 < size; i += 2)
    {
        sum += ReadNumber(tcp + i, 2);
    }
    sum += size % 2 != 0 ? tcp[size - 1] << 8 : 0;
    while (sum >> 16 != 0)
    {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    return sum == 0xFFFF;
}

void
Split(const CapturedFlow& flow, std::vector<CapturedUlpdu>& ulpdus)
{
    const auto& octets = flow.octets;
    std::size_t at = STARTUP_HEADER + ReadNumber(&octets[18], 2);
    auto arrival = flow.arrived.begin();
    while (at + 2 <= octets.size())
    {
        const uint32_t length = ReadNumber(&octets[at], 2);
        const std::size_t next = at + (2 + length + 3) / 4 * 4 + CRC;
        if (next > octets.size())
        {
            return;
        }
        while (arrival->first < next)
        {
            ++arrival;
        }
        CapturedUlpdu ulpdu;
        ulpdu.frame = arrival->second;
        ulpdu.octets.assign(octets.begin() + at + 2, octets.begin() + at + 2 + length);
        ulpdus.push_back(ulpdu);
        at = next;
    }
}

/// All connections of a capture.
struct CapturedFlows
{
    std::map<FlowKey, CapturedFlow> flows; // directions
    std::vector<FlowKey> initiators;       // those that sent a SYN without ACK, in their order
};

CapturedFlows
ReadFlows(const std::string& name)
{
    PcapFile file;
    file.Open(name, std::ios::in);
    NS_ABORT_MSG_IF(file.Fail(), "cannot read " << name);
    CapturedFlows found;
    std::vector<uint8_t> data(65536 + FRAME_HEADER);
    for (uint32_t frame = 0;; frame++)
    {
        uint32_t seconds;
        uint32_t fraction;
        uint32_t included;
        uint32_t original;
        uint32_t read;
        file.Read(data.data(), data.size(), seconds, fraction, included, original, read);
        if (file.Eof() || file.Fail())
        {
            break;
        }
        const uint8_t* ip = &data[FRAME_HEADER];
        if (read < FRAME_HEADER + 40 || ReadNumber(&data[12], 2) != 0x0800 || ip[9] != 6)
        {
            continue;
        }
        const uint32_t ipHeader = (ip[0] & 15) * 4;
        const uint8_t* tcp = ip + ipHeader;
        const uint32_t tcpSize = ReadNumber(ip + 2, 2) - ipHeader;
        const uint32_t tcpHeader = (tcp[12] >> 4) * 4;
        const FlowKey key(ReadNumber(ip + 12, 4),
                          ReadNumber(tcp, 2),
                          ReadNumber(ip + 16, 4),
                          ReadNumber(tcp + 2, 2));
        CapturedFlow& flow = found.flows[key];
        const uint32_t seq = ReadNumber(tcp + 4, 4);
        if ((tcp[13] & 2) != 0)
        {
            flow.synSeen = true;
            flow.start = seq + 1;
            if ((tcp[13] & 16) == 0)
            {
                found.initiators.push_back(key);
            }
        }
        // a segment that the capture spoilt, as tests with wrong checksums do, is none for TCP;
        // large segments handed to an adapter have no checksum yet
        else if (Checksum(ip, tcp, tcpSize) || name.find("_tso") != std::string::npos)
        {
            flow.Add(seq, tcp + tcpHeader, tcpSize - tcpHeader, frame);
        }
    }
    return found;
}

/// @param found connections @param key of one @return its directions, that of the initiator first
std::array<const CapturedFlow*, 2>
GetSides(CapturedFlows& found, const FlowKey& key)
{
    const auto& [source, sourcePort, sink, sinkPort] = key;
    return {&found.flows[key], &found.flows[FlowKey(sink, sinkPort, source, sourcePort)]};
}

} // namespace

std::vector<CapturedStreams>
ReadStreams(const std::string& name)
{
    CapturedFlows found = ReadFlows(name);
    std::vector<CapturedStreams> streams;
    for (const auto& key : found.initiators)
    {
        const auto sides = GetSides(found, key);
        streams.push_back({sides[0]->octets, sides[1]->octets});
    }
    return streams;
}

std::vector<CapturedConnection>
ReadCapture(const std::string& name)
{
    CapturedFlows found = ReadFlows(name);
    std::vector<CapturedConnection> connections;
    for (const auto& key : found.initiators)
    {
        const auto sides = GetSides(found, key);
        CapturedConnection connection;
        for (int side = 0; side < 2; side++)
        {
            const auto& octets = sides[side]->octets;
            connection.octets[side] = octets;
            connection.startup[side] =
                octets.size() >= STARTUP_HEADER && std::memcmp(octets.data(), "MPA ID ", 7) == 0;
            if (connection.startup[side])
            {
                Split(*sides[side], connection.ulpdus[side]);
            }
        }
        if (connection.startup[0] || connection.startup[1])
        {
            connections.push_back(connection);
        }
    }
    return connections;
}

std::string
CaptureFolder()
{
    return std::string(IWARP_SOURCE_DIR) + "/test/data/captures/";
}

std::vector<CaptureManifestRow>
ReadCaptureManifest()
{
    std::ifstream in(CaptureFolder() + "manifest.csv");
    NS_ABORT_MSG_IF(!in, "cannot read " << CaptureFolder() << "manifest.csv");
    std::vector<CaptureManifestRow> rows;
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line))
    {
        std::vector<std::string> cells(1);
        for (char c : line)
        {
            if (c == ',')
            {
                cells.emplace_back();
            }
            else
            {
                cells.back() += c;
            }
        }
        rows.push_back({cells.at(0),
                        cells.at(1) == "i" ? 0 : 1,
                        static_cast<uint32_t>(std::stoul(cells.at(3))),
                        std::stoull(cells.at(4)),
                        cells.at(5)});
    }
    return rows;
}

std::vector<uint8_t>
Hex(const std::string& text)
{
    std::vector<uint8_t> octets;
    std::string digits;
    for (char c : text)
    {
        if (std::isxdigit(static_cast<unsigned char>(c)) != 0)
        {
            digits += c;
        }
        if (digits.size() == 2)
        {
            octets.push_back(std::stoul(digits, nullptr, 16));
            digits.clear();
        }
    }
    NS_ABORT_MSG_IF(!digits.empty(), "odd number of digits: " << text);
    return octets;
}
