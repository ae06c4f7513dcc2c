/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_MEMORY_H
#define RDMA_MEMORY_H

#include "rdma-types.h"

#include "ns3/ddp-memory.h"
#include "ns3/ddp-stag-table.h"
#include "ns3/ptr.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>

namespace ns3
{

class RdmaProtectionDomain;

/**
 * @ingroup iwarp-verbs
 * @brief A memory region (ibv_mr). Made by RdmaProtectionDomain::RegisterMemory(), or without
 * memory by AllocMr(): then Map() says of what, and a work request REG_MR opens it, in the turn of
 * a send queue and as often as wanted (fast registration; Linux's ib_alloc_mr(), ib_map_mr_sg(),
 * ib_update_fast_reg_key() and IB_WR_REG_MR).
 */
class RdmaMemoryRegion : public SimpleRefCount<RdmaMemoryRegion>
{
  public:
    /**
     * @brief Take over an STag that the domain has registered.
     * @param domain its protection domain
     * @param stag its STag
     * @param maxPages of AllocMr(): most pages of a fast registration; 0 of another region
     */
    RdmaMemoryRegion(Ptr<RdmaProtectionDomain> domain, uint32_t stag, uint32_t maxPages = 0);
    ~RdmaMemoryRegion();
    RdmaMemoryRegion(const RdmaMemoryRegion&) = delete;
    RdmaMemoryRegion& operator=(const RdmaMemoryRegion&) = delete;

    /// Get the key for work requests of this side. @return local key: the STag, as UpdateKey() left
    /// it
    uint32_t GetLkey() const;
    /// Get the key to give to the peer. @return remote key: the STag, as UpdateKey() left it
    uint32_t GetRkey() const;
    /// Tell where it begins. @return address of the first octet, its TO; 0 once over
    uint64_t GetAddress() const;
    uint64_t GetLength() const; //!< Tell its size. @return octets; 0 once over
    /// Tell what is allowed in it. @return rights, bits of DdpAccess; 0 once over
    uint32_t GetAccess() const;
    /// Get what it makes accessible. @return memory behind it; nullptr once over
    Ptr<DdpMemory> GetMemory() const;
    /// Ask whether it can be used. @return true until deregistered or invalidated
    bool IsValid() const;

    /// Name a part of it for a work request. @param offset first octet, from the start of the
    /// region @param length octets @return the piece
    RdmaSge GetSge(uint64_t offset, uint32_t length) const;

    /**
     * @brief Say whether the peer's Send with Invalidate may invalidate it; at first it may not.
     * @param allowed it may
     * @return 0; EINVAL if it is over
     */
    int AllowInvalidation(bool allowed);

    static constexpr uint32_t PAGE = 4096; //!< octets of a page of a fast registration

    /**
     * @brief Say what the next REG_MR posted is to open (ib_map_mr_sg).
     * @param memory the memory, virtual or backed
     * @param offset first octet of it
     * @param length octets
     * @param address address of the first octet
     * @return 0; EINVAL if the region is over or not of AllocMr(), if the memory does not hold the
     *         octets, the addresses reach 2^64 or the octets lie on more pages than the region
     * takes
     */
    int Map(Ptr<DdpMemory> memory, uint64_t offset, uint64_t length, uint64_t address);

    /**
     * @brief Change the last 8 bits of its keys (ib_update_fast_reg_key), so that the keys of one
     * registration do not open the next. It counts from the next REG_MR that is posted on.
     * @param key these 8 bits
     * @return 0; EINVAL if the region is over or not of AllocMr()
     */
    int UpdateKey(uint8_t key);

    /// Count what REG_MR tells the RNIC of. @return pages of what Map() said; 0 before
    uint32_t GetPages() const;

    /// For queue pairs: tell what a REG_MR posted now opens. @param access rights, bits of
    /// DdpAccess
    /// @param[out] entry receives it @return false if nothing is mapped, or the rights are not
    /// sound
    bool Prepare(uint32_t access, DdpStagEntry& entry) const;
    /// For queue pairs: open it in the turn of REG_MR. @param domain of the queue pair
    /// @param stag its STag from here on @param entry as of Prepare() @return false if it is over,
    /// of another domain or open
    bool Open(const RdmaProtectionDomain* domain, uint32_t stag, const DdpStagEntry& entry);

    /**
     * @brief End it (ibv_dereg_mr).
     * @return 0; EBUSY while a memory window is bound to it; EINVAL if it is over
     */
    int Deregister();

  private:
    friend class RdmaMemoryWindow;

    Ptr<RdmaProtectionDomain> m_domain; //!< its protection domain, nullptr once over
    uint32_t m_stag;                    //!< its STag
    uint32_t m_key;                     //!< its keys: the STag, or that of its next registration
    uint32_t m_maxPages;                //!< most pages of a fast registration; 0: there is none
    uint32_t m_pages{0};                //!< of what is mapped
    uint64_t m_address{0};              //!< of what is mapped
    uint64_t m_offset{0};               //!< of what is mapped, in its memory
    uint64_t m_length{0};               //!< of what is mapped
    Ptr<DdpMemory> m_memory;            //!< of what is mapped
};

/**
 * @ingroup iwarp-verbs
 * @brief A memory window (ibv_mw of type 2): rights on part of a region for one queue pair, given
 * and taken by work requests. Made by RdmaProtectionDomain::AllocMw().
 */
class RdmaMemoryWindow : public SimpleRefCount<RdmaMemoryWindow>
{
  public:
    /**
     * @brief Make a window that is not bound yet.
     * @param domain its protection domain
     */
    explicit RdmaMemoryWindow(Ptr<RdmaProtectionDomain> domain);
    ~RdmaMemoryWindow();
    RdmaMemoryWindow(const RdmaMemoryWindow&) = delete;
    RdmaMemoryWindow& operator=(const RdmaMemoryWindow&) = delete;

    /// Get the key to give to the peer. @return remote key, another after each bind; 0 if never
    /// bound
    uint32_t GetRkey() const;
    /// Ask whether a region is open through it. @return true while it gives rights
    bool IsBound() const;

    /**
     * @brief Bind it, or unbind it. For queue pairs, which do it in the turn of a work request.
     * @param region region to bind it to
     * @param address first octet
     * @param length octets, 0 unbinds
     * @param access rights for the peer, bits of DdpAccess
     * @param stream queue pair that may use it
     * @return 0; EINVAL if the region does not allow it
     */
    int Bind(Ptr<RdmaMemoryRegion> region,
             uint64_t address,
             uint64_t length,
             uint32_t access,
             uint32_t stream);

    /**
     * @brief End it (ibv_dealloc_mw). A bound window is unbound.
     * @return 0; EINVAL if it is over
     */
    int Deallocate();

  private:
    void Unbind(); //!< take the rights

    Ptr<RdmaProtectionDomain> m_domain; //!< its protection domain, nullptr once over
    Ptr<RdmaMemoryRegion> m_region;     //!< region that it is bound to
    uint32_t m_stag{0};                 //!< its STag, once it has been bound
};

} // namespace ns3

#endif // RDMA_MEMORY_H
