/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-script.h"

#include "ns3/ipv4-header.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/tcp-option-rfc793.h"
#include "ns3/tcp-option-sack-permitted.h"
#include "ns3/tcp-option-sack.h"
#include "ns3/tcp-option-ts.h"
#include "ns3/tcp-option-winscale.h"

#include <tuple>
#include <utility>

/**
 * @file
 * @ingroup iwarp-test
 * Segments of scripts: as text, and on the wire.
 */

using namespace ns3;

namespace
{

const std::string FLAG_LETTERS{"FSRP.UEC"}; //!< in the order of their bits

/// @param flags letters @return flags of a TCP header
uint8_t
ParseFlags(const std::string& flags)
{
    uint8_t bits = 0;
    for (const char letter : flags)
    {
        const auto place = FLAG_LETTERS.find(letter);
        bits |= place == std::string::npos ? 0 : 1 << place;
    }
    return bits;
}

/// @param bits flags of a TCP header @return letters, but for PSH, which means nothing
std::string
WriteFlags(uint8_t bits)
{
    std::string flags;
    for (std::size_t i = 0; i < FLAG_LETTERS.size(); ++i)
    {
        flags += (bits >> i & 1) && FLAG_LETTERS[i] != 'P' ? FLAG_LETTERS.substr(i, 1) : "";
    }
    return flags.empty() ? "0" : flags;
}

/// @param text two numbers @param between what is between them @return both
std::pair<int64_t, int64_t>
ParsePair(const std::string& text, char between)
{
    const auto place = text.find(between);
    return {std::stoll(text), std::stoll(text.substr(place + 1))};
}

/// @param what of a segment @param wanted number, or -1 if any will do @param came number
/// @return what is wrong
std::string
CompareNumber(const std::string& what, int64_t wanted, int64_t came)
{
    return wanted < 0 || wanted == came ? "" : ", " + what + " " + std::to_string(came);
}

} // namespace

TcpScriptSegment
TcpScriptSegment::Parse(std::istringstream& rest)
{
    TcpScriptSegment segment;
    std::string word;
    rest >> segment.flags >> word;
    std::tie(segment.seq, segment.end) = ParsePair(word, ':');
    while (rest >> word)
    {
        std::string value;
        if (word == "sackok")
        {
            segment.sackPermitted = true;
        }
        else if (word == "nots")
        {
            segment.noTimestamps = true;
        }
        else if (word == "nosack")
        {
            segment.noSack = true;
        }
        else if (word == "nomss")
        {
            segment.mss = 0;
        }
        else if (rest >> value; word == "ts")
        {
            segment.timestamps = true;
            std::tie(segment.timestamp, segment.echo) = ParsePair(value, ':');
        }
        else if (word == "sack")
        {
            std::istringstream blocks(value);
            for (std::string block; std::getline(blocks, block, ',');)
            {
                segment.blocks.push_back(ParsePair(block, ':'));
            }
        }
        else
        {
            (word == "ack"   ? segment.ack
             : word == "win" ? segment.window
             : word == "mss" ? segment.mss
                             : segment.scale) = std::stoll(value);
        }
    }
    return segment;
}

std::string
TcpScriptSegment::Describe() const
{
    std::ostringstream text;
    text << flags << " " << seq << ":" << end;
    const std::pair<const char*, int64_t> numbers[] = {{" ack ", ack},
                                                       {" win ", window},
                                                       {" mss ", mss}};
    for (const auto& [name, number] : numbers)
    {
        if (number >= 0)
        {
            text << name << number;
        }
    }
    if (timestamps)
    {
        text << " ts " << timestamp << ":" << echo;
    }
    for (const auto& [left, right] : blocks)
    {
        text << " sack " << left << ":" << right;
    }
    return text.str();
}

std::string
TcpScript::Compare(const TcpScriptSegment& wanted, const TcpScriptSegment& came) const
{
    std::string faults = WriteFlags(ParseFlags(wanted.flags)) == came.flags ? "" : ", flags";
    faults += CompareNumber("starts at", wanted.seq, came.seq);
    faults += CompareNumber("ends at", wanted.end, came.end);
    faults += CompareNumber("acknowledges", wanted.ack, came.ack);
    faults += CompareNumber("window", wanted.window, came.window);
    faults += CompareNumber("MSS", wanted.mss, came.mss);
    faults += CompareNumber("scale", wanted.scale, came.scale);
    faults += CompareNumber("echo", wanted.echo, came.echo);
    faults += wanted.timestamps && !came.timestamps ? ", no timestamp" : "";
    faults += wanted.noTimestamps && came.timestamps ? ", a timestamp" : "";
    faults += wanted.sackPermitted && !came.sackPermitted ? ", no SACK" : "";
    faults += wanted.noSack && !came.blocks.empty() ? ", SACK" : "";
    faults += !wanted.blocks.empty() && wanted.blocks != came.blocks ? ", other SACK blocks" : "";
    return faults.empty() ? "" : "came " + came.Describe() + faults;
}

void
TcpScript::SendSegment(const TcpScriptSegment& segment)
{
    TcpHeader tcp;
    const uint8_t flags = ParseFlags(segment.flags);
    tcp.SetSourcePort(PEER_PORT);
    tcp.SetDestinationPort(m_hostPort);
    tcp.SetFlags(flags);
    tcp.SetSequenceNumber(SequenceNumber32(m_isn + static_cast<uint32_t>(segment.seq)));
    tcp.SetAckNumber(SequenceNumber32(segment.ack < 0 ? 0 : static_cast<uint32_t>(segment.ack)));
    tcp.SetWindowSize(segment.window < 0 ? 30000 : static_cast<uint16_t>(segment.window));
    if ((flags & TcpHeader::SYN) && segment.mss != 0)
    {
        auto option = CreateObject<TcpOptionMSS>();
        option->SetMSS(segment.mss < 0 ? 1000 : static_cast<uint16_t>(segment.mss));
        tcp.AppendOption(option);
    }
    if (segment.sackPermitted)
    {
        tcp.AppendOption(CreateObject<TcpOptionSackPermitted>());
    }
    if (segment.scale >= 0)
    {
        auto option = CreateObject<TcpOptionWinScale>();
        option->SetScale(static_cast<uint8_t>(segment.scale));
        tcp.AppendOption(option);
    }
    if (segment.timestamps)
    {
        auto option = CreateObject<TcpOptionTS>();
        option->SetTimestamp(static_cast<uint32_t>(segment.timestamp));
        option->SetEcho(static_cast<uint32_t>(segment.echo));
        tcp.AppendOption(option);
    }
    if (!segment.blocks.empty())
    {
        auto option = CreateObject<TcpOptionSack>();
        for (const auto& [left, right] : segment.blocks)
        {
            option->AddSackBlock({SequenceNumber32(static_cast<uint32_t>(left)),
                                  SequenceNumber32(static_cast<uint32_t>(right))});
        }
        tcp.AppendOption(option);
    }
    auto packet = Create<Packet>(static_cast<uint32_t>(segment.end - segment.seq));
    packet->AddHeader(tcp);
    Ipv4Header ip;
    ip.SetSource(Ipv4Address("10.0.0.1"));
    ip.SetDestination(Ipv4Address("10.0.0.2"));
    ip.SetProtocol(6);
    ip.SetTtl(64);
    ip.SetPayloadSize(static_cast<uint16_t>(packet->GetSize()));
    packet->AddHeader(ip);
    m_device->Send(packet, m_device->GetBroadcast(), 0x0800);
}

void
TcpScript::Receive(Ptr<NetDevice> /* device */,
                   Ptr<const Packet> packet,
                   uint16_t /* protocol */,
                   const Address& /* from */,
                   const Address& /* to */,
                   NetDevice::PacketType /* type */)
{
    auto copy = packet->Copy();
    Ipv4Header ip;
    TcpHeader tcp;
    copy->RemoveHeader(ip);
    copy->RemoveHeader(tcp);
    m_hostPort = tcp.GetSourcePort();
    TcpScriptSegment segment;
    segment.flags = WriteFlags(tcp.GetFlags());
    segment.seq = tcp.GetSequenceNumber().GetValue();
    segment.end = segment.seq + copy->GetSize();
    segment.ack = tcp.GetAckNumber().GetValue() - m_isn;
    segment.window = tcp.GetWindowSize();
    segment.sackPermitted = tcp.HasOption(TcpOption::SACKPERMITTED);
    if (const auto option = DynamicCast<const TcpOptionMSS>(tcp.GetOption(TcpOption::MSS)))
    {
        segment.mss = option->GetMSS();
    }
    if (const auto option =
            DynamicCast<const TcpOptionWinScale>(tcp.GetOption(TcpOption::WINSCALE)))
    {
        segment.scale = option->GetScale();
    }
    if (const auto option = DynamicCast<const TcpOptionTS>(tcp.GetOption(TcpOption::TS)))
    {
        segment.timestamps = true;
        segment.timestamp = option->GetTimestamp();
        segment.echo = option->GetEcho();
    }
    if (const auto option = DynamicCast<const TcpOptionSack>(tcp.GetOption(TcpOption::SACK)))
    {
        for (const auto& [left, right] : option->GetSackList())
        {
            segment.blocks.emplace_back(left.GetValue() - m_isn, right.GetValue() - m_isn);
        }
    }
    segment.at = Simulator::Now();
    m_seen.push_back(segment);
    if (m_waiting)
    {
        Simulator::Stop();
    }
}
