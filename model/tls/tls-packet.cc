/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tls-packet.h"

#include "ns3/header.h"

namespace ns3
{

namespace
{

/// Octets that stand before those of a packet.
class TlsOctetsBefore : public Header
{
  public:
    /// @param octets the caller's @param size how many
    TlsOctetsBefore(const uint8_t* octets, uint32_t size)
        : m_octets(octets),
          m_size(size)
    {
    }

    TypeId GetInstanceTypeId() const override
    {
        static TypeId tid = TypeId("ns3::TlsOctetsBefore")
                                .SetParent<Header>()
                                .SetGroupName("Iwarp")
                                .HideFromDocumentation();
        return tid;
    }

    void Print(std::ostream& os) const override
    {
        os << m_size << " octets";
    }

    uint32_t GetSerializedSize() const override
    {
        return m_size;
    }

    void Serialize(Buffer::Iterator start) const override
    {
        start.Write(m_octets, m_size);
    }

    uint32_t Deserialize(Buffer::Iterator /* start */) override
    {
        return 0; // nobody does
    }

  private:
    const uint8_t* m_octets; //!< octets
    uint32_t m_size;         //!< how many
};

} // namespace

Ptr<Packet>
AddTlsOctetsBefore(const Ptr<const Packet>& packet, const uint8_t* octets, uint32_t size)
{
    Ptr<Packet> copy = packet->Copy();
    copy->AddHeader(TlsOctetsBefore(octets, size));
    return copy;
}

std::vector<uint8_t>
CopyTlsOctets(const Ptr<const Packet>& packet)
{
    std::vector<uint8_t> octets(packet->GetSize());
    packet->CopyData(octets.data(), packet->GetSize());
    return octets;
}

Ptr<Packet>
MakeTlsPacket(const std::vector<uint8_t>& octets)
{
    return Create<Packet>(octets.data(), static_cast<uint32_t>(octets.size()));
}

} // namespace ns3
