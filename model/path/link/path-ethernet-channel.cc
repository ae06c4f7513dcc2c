/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "path-ethernet-channel.h"

#include "path-framing.h"
#include "path-ranks.h"

#include "ns3/log.h"
#include "ns3/object.h"

#include <algorithm>
#include <numeric>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("PathEthernetChannel");
NS_OBJECT_ENSURE_REGISTERED(PathEthernetChannel);

namespace
{

/// @param packet with PPP's header @return octets of its datagram
uint32_t
GetDatagram(const Ptr<const Packet>& packet)
{
    return packet->GetSize() - framing::PPP_HEADER;
}

/// @param device a device @return its rate
DataRate
GetRate(const Ptr<PointToPointNetDevice>& device)
{
    DataRateValue rate;
    device->GetAttribute("DataRate", rate);
    return rate.Get();
}

/// Sets the gap behind each packet that a device sends.
class PathEthernetGap : public Object
{
  public:
    static TypeId GetTypeId() //!< Get the type ID. @return the object TypeId
    {
        static TypeId tid =
            TypeId("ns3::PathEthernetGap").SetParent<Object>().SetGroupName("Iwarp");
        return tid;
    }

    /// @param device which this is aggregated to @param rate of it
    PathEthernetGap(PointToPointNetDevice& device, const DataRate& rate)
        : m_device(device)
    {
        SetRate(rate);
    }

    void SetRate(const DataRate& rate) //!< @param rate of the device
    {
        m_times = PathTransmissionTimes(rate);
        m_left = 0;
        const int64_t second = Seconds(1).GetTimeStep();
        const auto bits = static_cast<int64_t>(rate.GetBitRate());
        const int64_t common = std::gcd(second, bits);
        m_steps = second / common;
        m_bits = bits / common;
    }

    /// The device's PhyTxBegin, which fires before the gap is read. @param packet to be sent
    void Begin(Ptr<const Packet> packet)
    {
        const int64_t octets = framing::GetWireOctets(PathFraming::ETHERNET, GetDatagram(packet));
        const int64_t due = 8 * octets * m_steps + m_left;
        const int64_t sent = m_times.Get(packet->GetSize()).GetTimeStep();
        const int64_t taken = std::max(due / m_bits, sent);
        m_left = due - taken * m_bits;
        m_device.SetInterframeGap(TimeStep(static_cast<uint64_t>(taken - sent)));
    }

  private:
    PointToPointNetDevice& m_device; //!< device, which lives as long as this
    PathTransmissionTimes m_times;   //!< at its rate
    int64_t m_steps{1};              //!< steps of ns3::Time in which it sends m_bits
    int64_t m_bits{1};               //!< bits
    int64_t m_left{0}; //!< what packets have not taken of a step so far, in parts of 1/m_bits
};

NS_OBJECT_ENSURE_REGISTERED(PathEthernetGap);

} // namespace

TypeId
PathEthernetChannel::GetTypeId()
{
    static TypeId tid = TypeId("ns3::PathEthernetChannel")
                            .SetParent<PointToPointChannel>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<PathEthernetChannel>();
    return tid;
}

PathEthernetChannel::PathEthernetChannel() = default;
PathEthernetChannel::~PathEthernetChannel() = default;

void
PathEthernetChannel::Join(Ptr<PointToPointNetDevice> a, Ptr<PointToPointNetDevice> b, Time delay)
{
    NS_LOG_FUNCTION(a << b << delay);
    auto channel = CreateObject<PathEthernetChannel>();
    channel->SetAttribute("Delay", TimeValue(delay));
    std::size_t end = 0;
    for (const auto& device : {a, b})
    {
        const DataRate rate = GetRate(device);
        if (!device->GetObject<PathEthernetGap>()) // it keeps the gaps it has
        {
            auto gap = CreateObject<PathEthernetGap>(*device, rate);
            device->AggregateObject(gap);
            device->TraceConnectWithoutContext(
                "PhyTxBegin",
                MakeCallback(&PathEthernetGap::Begin, PeekPointer(gap)));
        }
        device->Attach(channel);
        channel->m_times[end++] = PathTransmissionTimes(rate);
    }
    const std::array<bool, 2> own{ranks::IsOwn(a->GetNode()), ranks::IsOwn(b->GetNode())};
    for (end = 0; end < 2; end++)
    {
        channel->m_sides[end] = !own[end] ? Side::FOREIGN : own[1 - end] ? Side::OWN : Side::REMOTE;
        if (channel->m_sides[end] == Side::REMOTE)
        {
            ranks::Open(end == 0 ? a : b);
        }
    }
}

void
PathEthernetChannel::SetRate(Ptr<PointToPointNetDevice> device, const DataRate& rate)
{
    NS_LOG_FUNCTION(device << rate);
    device->SetDataRate(rate);
    if (auto gap = device->GetObject<PathEthernetGap>())
    {
        gap->SetRate(rate);
    }
    if (auto channel = DynamicCast<PathEthernetChannel>(device->GetChannel()))
    {
        channel->m_times[channel->GetEnd(device)] = PathTransmissionTimes(rate);
    }
}

std::size_t
PathEthernetChannel::GetEnd(const Ptr<const PointToPointNetDevice>& device) const
{
    return GetPointToPointDevice(0) == device ? 0 : 1;
}

bool
PathEthernetChannel::TransmitStart(Ptr<const Packet> packet,
                                   Ptr<PointToPointNetDevice> from,
                                   Time transmission)
{
    NS_LOG_FUNCTION(this << packet << from << transmission);
    const std::size_t end = GetEnd(from);
    const Time taken =
        m_times[end].Get(framing::GetSentOctets(PathFraming::ETHERNET, GetDatagram(packet)));
    switch (m_sides[end])
    {
    case Side::OWN:
        return PointToPointChannel::TransmitStart(packet, from, taken);
    case Side::REMOTE:
        ranks::Send(packet, taken + GetDelay(), GetPointToPointDevice(1 - end));
        break;
    case Side::FOREIGN:
        break;
    }
    return true;
}

} // namespace ns3
