/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_QUEUE_DISC_ITEM_H
#define TCP_QUEUE_DISC_ITEM_H

#include "ns3/address.h"
#include "ns3/ipv4-queue-disc-item.h"
#include "ns3/ipv6-queue-disc-item.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"
#include "ns3/queue-item.h"

#include <cstdint>
#include <type_traits>
#include <utility>

namespace ns3
{

/**
 * @ingroup iwarp-tcp
 * @brief A TCP segment on its way to a queue disc, whose flow is found without parsing its options.
 *
 * FqCoDelQueueDisc, which InternetStackHelper has devices get, asks each item for its flow. ns-3's
 * items parse the whole TCP header for that, with an object for each option: a tenth of what a
 * segment costs. The hash is the same.
 * @tparam Base Ipv4QueueDiscItem or Ipv6QueueDiscItem
 */
template <typename Base>
class TcpQueueDiscItem : public Base
{
  public:
    /// IP's header
    using Header = std::decay_t<decltype(std::declval<const Base&>().GetHeader())>;

    /// Take the place of another item, before that has added its header. @param item of a TCP
    /// segment that is no fragment @param header that is to be added
    TcpQueueDiscItem(const Base& item, const Header& header)
        : Base(item.GetPacket(), item.GetAddress(), item.GetProtocol(), header)
    {
    }

    /// Find the flow. @param perturbation of the queue disc @return hash of addresses, protocol,
    /// ports and perturbation, as ns-3's items have it
    uint32_t Hash(uint32_t perturbation) const override;
};

/// @ingroup iwarp-tcp
/// @brief Make the item that a queue disc gets in place of another one. @param item that has not
/// added its header @param header that is to be added @return TcpQueueDiscItem; another one if
/// @p item is no TCP segment, or a fragment without its ports
Ptr<QueueDiscItem> MakeTcpQueueDiscItem(const Ipv4QueueDiscItem& item, const Ipv4Header& header);
/// @ingroup iwarp-tcp
/// @brief As above, for IPv6. @param item that has not added its header @param header that is to be
/// added @return TcpQueueDiscItem; another one if @p item is no TCP segment
Ptr<QueueDiscItem> MakeTcpQueueDiscItem(const Ipv6QueueDiscItem& item, const Ipv6Header& header);

} // namespace ns3

#endif // TCP_QUEUE_DISC_ITEM_H
