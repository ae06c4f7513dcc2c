/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nvme-command.h"

#include <boost/endian/conversion.hpp>

namespace ns3
{

using boost::endian::load_little_u16;
using boost::endian::load_little_u32;
using boost::endian::load_little_u64;
using boost::endian::store_little_u16;
using boost::endian::store_little_u32;
using boost::endian::store_little_u64;

namespace
{

constexpr uint16_t DO_NOT_RETRY = 0x8000; // of a Completion Queue Entry's status

/// @param type FCTYPE @return a fabrics command
NvmeSqe
MakeFabrics(NvmeFctype type)
{
    NvmeSqe sqe;
    sqe.opcode = static_cast<uint8_t>(NvmeOpcode::FABRICS);
    sqe.nsid = static_cast<uint8_t>(type);
    return sqe;
}

} // namespace

const char*
NvmeStatusName(NvmeStatus status)
{
    switch (status)
    {
    case NvmeStatus::SUCCESS:
        return "Successful Completion";
    case NvmeStatus::INVALID_OPCODE:
        return "Invalid Command Opcode";
    case NvmeStatus::INVALID_FIELD:
        return "Invalid Field in Command";
    case NvmeStatus::COMMAND_ID_CONFLICT:
        return "Command ID Conflict";
    case NvmeStatus::INTERNAL_ERROR:
        return "Internal Error";
    case NvmeStatus::INVALID_NAMESPACE:
        return "Invalid Namespace or Format";
    case NvmeStatus::COMMAND_SEQUENCE_ERROR:
        return "Command Sequence Error";
    case NvmeStatus::SGL_LENGTH_INVALID:
        return "Data SGL Length Invalid";
    case NvmeStatus::SGL_TYPE_INVALID:
        return "SGL Descriptor Type Invalid";
    case NvmeStatus::SGL_OFFSET_INVALID:
        return "SGL Offset Invalid";
    case NvmeStatus::TRANSIENT_TRANSPORT_ERROR:
        return "Transient Transport Error";
    case NvmeStatus::LBA_OUT_OF_RANGE:
        return "LBA Out of Range";
    case NvmeStatus::ASYNC_LIMIT_EXCEEDED:
        return "Asynchronous Event Request Limit Exceeded";
    case NvmeStatus::CONNECT_INCOMPATIBLE_FORMAT:
        return "Connect Incompatible Format";
    case NvmeStatus::CONNECT_INVALID_PARAMETERS:
        return "Connect Invalid Parameters";
    }
    return "another status";
}

// ---- Submission Queue Entry ---------------------------------------------------------------------

void
NvmeSqe::Write(uint8_t* out) const
{
    out[0] = opcode;
    out[1] = flags;
    store_little_u16(out + 2, cid);
    store_little_u32(out + 4, nsid);
    store_little_u32(out + 8, cdw2);
    store_little_u32(out + 12, cdw3);
    store_little_u64(out + 16, mptr);
    store_little_u64(out + 24, sgl1.address);
    store_little_u32(out + 32, sgl1.length);
    store_little_u32(out + 36, static_cast<uint32_t>(sgl1.type) << 24); // behind reserved octets
    for (unsigned i = 0; i < 6; i++)
    {
        store_little_u32(out + 40 + 4 * i, cdw[i]);
    }
}

void
NvmeSqe::Read(const uint8_t* octets)
{
    opcode = octets[0];
    flags = octets[1];
    cid = load_little_u16(octets + 2);
    nsid = load_little_u32(octets + 4);
    cdw2 = load_little_u32(octets + 8);
    cdw3 = load_little_u32(octets + 12);
    mptr = load_little_u64(octets + 16);
    sgl1 = {load_little_u64(octets + 24), load_little_u32(octets + 32), octets[39]};
    for (unsigned i = 0; i < 6; i++)
    {
        cdw[i] = load_little_u32(octets + 40 + 4 * i);
    }
}

bool
NvmeSqe::IsFabrics() const
{
    return opcode == static_cast<uint8_t>(NvmeOpcode::FABRICS);
}

NvmeFctype
NvmeSqe::GetFctype() const
{
    return static_cast<NvmeFctype>(nsid & 0xFF);
}

NvmeDirection
NvmeSqe::GetDirection() const
{
    switch ((IsFabrics() ? nsid : opcode) & 3)
    {
    case 1:
        return NvmeDirection::HOST_TO_CONTROLLER;
    case 2:
        return NvmeDirection::CONTROLLER_TO_HOST;
    default:
        return NvmeDirection::NONE;
    }
}

uint64_t
NvmeSqe::GetSlba() const
{
    return cdw[0] | uint64_t{cdw[1]} << 32;
}

uint32_t
NvmeSqe::GetBlocks() const
{
    return (cdw[2] & 0xFFFF) + 1;
}

NvmeSqe
NvmeSqe::MakeIo(NvmeOpcode opcode, uint32_t nsid, uint64_t slba, uint32_t blocks)
{
    NvmeSqe sqe;
    sqe.opcode = static_cast<uint8_t>(opcode);
    sqe.nsid = nsid;
    sqe.cdw[0] = static_cast<uint32_t>(slba);
    sqe.cdw[1] = static_cast<uint32_t>(slba >> 32);
    sqe.cdw[2] = (blocks - 1) & 0xFFFF;
    return sqe;
}

uint8_t
NvmeSqe::GetCns() const
{
    return static_cast<uint8_t>(cdw[0]);
}

NvmeSqe
NvmeSqe::MakeIdentify(uint8_t cns, uint32_t nsid)
{
    NvmeSqe sqe;
    sqe.opcode = static_cast<uint8_t>(NvmeOpcode::IDENTIFY);
    sqe.nsid = nsid;
    sqe.cdw[0] = cns;
    return sqe;
}

uint8_t
NvmeSqe::GetFeature() const
{
    return static_cast<uint8_t>(cdw[0]);
}

uint32_t
NvmeSqe::GetFeatureValue() const
{
    return cdw[1];
}

NvmeSqe
NvmeSqe::MakeSetFeatures(uint8_t feature, uint32_t value)
{
    NvmeSqe sqe;
    sqe.opcode = static_cast<uint8_t>(NvmeOpcode::SET_FEATURES);
    sqe.cdw[0] = feature;
    sqe.cdw[1] = value;
    return sqe;
}

uint8_t
NvmeSqe::GetLogPage() const
{
    return static_cast<uint8_t>(cdw[0]);
}

uint64_t
NvmeSqe::GetLogSize() const
{
    const uint64_t dwords = cdw[0] >> 16 | uint64_t{cdw[1] & 0xFFFF} << 16;
    return 4 * (dwords + 1);
}

uint16_t
NvmeSqe::GetRecordFormat() const
{
    return static_cast<uint16_t>(cdw[0]);
}

uint16_t
NvmeSqe::GetQueueId() const
{
    return static_cast<uint16_t>(cdw[0] >> 16);
}

uint32_t
NvmeSqe::GetQueueSize() const
{
    return (cdw[1] & 0xFFFF) + 1;
}

uint32_t
NvmeSqe::GetKeepAlive() const
{
    return cdw[2];
}

NvmeSqe
NvmeSqe::MakeConnect(uint16_t queue, uint32_t entries, uint32_t keepAlive)
{
    NvmeSqe sqe = MakeFabrics(NvmeFctype::CONNECT);
    sqe.cdw[0] = uint32_t{queue} << 16;
    sqe.cdw[1] = (entries - 1) & 0xFFFF;
    sqe.cdw[2] = keepAlive;
    return sqe;
}

uint32_t
NvmeSqe::GetProperty() const
{
    return cdw[1];
}

bool
NvmeSqe::IsWideProperty() const
{
    return (cdw[0] & 7) == 1;
}

uint64_t
NvmeSqe::GetValue() const
{
    return cdw[2] | uint64_t{cdw[3]} << 32;
}

NvmeSqe
NvmeSqe::MakePropertyGet(uint32_t property, bool wide)
{
    NvmeSqe sqe = MakeFabrics(NvmeFctype::PROPERTY_GET);
    sqe.cdw[0] = wide ? 1 : 0;
    sqe.cdw[1] = property;
    return sqe;
}

NvmeSqe
NvmeSqe::MakePropertySet(uint32_t property, uint32_t value)
{
    NvmeSqe sqe = MakeFabrics(NvmeFctype::PROPERTY_SET);
    sqe.cdw[1] = property;
    sqe.cdw[2] = value;
    return sqe;
}

// ---- Completion Queue Entry ---------------------------------------------------------------------

void
NvmeCqe::Write(uint8_t* out) const
{
    store_little_u64(out, result);
    store_little_u16(out + 8, sqhd);
    store_little_u16(out + 10, sqid);
    store_little_u16(out + 12, cid);
    store_little_u16(out + 14, status);
}

void
NvmeCqe::Read(const uint8_t* octets)
{
    result = load_little_u64(octets);
    sqhd = load_little_u16(octets + 8);
    sqid = load_little_u16(octets + 10);
    cid = load_little_u16(octets + 12);
    status = load_little_u16(octets + 14);
}

NvmeStatus
NvmeCqe::GetStatus() const
{
    return static_cast<NvmeStatus>(status >> 1 & 0x7FF);
}

void
NvmeCqe::SetStatus(NvmeStatus to)
{
    const bool final = to != NvmeStatus::SUCCESS && to != NvmeStatus::TRANSIENT_TRANSPORT_ERROR;
    status = static_cast<uint16_t>(static_cast<uint16_t>(to) << 1 | (final ? DO_NOT_RETRY : 0));
}

} // namespace ns3
