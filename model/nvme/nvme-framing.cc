/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nvme-framing.h"

#include "nvme-pdu.h"

namespace ns3
{

const char*
NvmeFraming::GetName() const
{
    return "nvme-tcp";
}

uint32_t
NvmeFraming::GetHeadSize() const
{
    return nvme::CH_SIZE;
}

RecordHead
NvmeFraming::ReadHead(const uint8_t* head) const
{
    NvmeCommonHeader ch;
    ch.Read(head);
    if (ch.Validate())
    {
        return {};
    }
    const bool carries = nvme::CarriesData(ch.type) && ch.pdo > 0;
    return {ch.plen, carries ? ch.GetDataSize() : 0, carries ? ch.GetDataOffset() : 0};
}

} // namespace ns3
