/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "decode-nvme.h"

#include <memory>

namespace ns3
{

namespace
{

const DecodeFramer::Registration g_nvmeFramer([] { return std::make_unique<DecodeNvme>(); });

/// @param type of a PDU @return its name as an event
const char*
GetEventName(NvmePduType type)
{
    switch (type)
    {
    case NvmePduType::IC_REQ:
        return "ic_req";
    case NvmePduType::IC_RESP:
        return "ic_resp";
    case NvmePduType::H2C_TERM_REQ:
        return "h2c_term_req";
    case NvmePduType::C2H_TERM_REQ:
        return "c2h_term_req";
    case NvmePduType::CAPSULE_CMD:
        return "capsule_cmd";
    case NvmePduType::CAPSULE_RESP:
        return "capsule_resp";
    case NvmePduType::H2C_DATA:
        return "h2c_data";
    case NvmePduType::C2H_DATA:
        return "c2h_data";
    case NvmePduType::R2T:
        return "r2t";
    }
    return "reserved";
}

/// @param pdu of which octets may be missing @param ch its common header @return verdict on its
/// digests
DecodeCrc
CheckDigests(const DecodePdu& pdu, const NvmeCommonHeader& ch)
{
    if (!ch.HasHeaderDigest() && !ch.HasDataDigest())
    {
        return DecodeCrc::OFF;
    }
    if (pdu.missing > 0)
    {
        return DecodeCrc::UNKNOWN;
    }
    const bool good = (!ch.HasHeaderDigest() || nvme::IsDigestGood(pdu.octets, ch.hlen)) &&
                      (!ch.HasDataDigest() ||
                       nvme::IsDigestGood(pdu.octets + ch.GetDataOffset(), ch.GetDataSize()));
    return good ? DecodeCrc::GOOD : DecodeCrc::BAD;
}

} // namespace

struct DecodeNvme::Fields
{
    DecodeNvme& framer; //!< knows the queue
    DecodePdu& pdu;     //!< receives the fields
    NvmePduType type;   //!< of the PDU

    /// @param name of a field @param value its value
    void Add(const char* name, uint64_t value) const
    {
        pdu.fields.push_back({name, value});
    }

    void operator()(const NvmeIcReq& req) const
    {
        Add("pfv", req.pfv);
        Add("hpda", req.hpda);
        Add("dgst", req.dgst);
        Add("maxr2t", req.maxr2t);
    }

    void operator()(const NvmeIcResp& resp) const
    {
        Add("pfv", resp.pfv);
        Add("cpda", resp.cpda);
        Add("dgst", resp.dgst);
        Add("maxh2cdata", resp.maxh2cdata);
    }

    void operator()(const NvmeTermReq& req) const
    {
        Add("fes", req.fes);
        Add("fei", req.fei);
    }

    void operator()(const NvmeSqe& sqe) const
    {
        Add("opc", sqe.opcode);
        Add("cid", sqe.cid);
        if (sqe.IsFabrics())
        {
            AddFabrics(sqe);
        }
        else
        {
            Add("nsid", sqe.nsid);
            AddCommand(sqe);
        }
        Add("sgl1_type", sqe.sgl1.type);
        Add("sgl1_length", sqe.sgl1.length);
    }

    void operator()(const NvmeCqe& cqe) const
    {
        Add("cid", cqe.cid);
        Add("sqhd", cqe.sqhd);
        Add("status", cqe.status);
        Add("dw0_dw1", cqe.result);
    }

    void operator()(const NvmeTransfer& transfer) const
    {
        const bool r2t = type == NvmePduType::R2T;
        Add("cccid", transfer.cccid);
        if (type != NvmePduType::C2H_DATA)
        {
            Add("ttag", transfer.ttag);
        }
        Add(r2t ? "r2to" : "datao", transfer.datao);
        Add(r2t ? "r2tl" : "datal", transfer.datal);
    }

    /// @param sqe a fabrics command
    void AddFabrics(const NvmeSqe& sqe) const
    {
        const NvmeFctype fctype = sqe.GetFctype();
        Add("fctype", static_cast<uint8_t>(fctype));
        if (fctype == NvmeFctype::CONNECT)
        {
            framer.m_io = sqe.GetQueueId() > 0;
            Add("qid", sqe.GetQueueId());
            Add("sqsize", sqe.GetQueueSize() - 1);
            Add("kato", sqe.cdw[2]);
        }
        else if (fctype == NvmeFctype::PROPERTY_GET || fctype == NvmeFctype::PROPERTY_SET)
        {
            Add("ofst", sqe.GetProperty());
            if (fctype == NvmeFctype::PROPERTY_SET)
            {
                Add("value", sqe.GetValue());
            }
        }
    }

    /// @param sqe no fabrics command
    void AddCommand(const NvmeSqe& sqe) const
    {
        const auto opcode = static_cast<NvmeOpcode>(sqe.opcode);
        if (framer.m_io)
        {
            if (opcode == NvmeOpcode::READ || opcode == NvmeOpcode::WRITE)
            {
                Add("slba", sqe.GetSlba());
                Add("nlb", sqe.GetBlocks() - 1);
            }
        }
        else if (opcode == NvmeOpcode::IDENTIFY)
        {
            Add("cns", sqe.GetCns());
        }
        else if (opcode == NvmeOpcode::GET_LOG_PAGE)
        {
            Add("lid", sqe.GetLogPage());
            Add("numd", sqe.GetLogSize() / 4 - 1);
        }
        else if (opcode == NvmeOpcode::SET_FEATURES || opcode == NvmeOpcode::GET_FEATURES)
        {
            Add("fid", sqe.GetFeature());
        }
    }
};

const char*
DecodeNvme::GetName() const
{
    return m_framing.GetName();
}

bool
DecodeNvme::IsBeginning(const uint8_t* octets, uint32_t size) const
{
    return size >= nvme::CH_SIZE && octets[nvme::AT_TYPE] <= 1 && octets[nvme::AT_FLAGS] == 0 &&
           octets[nvme::AT_PDO] == 0 && GetSize(octets) == nvme::IC_SIZE;
}

uint32_t
DecodeNvme::GetHeadSize() const
{
    return m_framing.GetHeadSize();
}

uint32_t
DecodeNvme::GetSize(const uint8_t* head) const
{
    return m_framing.ReadHead(head).size;
}

void
DecodeNvme::Read(DecodePdu& pdu)
{
    NvmePdu read;
    read.Read(pdu.octets, pdu.size); // the framing has seen that its header fits
    pdu.name = GetEventName(read.ch.type);
    pdu.fields = {{"flags", read.ch.flags}, {"hlen", read.ch.hlen}, {"pdo", read.ch.pdo}};
    std::visit(Fields{*this, pdu, read.ch.type}, read.psh);
    pdu.payload = nvme::CarriesData(read.ch.type) ? read.ch.GetDataSize() : 0;
    pdu.digest = CheckDigests(pdu, read.ch);
    if (pdu.digest == DecodeCrc::BAD)
    {
        pdu.fault = "a digest is bad";
    }
}

} // namespace ns3
