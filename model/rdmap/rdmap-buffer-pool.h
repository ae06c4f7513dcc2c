/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMAP_BUFFER_POOL_H
#define RDMAP_BUFFER_POOL_H

#include "ns3/ddp-receive-queue.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-rdmap
 * @brief Buffers of RDMAP's own for the messages that it consumes itself: Read and Atomic Requests
 * at the responder, Atomic Responses at the requester, Terminate.
 *
 * A buffer is in use from its message's first segment until Release(); there are as many as the
 * limit says, and memory is taken for those that have ever been in use at a time.
 */
class RdmapBufferPool : public DdpBufferSource
{
  public:
    /**
     * @brief Make a pool; it takes no memory yet.
     * @param size octets of each buffer
     * @param limit most buffers in use
     */
    RdmapBufferPool(uint32_t size, uint32_t limit);

    uint32_t GetAvailable() const override;
    bool Pop(DdpBuffer& buffer) override;

    /**
     * @brief A buffer's message has been dealt with.
     * @param buffer the buffer as Pop() gave it
     */
    void Release(const DdpBuffer& buffer);

    void SetLimit(uint32_t limit); //!< Change the limit. @param limit most buffers in use
    /// Count buffers that wait for Release(). @return buffers in use
    uint32_t GetInUse() const;

  private:
    /// What has ever been in use.
    struct Memory
    {
        std::vector<std::unique_ptr<uint8_t[]>> all; //!< all buffers
        std::vector<uint32_t> free;                  //!< those not in use
    };

    uint32_t m_size;                  //!< octets of each buffer
    uint32_t m_limit;                 //!< most buffers in use
    std::unique_ptr<Memory> m_memory; //!< buffers, from the first Pop() on
};

} // namespace ns3

#endif // RDMAP_BUFFER_POOL_H
