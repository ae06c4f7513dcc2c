/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nvme-pdu.h"

#include "ns3/util-crc32c.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>

namespace ns3
{

using boost::endian::load_little_u16;
using boost::endian::load_little_u32;
using boost::endian::store_little_u16;
using boost::endian::store_little_u32;

namespace
{

/// Writes what is specific of a type, behind the common header; reserved octets are 0.
struct PshWriter
{
    uint8_t* out; //!< first octet of the PDU

    void operator()(const NvmeIcReq& req) const
    {
        store_little_u16(out + 8, req.pfv);
        out[10] = req.hpda;
        out[11] = req.dgst;
        store_little_u32(out + 12, req.maxr2t);
    }

    void operator()(const NvmeIcResp& resp) const
    {
        store_little_u16(out + 8, resp.pfv);
        out[10] = resp.cpda;
        out[11] = resp.dgst;
        store_little_u32(out + 12, resp.maxh2cdata);
    }

    void operator()(const NvmeTermReq& req) const
    {
        store_little_u16(out + 8, req.fes);
        store_little_u32(out + 10, req.fei);
    }

    void operator()(const NvmeSqe& sqe) const
    {
        sqe.Write(out + nvme::CH_SIZE);
    }

    void operator()(const NvmeCqe& cqe) const
    {
        cqe.Write(out + nvme::CH_SIZE);
    }

    void operator()(const NvmeTransfer& transfer) const
    {
        store_little_u16(out + 8, transfer.cccid);
        store_little_u16(out + 10, transfer.ttag);
        store_little_u32(out + 12, transfer.datao);
        store_little_u32(out + 16, transfer.datal);
    }
};

/// @param type of a PDU @param at its first octet @return what is specific of it
NvmePdu::Psh
ReadPsh(NvmePduType type, const uint8_t* at)
{
    switch (type)
    {
    case NvmePduType::IC_REQ:
        return NvmeIcReq{load_little_u16(at + 8), at[10], at[11], load_little_u32(at + 12)};
    case NvmePduType::IC_RESP:
        return NvmeIcResp{load_little_u16(at + 8), at[10], at[11], load_little_u32(at + 12)};
    case NvmePduType::H2C_TERM_REQ:
    case NvmePduType::C2H_TERM_REQ:
        return NvmeTermReq{load_little_u16(at + 8), load_little_u32(at + 10)};
    case NvmePduType::CAPSULE_CMD: {
        NvmeSqe sqe;
        sqe.Read(at + nvme::CH_SIZE);
        return sqe;
    }
    case NvmePduType::CAPSULE_RESP: {
        NvmeCqe cqe;
        cqe.Read(at + nvme::CH_SIZE);
        return cqe;
    }
    default:
        return NvmeTransfer{load_little_u16(at + 8),
                            load_little_u16(at + 10),
                            load_little_u32(at + 12),
                            load_little_u32(at + 16)};
    }
}

} // namespace

const char*
NvmeFesName(NvmeFes fes, bool host)
{
    switch (fes)
    {
    case NvmeFes::NONE:
        return "no error";
    case NvmeFes::INVALID_HEADER_FIELD:
        return "Invalid PDU Header Field";
    case NvmeFes::SEQUENCE:
        return "PDU Sequence Error";
    case NvmeFes::HEADER_DIGEST:
        return "Header Digest Error";
    case NvmeFes::OUT_OF_RANGE:
        return "Data Transfer Out of Range";
    case NvmeFes::LIMIT_EXCEEDED:
        return host ? "R2T Limit Exceeded" : "Data Transfer Limit Exceeded";
    case NvmeFes::UNSUPPORTED_PARAMETER:
        return "Unsupported Parameter";
    }
    return "a reserved Fatal Error Status";
}

namespace nvme
{

bool
IsPduType(uint8_t type)
{
    return type <= static_cast<uint8_t>(NvmePduType::R2T) && type != 8;
}

bool
IsHostToController(NvmePduType type)
{
    return (static_cast<uint8_t>(type) & 1) == 0;
}

bool
CarriesData(NvmePduType type)
{
    return type == NvmePduType::CAPSULE_CMD || type == NvmePduType::H2C_DATA ||
           type == NvmePduType::C2H_DATA;
}

bool
HasDigests(NvmePduType type)
{
    return type >= NvmePduType::CAPSULE_CMD;
}

uint32_t
GetHeaderSize(NvmePduType type)
{
    switch (type)
    {
    case NvmePduType::IC_REQ:
    case NvmePduType::IC_RESP:
        return IC_SIZE;
    case NvmePduType::CAPSULE_CMD:
        return CH_SIZE + SQE_SIZE;
    case NvmePduType::H2C_TERM_REQ:
    case NvmePduType::C2H_TERM_REQ:
    case NvmePduType::CAPSULE_RESP:
    case NvmePduType::H2C_DATA:
    case NvmePduType::C2H_DATA:
    case NvmePduType::R2T:
        return TERM_SIZE;
    }
    return 0;
}

const char*
GetPduName(NvmePduType type)
{
    switch (type)
    {
    case NvmePduType::IC_REQ:
        return "ICReq";
    case NvmePduType::IC_RESP:
        return "ICResp";
    case NvmePduType::H2C_TERM_REQ:
        return "H2CTermReq";
    case NvmePduType::C2H_TERM_REQ:
        return "C2HTermReq";
    case NvmePduType::CAPSULE_CMD:
        return "CapsuleCmd";
    case NvmePduType::CAPSULE_RESP:
        return "CapsuleResp";
    case NvmePduType::H2C_DATA:
        return "H2CData";
    case NvmePduType::C2H_DATA:
        return "C2HData";
    case NvmePduType::R2T:
        return "R2T";
    }
    return "reserved";
}

std::array<uint8_t, DIGEST_SIZE>
MakeDigest(const uint8_t* octets, uint32_t size)
{
    iwarp::Crc32c crc;
    crc.Update(octets, size);
    std::array<uint8_t, DIGEST_SIZE> digest;
    crc.Write(digest.data());
    return digest;
}

bool
IsDigestGood(const uint8_t* octets, uint32_t size)
{
    iwarp::Crc32c crc;
    crc.Update(octets, size);
    return crc.Matches(octets + size);
}

} // namespace nvme

// ---- common header ------------------------------------------------------------------------------

void
NvmeCommonHeader::Write(uint8_t* out) const
{
    out[nvme::AT_TYPE] = static_cast<uint8_t>(type);
    out[nvme::AT_FLAGS] = flags;
    out[nvme::AT_HLEN] = hlen;
    out[nvme::AT_PDO] = pdo;
    store_little_u32(out + nvme::AT_PLEN, plen);
}

void
NvmeCommonHeader::Read(const uint8_t* octets)
{
    type = static_cast<NvmePduType>(octets[nvme::AT_TYPE]);
    flags = octets[nvme::AT_FLAGS];
    hlen = octets[nvme::AT_HLEN];
    pdo = octets[nvme::AT_PDO];
    plen = load_little_u32(octets + nvme::AT_PLEN);
}

bool
NvmeCommonHeader::HasHeaderDigest() const
{
    return nvme::HasDigests(type) && (flags & nvme::HDGSTF) != 0;
}

bool
NvmeCommonHeader::HasDataDigest() const
{
    return nvme::CarriesData(type) && (flags & nvme::DDGSTF) != 0 && pdo > 0;
}

uint32_t
NvmeCommonHeader::GetHeadSize() const
{
    return hlen + (HasHeaderDigest() ? nvme::DIGEST_SIZE : 0);
}

uint32_t
NvmeCommonHeader::GetDataOffset() const
{
    const bool term = !nvme::HasDigests(type) && hlen == nvme::TERM_SIZE;
    return nvme::CarriesData(type) ? pdo : term && plen > hlen ? hlen : 0;
}

uint32_t
NvmeCommonHeader::GetDataSize() const
{
    const uint32_t offset = GetDataOffset();
    return offset == 0 ? 0 : plen - offset - (HasDataDigest() ? nvme::DIGEST_SIZE : 0);
}

NvmeFatalError
NvmeCommonHeader::Validate() const
{
    if (!nvme::IsPduType(static_cast<uint8_t>(type)))
    {
        return NvmeFatalError::AtField(nvme::AT_TYPE);
    }
    if (hlen != nvme::GetHeaderSize(type))
    {
        return NvmeFatalError::AtField(nvme::AT_HLEN);
    }
    if (!nvme::CarriesData(type) || (type == NvmePduType::CAPSULE_CMD && pdo == 0))
    {
        const bool term = type == NvmePduType::H2C_TERM_REQ || type == NvmePduType::C2H_TERM_REQ;
        const uint32_t most = GetHeadSize() + (term ? nvme::MAX_TERM_DATA : 0);
        return plen >= GetHeadSize() && plen <= most ? NvmeFatalError{}
                                                     : NvmeFatalError::AtField(nvme::AT_PLEN);
    }
    if (pdo < GetHeadSize() || pdo % 4 != 0)
    {
        return NvmeFatalError::AtField(nvme::AT_PDO);
    }
    const bool fits = plen > uint32_t{pdo} + (HasDataDigest() ? nvme::DIGEST_SIZE : 0);
    return fits ? NvmeFatalError{} : NvmeFatalError::AtField(nvme::AT_PLEN);
}

NvmeFatalError
NvmeCommonHeader::ValidateWith(const NvmePduFormat& format) const
{
    const NvmeFatalError alone = Validate();
    if (alone.fes != NvmeFes::NONE && alone.fei == nvme::AT_TYPE)
    {
        return alone;
    }
    const bool data = nvme::CarriesData(type) && pdo > 0;
    const bool early = type == NvmePduType::C2H_DATA && (flags & nvme::SUCCESS) != 0 &&
                       (flags & nvme::LAST_PDU) == 0;
    if (HasHeaderDigest() != (nvme::HasDigests(type) && format.headerDigest) ||
        HasDataDigest() != (data && format.dataDigest) || early)
    {
        return NvmeFatalError::AtField(nvme::AT_FLAGS);
    }
    if (alone.fes != NvmeFes::NONE && alone.fei <= nvme::AT_PDO)
    {
        return alone;
    }
    return data && pdo % format.alignment != 0 ? NvmeFatalError::AtField(nvme::AT_PDO) : alone;
}

// ---- PDU ----------------------------------------------------------------------------------------

NvmePdu
NvmePdu::Make(NvmePduType type, const Psh& specific, uint8_t flags)
{
    NvmePdu pdu;
    pdu.ch.type = type;
    pdu.ch.flags = flags;
    pdu.psh = specific;
    return pdu;
}

void
NvmePdu::Seal(const NvmePduFormat& format, uint32_t data)
{
    const bool carries = nvme::CarriesData(ch.type) && data > 0;
    const bool headerDigest = nvme::HasDigests(ch.type) && format.headerDigest;
    const bool dataDigest = carries && format.dataDigest;
    ch.flags |= (headerDigest ? nvme::HDGSTF : 0) | (dataDigest ? nvme::DDGSTF : 0);
    ch.hlen = static_cast<uint8_t>(nvme::GetHeaderSize(ch.type));
    const uint32_t head = ch.GetHeadSize();
    const uint32_t aligned = (head + format.alignment - 1) / format.alignment * format.alignment;
    ch.pdo = static_cast<uint8_t>(carries ? aligned : 0);
    ch.plen = (carries ? aligned : head) + data + (dataDigest ? nvme::DIGEST_SIZE : 0);
}

std::vector<uint8_t>
NvmePdu::WriteHead() const
{
    std::vector<uint8_t> octets(std::max<uint32_t>(ch.GetHeadSize(), ch.GetDataOffset()));
    ch.Write(octets.data());
    std::visit(PshWriter{octets.data()}, psh);
    if (ch.HasHeaderDigest())
    {
        const auto digest = nvme::MakeDigest(octets.data(), ch.hlen);
        std::copy(digest.begin(), digest.end(), octets.begin() + ch.hlen);
    }
    return octets;
}

std::vector<uint8_t>
NvmePdu::Write(const uint8_t* data) const
{
    std::vector<uint8_t> octets = WriteHead();
    const uint32_t size = ch.GetDataSize();
    octets.insert(octets.end(), data, data + size);
    if (ch.HasDataDigest())
    {
        const auto digest = nvme::MakeDigest(data, size);
        octets.insert(octets.end(), digest.begin(), digest.end());
    }
    return octets;
}

bool
NvmePdu::Read(const uint8_t* octets, uint32_t size)
{
    if (size < nvme::CH_SIZE || !nvme::IsPduType(octets[nvme::AT_TYPE]))
    {
        return false;
    }
    ch.Read(octets);
    if (size < nvme::GetHeaderSize(ch.type))
    {
        return false;
    }
    psh = ReadPsh(ch.type, octets);
    return true;
}

} // namespace ns3
