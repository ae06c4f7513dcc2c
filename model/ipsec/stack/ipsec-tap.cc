/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-tap.h"

#include "ns3/abort.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/util-forged-tag.h"

#include <algorithm>

namespace ns3
{
namespace
{

constexpr uint32_t TAPPED_PPP = 2;       //!< octets of PPP's header
constexpr uint32_t TAPPED_ETHERNET = 14; //!< octets of Ethernet's

} // namespace

std::string
IpsecTap::Sighting::ToString() const
{
    return finding.ToString() + ", sent by node " + std::to_string(node) + ", device " +
           std::to_string(device) + ", at " + std::to_string(time.GetSeconds()) + " s";
}

void
IpsecTap::Attach(Ptr<NetDevice> device, const IpsecClearReader::Protected& isProtected)
{
    const std::size_t place = m_places.size();
    m_places.push_back({device->GetNode()->GetId(),
                        device->GetIfIndex(),
                        device->IsPointToPoint() ? TAPPED_PPP : TAPPED_ETHERNET,
                        isProtected});
    const bool taken = device->TraceConnectWithoutContext(
        "PhyTxBegin",
        MakeBoundCallback(&IpsecTap::HandleFrame, Ptr<IpsecTap>(this), place));
    NS_ABORT_MSG_UNLESS(taken,
                        "IpsecTap: " << device->GetInstanceTypeId().GetName()
                                     << " has no trace source PhyTxBegin");
}

void
IpsecTap::AddContent(const uint8_t* octets, std::size_t size)
{
    m_reader.AddContent(octets, size);
}

uint64_t
IpsecTap::GetSeen() const
{
    return m_seen;
}

uint64_t
IpsecTap::GetCount() const
{
    return m_count;
}

const std::optional<IpsecTap::Sighting>&
IpsecTap::GetFirst() const
{
    return m_first;
}

void
IpsecTap::HandleFrame(Ptr<IpsecTap> tap, std::size_t place, Ptr<const Packet> frame)
{
    tap->Look(tap->m_places[place], frame);
}

void
IpsecTap::Look(const Place& place, const Ptr<const Packet>& frame)
{
    m_seen++;
    const uint32_t size = frame->GetSize();
    const uint32_t most = place.header + static_cast<uint32_t>(IpsecClearReader::HEAD);
    const uint32_t wanted = m_reader.HasContent() ? size : std::min(size, most);
    if (size <= place.header)
    {
        return;
    }
    m_octets.resize(std::max<std::size_t>(m_octets.size(), wanted));
    frame->CopyData(m_octets.data(), wanted);
    const auto finding = m_reader.Read(m_octets.data() + place.header,
                                       wanted - place.header,
                                       size - place.header,
                                       place.isProtected);
    ForgedTag forged; // what no node has sent gives nothing away
    if (finding.kind == IpsecClearReader::Kind::NOTHING || frame->PeekPacketTag(forged))
    {
        return;
    }
    m_count++;
    if (!m_first)
    {
        m_first = Sighting{Simulator::Now(), place.node, place.device, finding};
    }
}

} // namespace ns3
