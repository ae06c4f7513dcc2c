/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPSEC_ASSOCIATION_DATABASE_H
#define IPSEC_ASSOCIATION_DATABASE_H

#include "ipsec-association.h"
#include "ipsec-policy-database.h"
#include "ipsec-selector.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-ipsec
 * @brief The associations of one direction at one place (RFC 4301 section 4.4.2): inbound ones are
 * found by the SPI alone, which the node has chosen (section 4.1), outbound ones by policy and
 * traffic, or by SPI and destination. Each look-up costs the same however many there are.
 *
 * It can have a limit, as hardware does: then the one longest unused goes when another comes.
 * Associations are shared with those who still work on a packet of one that is gone.
 */
class IpsecAssociationDatabase
{
  public:
    /// Is told of an association that goes.
    using Hook = std::function<void(const std::shared_ptr<IpsecAssociation>&)>;

    /// What names an association.
    enum class Naming : uint8_t
    {
        SPI_AND_DESTINATION, //!< outbound: the destination has chosen the SPI
        SPI,                 //!< inbound: destinations are not looked at
    };

    /// What outbound traffic an association is for.
    struct Traffic
    {
        IpsecPolicyDatabase::Index policy{0}; //!< that selects it
        IpsecFlow shared;                     //!< as IpsecPolicyDatabase::GetShared() tells

        /// @param other some traffic @return whether it is the same
        bool operator==(const Traffic& other) const;
    };

    /// @param capacity most associations kept; 0: no limit @param naming what names an association
    explicit IpsecAssociationDatabase(std::size_t capacity = 0,
                                      Naming naming = Naming::SPI_AND_DESTINATION);

    /// Have all told that go. @param hook called for each association that is removed or evicted
    void SetRemovalHook(Hook hook);

    /// Have evictions told. @param hook called for each association that goes for want of room
    void SetEvictionHook(Hook hook);

    /**
     * @brief Keep an association.
     * @param association to keep
     * @return false if another has its name: then nothing is changed
     */
    bool Add(const std::shared_ptr<IpsecAssociation>& association);

    /**
     * @brief Keep an outbound association, to be found by traffic. It takes over from one that is
     * here for the same traffic: that stays until it is removed, found by SPI only.
     * @param association to keep
     * @param traffic what it is for
     * @return as Add() without traffic
     */
    bool Add(const std::shared_ptr<IpsecAssociation>& association, const Traffic& traffic);

    /**
     * @brief Find an association as its packets name it; it counts as used.
     * @param spi security parameters index
     * @param destination of the packets
     * @return the association, or nullptr
     */
    std::shared_ptr<IpsecAssociation> Find(uint32_t spi, const IpsecAddress& destination);

    /// Find the association that protects some traffic; it counts as used.
    /// @param traffic what it is @return the association, or nullptr
    std::shared_ptr<IpsecAssociation> Find(const Traffic& traffic);

    /// Look at an association, which does not count as used. @param spi security parameters index
    /// @param destination of its packets @return the association, or nullptr
    std::shared_ptr<const IpsecAssociation> Peek(uint32_t spi,
                                                 const IpsecAddress& destination) const;

    /// Tell whether there is an association, which does not count as used.
    /// @param spi security parameters index @param destination of its packets @return there is
    bool Has(uint32_t spi, const IpsecAddress& destination) const;

    /// Tell whether packets go in UDP (RFC 3948); looks at one association after the other.
    /// @param destination of the packets @return an association has them so
    bool HasUdp(const IpsecAddress& destination) const;

    /**
     * @brief Remove an association.
     * @param spi security parameters index
     * @param destination of its packets
     * @return what was removed, or nullptr
     */
    std::shared_ptr<IpsecAssociation> Remove(uint32_t spi, const IpsecAddress& destination);

    /// Remove an association. @param association any @return it was here
    bool Remove(const std::shared_ptr<IpsecAssociation>& association);

    /**
     * @brief Find the associations that are idle: they may go, to make room in hardware, and the
     * connections above stay (RFC 5044 section 9.4).
     * @param since those whose last use was before it
     * @return associations, longest unused first
     */
    std::vector<std::shared_ptr<IpsecAssociation>> GetIdle(Time since) const;

    std::size_t GetN() const; //!< @return associations kept
    /// Limit what is kept; what is there stays until another comes. @param capacity most
    /// associations kept; 0: no limit
    void SetCapacity(std::size_t capacity);
    std::size_t GetCapacity() const; //!< @return most associations kept; 0: no limit
    uint64_t GetEvicted() const;     //!< @return associations that went for want of room

  private:
    /// How packets name an association.
    struct Name
    {
        uint32_t spi;             //!< security parameters index
        IpsecAddress destination; //!< of its packets

        /// @param other a name @return whether it is the same
        bool operator==(const Name& other) const;
    };

    /// Makes hash tables.
    struct Hash
    {
        std::size_t operator()(const Name& name) const;       //!< @return spreads names
        std::size_t operator()(const Traffic& traffic) const; //!< @return spreads traffic
    };

    /// An association kept.
    struct Entry
    {
        std::shared_ptr<IpsecAssociation> association; //!< what is kept
        std::optional<Traffic> traffic;                //!< what it is found by, if by traffic
    };

    using Entries = std::list<Entry>; //!< longest unused first

    /// @param spi security parameters index @param destination of packets @return name
    Name MakeName(uint32_t spi, const IpsecAddress& destination) const;
    /// @param entry to keep @return false if its name is taken
    bool Insert(Entry entry);
    /// @param entry that was found @return its association, which counts as used
    std::shared_ptr<IpsecAssociation> Use(Entries::iterator entry);
    /// @param entry to remove @return its association
    std::shared_ptr<IpsecAssociation> Erase(Entries::iterator entry);

    std::size_t m_capacity;  //!< most associations kept; 0: no limit
    Naming m_naming;         //!< what names an association
    Hook m_removed;          //!< is told of all that go
    Hook m_evicted;          //!< is told of evictions
    uint64_t m_evictions{0}; //!< how many there were
    Entries m_entries;       //!< associations kept
    std::unordered_map<Name, Entries::iterator, Hash> m_names;      //!< by name
    std::unordered_map<Traffic, Entries::iterator, Hash> m_traffic; //!< by traffic
};

} // namespace ns3

#endif // IPSEC_ASSOCIATION_DATABASE_H
