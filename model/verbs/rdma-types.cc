/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-types.h"

namespace ns3
{

DdpSgeList
RdmaMakeSges(const std::vector<RdmaSge>& sges)
{
    DdpSgeList list;
    list.reserve(sges.size());
    for (const auto& sge : sges)
    {
        list.push_back({sge.address, sge.length, sge.lkey});
    }
    return list;
}

bool
RdmaMakeBuffer(const RdmaReceiveRequest& request, DdpBuffer& buffer)
{
    buffer.context = request.id;
    buffer.sges = RdmaMakeSges(request.sges);
    const uint64_t length = DdpLengthOf(buffer.sges);
    buffer.length = length;
    return length <= ddp::MAX_MESSAGE;
}

} // namespace ns3
