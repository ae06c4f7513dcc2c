/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-sack-blocks.h"

#include "tcp-held-octets.h"
#include "tcp-option-inserter.h"

#include "ns3/tcp-option-sack.h"

#include <algorithm>
#include <vector>

namespace ns3
{

namespace
{

/// @param header of a segment @param blocks SACK option in place of its own, left out if it is
/// empty @return header
TcpHeader
ReplaceBlocks(const TcpHeader& header, const Ptr<TcpOptionSack>& blocks)
{
    std::vector<Ptr<const TcpOption>> options;
    for (const auto& option : header.GetOptionList())
    {
        if (option->GetKind() != TcpOption::SACK)
        {
            options.emplace_back(option);
        }
    }
    if (blocks->GetNumSackBlocks() > 0)
    {
        options.emplace_back(blocks);
    }
    return TcpReplaceOptions(header, options);
}

} // namespace

TcpSackBlocks::TcpSackBlocks() = default;

TcpSackBlocks::~TcpSackBlocks() = default;

TcpSackBlocks::TcpSackBlocks(const TcpSackBlocks&)
{
}

std::optional<TcpHeader>
TcpSackBlocks::Filter(const TcpHeader& header,
                      SequenceNumber32 head,
                      SequenceNumber32 sent,
                      bool permitted)
{
    const auto option = DynamicCast<const TcpOptionSack>(header.GetOption(TcpOption::SACK));
    const auto blocks = CreateObject<TcpOptionSack>();
    const SequenceNumber32 edge = std::max(header.GetAckNumber(), head);
    for (const auto& [left, right] : option->GetSackList())
    {
        if (!permitted || left <= edge || left >= right || right > sent)
        {
            continue;
        }
        blocks->AddSackBlock({left, right});
        if (!m_told)
        {
            m_told = std::make_unique<TcpHeldOctets>(edge);
        }
        for (const auto& piece : m_told->FindNew(left, static_cast<uint32_t>(right - left)))
        {
            m_told->Add(piece);
        }
    }
    if (blocks->GetNumSackBlocks() == option->GetNumSackBlocks())
    {
        return std::nullopt;
    }
    return ReplaceBlocks(header, blocks);
}

bool
TcpSackBlocks::Acknowledge(SequenceNumber32 ack, SequenceNumber32 sent)
{
    if (!m_told)
    {
        return false;
    }
    const bool reneged = ack < sent && m_told->FindNew(ack, 1).empty();
    m_told->DropUpTo(ack);
    if (reneged || m_told->IsEmpty())
    {
        m_told.reset();
    }
    return reneged;
}

} // namespace ns3
