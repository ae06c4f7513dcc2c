/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ipsec-association-database.h"

#include <algorithm>
#include <utility>

namespace ns3
{

bool
IpsecAssociationDatabase::Traffic::operator==(const Traffic& other) const
{
    return policy == other.policy && shared == other.shared;
}

bool
IpsecAssociationDatabase::Name::operator==(const Name& other) const
{
    return spi == other.spi && destination == other.destination;
}

std::size_t
IpsecAssociationDatabase::Hash::operator()(const Name& name) const
{
    return IpsecFlowHash()({name.destination,
                            {},
                            0,
                            static_cast<uint16_t>(name.spi >> 16),
                            static_cast<uint16_t>(name.spi)});
}

std::size_t
IpsecAssociationDatabase::Hash::operator()(const Traffic& traffic) const
{
    return IpsecFlowHash()(traffic.shared) + traffic.policy;
}

IpsecAssociationDatabase::IpsecAssociationDatabase(std::size_t capacity, Naming naming)
    : m_capacity(capacity),
      m_naming(naming)
{
}

IpsecAssociationDatabase::Name
IpsecAssociationDatabase::MakeName(uint32_t spi, const IpsecAddress& destination) const
{
    return {spi, m_naming == Naming::SPI ? IpsecAddress() : destination};
}

void
IpsecAssociationDatabase::SetRemovalHook(Hook hook)
{
    m_removed = std::move(hook);
}

void
IpsecAssociationDatabase::SetEvictionHook(Hook hook)
{
    m_evicted = std::move(hook);
}

bool
IpsecAssociationDatabase::Add(const std::shared_ptr<IpsecAssociation>& association)
{
    return Insert({association, std::nullopt});
}

bool
IpsecAssociationDatabase::Add(const std::shared_ptr<IpsecAssociation>& association,
                              const Traffic& traffic)
{
    return Insert({association, traffic});
}

bool
IpsecAssociationDatabase::Insert(Entry entry)
{
    const auto& config = entry.association->GetConfig();
    const Name name = MakeName(config.spi, config.destination);
    if (m_names.count(name) > 0)
    {
        return false;
    }
    while (m_capacity > 0 && m_entries.size() >= m_capacity)
    {
        const auto evicted = Erase(m_entries.begin());
        ++m_evictions;
        if (m_evicted)
        {
            m_evicted(evicted);
        }
    }
    const auto place = m_entries.insert(m_entries.end(), std::move(entry));
    m_names.emplace(name, place);
    if (place->traffic)
    {
        m_traffic[*place->traffic] = place;
    }
    return true;
}

std::shared_ptr<IpsecAssociation>
IpsecAssociationDatabase::Use(Entries::iterator entry)
{
    m_entries.splice(m_entries.end(), m_entries, entry);
    return entry->association;
}

std::shared_ptr<IpsecAssociation>
IpsecAssociationDatabase::Erase(Entries::iterator entry)
{
    const auto association = entry->association;
    const auto& config = association->GetConfig();
    m_names.erase(MakeName(config.spi, config.destination));
    if (entry->traffic)
    {
        const auto found = m_traffic.find(*entry->traffic);
        if (found != m_traffic.end() && found->second == entry)
        {
            m_traffic.erase(found);
        }
    }
    m_entries.erase(entry);
    if (m_removed)
    {
        m_removed(association);
    }
    return association;
}

std::shared_ptr<IpsecAssociation>
IpsecAssociationDatabase::Find(uint32_t spi, const IpsecAddress& destination)
{
    const auto found = m_names.find(MakeName(spi, destination));
    return found == m_names.end() ? nullptr : Use(found->second);
}

std::shared_ptr<const IpsecAssociation>
IpsecAssociationDatabase::Peek(uint32_t spi, const IpsecAddress& destination) const
{
    const auto found = m_names.find(MakeName(spi, destination));
    return found == m_names.end() ? nullptr : found->second->association;
}

bool
IpsecAssociationDatabase::Has(uint32_t spi, const IpsecAddress& destination) const
{
    return m_names.count(MakeName(spi, destination)) > 0;
}

bool
IpsecAssociationDatabase::HasUdp(const IpsecAddress& destination) const
{
    return std::any_of(m_entries.begin(), m_entries.end(), [&destination](const Entry& entry) {
        const auto& config = entry.association->GetConfig();
        return config.udp && config.destination == destination;
    });
}

std::shared_ptr<IpsecAssociation>
IpsecAssociationDatabase::Find(const Traffic& traffic)
{
    const auto found = m_traffic.find(traffic);
    return found == m_traffic.end() ? nullptr : Use(found->second);
}

std::shared_ptr<IpsecAssociation>
IpsecAssociationDatabase::Remove(uint32_t spi, const IpsecAddress& destination)
{
    const auto found = m_names.find(MakeName(spi, destination));
    return found == m_names.end() ? nullptr : Erase(found->second);
}

bool
IpsecAssociationDatabase::Remove(const std::shared_ptr<IpsecAssociation>& association)
{
    const auto& config = association->GetConfig();
    const auto found = m_names.find(MakeName(config.spi, config.destination));
    if (found == m_names.end() || found->second->association != association)
    {
        return false;
    }
    Erase(found->second);
    return true;
}

std::vector<std::shared_ptr<IpsecAssociation>>
IpsecAssociationDatabase::GetIdle(Time since) const
{
    std::vector<std::shared_ptr<IpsecAssociation>> idle;
    for (const auto& entry : m_entries)
    {
        if (entry.association->GetLastUse() < since)
        {
            idle.push_back(entry.association);
        }
    }
    return idle;
}

std::size_t
IpsecAssociationDatabase::GetN() const
{
    return m_entries.size();
}

void
IpsecAssociationDatabase::SetCapacity(std::size_t capacity)
{
    m_capacity = capacity;
}

std::size_t
IpsecAssociationDatabase::GetCapacity() const
{
    return m_capacity;
}

uint64_t
IpsecAssociationDatabase::GetEvicted() const
{
    return m_evictions;
}

} // namespace ns3
