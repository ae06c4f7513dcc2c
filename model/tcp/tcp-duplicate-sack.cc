/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-duplicate-sack.h"

#include "tcp-option-inserter.h"

#include <algorithm>
#include <vector>

namespace ns3
{

namespace
{

using SackBlock = TcpOptionSack::SackBlock; //!< first octet, and the one behind the last

/// Octets of a SACK option besides its blocks, and of one of these (RFC 2018 section 3)
constexpr uint32_t SACK_OPTION = 2;
constexpr uint32_t SACK_BLOCK = 8;

/// @param outer block @param inner block @return the inner one is a part of the outer one
bool
IsWithin(const SackBlock& outer, const SackBlock& inner)
{
    return outer.first <= inner.first && inner.second <= outer.second;
}

} // namespace

std::optional<TcpOptionSack::SackBlock>
TcpFindDuplicateSack(const TcpHeader& header)
{
    const auto option = DynamicCast<const TcpOptionSack>(header.GetOption(TcpOption::SACK));
    if (!option || option->GetNumSackBlocks() == 0)
    {
        return std::nullopt;
    }
    const auto blocks = option->GetSackList();
    const SackBlock& first = blocks.front();
    const bool acknowledged = first.second <= header.GetAckNumber();
    const bool repeated = blocks.size() > 1 && IsWithin(*std::next(blocks.begin()), first);
    return acknowledged || repeated ? std::make_optional(first) : std::nullopt;
}

std::optional<TcpOptionSack::SackBlock>
TcpFindDuplicate(SequenceNumber32 seq,
                 uint32_t size,
                 SequenceNumber32 next,
                 const TcpOptionSack::SackList& held)
{
    const SequenceNumber32 end = seq + size;
    if (seq < next)
    {
        return SackBlock(seq, std::min(end, next));
    }
    std::optional<SackBlock> duplicate;
    for (const auto& [left, right] : held)
    {
        const SackBlock common(std::max(seq, left), std::min(end, right));
        if (common.first < common.second && (!duplicate || common.first < duplicate->first))
        {
            duplicate = common;
        }
    }
    return duplicate;
}

TcpHeader
TcpAddDuplicateSack(const TcpHeader& header, const SackBlock& duplicate)
{
    std::vector<Ptr<const TcpOption>> options;
    std::vector<SackBlock> blocks;
    uint32_t room = header.GetMaxOptionLength() - SACK_OPTION;
    for (const auto& option : header.GetOptionList())
    {
        if (const auto sack = DynamicCast<const TcpOptionSack>(option))
        {
            const auto list = sack->GetSackList();
            blocks.assign(list.begin(), list.end());
        }
        else if (option->GetKind() != TcpOption::END)
        {
            options.push_back(option);
            room -= option->GetSerializedSize();
        }
    }
    // the block that it is a part of follows it
    std::stable_partition(blocks.begin(), blocks.end(), [&](const SackBlock& block) {
        return IsWithin(block, duplicate);
    });
    blocks.insert(blocks.begin(), duplicate);
    blocks.resize(std::min<std::size_t>(blocks.size(), room / SACK_BLOCK));
    auto option = CreateObject<TcpOptionSack>();
    for (const auto& block : blocks)
    {
        option->AddSackBlock(block);
    }
    options.push_back(option);
    return TcpReplaceOptions(header, options);
}

} // namespace ns3
