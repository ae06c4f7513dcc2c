/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-ascii-trace.h"

#include "ns3/simulator.h"

namespace ns3
{

IwarpAsciiTrace::IwarpAsciiTrace(Ptr<OutputStreamWrapper> stream, uint32_t node)
    : m_stream(stream),
      m_node(node)
{
}

void
IwarpAsciiTrace::Watch(Ptr<MpaStream> stream)
{
    // bound to a Ptr, the callbacks keep this object as long as the stream
    Ptr<IwarpAsciiTrace> self(this);
    stream->TraceConnectWithoutContext("FpduSent", MakeCallback(&IwarpAsciiTrace::FpduSent, self));
    stream->TraceConnectWithoutContext("Passed", MakeCallback(&IwarpAsciiTrace::Passed, self));
    stream->TraceConnectWithoutContext("Delivered",
                                       MakeCallback(&IwarpAsciiTrace::Delivered, self));
    stream->TraceConnectWithoutContext("Classified",
                                       MakeCallback(&IwarpAsciiTrace::Classified, self));
    stream->TraceConnectWithoutContext("Drop", MakeCallback(&IwarpAsciiTrace::Drop, self));
    stream->TraceConnectWithoutContext("Error", MakeCallback(&IwarpAsciiTrace::Error, self));
    stream->TraceConnectWithoutContext("StartupState",
                                       MakeCallback(&IwarpAsciiTrace::StartupState, self));
}

std::ostream&
IwarpAsciiTrace::Line(const char* event)
{
    return *m_stream->GetStream() << Simulator::Now().GetSeconds() << " node=" << m_node << ' '
                                  << event;
}

void
IwarpAsciiTrace::FpduSent(uint32_t seq, uint32_t ulpduLength, uint32_t wireSize)
{
    Line("fpdu-sent") << " seq=" << seq << " ulpdu=" << ulpduLength << " wire=" << wireSize << '\n';
}

void
IwarpAsciiTrace::Passed(const MpaUlpdu& ulpdu, Time wait)
{
    Line("passed") << " seq=" << ulpdu.seq << " ulpdu=" << ulpdu.length
                   << " in-order=" << ulpdu.inOrder << " wait=" << wait.As(Time::US) << '\n';
}

void
IwarpAsciiTrace::Delivered(uint32_t count)
{
    Line("delivered") << " ulpdus=" << count << '\n';
}

void
IwarpAsciiTrace::Classified(uint32_t seq, uint32_t size, bool header, bool fpdu)
{
    Line("segment") << " seq=" << seq << " size=" << size << " header-aligned=" << header
                    << " fpdu-aligned=" << fpdu << '\n';
}

void
IwarpAsciiTrace::Drop(uint32_t seq, uint32_t size, MpaStream::DropReason reason)
{
    Line("drop") << " seq=" << seq << " size=" << size
                 << " reason=" << (reason == MpaStream::DropReason::FAULT ? "fault" : "memory-full")
                 << '\n';
}

void
IwarpAsciiTrace::Error(MpaError error, const std::string& reason)
{
    Line("error") << " code=" << static_cast<int>(error) << ' ' << reason << '\n';
}

void
IwarpAsciiTrace::StartupState(MpaStartup::State /* oldState */, MpaStartup::State newState)
{
    static const char* const names[] =
        {"stream", "wait-frame", "ulp-decides", "full-rx-only", "full", "closed"};
    Line("startup") << " state=" << names[static_cast<int>(newState)] << '\n';
}

} // namespace ns3
