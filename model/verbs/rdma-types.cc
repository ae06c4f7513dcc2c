/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-types.h"

namespace ns3
{

DdpSgeList
RdmaMakePieces(const std::vector<RdmaSge>& sges)
{
    DdpSgeList pieces;
    pieces.reserve(sges.size());
    for (const auto& sge : sges)
    {
        pieces.push_back({sge.address, sge.length, sge.lkey});
    }
    return pieces;
}

bool
RdmaMakeBuffer(const RdmaReceiveRequest& request, DdpBuffer& buffer)
{
    buffer.context = request.id;
    buffer.pieces = RdmaMakePieces(request.sges);
    const uint64_t length = DdpLengthOf(buffer.pieces);
    buffer.length = length;
    return length <= ddp::MAX_MESSAGE;
}

} // namespace ns3
