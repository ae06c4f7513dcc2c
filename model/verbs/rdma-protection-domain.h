/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PROTECTION_DOMAIN_H
#define RDMA_PROTECTION_DOMAIN_H

#include "rdma-device.h"
#include "rdma-memory.h"
#include "rdma-queue-pair.h"
#include "rdma-shared-receive-queue.h"

#include "ns3/ptr.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-verbs
 * @brief A protection domain (ibv_pd): memory and queue pairs that may be used together. Made by
 * RdmaDevice::AllocPd().
 */
class RdmaProtectionDomain : public SimpleRefCount<RdmaProtectionDomain>
{
  public:
    /**
     * @brief Make a domain with nothing in it.
     * @param device its device
     * @param number its number, not 0
     */
    RdmaProtectionDomain(Ptr<RdmaDevice> device, uint32_t number);
    RdmaProtectionDomain(const RdmaProtectionDomain&) = delete;
    RdmaProtectionDomain& operator=(const RdmaProtectionDomain&) = delete;

    /**
     * @brief Register memory (ibv_reg_mr).
     * @param memory the memory, virtual or backed
     * @param address address of its first octet
     * @param access rights, bits of DdpAccess
     * @return the region; nullptr with EINVAL if the rights contradict each other or the addresses
     *         reach 2^64, ENOMEM if there are MaxMr
     */
    Ptr<RdmaMemoryRegion> RegisterMemory(Ptr<DdpMemory> memory, uint64_t address, uint32_t access);

    /**
     * @brief Register virtual memory at address 0.
     * @param length octets
     * @param access rights, bits of DdpAccess
     * @return as for RegisterMemory()
     */
    Ptr<RdmaMemoryRegion> RegisterVirtual(uint64_t length, uint32_t access);

    /**
     * @brief Register memory that holds octets, all zero at first, at address 0.
     * @param length octets
     * @param access rights, bits of DdpAccess
     * @return as for RegisterMemory()
     */
    Ptr<RdmaMemoryRegion> RegisterBacked(uint64_t length, uint32_t access);

    /**
     * @brief Allocate a memory region without memory, for fast registrations (ib_alloc_mr).
     * @param maxPages most pages of one, 1 to MaxFastRegPages
     * @return the region, not valid until a REG_MR; nullptr with EINVAL for another number of
     * pages, ENOMEM if there are MaxMr
     */
    Ptr<RdmaMemoryRegion> AllocMr(uint32_t maxPages);

    /**
     * @brief Allocate a memory window (ibv_alloc_mw).
     * @return the window; nullptr with ENOMEM if there are MaxMw
     */
    Ptr<RdmaMemoryWindow> AllocMw();

    /**
     * @brief Create a shared receive queue (ibv_create_srq).
     * @param maxWr most buffers in it, 1 to MaxSrqWr
     * @param maxSge most SGEs of a buffer, at most MaxSge
     * @return the queue; nullptr with EINVAL for other numbers, ENOMEM if there are MaxSrq
     */
    Ptr<RdmaSharedReceiveQueue> CreateSrq(uint32_t maxWr, uint32_t maxSge = 1);

    /**
     * @brief Create a queue pair (ibv_create_qp).
     * @param config what it is to be like
     * @return the queue pair; nullptr with EINVAL if the configuration exceeds the device's limits
     *         or names a shared receive queue of another domain, ENOMEM if there are MaxQp
     */
    Ptr<RdmaQueuePair> CreateQp(const RdmaQueuePairConfig& config);

    /**
     * @brief End it (ibv_dealloc_pd).
     * @return 0; EBUSY while anything is in it; EINVAL if it is over
     */
    int Deallocate();

    /// Tell domains of a device apart. @return its number, not 0
    uint32_t GetNumber() const;
    /// Get the device that allocated it. @return its device; nullptr once over
    Ptr<RdmaDevice> GetDevice() const;

    // for the other verbs objects
    /// Get the table of all memory that is open. @return STags of the node
    DdpStagTable& GetTable();
    /// Count an object that has left the domain. @param resource its kind
    void Release(RdmaResource resource);
    /// Note an error at the device. @param error number to note @return it
    int Fail(int error);
    /// Judge rights that are asked for. @param access bits of DdpAccess @return true if they do not
    /// contradict each other
    static bool IsSound(uint32_t access);

  private:
    bool Claim(RdmaResource resource); //!< @param resource kind @return false if all are in use

    Ptr<RdmaDevice> m_device; //!< its device, nullptr once over
    uint32_t m_number;        //!< its number
    uint32_t m_users{0};      //!< objects in it
};

} // namespace ns3

#endif // RDMA_PROTECTION_DOMAIN_H
