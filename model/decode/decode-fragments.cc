/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "decode-fragments.h"

#include <iterator>

namespace ns3
{

bool
DecodeFragments::Insert(Partial& partial, const DecodeFragment& fragment)
{
    const uint32_t end = fragment.offset + fragment.length;
    if (fragment.size < fragment.length || fragment.length == 0 || end > MAX_DATAGRAM ||
        (fragment.more && fragment.length % 8 != 0))
    {
        return false;
    }
    const auto next = partial.parts.lower_bound(fragment.offset);
    if (next != partial.parts.end() && next->first == fragment.offset &&
        next->second.length == fragment.length && next->second.more == fragment.more)
    {
        return true; // it came twice
    }
    const bool overlaps =
        (next != partial.parts.end() && next->first < end) ||
        (next != partial.parts.begin() &&
         std::prev(next)->first + std::prev(next)->second.length > fragment.offset);
    const bool last = next == partial.parts.end();
    if (overlaps || (!fragment.more && (partial.size > 0 || !last)) ||
        (partial.size > 0 && end > partial.size))
    {
        return false;
    }
    partial.parts.emplace_hint(next, fragment.offset, fragment);
    partial.have += fragment.length;
    partial.size = fragment.more ? partial.size : end;
    return true;
}

const DecodeFragments::Datagram*
DecodeFragments::Add(const DecodeFragment& fragment, int64_t time)
{
    const Key key{fragment.from.ipv6,
                  fragment.from.address,
                  fragment.to.address,
                  fragment.protocol,
                  fragment.id};
    auto at = m_partial.try_emplace(key).first;
    Partial& partial = at->second;
    if (partial.parts.empty() || time - partial.begin > TIMEOUT)
    {
        partial = Partial();
        partial.begin = time;
    }
    if (!Insert(partial, fragment))
    {
        m_partial.erase(at);
        return nullptr;
    }
    if (partial.size == 0 || partial.have < partial.size)
    {
        return nullptr;
    }
    Datagram& whole = m_whole.emplace_back();
    whole.octets.reserve(partial.size);
    for (const auto& [offset, part] : partial.parts)
    {
        whole.octets.insert(whole.octets.end(), part.data, part.data + part.size);
    }
    whole.fragments = partial.parts.size();
    m_partial.erase(at);
    return &whole;
}

} // namespace ns3
