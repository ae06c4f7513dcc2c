/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-acknowledged-messages.h"

#include "ns3/mpa-tcp-socket.h"

namespace ns3
{
namespace iwarp
{

AcknowledgedMessages::AcknowledgedMessages(uint32_t headers, Callback<void> ended)
    : m_headers(headers),
      m_ended(ended)
{
}

void
AcknowledgedMessages::Attach(const Ptr<MpaStream>& stream)
{
    Ptr<AcknowledgedMessages> self(this);
    stream->TraceConnectWithoutContext("FpduSent", MakeCallback(&AcknowledgedMessages::Send, self));
    stream->GetSocket()->TraceConnectWithoutContext(
        "HighestRxAck",
        MakeCallback(&AcknowledgedMessages::HandleAck, self));
}

void
AcknowledgedMessages::Post(uint64_t octets)
{
    m_posted += octets;
    m_waiting.push_back(m_posted);
}

void
AcknowledgedMessages::Send(uint32_t seq, uint32_t ulpdu, uint32_t wire)
{
    if (m_waiting.empty())
    {
        return; // it belongs to the connection's startup
    }
    m_sent += ulpdu - m_headers;
    while (!m_waiting.empty() && m_waiting.front() <= m_sent)
    {
        m_waiting.pop_front();
        m_ends.push_back(seq + wire);
    }
}

void
AcknowledgedMessages::Acknowledge(uint32_t next)
{
    while (!m_ends.empty() && static_cast<int32_t>(next - m_ends.front()) >= 0)
    {
        m_ends.pop_front();
        m_ended();
    }
}

void
AcknowledgedMessages::HandleAck(SequenceNumber32 /* before */, SequenceNumber32 now)
{
    Acknowledge(now.GetValue());
}

} // namespace iwarp
} // namespace ns3
