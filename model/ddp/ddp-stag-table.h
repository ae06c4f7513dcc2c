/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DDP_STAG_TABLE_H
#define DDP_STAG_TABLE_H

#include "ddp-error.h"
#include "ddp-memory.h"

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <unordered_set>

namespace ns3
{

/**
 * @ingroup iwarp-ddp
 * @brief Rights on a Tagged Buffer, bits with the values of libibverbs' access flags.
 *
 * Reading by the local side is always granted.
 */
enum DdpAccess : uint32_t
{
    DDP_ACCESS_NONE = 0,          //!< no right
    DDP_ACCESS_LOCAL_WRITE = 1,   //!< the local side may have received data put there
    DDP_ACCESS_REMOTE_WRITE = 2,  //!< the peer may write (RDMA Write)
    DDP_ACCESS_REMOTE_READ = 4,   //!< the peer may read (RDMA Read Request)
    DDP_ACCESS_REMOTE_ATOMIC = 8, //!< the peer may use Atomics
    DDP_ACCESS_MW_BIND = 16,      //!< memory windows may be bound to it
};

/// @ingroup iwarp-ddp
/// @brief What an STag stands for (RFC 5041 section 8.2).
struct DdpStagEntry
{
    uint32_t pd{0};           //!< protection domain whose streams may use it; 0: no such tie
    uint32_t stream{0};       //!< the one stream that may use it; 0: no such tie
    uint32_t access{0};       //!< bits of DdpAccess
    uint64_t base{0};         //!< TO of the first octet
    uint64_t length{0};       //!< octets; base + length is below 2^64
    Ptr<DdpMemory> memory;    //!< memory behind it
    uint64_t offset{0};       //!< place of the first octet in the memory
    bool valid{true};         //!< false after an invalidation
    bool invalidatable{true}; //!< the peer may invalidate it (Send with Invalidate)
    uint32_t region{0};       //!< STag of the region that it is a window of; 0: of none
    uint32_t windows{0};      //!< valid ones that are windows of it; the table counts them
};

/// @ingroup iwarp-ddp
/// @brief What the check of an access to a Tagged Buffer found, in the order of the checks.
enum class DdpStagVerdict : uint8_t
{
    OK,             //!< access allowed
    INVALID,        //!< STag unknown, or invalidated
    NOT_ASSOCIATED, //!< STag of another protection domain or stream
    NO_RIGHT,       //!< the right asked for is not granted
    WRAP,           //!< TO plus length reaches 2^64
    BOUNDS,         //!< octets outside the buffer
};

/**
 * @brief Turn a failed check into an error to report.
 * @param verdict anything but OK
 * @return the DDP error that reports it for a Tagged segment; a missing right is an invalid STag
 */
DdpError DdpErrorFor(DdpStagVerdict verdict);

/**
 * @ingroup iwarp-ddp
 * @brief The STags of a node (RFC 5041 sections 8.2 and 8.3).
 *
 * STags are drawn from all 32 bits, so that none follows from those seen before (RFC 5040 section
 * 8.1.1), and an old one does not open a new buffer. Looking one up costs the same however many
 * there are. All sums are checked against overflow: no access outside a buffer passes.
 */
class DdpStagTable
{
  public:
    /// Where STags come from. @return any number; one that is in use is asked for again
    using Draw = std::function<uint32_t()>;

    /// An STag that is never valid.
    static constexpr uint32_t NO_STAG = 0;

    /**
     * @brief Make an empty table.
     * @param capacity most STags at a time, 1 to 2^24 - 1
     * @param draw where STags come from: numbers of 32 bits that are hard to predict
     */
    DdpStagTable(uint32_t capacity, Draw draw);

    /**
     * @brief Give out an STag.
     * @param entry what it stands for
     * @return the STag; NO_STAG if the capacity is used up, if base + length reaches 2^64, or if
     *         the memory does not hold offset + length octets
     */
    uint32_t Add(const DdpStagEntry& entry);

    /**
     * @brief Give out an STag whose last 8 bits, its key, are the owner's to change: no other STag
     * differs from it in these alone.
     * @param entry what it stands for
     * @return as Add()
     */
    uint32_t AddKeyed(const DdpStagEntry& entry);

    /**
     * @brief Change the key of an STag of AddKeyed(); the old STag is unknown from here on.
     * @param stag any STag
     * @param key its last 8 bits from here on
     * @return false, and nothing changes, if it is not one of AddKeyed()
     */
    bool ChangeKey(uint32_t stag, uint8_t key);

    /**
     * @brief Take an STag back. It is unknown from here on.
     * @param stag any STag
     * @return false if it was unknown
     */
    bool Remove(uint32_t stag);

    /**
     * @brief Withdraw all access; the STag stays allocated.
     * @param stag any STag
     * @return false if it was unknown or invalid already, or while windows of it are valid
     */
    bool Invalidate(uint32_t stag);

    /**
     * @brief Change what an STag stands for; effective for every octet not yet placed.
     * @param stag any STag
     * @param entry what it stands for now
     * @return false, and nothing changes, if it is unknown or the entry is one that Add() refuses
     */
    bool Update(uint32_t stag, const DdpStagEntry& entry);

    /**
     * @brief Give an STag another value; the old one is unknown from here on.
     * @param stag any STag
     * @return the new STag, or NO_STAG if it was unknown
     */
    uint32_t Rekey(uint32_t stag);

    /**
     * @brief Look an STag up, without a check of rights.
     * @param stag any STag
     * @return what it stands for, invalidated or not; nullptr if it is unknown
     */
    const DdpStagEntry* Find(uint32_t stag) const;

    /**
     * @brief Check an access (RFC 5041 section 7.1).
     * @param stag STag
     * @param pd protection domain of the stream, not 0
     * @param stream identity of the stream, not 0
     * @param to TO of the first octet
     * @param length octets, any
     * @param access rights needed, bits of DdpAccess; all of them have to be granted
     * @param entry receives what the STag stands for, if the access is allowed
     * @return the first check that failed, or OK
     */
    DdpStagVerdict Check(uint32_t stag,
                         uint32_t pd,
                         uint32_t stream,
                         uint64_t to,
                         uint64_t length,
                         uint32_t access,
                         const DdpStagEntry** entry) const;

    uint32_t GetCapacity() const; //!< Tell how many STags there may be. @return most at a time
    uint32_t GetSize() const;     //!< Count the STags in use. @return those given out now

  private:
    static bool IsSound(const DdpStagEntry& entry); //!< @param entry entry @return Add() takes it
    /// Count a window of a region. @param entry one that may be a window @param more it begins to
    /// be valid, otherwise it ends
    void CountWindow(const DdpStagEntry& entry, bool more);
    uint32_t Choose() const; //!< Draw an STag. @return one that is not in use
    /// @param entries of a table @param stag any STag @return its entry, or nullptr
    template <typename Entries>
    static auto Locate(Entries& entries, uint32_t stag);

    uint32_t m_capacity;                                  //!< most STags at a time
    Draw m_draw;                                          //!< where STags come from
    std::unordered_map<uint32_t, DdpStagEntry> m_entries; //!< what is given out, by STag
    std::unordered_set<uint32_t> m_keyed; //!< first 24 bits of the STags of AddKeyed()
};

} // namespace ns3

#endif // DDP_STAG_TABLE_H
