/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tls-application-helper.h"

#include "ns3/abort.h"

#include <cerrno>
#include <cstring>

namespace ns3
{

namespace
{

/// StreamCreated. @param file takes the secrets @param stream that is about to be opened
void
WatchTlsStream(Ptr<TlsKeyLogFile> file, Ptr<TlsStream> stream)
{
    file->Watch(stream);
}

} // namespace

TlsKeyLogFile::TlsKeyLogFile(const std::string& name)
    : m_out(name)
{
    NS_ABORT_MSG_UNLESS(m_out, name << ": " << std::strerror(errno));
}

void
TlsKeyLogFile::Watch(Ptr<TlsStream> stream)
{
    const Ptr<TlsKeyLogFile> self(this);
    stream->TraceConnectWithoutContext("Secret", MakeCallback(&TlsKeyLogFile::Write, self));
}

void
TlsKeyLogFile::Write(const std::string& line)
{
    m_out << line << std::endl; // at once, for whoever watches the run
}

TlsApplicationHelper::TlsApplicationHelper(const std::string& typeId)
    : StreamApplicationHelper(typeId)
{
}

int64_t
TlsApplicationHelper::AssignStreams(const ApplicationContainer& applications, int64_t stream)
{
    int64_t next = stream;
    for (auto i = applications.Begin(); i != applications.End(); ++i)
    {
        if (auto sender = DynamicCast<TlsBulkSender>(*i))
        {
            next += sender->AssignStreams(next);
        }
        else if (auto sink = DynamicCast<TlsSink>(*i))
        {
            next += sink->AssignStreams(next);
        }
    }
    return next - stream;
}

void
TlsApplicationHelper::EnableKeyLog(const std::string& name,
                                   const ApplicationContainer& applications)
{
    const auto file = Create<TlsKeyLogFile>(name);
    for (auto i = applications.Begin(); i != applications.End(); ++i)
    {
        (*i)->TraceConnectWithoutContext("StreamCreated", MakeBoundCallback(&WatchTlsStream, file));
    }
}

TlsBulkSenderHelper::TlsBulkSenderHelper(const Address& remote)
    : TlsApplicationHelper(TlsBulkSender::GetTypeId().GetName())
{
    SetAttribute("Remote", AddressValue(remote));
}

TlsSinkHelper::TlsSinkHelper(const Address& local)
    : TlsApplicationHelper(TlsSink::GetTypeId().GetName())
{
    SetAttribute("Local", AddressValue(local));
}

} // namespace ns3
