/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "esp-packet.h"

#include "ns3/assert.h"
#include "ns3/crypto-modelled-tag.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <cstring>
#include <vector>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(EspHeader);
NS_OBJECT_ENSURE_REGISTERED(EspTrailer);

namespace
{

/// @param size octets needed @return room for them until the next call
uint8_t*
GetScratch(uint32_t size)
{
    static thread_local std::vector<uint8_t> scratch;
    if (scratch.size() < size)
    {
        scratch.resize(size);
    }
    return scratch.data();
}

/// Give a packet other octets; its tags stay. @param packet it @param octets new ones
/// @param size how many
void
Replace(const Ptr<Packet>& packet, const uint8_t* octets, uint32_t size)
{
    packet->RemoveAtStart(packet->GetSize());
    packet->AddAtEnd(Create<Packet>(octets, size));
}

} // namespace

// ---- EspHeader ----------------------------------------------------------------------------------

TypeId
EspHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::EspHeader")
                            .SetParent<Header>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<EspHeader>();
    return tid;
}

EspHeader::EspHeader(const uint8_t* head, uint32_t size)
    : m_size(size)
{
    NS_ASSERT(size <= m_octets.size());
    std::copy_n(head, size, m_octets.begin());
}

uint32_t
EspHeader::GetSpi() const
{
    return boost::endian::load_big_u32(m_octets.data());
}

uint32_t
EspHeader::GetSequence() const
{
    return boost::endian::load_big_u32(m_octets.data() + 4);
}

TypeId
EspHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
EspHeader::Print(std::ostream& os) const
{
    os << "SPI " << GetSpi() << " Seq " << GetSequence();
}

uint32_t
EspHeader::GetSerializedSize() const
{
    return m_size;
}

void
EspHeader::Serialize(Buffer::Iterator start) const
{
    start.Write(m_octets.data(), m_size);
}

uint32_t
EspHeader::Deserialize(Buffer::Iterator start)
{
    m_size = ESP_HEADER_SIZE;
    start.Read(m_octets.data(), m_size);
    return m_size;
}

// ---- EspTrailer ---------------------------------------------------------------------------------

TypeId
EspTrailer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::EspTrailer")
                            .SetParent<Trailer>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<EspTrailer>();
    return tid;
}

EspTrailer::EspTrailer(const uint8_t* tail, uint32_t size)
    : m_octets(tail),
      m_size(size)
{
}

TypeId
EspTrailer::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
EspTrailer::Print(std::ostream& os) const
{
    os << m_size << " octets of padding, trailer and ICV";
}

uint32_t
EspTrailer::GetSerializedSize() const
{
    return m_size;
}

void
EspTrailer::Serialize(Buffer::Iterator end) const
{
    end.Prev(m_size);
    end.Write(m_octets, m_size);
}

uint32_t
EspTrailer::Deserialize(Buffer::Iterator /* end */)
{
    m_size = 0;
    return 0;
}

// ---- packets ------------------------------------------------------------------------------------

void
SealEspPacket(const EspCodec& codec,
              const EspFields& fields,
              const EspSizes& sizes,
              const Ptr<Packet>& packet)
{
    NS_ASSERT(packet->GetSize() == sizes.payload);
    uint8_t* scratch = GetScratch(sizes.GetTotal());
    if (codec.GetMode() == EspCodec::Mode::REAL)
    {
        packet->CopyData(scratch + sizes.GetHead(), sizes.payload);
        codec.Seal(fields, nullptr, sizes, scratch);
        Replace(packet, scratch, sizes.GetTotal());
        return;
    }
    packet->CopyData(scratch, sizes.payload);
    uint8_t head[EspCodec::MAX_HEAD];
    uint8_t tail[EspCodec::MAX_TAIL];
    codec.SealModelled(fields,
                       sizes,
                       CryptoModelledTag::Digest(scratch, sizes.payload),
                       head,
                       tail);
    if (sizes.tfc > 0)
    { // of zeros, while AddPaddingAtEnd() leaves there what the memory holds
        packet->AddAtEnd(Create<Packet>(sizes.tfc));
    }
    packet->AddTrailer(EspTrailer(tail, sizes.GetTail()));
    packet->AddHeader(EspHeader(head, sizes.GetHead()));
}

void
FillEspPacket(const Ptr<Packet>& packet)
{
    const uint32_t size = packet->GetSize();
    uint8_t* scratch = GetScratch(size);
    packet->CopyData(scratch, size);
    Replace(packet, scratch, size);
}

EspOpened
OpenEspPacket(const EspCodec& codec, uint64_t sequence, const Ptr<Packet>& packet)
{
    const uint32_t size = packet->GetSize();
    uint8_t* scratch = GetScratch(size);
    packet->CopyData(scratch, size);
    EspOpened opened;
    if (codec.GetMode() == EspCodec::Mode::REAL)
    {
        opened = codec.Open(sequence, scratch, size);
        if (opened.result == EspResult::OK)
        {
            Replace(packet, scratch + opened.head, opened.payload);
        }
        return opened;
    }
    opened = codec.OpenModelled(sequence,
                                scratch,
                                scratch + size - std::min(size, EspCodec::MAX_TAIL),
                                size,
                                [scratch, &codec](uint32_t octets) {
                                    return CryptoModelledTag::Digest(scratch + codec.GetHeadSize(),
                                                                     octets);
                                });
    if (opened.result == EspResult::OK)
    {
        packet->RemoveAtStart(opened.head);
        packet->RemoveAtEnd(size - opened.head - opened.payload);
    }
    return opened;
}

} // namespace ns3
