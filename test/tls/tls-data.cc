/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tls-data.h"

#include "ns3/abort.h"
#include "ns3/decode-capture.h"
#include "ns3/decode-packet.h"

#include <fstream>

using namespace ns3;

std::string
GetTlsFolder()
{
    return std::string(IWARP_SOURCE_DIR) + "/test/data/tls/";
}

std::map<std::string, TlsOctets>
ReadTlsTrace()
{
    std::map<std::string, TlsOctets> found;
    std::ifstream in(GetTlsFolder() + "rfc8448.txt");
    std::string line;
    std::getline(in, line); // where it is from
    for (std::string name, hex; in >> name >> hex;)
    {
        TlsOctets octets;
        for (std::size_t i = 0; i < hex.size(); i += 2)
        {
            octets.push_back(static_cast<uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
        }
        found[name] = octets;
    }
    NS_ABORT_MSG_IF(found.empty(), "test/data/tls/rfc8448.txt is not there");
    return found;
}

std::vector<TlsOctets>
TlsCapturedSide::GetRecords() const
{
    std::vector<TlsOctets> records;
    for (std::size_t at = 0; at + tls::HEAD <= stream.size();)
    {
        const std::size_t size = tls::HEAD + TlsRecordHead::Read(&stream[at]).length;
        NS_ABORT_MSG_IF(at + size > stream.size(), "the capture ends in a record");
        const auto begin = stream.begin() + static_cast<std::ptrdiff_t>(at);
        records.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(size));
        at += size;
    }
    return records;
}

std::array<TlsCapturedSide, 2>
ReadTlsCapture(const std::string& name)
{
    std::array<TlsCapturedSide, 2> sides;
    std::array<uint32_t, 2> next{};
    DecodeCapture capture;
    NS_ABORT_MSG_UNLESS(capture.Open(GetTlsFolder() + name + ".pcap"), capture.GetError());
    DecodeFrame frame;
    while (capture.Next(frame))
    {
        DecodeSegment segment;
        DecodeFragment fragment;
        if (DecodePacket(frame, segment, fragment) != DecodePacketKind::TCP)
        {
            continue;
        }
        const unsigned side = segment.from.port == 4433 ? 1 : 0;
        if ((segment.flags & DecodeSegment::SYN) != 0)
        {
            next[side] = segment.seq + 1;
        }
        else if (segment.size > 0 && segment.seq == next[side]) // a loopback link keeps the order
        {
            sides[side].stream.insert(sides[side].stream.end(),
                                      segment.data,
                                      segment.data + segment.size);
            next[side] += segment.size;
        }
    }
    return sides;
}
