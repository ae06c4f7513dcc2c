/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdmap-endpoint.h"

namespace ns3
{

RdmapEndpoint::Start
RdmapEndpoint::GetStart() const
{
    if (m_failed || m_hasSegment || !m_sender.IsIdle())
    {
        return Start::NONE;
    }
    const RdmapWork* work = m_requester.GetNext();
    if (m_responder.IsReady() && (m_turn == Turn::REQUEST || work == nullptr))
    {
        return Start::OTHER;
    }
    if (work == nullptr)
    {
        return Start::NONE;
    }
    if (work->kind == RdmapWorkKind::LOCAL)
    {
        return Start::LOCAL;
    }
    const bool own = !work->internal && work->kind != RdmapWorkKind::IMMEDIATE;
    return own ? Start::WORK_REQUEST : Start::OTHER;
}

bool
RdmapEndpoint::BeginMessage()
{
    // after a request's message it is the responses' turn, and the other way round
    for (int i = 0; i < 2; i++)
    {
        m_turn = m_turn == Turn::REQUEST ? Turn::RESPONSE : Turn::REQUEST;
        if (m_turn == Turn::RESPONSE)
        {
            if (!m_responder.IsReady())
            {
                continue;
            }
            const RdmapError error = m_responder.Begin(m_sender, 0);
            if (error != RdmapError::NONE)
            {
                uint8_t ulpdu[RdmapOutput::MAX_HEAD];
                const uint32_t size = m_responder.GetFailed(ulpdu);
                Terminate(error, ulpdu, size, size);
                return false;
            }
            return true;
        }
        switch (m_requester.Begin(m_sender))
        {
        case RdmapRequester::Progress::SUBMITTED:
            return true;
        case RdmapRequester::Progress::FAILED:
            FailLocally();
            return false;
        case RdmapRequester::Progress::IDLE:
            break;
        }
    }
    return false;
}

bool
RdmapEndpoint::FillOutput()
{
    const DdpSender::Segment& segment = m_output->segment;
    m_output->ulpdu.messageOctets = segment.offset + segment.length;
    if (m_turn == Turn::RESPONSE)
    {
        const RdmapError error = m_responder.Fill(segment, m_output->ulpdu);
        if (error != RdmapError::NONE)
        {
            uint8_t ulpdu[RdmapOutput::MAX_HEAD];
            const uint32_t size = m_responder.GetFailed(ulpdu);
            Terminate(error, ulpdu, size, size);
            return false;
        }
        return true;
    }
    if (!m_requester.Fill(segment, m_output->scratch, m_output->ulpdu))
    {
        FailLocally();
        return false;
    }
    return true;
}

void
RdmapEndpoint::MakeOutput()
{
    if (!m_output)
    {
        m_output = std::make_unique<Output>();
    }
}

const RdmapOutput*
RdmapEndpoint::GetOutput(uint32_t mulpdu)
{
    if (!m_failed)
    {
        if (!m_hasSegment && (!m_sender.IsIdle() || BeginMessage()))
        {
            MakeOutput();
            m_output->segment = m_sender.Next(mulpdu);
            m_hasSegment = true;
        }
        if (m_hasSegment && FillOutput())
        {
            return &m_output->ulpdu;
        }
    }
    if (m_terminate)
    {
        MakeOutput();
        FillTerminate();
        return &m_output->ulpdu;
    }
    return nullptr;
}

void
RdmapEndpoint::LocateOutput(DdpSgeList& pieces) const
{
    if (!m_hasSegment || m_output->ulpdu.withDoorbell)
    {
        return;
    }
    if (m_turn == Turn::RESPONSE)
    {
        m_responder.Locate(m_output->segment, pieces);
    }
    else
    {
        m_requester.Locate(m_output->segment, pieces);
    }
}

uint32_t
RdmapEndpoint::WriteTerminate(const RdmapTerminate& terminate, uint8_t* out) const
{
    DdpHeader header;
    header.version = m_sender.GetVersion();
    header.last = true;
    header.ulpControl = RdmapControl(RdmapOpcode::TERMINATE, m_sender.GetVersion()).Encode();
    header.qn = rdmap::QN_TERMINATE;
    header.msn = 1;
    const uint32_t size = header.Write(out);
    return size + terminate.Write(out + size, m_config.terminateForm);
}

void
RdmapEndpoint::FillTerminate()
{
    RdmapOutput& ulpdu = m_output->ulpdu;
    ulpdu.opcode = RdmapOpcode::TERMINATE;
    ulpdu.last = true;
    ulpdu.withDoorbell = false;
    ulpdu.headSize = WriteTerminate(*m_terminate, ulpdu.head.data());
    ulpdu.tail = nullptr;
    ulpdu.tailSize = 0;
    ulpdu.messageOctets = ulpdu.headSize - ddp::UNTAGGED_HEADER_SIZE;
}

void
RdmapEndpoint::OutputTaken()
{
    if (m_failed)
    {
        // what is taken is the Terminate, unless the stream failed between the two steps
        if (m_output->ulpdu.opcode == RdmapOpcode::TERMINATE)
        {
            m_terminate.reset();
        }
        return;
    }
    m_hasSegment = false;
    if (!m_output->ulpdu.last)
    {
        return;
    }
    if (m_turn == Turn::RESPONSE)
    {
        m_responder.Sent();
    }
    else
    {
        m_requester.Sent(m_output->segment.context);
    }
}

} // namespace ns3
