/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-application-helper.h"

namespace ns3
{

MpaApplicationHelper::MpaApplicationHelper(const std::string& typeId)
    : StreamApplicationHelper(typeId)
{
}

int64_t
MpaApplicationHelper::AssignStreams(const ApplicationContainer& applications, int64_t stream)
{
    int64_t next = stream;
    for (auto i = applications.Begin(); i != applications.End(); ++i)
    {
        if (auto sender = DynamicCast<MpaBulkSender>(*i)) // an MpaSink draws none
        {
            next += sender->AssignStreams(next);
        }
    }
    return next - stream;
}

MpaBulkSenderHelper::MpaBulkSenderHelper(const Address& remote)
    : MpaApplicationHelper(MpaBulkSender::GetTypeId().GetName())
{
    SetAttribute("Remote", AddressValue(remote));
}

MpaSinkHelper::MpaSinkHelper(const Address& local)
    : MpaApplicationHelper(MpaSink::GetTypeId().GetName())
{
    SetAttribute("Local", AddressValue(local));
}

} // namespace ns3
