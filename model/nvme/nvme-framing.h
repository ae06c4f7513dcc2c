/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NVME_FRAMING_H
#define NVME_FRAMING_H

#include "ns3/record-framing.h"

namespace ns3
{

/**
 * @ingroup iwarp-nvme
 * @brief PDUs of NVMe/TCP as records of a stream. Their payload is the data of commands and of
 * their transfers, that is of CapsuleCmd, H2CData and C2HData.
 *
 * The common header says all of it, and what can be no common header begins no record.
 */
class NvmeFraming : public RecordFraming
{
  public:
    const char* GetName() const override;
    uint32_t GetHeadSize() const override;
    RecordHead ReadHead(const uint8_t* head) const override;
};

} // namespace ns3

#endif // NVME_FRAMING_H
