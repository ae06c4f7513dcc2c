/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-storage-message.h"

#include "ns3/ddp-octets.h"

namespace ns3
{

namespace
{

constexpr uint8_t FLAG_RESPONSE = 1; // of a message's second octet
constexpr uint8_t FLAG_INLINE = 2;
constexpr uint16_t MARK = 0x5354;              // of a message
constexpr uint32_t STORAGE_MAGIC = 0x69775354; // "iwST", of private data

} // namespace

void
RdmaStorageMessage::Encode(uint8_t* out) const
{
    out[0] = static_cast<uint8_t>(kind);
    out[1] = (response ? FLAG_RESPONSE : 0) | (inlined ? FLAG_INLINE : 0);
    ddp::StoreBig(out + 2, MARK);
    ddp::StoreBig(out + 4, tag);
    ddp::StoreBig(out + 8, length);
    ddp::StoreBig(out + 12, key);
    ddp::StoreBig(out + 16, address);
}

bool
RdmaStorageMessage::Decode(const uint8_t* octets, RdmaStorageMessage& message)
{
    if (octets[0] > static_cast<uint8_t>(RdmaStorageKind::WRITE) ||
        octets[1] > (FLAG_RESPONSE | FLAG_INLINE) || ddp::LoadBig<uint16_t>(octets + 2) != MARK)
    {
        return false;
    }
    message.kind = static_cast<RdmaStorageKind>(octets[0]);
    message.response = (octets[1] & FLAG_RESPONSE) != 0;
    message.inlined = (octets[1] & FLAG_INLINE) != 0;
    message.tag = ddp::LoadBig<uint32_t>(octets + 4);
    message.length = ddp::LoadBig<uint32_t>(octets + 8);
    message.key = ddp::LoadBig<uint32_t>(octets + 12);
    message.address = ddp::LoadBig<uint64_t>(octets + 16);
    return true;
}

std::vector<uint8_t>
RdmaStorageTerms::Encode() const
{
    std::vector<uint8_t> octets(SIZE);
    ddp::StoreBig(octets.data(), STORAGE_MAGIC);
    ddp::StoreBig(octets.data() + 4, queueDepth);
    ddp::StoreBig(octets.data() + 8, inlineThreshold);
    return octets;
}

bool
RdmaStorageTerms::Decode(const std::vector<uint8_t>& octets, RdmaStorageTerms& terms)
{
    if (octets.size() != SIZE || ddp::LoadBig<uint32_t>(octets.data()) != STORAGE_MAGIC)
    {
        return false;
    }
    terms.queueDepth = ddp::LoadBig<uint32_t>(octets.data() + 4);
    terms.inlineThreshold = ddp::LoadBig<uint32_t>(octets.data() + 8);
    return terms.queueDepth > 0;
}

} // namespace ns3
