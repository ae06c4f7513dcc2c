/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_HELPER_H
#define IWARP_HELPER_H

#include "ns3/application-container.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/output-stream-wrapper.h"
#include "ns3/ptr.h"

#include <string>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief Puts iWARP on nodes, and watches it.
 */
class IwarpHelper
{
  public:
    /**
     * @brief Give nodes the MPA-aware TCP beside ns-3's own.
     * @param nodes nodes with an internet stack
     */
    void Install(const NodeContainer& nodes) const;
    /// Give one node the MPA-aware TCP. @param node a node with an internet stack
    void Install(Ptr<Node> node) const;

    /**
     * @brief Have datagrams take the time of Ethernet frames on links of your own.
     *
     * Without this a datagram costs a point-to-point link its own octets and 2 of PPP; then it
     * costs preamble, header, FCS and inter-frame gap, 38 octets, and 84 in all at the least.
     * @param devices those of one link that PointToPointHelper made, whose rates are final
     */
    static void UseEthernet(const NetDeviceContainer& devices);

    /**
     * @brief Write what IP sends and receives at some nodes to pcap files, one a node.
     *
     * Files hold IP datagrams without a link header, so they look the same over any device. TCP
     * and IP checksums are switched on for the whole simulation, so that readers can check them.
     *
     * @param prefix files are PREFIX-NODE.pcap, with the node's number
     * @param nodes nodes with an internet stack, IPv4 or IPv6 or both
     */
    static void EnablePcap(const std::string& prefix, const NodeContainer& nodes);

    /**
     * @brief Write a line of text for each event of the MPA streams of some applications.
     *
     * A line holds time in seconds, node, event and its figures.
     *
     * @param stream where lines go
     * @param applications applications that are not started yet; those that are neither an
     *        MpaBulkSender nor an MpaSink are left out
     */
    static void EnableAscii(Ptr<OutputStreamWrapper> stream,
                            const ApplicationContainer& applications);

    /**
     * @brief Fix the random streams of all applications of this module on some nodes, of the RDMA
     * devices that they use, of the impairments (PathImpairment) at these nodes' point-to-point
     * devices, and of these nodes' middleboxes (PathMiddlebox).
     * @param nodes nodes
     * @param stream first stream number
     * @return number of streams used
     */
    static int64_t AssignStreams(const NodeContainer& nodes, int64_t stream);
};

} // namespace ns3

#endif // IWARP_HELPER_H
