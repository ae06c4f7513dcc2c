/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-association.h"

#include "ns3/abort.h"

#include <algorithm>
#include <limits>

namespace ns3
{

namespace
{

/// @param config of an association @return it, if there is nothing wrong with it
const IpsecAssociationConfig&
Checked(const IpsecAssociationConfig& config)
{
    const std::string fault = config.Check();
    NS_ABORT_MSG_IF(!fault.empty(), fault);
    return config;
}

/**
 * @param lifetime a bound
 * @param octets that the cipher worked on
 * @param packets sent or received
 * @param age since the association was made
 * @return whether it is over
 */
bool
IsOver(const IpsecLifetime& lifetime, uint64_t octets, uint64_t packets, Time age)
{
    return (lifetime.octets > 0 && octets >= lifetime.octets) ||
           (lifetime.packets > 0 && packets >= lifetime.packets) ||
           (lifetime.time.IsStrictlyPositive() && age >= lifetime.time);
}

/// @param config of an association @return the last sequence number that it can use
uint64_t
GetLastSequence(const IpsecAssociationConfig& config)
{
    return config.extended ? std::numeric_limits<uint64_t>::max()
                           : std::numeric_limits<uint32_t>::max();
}

/// @param result what the codec found @return the reason for which it is dropped
IpsecDrop
DropFor(EspResult result)
{
    switch (result)
    {
    case EspResult::OK:
        break;
    case EspResult::TRUNCATED:
        return IpsecDrop::TRUNCATED;
    case EspResult::BAD_ICV:
        return IpsecDrop::BAD_ICV;
    case EspResult::BAD_PADDING:
        return IpsecDrop::BAD_PADDING;
    }
    return IpsecDrop::NONE;
}

} // namespace

std::string
ToString(IpsecDrop drop)
{
    switch (drop)
    {
    case IpsecDrop::NONE:
    case IpsecDrop::COUNT:
        break;
    case IpsecDrop::POLICY:
        return "policy";
    case IpsecDrop::NO_ASSOCIATION:
        return "no-association";
    case IpsecDrop::TRUNCATED:
        return "truncated";
    case IpsecDrop::REPLAYED:
        return "replayed";
    case IpsecDrop::TOO_OLD:
        return "too-old";
    case IpsecDrop::BAD_ICV:
        return "bad-icv";
    case IpsecDrop::BAD_PADDING:
        return "bad-padding";
    case IpsecDrop::EXPIRED:
        return "expired";
    case IpsecDrop::EXHAUSTED:
        return "exhausted";
    case IpsecDrop::TOO_BIG:
        return "too-big";
    }
    return "none";
}

std::string
IpsecAssociationConfig::Check() const
{
    if (spi < ESP_FIRST_SPI)
    {
        return "SPI " + std::to_string(spi) + " is reserved: take 256 or more";
    }
    if (!transform)
    {
        return "an association needs a transform: take one by FindEspTransform()";
    }
    if (replayWindow != 0 &&
        (replayWindow < EspReplayWindow::LEAST || replayWindow > EspReplayWindow::MOST))
    {
        return "an anti-replay window of " + std::to_string(replayWindow) +
               " packets: take 32 to 4096, or 0 for none";
    }
    if (replayWindow == 0 && extended)
    {
        return "extended sequence numbers need an anti-replay window: take one of 32 packets or "
               "more";
    }
    if (!extended && sequence > std::numeric_limits<uint32_t>::max())
    {
        return "sequence number " + std::to_string(sequence) +
               " has more than 32 bits: take extended ones";
    }
    if (sequence == GetLastSequence(*this))
    {
        return "there is no sequence number behind " + std::to_string(sequence) +
               ": take 0 for a new association";
    }
    if (udpEntropy && !udp)
    {
        return "ports of UDP cannot tell flows apart where ESP does not go in UDP: set udp, or no "
               "udpEntropy";
    }
    if (source.IsIpv6() != destination.IsIpv6())
    {
        return "an association from " + source.ToString() + " to " + destination.ToString() +
               " has two versions of IP: take one";
    }
    return EspCodec::CheckKeys(*transform, keys);
}

EspEncapsulation
IpsecAssociationConfig::GetEncapsulation() const
{
    return {transform, mode, udp, destination.IsIpv6() ? 40U : 20U, tfcLength};
}

IpsecAssociation::IpsecAssociation(const IpsecAssociationConfig& config, Time now)
    : m_config(Checked(config)),
      m_encapsulation(config.GetEncapsulation()),
      m_codec(*config.transform, config.keys, config.codec, config.extended),
      m_window(config.replayWindow, config.extended),
      m_made(now),
      m_used(now),
      m_sequence(config.sequence),
      m_last(GetLastSequence(config)),
      m_ageing(config.sequence + (m_last - config.sequence) / 5 * 4)
{
    if (m_sequence > 0)
    {
        m_window.Accept(m_sequence);
    }
}

const IpsecAssociationConfig&
IpsecAssociation::GetConfig() const
{
    return m_config;
}

const EspCodec&
IpsecAssociation::GetCodec() const
{
    return m_codec;
}

const EspEncapsulation&
IpsecAssociation::GetEncapsulation() const
{
    return m_encapsulation;
}

IpsecDrop
IpsecAssociation::Begin(uint32_t ciphered, Time now, EspFields& fields)
{
    if (m_sequence == m_last)
    {
        return Count(IpsecDrop::EXHAUSTED);
    }
    if (GetAge(now) == IpsecAge::HARD)
    {
        return Count(IpsecDrop::EXPIRED);
    }
    fields.spi = m_config.spi;
    fields.sequence = ++m_sequence;
    m_octets += ciphered;
    ++m_packets;
    m_used = now;
    return IpsecDrop::NONE;
}

IpsecDrop
IpsecAssociation::Admit(uint32_t low, Time now, uint64_t& sequence)
{
    if (GetAge(now) == IpsecAge::HARD)
    {
        return Count(IpsecDrop::EXPIRED);
    }
    sequence = m_window.Extend(low);
    return Validate(sequence);
}

IpsecDrop
IpsecAssociation::Finish(uint64_t sequence, uint32_t ciphered, EspResult result, Time now)
{
    if (result != EspResult::OK)
    {
        return Count(DropFor(result));
    }
    // another packet of this number may have been opened since Admit()
    const IpsecDrop drop = Validate(sequence);
    if (drop == IpsecDrop::NONE)
    {
        m_window.Accept(sequence);
        m_octets += ciphered;
        ++m_packets;
        m_used = now;
    }
    return drop;
}

IpsecDrop
IpsecAssociation::Validate(uint64_t sequence)
{
    switch (m_window.Validate(sequence))
    {
    case EspFreshness::FRESH:
        break;
    case EspFreshness::REPLAYED:
        return Count(IpsecDrop::REPLAYED);
    case EspFreshness::TOO_OLD:
        return Count(IpsecDrop::TOO_OLD);
    }
    return IpsecDrop::NONE;
}

IpsecAge
IpsecAssociation::GetAge(Time now) const
{
    const Time age = now - m_made;
    if (m_sequence == m_last || IsOver(m_config.hard, m_octets, m_packets, age))
    {
        return IpsecAge::HARD;
    }
    return GetSequence() >= m_ageing || IsOver(m_config.soft, m_octets, m_packets, age)
               ? IpsecAge::SOFT
               : IpsecAge::VALID;
}

Time
IpsecAssociation::GetLastUse() const
{
    return m_used;
}

uint64_t
IpsecAssociation::GetOctets() const
{
    return m_octets;
}

uint64_t
IpsecAssociation::GetPackets() const
{
    return m_packets;
}

uint64_t
IpsecAssociation::GetDropped(IpsecDrop drop) const
{
    return m_dropped.at(static_cast<std::size_t>(drop));
}

uint64_t
IpsecAssociation::GetSequence() const
{
    return std::max(m_sequence, m_window.GetTop());
}

IpsecDrop
IpsecAssociation::Count(IpsecDrop drop)
{
    ++m_dropped.at(static_cast<std::size_t>(drop));
    return drop;
}

} // namespace ns3
