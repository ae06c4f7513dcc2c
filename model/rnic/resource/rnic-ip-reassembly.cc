/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-ip-reassembly.h"

#include "ns3/enum.h"
#include "ns3/ipsec-datagram.h"
#include "ns3/ns3-compat.h"
#include "ns3/rnic-time.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RnicIpReassembly);

namespace
{

constexpr uint32_t LARGEST = 65535; // octets of a datagram (IPv4), of its payload (IPv6)
constexpr uint32_t TCP_HEAD = 16;   // octets of a TCP header up to its flags and checksum

} // namespace

TypeId
RnicIpReassembly::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RnicIpReassembly")
            .SetParent<RnicPart>()
            .SetGroupName("Iwarp")
            .AddConstructor<RnicIpReassembly>()
            .AddAttribute("Policy",
                          "What there is for IP fragments (RFC 5044 A.5.1): Drop, nothing; "
                          "Limited, one buffer of Octets for one datagram; Unlimited; Max64K, one "
                          "buffer for the largest datagram; Pooled, Octets for any number of "
                          "datagrams. A datagram without room is dropped, and its sender told by "
                          "ICMP.",
                          iwarp::MakeEnumValue(Policy::UNLIMITED),
                          iwarp::MakeEnumAccessor(&RnicIpReassembly::m_policy),
                          iwarp::MakeEnumChecker(Policy::DROP,
                                                 "Drop",
                                                 Policy::LIMITED,
                                                 "Limited",
                                                 Policy::UNLIMITED,
                                                 "Unlimited",
                                                 Policy::MAX_64K,
                                                 "Max64K",
                                                 Policy::POOLED,
                                                 "Pooled"))
            .AddAttribute("Octets",
                          "Octets of the buffer of Limited and Pooled, IP headers included; 0 for "
                          "the link's MTU.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RnicIpReassembly::m_octets),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Timeout",
                          "Time after which a datagram that is not whole is given up (RFC 8200: "
                          "60 s).",
                          TimeValue(Seconds(60)),
                          MakeTimeAccessor(&RnicIpReassembly::m_timeout),
                          MakeTimeChecker(MicroSeconds(1), Seconds(1000000)));
    return tid;
}

std::string
RnicIpReassembly::Check() const
{
    return m_octets > 0 && m_octets < 68
               ? "Octets has to hold a datagram of 68 octets (RFC 791); 0 "
                 "is for the link's MTU"
               : "";
}

bool
RnicIpReassembly::IsIdeal() const
{
    return true; // it takes no time, and its limits count before a segment is in a pipeline
}

void
RnicIpReassembly::RestartStatistics(RnicTime /* now */)
{
    m_peak = m_held;
    m_fragments = m_dropped = m_whole = 0;
}

void
RnicIpReassembly::SetLinkMtu(uint32_t mtu)
{
    m_linkMtu = mtu;
}

uint64_t
RnicIpReassembly::GetCapacity() const
{
    switch (m_policy)
    {
    case Policy::DROP:
        return 0;
    case Policy::UNLIMITED:
        return std::numeric_limits<uint64_t>::max();
    case Policy::MAX_64K:
        return LARGEST;
    default:
        return m_octets > 0 ? m_octets : m_linkMtu;
    }
}

bool
RnicIpReassembly::IsSane(const Fragment& fragment)
{
    const uint32_t size = fragment.payload->GetSize();
    if (size == 0 || (fragment.more && size % 8 != 0))
    {
        return false;
    }
    const uint32_t header = fragment.key.ipv6 ? 0 : fragment.header;
    if (header + fragment.offset + size > LARGEST)
    {
        return false;
    }
    // RFC 1858 section 3: a TCP header is not cut in front of its flags, nor overwritten from there
    return fragment.key.protocol != TcpL4Protocol::PROT_NUMBER ||
           !(fragment.offset == 8 || (fragment.offset == 0 && size < TCP_HEAD));
}

bool
RnicIpReassembly::IsDuplicate(const Datagram& datagram, const Fragment& fragment)
{
    const auto found = datagram.payloads.find(fragment.offset);
    return found != datagram.payloads.end() &&
           found->second->GetSize() == fragment.payload->GetSize() &&
           (fragment.more || datagram.end == fragment.offset + fragment.payload->GetSize());
}

bool
RnicIpReassembly::Overlaps(const Datagram& datagram, const Fragment& fragment)
{
    const uint32_t end = fragment.offset + fragment.payload->GetSize();
    const auto next = datagram.payloads.lower_bound(fragment.offset);
    if (next != datagram.payloads.end() && (next->first < end || !fragment.more))
    {
        return true;
    }
    if (next != datagram.payloads.begin())
    {
        const auto before = std::prev(next);
        if (before->first + before->second->GetSize() > fragment.offset)
        {
            return true;
        }
    }
    return datagram.end > 0 && (!fragment.more || end > datagram.end);
}

RnicIpReassembly::List::iterator
RnicIpReassembly::Find(RnicTime now, const Fragment& fragment, Outcome& outcome)
{
    const auto [place, fresh] = m_places.try_emplace(fragment.key);
    if (fresh)
    {
        place->second = m_datagrams.emplace(m_datagrams.end());
        place->second->key = fragment.key;
        place->second->expiry = now + ToRnicTime(m_timeout);
        place->second->header = fragment.header;
        MakeRoom(place->second, fragment.header, outcome);
        Hold(fragment.header);
    }
    return place->second;
}

void
RnicIpReassembly::Hold(uint64_t octets)
{
    m_held += octets;
    m_peak = std::max(m_peak, m_held);
}

void
RnicIpReassembly::Discard(Datagram& datagram)
{
    m_dropped += datagram.payloads.size();
    m_held -= datagram.held;
    datagram.held = 0;
    datagram.payloads.clear();
    datagram.first = nullptr;
    datagram.discarded = true;
}

void
RnicIpReassembly::Refuse(Datagram& datagram, Outcome& outcome)
{
    if (datagram.first)
    {
        outcome.refused.push_back(datagram.first);
    }
    datagram.refused = !datagram.first; // told of when it comes
    Discard(datagram);
}

void
RnicIpReassembly::Remove(List::iterator datagram)
{
    m_held -= datagram->header + datagram->held;
    m_places.erase(datagram->key);
    m_datagrams.erase(datagram);
}

void
RnicIpReassembly::MakeRoom(List::iterator kept, uint64_t octets, Outcome& outcome)
{
    const uint64_t capacity = GetCapacity();
    const bool several = m_policy == Policy::UNLIMITED || m_policy == Policy::POOLED;
    auto oldest = m_datagrams.begin();
    while (oldest != m_datagrams.end() && (!several || m_held + octets > capacity))
    {
        const auto next = std::next(oldest);
        if (oldest != kept)
        {
            Refuse(*oldest, outcome);
            Remove(oldest);
        }
        oldest = next;
    }
}

RnicIpReassembly::Outcome
RnicIpReassembly::Add(RnicTime now, const Fragment& fragment)
{
    Outcome outcome;
    ++m_fragments;
    const bool first = fragment.offset == 0;
    if (!IsSane(fragment) || m_policy == Policy::DROP)
    {
        ++m_dropped;
        if (first && IsSane(fragment))
        {
            outcome.refused.push_back(fragment.whole);
        }
        return outcome;
    }
    const auto datagram = Find(now, fragment, outcome);
    if (datagram->discarded || IsDuplicate(*datagram, fragment))
    {
        ++m_dropped;
        if (first && std::exchange(datagram->refused, false))
        {
            outcome.refused.push_back(fragment.whole);
        }
        return outcome;
    }
    if (Overlaps(*datagram, fragment))
    {
        ++m_dropped;
        Discard(*datagram);
        return outcome;
    }
    if (first)
    {
        datagram->first = fragment.whole;
        datagram->tos = fragment.tos;
    }
    const uint32_t size = fragment.payload->GetSize();
    if (datagram->header + fragment.offset + size > GetCapacity())
    {
        ++m_dropped;
        Refuse(*datagram, outcome);
        return outcome;
    }
    MakeRoom(datagram, size, outcome);
    datagram->payloads.emplace(fragment.offset, fragment.payload);
    datagram->services.push_back(fragment.tos);
    datagram->held += size;
    Hold(size);
    if (!fragment.more)
    {
        datagram->end = fragment.offset + size;
    }
    if (datagram->end > 0 && datagram->held >= datagram->end)
    {
        Complete(datagram, outcome);
    }
    return outcome;
}

void
RnicIpReassembly::Complete(List::iterator datagram, Outcome& outcome)
{
    if (!MergeIpsecEcn(datagram->services, datagram->tos))
    {
        Discard(*datagram);
        Remove(datagram);
        return;
    }
    ++m_whole;
    outcome.first = datagram->first;
    outcome.tos = datagram->tos;
    outcome.payload = Create<Packet>();
    for (const auto& [offset, payload] : datagram->payloads)
    {
        outcome.payload->AddAtEnd(payload);
    }
    Remove(datagram);
}

std::vector<Ptr<const Packet>>
RnicIpReassembly::Expire(RnicTime now)
{
    std::vector<Ptr<const Packet>> expired;
    while (!m_datagrams.empty() && m_datagrams.front().expiry <= now)
    {
        auto& datagram = m_datagrams.front();
        if (datagram.first)
        {
            expired.push_back(datagram.first);
        }
        Discard(datagram);
        Remove(m_datagrams.begin());
    }
    return expired;
}

RnicTime
RnicIpReassembly::GetNextExpiry() const
{
    return m_datagrams.empty() ? -1 : m_datagrams.front().expiry;
}

uint64_t
RnicIpReassembly::GetHeld() const
{
    return m_held;
}

uint64_t
RnicIpReassembly::GetPeak() const
{
    return m_peak;
}

uint64_t
RnicIpReassembly::GetFragments() const
{
    return m_fragments;
}

uint64_t
RnicIpReassembly::GetDropped() const
{
    return m_dropped;
}

uint64_t
RnicIpReassembly::GetDatagrams() const
{
    return m_whole;
}

} // namespace ns3
