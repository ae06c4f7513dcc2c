/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_NETWORK_TABLE_H
#define PATH_NETWORK_TABLE_H

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-path
 * @brief Values of networks, found by an address: that of the network with the longest prefix
 * counts.
 *
 * There is a hash table for each mask, longest prefix first. So looking an address up takes a time
 * that grows with the number of different masks, not with that of networks.
 *
 * @tparam V Ipv4Traits or Ipv6Traits
 * @tparam Value of a network
 */
template <typename V, typename Value>
class PathNetworkTable
{
  public:
    using Address = typename V::Address; //!< address
    using Mask = typename V::Mask;       //!< mask or prefix of a network

    /// Find a network, or add it. @param address an address in it @param mask its mask or prefix
    /// @return its value, which stays where it is
    Value& Insert(const Address& address, const Mask& mask)
    {
        auto level = m_levels.begin();
        while (level != m_levels.end() && !(level->mask == mask) &&
               level->mask.GetPrefixLength() >= mask.GetPrefixLength())
        {
            ++level;
        }
        if (level == m_levels.end() || !(level->mask == mask))
        {
            level = m_levels.insert(level, {mask, {}});
        }
        return level->values[V::GetNetwork(address, mask)];
    }

    /// Look an address up. @param address it @return value of the longest prefix, or nullptr
    Value* Find(const Address& address)
    {
        for (auto& level : m_levels)
        {
            const auto found = level.values.find(V::GetNetwork(address, level.mask));
            if (found != level.values.end())
            {
                return &found->second;
            }
        }
        return nullptr;
    }

    /// Take networks out. @param test called with each value, which it may change; true takes the
    /// network out
    template <typename Test>
    void EraseIf(Test test)
    {
        for (auto& level : m_levels)
        {
            for (auto at = level.values.begin(); at != level.values.end();)
            {
                at = test(at->second) ? level.values.erase(at) : std::next(at);
            }
        }
        m_levels.erase(std::remove_if(m_levels.begin(),
                                      m_levels.end(),
                                      [](const Level& level) { return level.values.empty(); }),
                       m_levels.end());
    }

  private:
    /// Networks of one mask
    struct Level
    {
        Mask mask;                                                          //!< mask
        std::unordered_map<Address, Value, typename V::AddressHash> values; //!< by network
    };

    std::vector<Level> m_levels; //!< longest prefix first
};

} // namespace ns3

#endif // PATH_NETWORK_TABLE_H
