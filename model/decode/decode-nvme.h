/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DECODE_NVME_H
#define DECODE_NVME_H

#include "decode-framer.h"

#include "ns3/nvme-framing.h"
#include "ns3/nvme-pdu.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-decode
 * @brief Describes PDUs of NVMe/TCP: fields by the names of the specification in snake_case, and
 * the verdict on digests. It is registered from the start.
 *
 * What a command's dwords mean depends on its queue, which Connect tells; a queue without that is
 * one for I/O, since an admin queue answers nothing else first.
 */
class DecodeNvme : public DecodeFramer
{
  public:
    const char* GetName() const override;
    bool IsBeginning(const uint8_t* octets, uint32_t size) const override;
    uint32_t GetHeadSize() const override;
    uint32_t GetSize(const uint8_t* head) const override;
    void Read(DecodePdu& pdu) override;

  private:
    /// Adds the fields of what is specific of a type
    struct Fields;

    NvmeFraming m_framing; //!< where PDUs are
    bool m_io{true};       //!< Connect, if there was one, was of an I/O queue
};

} // namespace ns3

#endif // DECODE_NVME_H
