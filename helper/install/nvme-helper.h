/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NVME_HELPER_H
#define NVME_HELPER_H

#include "ns3/address.h"
#include "ns3/application-container.h"
#include "ns3/attribute.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-helper
/// @brief Targets of NVMe/TCP and the hosts that connect to them.
struct NvmeApplications
{
    ApplicationContainer targets; //!< NvmeTarget
    ApplicationContainer hosts;   //!< NvmeHost

    /// Start targets at once and hosts then. @param start when hosts start; not 0, since traffic
    /// control is not ready then
    void Start(Time start);
    void Stop(Time stop); //!< Stop all. @param stop when
};

/**
 * @ingroup iwarp-helper
 * @brief Makes NvmeHost and NvmeTarget applications, and connects them: one to one, or all to one.
 */
class NvmeHelper
{
  public:
    NvmeHelper();

    /// Set an attribute of the hosts. @param name attribute of NvmeHost @param value its value
    void SetHostAttribute(const std::string& name, const AttributeValue& value);
    /// Set an attribute of the targets. @param name attribute of NvmeTarget @param value its value
    void SetTargetAttribute(const std::string& name, const AttributeValue& value);
    /// Set an attribute of the hosts' queues. @param name attribute of NvmeHostQueue @param value
    /// its value
    void SetHostQueueAttribute(const std::string& name, const AttributeValue& value);
    /// Set an attribute of the targets' queues. @param name attribute of NvmeControllerQueue @param
    /// value its value
    void SetTargetQueueAttribute(const std::string& name, const AttributeValue& value);
    /// Set an attribute of the queues at both ends. @param name attribute of NvmeQueue @param value
    /// its value
    void SetQueueAttribute(const std::string& name, const AttributeValue& value);
    /// Set an attribute of the TCP sockets at both ends. @param name attribute of what Protocol
    /// makes @param value its value
    void SetSocketAttribute(const std::string& name, const AttributeValue& value);
    void SetIpv6(bool ipv6); //!< Choose between IPv4 and IPv6. @param ipv6 connect over IPv6

    /// Install a target. @param node where @param port TCP port to listen at, at any address
    /// @return the target
    ApplicationContainer InstallTarget(Ptr<Node> node, uint16_t port) const;
    /// Install a host. @param node where @param remote address and port of the target @return the
    /// host
    ApplicationContainer InstallHost(Ptr<Node> node, const Address& remote) const;

    /// A target and a host that connects to it. @param host node of the host @param target node of
    /// the target @param port TCP port @return both
    NvmeApplications Connect(Ptr<Node> host, Ptr<Node> target, uint16_t port) const;
    /// All hosts connect to one target. @param hosts nodes of the hosts @param target node of the
    /// target @param port TCP port @return the target, and a host a node in their order
    NvmeApplications ConnectIncast(const NodeContainer& hosts,
                                   Ptr<Node> target,
                                   uint16_t port) const;

    /**
     * @brief Write what IP sends and receives at some nodes to pcap files, one a node; see
     * IwarpHelper::EnablePcap(). Wireshark finds NVMe/TCP there by the port 4420, or if it is told
     * of another.
     * @param prefix files are PREFIX-NODE.pcap, with the node's number
     * @param nodes nodes with an internet stack
     */
    static void EnablePcap(const std::string& prefix, const NodeContainer& nodes);

    /**
     * @brief Fix the random streams of applications, so that each run draws the same numbers.
     * @param applications applications; those that are neither hosts nor targets are left alone
     * @param stream first stream number
     * @return number of streams used
     */
    static int64_t AssignStreams(const ApplicationContainer& applications, int64_t stream);

  private:
    /// Name and value of attributes
    using Settings = std::vector<std::pair<std::string, Ptr<AttributeValue>>>;

    /// Make an application. @param factory its kind @param queue attributes of its queues @param
    /// node where @return it
    ApplicationContainer Install(const ObjectFactory& factory,
                                 const Settings& queue,
                                 Ptr<Node> node) const;

    ObjectFactory m_host;   //!< makes hosts
    ObjectFactory m_target; //!< makes targets
    Settings m_hostQueue;   //!< for the hosts' queues
    Settings m_targetQueue; //!< for the targets' queues
    Settings m_socket;      //!< for the sockets of both
    bool m_ipv6{false};     //!< connect over IPv6
};

} // namespace ns3

#endif // NVME_HELPER_H
