/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "decode-session.h"

#include "decode-esp.h"

#include "ns3/mpa-negotiation.h"

#include <algorithm>
#include <boost/functional/hash.hpp>
#include <tuple>

namespace ns3
{

namespace
{

constexpr unsigned MAX_LAYERS = 8;           // fragments and ESP around a segment
constexpr std::size_t MAX_UNANSWERED = 1024; // segments that wait for the peer's startup frame

/// @param e an end @return what to sort by
auto
Order(const DecodeEndpoint& e)
{
    return std::tie(e.ipv6, e.address, e.port);
}

} // namespace

DecodeConnection::DecodeConnection(const DecodeConfig& config,
                                   DecodeListener& listener,
                                   const DecodeEndpoint& from,
                                   const DecodeEndpoint& to,
                                   uint32_t& streams)
    : m_listener(listener),
      m_streams(streams),
      m_ends{from, to},
      m_directions{{{config, *this}, {config, *this}}},
      m_order([this](unsigned side, const DecodeCaptured& captured) {
          m_listener.Seen(*this, side, captured.segment, captured.frame);
          Segment(side, captured.segment, captured.frame);
      })
{
}

bool
DecodeConnection::IsMpa() const
{
    return m_numbered;
}

uint32_t
DecodeConnection::GetStream() const
{
    return m_stream;
}

int
DecodeConnection::GetInitiator() const
{
    for (int side : {0, 1})
    {
        const MpaStartupFrame* frame = m_directions[side].GetStartup();
        const MpaStartupFrame* other = m_directions[1 - side].GetStartup();
        if (frame && !frame->reply && (!other || other->reply))
        {
            return side;
        }
    }
    return -1;
}

const DecodeEndpoint&
DecodeConnection::GetEnd(unsigned side) const
{
    return m_ends[side];
}

const DecodeDirection&
DecodeConnection::GetDirection(unsigned side) const
{
    return m_directions[side];
}

const DecodeDirection&
DecodeConnection::GetOther(const DecodeDirection& direction) const
{
    return m_directions[&direction == &m_directions[0] ? 1 : 0];
}

DecodeDirection&
DecodeConnection::Opposite(const DecodeDirection& direction)
{
    return m_directions[&direction == &m_directions[0] ? 1 : 0];
}

void
DecodeConnection::Found(const DecodeDirection& direction, DecodeEvent& event)
{
    if (!m_numbered)
    {
        m_numbered = true;
        m_stream = m_streams++;
    }
    const unsigned side = &direction == &m_directions[0] ? 0 : 1;
    event.stream = m_stream;
    event.side = side;
    event.from = &m_ends[side];
    event.to = &m_ends[1 - side];
    m_listener.Found(event);
}

bool
DecodeConnection::IsReopened(unsigned side, const DecodeSegment& segment) const
{
    const DecodeReassembly& tcp = m_directions[side].GetReassembly();
    return (segment.flags & (DecodeSegment::SYN | DecodeSegment::ACK)) == DecodeSegment::SYN &&
           !segment.checksumBad && tcp.HasStarted() && tcp.GetInitial() != segment.seq;
}

void
DecodeConnection::Take(unsigned side,
                       const DecodeCaptured& captured,
                       const DecodeOrder::Ahead& ahead)
{
    m_order.Take(side, captured, ahead);
}

void
DecodeConnection::Segment(unsigned side, const DecodeSegment& segment, const DecodeFrame& frame)
{
    DecodeDirection& forth = m_directions[side];
    DecodeDirection& back = m_directions[1 - side];
    const bool acknowledges = (segment.flags & DecodeSegment::ACK) != 0 && !segment.checksumBad;
    if (acknowledges)
    {
        back.GetReassembly().Acknowledged(segment.ack);
    }
    forth.GetReassembly().Add(segment, frame);
    for (auto* direction : {&forth, &back})
    {
        if (direction->GetState() != State::WAITING)
        {
            continue;
        }
        const bool sent = direction == &forth && acknowledges;
        if (PassOverStartup(*direction, sent ? &segment.ack : nullptr, frame))
        {
            direction->Resume();
        }
        else if (Opposite(*direction).GetState() != State::STARTUP ||
                 direction->GetReassembly().GetWaiting() > MAX_UNANSWERED)
        {
            GiveUpWaiting(*direction);
        }
    }
}

bool
DecodeConnection::PassOverStartup(DecodeDirection& direction,
                                  const uint32_t* ack,
                                  const DecodeFrame& frame)
{
    const MpaStartupFrame& mine = *direction.GetStartup();
    DecodeDirection& other = Opposite(direction);
    DecodeReassembly& tcp = other.GetReassembly();
    // a Reply answers a Request, and an Initiator's first FPDU a Reply
    const bool answers = mine.reply || direction.GetReassembly().GetWaiting() > 0;
    const State state = other.GetState();
    if (!answers || other.GetStartup() || other.GetStats().fpdus > 0 ||
        (state != State::STARTUP && state != State::SEARCHING))
    {
        return false;
    }
    if (!tcp.HasStarted() && ack)
    {
        tcp.Start(*ack - 1);
    }
    // until then the peer sends no FPDU, so that what is acknowledged ends with its startup frame
    const uint64_t end = std::max<uint64_t>(tcp.GetAcknowledged(), 1);
    const bool whole = tcp.HasSyn() && state == State::STARTUP && end == tcp.GetEdge();
    if (!tcp.HasStarted() || whole || end < tcp.GetEdge())
    {
        return false;
    }
    other.PassOverStartup(mine, end, frame);
    if (other.GetState() == State::OVER)
    {
        direction.Leave();
    }
    else
    {
        direction.BeginAsSeen();
    }
    return true;
}

void
DecodeConnection::GiveUpWaiting(DecodeDirection& direction)
{
    direction.Search();
    direction.Resume();
}

void
DecodeConnection::Finish()
{
    m_order.Finish();
    for (auto& direction : m_directions)
    {
        direction.Finish();
    }
    for (auto& direction : m_directions)
    {
        if (direction.GetState() == State::WAITING)
        {
            GiveUpWaiting(direction);
        }
    }
}

void
DecodeConnection::StartupSeen(DecodeDirection& direction)
{
    DecodeDirection& other = Opposite(direction);
    const MpaStartupFrame* mine = direction.GetStartup();
    const MpaStartupFrame* yours = other.GetStartup();
    if (!yours || other.GetState() != State::WAITING)
    {
        return; // there is none, or the other direction has gone on without this one
    }
    const MpaStartupFrame& request = mine->reply ? *yours : *mine;
    const MpaStartupFrame& reply = mine->reply ? *mine : *yours;
    if (request.reply == reply.reply)
    {
        // there is no Full Operation, but perhaps a Terminate (RFC 6581 section 8)
        direction.Search();
        other.Search();
    }
    else if (reply.reject)
    {
        direction.Leave();
        other.Leave();
    }
    else
    {
        const MpaStartupResult settled = MpaNegotiate(MpaRole::INITIATOR, request, reply);
        const auto doubt =
            request.crc != reply.crc ? DecodeCrcDoubt::ONE_END : DecodeCrcDoubt::NONE;
        DecodeDirection& initiator = mine->reply ? other : direction;
        DecodeDirection& responder = mine->reply ? direction : other;
        initiator.Begin({settled.txMarkers, settled.crc}, doubt, settled.version);
        responder.Begin({settled.rxMarkers, settled.crc}, doubt, settled.version);
    }
    other.Resume();
}

bool
DecodeSession::Key::operator==(const Key& other) const
{
    return ends == other.ends;
}

std::size_t
DecodeSession::Hash::operator()(const Key& key) const
{
    std::size_t hash = 0;
    for (const DecodeEndpoint& end : key.ends)
    {
        boost::hash_combine(hash, end.port);
        boost::hash_range(hash, end.address.begin(), end.address.begin() + (end.ipv6 ? 16 : 4));
    }
    return hash;
}

DecodeSession::DecodeSession(const DecodeConfig& config, DecodeListener& listener)
    : m_config(config),
      m_listener(listener)
{
}

DecodeSession::~DecodeSession() = default;

void
DecodeSession::Frame(const DecodeFrame& frame)
{
    if (m_totals.frames++ == 0)
    {
        m_totals.start = frame.time;
    }
    m_totals.end = frame.time;
    DecodeSegment segment;
    DecodeFragment fragment;
    DecodePacketKind kind = DecodePacket(frame, segment, fragment);
    m_totals.unsupported += kind == DecodePacketKind::UNSUPPORTED ? 1 : 0;
    kind = Unpack(kind, segment, fragment, frame.time);
    if (kind == DecodePacketKind::TCP)
    {
        m_totals.tcp++;
        if (IsWanted(segment))
        {
            m_ahead.push_back({segment, frame});
        }
    }
    if (m_ahead.size() > LOOK_AHEAD)
    {
        TakeNext();
    }
}

bool
DecodeSession::IsWanted(const DecodeSegment& segment) const
{
    const auto& ports = m_config.ports;
    return ports.empty() || std::any_of(ports.begin(), ports.end(), [&segment](uint16_t port) {
               return port == segment.from.port || port == segment.to.port;
           });
}

DecodePacketKind
DecodeSession::Unpack(DecodePacketKind kind,
                      DecodeSegment& segment,
                      DecodeFragment& fragment,
                      int64_t time)
{
    for (unsigned layer = 0; layer < MAX_LAYERS; layer++)
    {
        if (kind == DecodePacketKind::FRAGMENT)
        {
            kind = Assemble(segment, fragment, time);
        }
        else if (kind == DecodePacketKind::ESP)
        {
            kind = Open(segment, fragment);
        }
        else
        {
            break;
        }
    }
    return kind;
}

DecodePacketKind
DecodeSession::Assemble(DecodeSegment& segment, DecodeFragment& fragment, int64_t time)
{
    if (fragment.protocol != DECODE_TCP && !m_config.esp)
    {
        return DecodePacketKind::OTHER;
    }
    m_totals.fragments++;
    const DecodeFragments::Datagram* whole = m_fragments.Add(fragment, time);
    if (!whole)
    {
        return DecodePacketKind::OTHER;
    }
    m_totals.fragments -= whole->fragments;
    return DecodePayload(fragment.protocol,
                         fragment,
                         whole->octets.data(),
                         static_cast<uint32_t>(whole->octets.size()),
                         segment,
                         fragment);
}

DecodePacketKind
DecodeSession::Open(DecodeSegment& segment, DecodeFragment& fragment)
{
    std::vector<uint8_t> octets;
    EspOpened opened;
    const auto result =
        m_config.esp ? m_config.esp->Open(fragment, octets, opened) : DecodeEsp::Result::NO_KEY;
    switch (result)
    {
    case DecodeEsp::Result::NO_KEY:
        m_totals.espLocked++;
        return DecodePacketKind::OTHER;
    case DecodeEsp::Result::DAMAGED:
        m_totals.espDamaged++;
        return DecodePacketKind::OTHER;
    case DecodeEsp::Result::OPENED:
        break;
    }
    m_totals.espOpened++;
    m_opened.push_back(std::move(octets)); // segments are never copied, so it has to stay
    return DecodePayload(opened.nextHeader,
                         fragment,
                         m_opened.back().data() + opened.head,
                         opened.payload,
                         segment,
                         fragment);
}

void
DecodeSession::TakeNext()
{
    const DecodeCaptured next = m_ahead.front();
    m_ahead.pop_front();
    const DecodeSegment& segment = next.segment;
    Key key{{segment.from, segment.to}};
    if (Order(segment.to) < Order(segment.from))
    {
        std::swap(key.ends[0], key.ends[1]);
    }
    DecodeConnection*& connection = m_current[key];
    unsigned side = connection && !(connection->GetEnd(0) == segment.from) ? 1 : 0;
    if (connection && connection->IsReopened(side, segment))
    {
        connection->Finish();
        connection = nullptr;
        side = 0;
    }
    if (!connection)
    {
        m_totals.connections++;
        m_all.push_back(std::make_unique<DecodeConnection>(m_config,
                                                           m_listener,
                                                           segment.from,
                                                           segment.to,
                                                           m_streams));
        connection = m_all.back().get();
    }
    connection->Take(side, next, m_ahead);
}

void
DecodeSession::Finish()
{
    while (!m_ahead.empty())
    {
        TakeNext();
    }
    for (const auto& connection : m_all)
    {
        connection->Finish();
    }
}

const DecodeSession::Totals&
DecodeSession::GetTotals() const
{
    return m_totals;
}

std::vector<const DecodeConnection*>
DecodeSession::GetConnections() const
{
    std::vector<const DecodeConnection*> found;
    for (const auto& connection : m_all)
    {
        if (connection->IsMpa())
        {
            found.push_back(connection.get());
        }
    }
    std::sort(found.begin(), found.end(), [](const auto* a, const auto* b) {
        return a->GetStream() < b->GetStream();
    });
    return found;
}

} // namespace ns3
