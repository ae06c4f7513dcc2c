/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nvme-machine.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <string>
#include <utility>

namespace ns3
{

NvmePduFormat
NvmeTerms::GetFormat(bool toController) const
{
    return {headerDigest, dataDigest, toController ? controllerAlignment : hostAlignment};
}

std::string
NvmeEndName(const NvmeEnd& end, bool host)
{
    const std::string name = NvmeFesName(end.error.fes, host);
    switch (end.kind)
    {
    case NvmeEnd::Kind::CLOSED:
        return "the connection was closed";
    case NvmeEnd::Kind::ERROR:
        return name + ", at " + std::to_string(end.error.fei);
    case NvmeEnd::Kind::PEER_ERROR:
        return "the peer found: " + std::string(NvmeFesName(end.error.fes, !host)) + ", at " +
               std::to_string(end.error.fei);
    case NvmeEnd::Kind::BAD_TERM:
        return "a Terminate Connection Request of the wrong length";
    case NvmeEnd::Kind::REFUSED:
        return "the controller does without a digest that is required";
    case NvmeEnd::Kind::TIMEOUT:
        return host ? "no ICResp in time" : "no ICReq in time";
    case NvmeEnd::Kind::LOST:
        return "TCP was lost";
    }
    return "";
}

NvmeMachine::NvmeMachine(Listener& listener, bool host)
    : m_listener(listener),
      m_host(host)
{
}

NvmeMachine::State
NvmeMachine::GetState() const
{
    return m_state;
}

const NvmeTerms&
NvmeMachine::GetTerms() const
{
    return m_terms;
}

// ---- the connection -----------------------------------------------------------------------------

void
NvmeMachine::Start()
{
    m_state = State::STARTING;
    if (const auto pdu = Begin())
    {
        Answer(*pdu);
    }
}

void
NvmeMachine::Answer(const NvmePdu& pdu)
{
    m_own = NvmeOutgoing();
    m_own->pdu = pdu;
}

void
NvmeMachine::BecomeReady(const NvmeTerms& terms)
{
    m_terms = terms;
    m_state = State::READY;
    m_listener.HandleReady(terms);
}

void
NvmeMachine::HandleTimeout()
{
    if (m_state == State::STARTING)
    {
        End({NvmeEnd::Kind::TIMEOUT, {}});
    }
    else if (m_state == State::TERMINATING)
    {
        Close();
    }
}

void
NvmeMachine::Close()
{
    if (m_state != State::OVER)
    {
        Clear();
        m_own.reset();
        m_state = State::OVER;
    }
}

void
NvmeMachine::HandleClosed(bool whole)
{
    if (IsReceiving())
    {
        End({whole ? NvmeEnd::Kind::CLOSED : NvmeEnd::Kind::LOST, {}});
    }
    Close();
}

void
NvmeMachine::End(const NvmeEnd& end)
{
    Clear();
    m_own.reset();
    m_state = State::OVER;
    m_listener.HandleEnd(end);
}

void
NvmeMachine::Fail(const NvmeFatalError& error, const uint8_t* octets, uint32_t size)
{
    Clear();
    const uint32_t data = std::min(size, nvme::MAX_TERM_DATA);
    Answer(MakePdu(m_host ? NvmePduType::H2C_TERM_REQ : NvmePduType::C2H_TERM_REQ,
                   NvmeTermReq{static_cast<uint16_t>(error.fes), error.fei},
                   0,
                   data));
    m_own->size = data;
    m_own->own.assign(octets, octets + data);
    m_state = State::TERMINATING;
    m_listener.HandleEnd({NvmeEnd::Kind::ERROR, error});
}

// ---- receiving ----------------------------------------------------------------------------------

bool
NvmeMachine::IsReceiving() const
{
    return m_state == State::STARTING || m_state == State::READY;
}

bool
NvmeMachine::IsTerm(const NvmeCommonHeader& ch) const
{
    return ch.type == (m_host ? NvmePduType::C2H_TERM_REQ : NvmePduType::H2C_TERM_REQ);
}

NvmeFatalError
NvmeMachine::Check(const NvmeCommonHeader& ch) const
{
    if (!nvme::IsPduType(static_cast<uint8_t>(ch.type)) ||
        nvme::IsHostToController(ch.type) == m_host)
    {
        return NvmeFatalError::AtField(nvme::AT_TYPE);
    }
    const bool starts = ch.type == (m_host ? NvmePduType::IC_RESP : NvmePduType::IC_REQ);
    if (!IsTerm(ch) && starts != (m_state == State::STARTING))
    {
        return {NvmeFes::SEQUENCE, 0};
    }
    const NvmeFatalError error = ch.ValidateWith(m_terms.GetFormat(!m_host));
    return error || ch.GetDataSize() == 0 || IsTerm(ch) ? error : CheckData(ch);
}

void
NvmeMachine::ProcessHeader(const uint8_t* octets)
{
    if (!IsReceiving())
    {
        return;
    }
    NvmeCommonHeader ch;
    ch.Read(octets);
    const bool inside =
        ch.plen >= nvme::TERM_SIZE && ch.plen <= nvme::TERM_SIZE + nvme::MAX_TERM_DATA;
    if (IsTerm(ch) && !inside)
    {
        End({NvmeEnd::Kind::BAD_TERM, {}});
    }
    else if (const NvmeFatalError error = Check(ch))
    {
        Fail(error, octets, nvme::CH_SIZE);
    }
}

void
NvmeMachine::ProcessPdu(const uint8_t* octets, uint32_t size, bool good)
{
    ProcessHeader(octets);
    NvmePdu pdu;
    if (!IsReceiving() || !pdu.Read(octets, size))
    {
        return;
    }
    const uint32_t hlen = pdu.ch.hlen;
    if (pdu.ch.HasHeaderDigest() && !nvme::IsDigestGood(octets, hlen))
    {
        const uint32_t received = boost::endian::load_little_u32(octets + hlen);
        Fail({NvmeFes::HEADER_DIGEST, received}, octets, hlen);
        return;
    }
    if (const auto* term = std::get_if<NvmeTermReq>(&pdu.psh))
    {
        End({NvmeEnd::Kind::PEER_ERROR, {static_cast<NvmeFes>(term->fes), term->fei}});
    }
    else if (const NvmeFatalError error = Process(pdu, good))
    {
        Fail(error, octets, hlen);
    }
}

// ---- sending ------------------------------------------------------------------------------------

NvmePdu
NvmeMachine::MakePdu(NvmePduType type, const NvmePdu::Psh& psh, uint8_t flags, uint32_t data) const
{
    NvmePdu pdu = NvmePdu::Make(type, psh, flags);
    pdu.Seal(m_terms.GetFormat(m_host), data);
    return pdu;
}

bool
NvmeMachine::Pop(NvmeOutgoing& out)
{
    if (m_own)
    {
        out = std::move(*m_own);
        m_own.reset();
        return true;
    }
    return m_state == State::READY && PopNext(out);
}

} // namespace ns3
