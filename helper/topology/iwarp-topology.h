/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_TOPOLOGY_H
#define IWARP_TOPOLOGY_H

#include "iwarp-link-settings.h"

#include "ns3/data-rate.h"
#include "ns3/iwarp-network.h"
#include "ns3/iwarp-queue-disc.h"
#include "ns3/iwarp-switch-settings.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/queue-size.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief Base class of a topology: it fills an IwarpNetwork with routers, links and pairs of hosts.
 *
 * A topology is a subclass with attributes of its own beside those that all have, registered with
 * ns-3 and named Iwarp...Topology. iwarp::FindType() finds it by its TypeId's name or, in short, by
 * what stands for the dots (IwarpLeafSpineTopology is leaf-spine), the user's own as well as these.
 */
class IwarpTopology : public Object
{
  public:
    /// Hosts that send and receive, a pair each, by their indices in the network
    using Ends = std::vector<std::pair<uint32_t, uint32_t>>;

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpTopology();
    ~IwarpTopology() override;

    /**
     * @brief Tell whether the attributes fit together. A subclass that overrides this asks its base
     * class first.
     * @param pairs pairs of hosts that Build() will be asked for, at least 1
     * @param ipv6 whether the network will use IPv6
     * @return "", or one line that begins with an attribute's name and says what is wrong
     */
    virtual std::string Check(uint32_t pairs, bool ipv6) const;

    /**
     * @brief Add routers, links and hosts. The caller then calls network.InstallRoutes().
     * @param network a network without routers and hosts
     * @param pairs pairs of hosts, at least 1; good by Check()
     * @return the pairs
     */
    virtual Ends Build(IwarpNetwork& network, uint32_t pairs) const = 0;

    /**
     * @brief Tell the rate that all pairs could share at most, for what is reckoned from it.
     * @return the lesser of LinkRate and AccessRate unless a subclass knows better
     */
    virtual DataRate GetBottleneckRate() const;

    /// Tell whether pairs have hosts of their own, so that there are more hosts for more of them.
    /// @return so; false unless a subclass says otherwise
    virtual bool AddsHosts() const;

    bool HasPause() const;      //!< Tell whether switches can have links pause. @return so
    bool HasMemory() const;     //!< Tell whether switches or their ports have memory. @return so
    bool HasPriorities() const; //!< Tell whether links have several priorities. @return so

  protected:
    /// Get the propagation delay of links between routers. @return Delay
    Time GetDelay() const;
    /// Make a link between routers. @param delay propagation delay @return LinkRate, and what all
    /// links have: QueueSize, QueueDisc, Mtu, Framing
    IwarpNetwork::Link MakeLink(Time delay) const;
    /// Make a link with settings of its own. @param delay propagation delay @param settings good by
    /// CheckLink(), whose delay does not count @return as MakeLink(), with these
    IwarpNetwork::Link MakeLink(Time delay, const iwarp::LinkSettings& settings) const;
    /// Look at settings of a link. @param settings of it @return "", or what is wrong in one line
    std::string CheckLink(const iwarp::LinkSettings& settings) const;
    /// Make a host's link. @return AccessRate, AccessDelay, and what all links have
    IwarpNetwork::Link MakeAccessLink() const;

  private:
    /// Add attributes of priorities and pauses. @param tid where to @return it
    static TypeId AddPauses(TypeId tid);
    /// Add attributes of switches' memory. @param tid where to @return it
    static TypeId AddBuffers(TypeId tid);
    /// @return what the attributes say of switches
    iwarp::SwitchSettings GetSwitchSettings() const;
    /// Make a link. @param rate it @param delay propagation delay @param disc its queue discs
    /// @param size of its queues @return with what all links have
    IwarpNetwork::Link Make(const DataRate& rate,
                            Time delay,
                            iwarp::QueueDiscKind disc,
                            const QueueSize& size) const;
    /// Look at the queues of links. @param disc their queue discs @param size theirs @return "", or
    /// what is wrong with them
    std::string CheckQueues(iwarp::QueueDiscKind disc, const QueueSize& size) const;
    /// Look at marking by length. @param size of a queue @return "", or what is wrong with it
    std::string CheckMarking(const QueueSize& size) const;

    DataRate m_linkRate;          //!< rate of links between routers
    Time m_delay;                 //!< propagation delay of links between routers
    DataRate m_accessRate;        //!< rate of hosts' links
    Time m_accessDelay;           //!< propagation delay of hosts' links
    QueueSize m_queueSize;        //!< queue at each device
    iwarp::QueueDiscKind m_disc;  //!< queue discs of all links
    QueueSize m_threshold;        //!< of discs with one
    QueueSize m_ceiling;          //!< see MarkingCeiling
    bool m_departing;             //!< see MarkAtDequeue
    double m_probability;         //!< see MarkingProbability
    bool m_marking;               //!< discs mark rather than drop
    uint32_t m_mtu;               //!< MTU of all links, octets
    PathFraming m_framing;        //!< what datagrams cost all links
    uint8_t m_priorities;         //!< see Priorities
    std::string m_dscpPriorities; //!< see DscpPriorities
    std::string m_weights;        //!< see PriorityWeights
    uint64_t m_xoff;              //!< see PfcXoff
    uint64_t m_xon;               //!< see PfcXon
    std::string m_lossless;       //!< see PfcPriorities
    std::string m_headroom;       //!< see PfcHeadroom
    Time m_response;              //!< see PfcResponse
    uint64_t m_bufferSize;        //!< see BufferSize
    std::string m_bufferAlpha;    //!< see BufferAlpha
    uint64_t m_bufferReserve;     //!< see BufferReserve
    uint64_t m_offset;            //!< see PfcXonOffset
    uint64_t m_inputBuffer;       //!< see InputBuffer
};

} // namespace ns3

#endif // IWARP_TOPOLOGY_H
