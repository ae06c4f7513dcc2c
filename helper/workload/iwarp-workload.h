/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_WORKLOAD_H
#define IWARP_WORKLOAD_H

#include "ns3/abort.h"
#include "ns3/address.h"
#include "ns3/attribute.h"
#include "ns3/iwarp-flow-collector.h"
#include "ns3/iwarp-metrics.h"
#include "ns3/iwarp-topology.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief Base class of what the flows of a scenario carry: it installs applications and reports
 * what only they know.
 *
 * A workload is a subclass with attributes of its own, registered with ns-3 and named
 * Iwarp...Workload. IwarpScenario finds it by its TypeId's name or, in short, by what stands for
 * the dots (IwarpRdmaWriteWorkload is rdma-write), the user's own as well as these.
 */
class IwarpWorkload : public Object
{
  public:
    /// Where a flow runs
    struct Flow
    {
        Ptr<Node> sender;           //!< host that payload comes from
        Ptr<Node> receiver;         //!< host that it goes to
        Address senderAddress;      //!< what to connect to for a port of the sending host
        Address receiverAddress;    //!< what to connect to for a port of the receiving host
        Address any;                //!< address and port to listen at
        Time start;                 //!< when it starts
        int64_t stream;             //!< first of CountStreams() random streams
        double share;               //!< of the capacity that GetLoadBasis() says, bit/s
        Ptr<iwarp::EmptyPath> path; //!< the path without other traffic
        uint32_t around;            //!< octets that ESP takes of the MTU of what goes in one piece
        uint32_t from;              //!< index of the sending host
        uint32_t to;                //!< index of the receiving host
        uint32_t pair;              //!< which pair of hosts it is, from 0 on
    };

    /// What of the capacity is a flow's share
    enum class LoadBasis : uint8_t
    {
        SHARE, //!< of the link that leaves it the least, where all flows share their links alike
        EDGE,  //!< as much for each pair of hosts as has the busiest link of a host full
        CORE,  //!< the same of links between routers
    };

    /// What a run offers to a workload that says itself what counts and when all is over
    struct Stage
    {
        const IwarpNetwork* network;                     //!< with its routes
        std::function<Flow(uint32_t)> add;               //!< makes a flow more of a pair
        std::function<void(uint32_t)> connect;           //!< a host makes a connection
        std::function<void()> restart;                   //!< what counts begins now
        std::function<void()> stop;                      //!< all is over now
        std::function<void(const std::string&)> caution; //!< tells the reader a line
    };

    /// What a workload sets of objects that its applications make
    struct OwnSetting
    {
        std::string name;                //!< of the attribute, such as NvmeQueue.DataDigest
        Ptr<const AttributeValue> value; //!< that it has, whatever its default is
    };

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpWorkload();
    ~IwarpWorkload() override;

    /**
     * @brief Tell whether the attributes fit together. A subclass that overrides this asks its base
     * class first.
     * @return "", or one line that begins with an attribute's name and says what is wrong
     */
    virtual std::string Check() const;

    /// Tell whether both ends of a flow can be of different ranks: all that Finish() reports is
    /// then a sum over nodes, and the ends know of each other only what packets bring.
    /// @return "", or one line that begins with an attribute's name and says why not; that they
    /// cannot, unless a subclass says otherwise
    virtual std::string CheckRanks() const;

    /// List what objects that applications make, such as queues, are set to by the workload's own
    /// parameters. @return settings; none unless a subclass says otherwise
    virtual std::vector<OwnSetting> ListOwnSettings() const;

    /**
     * @brief Install the applications of a flow.
     * @param flow where and when
     * @param listener who is told of it
     */
    virtual void Install(const Flow& flow, const iwarp::FlowListener& listener) = 0;

    uint8_t GetDscp() const; //!< Tell what class datagrams are of. @return Dscp

    /// Tell when a flow is done. @return payload that it carries, without GetWarmUp(), octets; 0 is
    /// no limit
    virtual uint64_t GetOctets() const = 0;

    /// Tell when a run is done; asked whenever a message has come. @param flows that there are
    /// @return payload that they carry together, without GetWarmUp(), octets; GetOctets() of each
    /// unless a subclass says otherwise
    virtual uint64_t GetTotal(uint32_t flows) const;

    /// Tell what does not count of a flow. @return payload after which it is warm, octets; 0 if all
    /// of it counts
    virtual uint64_t GetWarmUp() const;

    /// Tell when applications stop. @return payload of a flow, octets; 0 for never: where flows go
    /// on until GetOctets() have come of each on average, so that they compete throughout
    uint64_t GetMaxOctets() const;

    /// Tell whether flows go on until GetOctets() have come of each on average. @return true with a
    /// warm-up, or where a subclass says so
    virtual bool IsShared() const;

    /// Tell whether a run needs all of its flows to the end. @return IsShared(), unless a subclass
    /// says otherwise; where not, a scenario may tolerate connections that are lost
    virtual bool NeedsAllFlows() const;

    /// Tell whether messages have times of their own. @return false if they go as fast as they can,
    /// so that a bulk transfer of plain TCP can be compared
    virtual bool IsPaced() const;

    /// Tell which way payload goes. @return true if also from the receiving host to the sending
    /// one; false unless a subclass says otherwise
    virtual bool IsBothWays() const;

    /// What carries flows through the network
    enum class Transport : uint8_t
    {
        TCP, //!< TCP connections
        UDP, //!< datagrams of UDP, with a transport of their own above
    };

    /// Tell what carries flows. @return TCP unless a subclass says otherwise
    virtual Transport GetTransport() const;

    /// Octets in a full datagram besides the payload
    struct Headers
    {
        uint32_t transport; //!< of IP and of what is above it
        uint32_t message;   //!< of the message
        uint32_t spare{0};  //!< that only some packets have, and each leaves room for
    };

    /// Tell what headers cost. @param ip octets of IP's @param tcp octets of TCP's @return those of
    /// TCP, and of a tagged DDP segment in an FPDU, unless a subclass says otherwise
    virtual Headers GetHeaders(uint32_t ip, uint32_t tcp) const;

    /// Tell when payload is told of. @return true if once it is in host memory; false, unless a
    /// subclass says otherwise, if as it is placed, and the RNIC tells when the host has it
    virtual bool CountsInHost() const;

    /// Tell how many random streams a flow takes. @return streams from Flow::stream on; 2 unless a
    /// subclass says otherwise
    virtual int64_t CountStreams() const;

    /// Write what belongs to pcap files, such as keys; nothing unless a subclass does. @param
    /// prefix what names of files begin with
    virtual void EnablePcap(const std::string& prefix);

    /// Tell what of the capacity Flow::share is. @return SHARE unless a subclass says otherwise
    virtual LoadBasis GetLoadBasis() const;

    /**
     * @brief Choose who sends to whom, in place of what the scenario says.
     * @param hosts lists the names of the hosts that there are, by index
     * @param [in,out] ends pairs of hosts; left as they are unless a subclass says otherwise
     * @return "", or one line that begins with an attribute's name and says what is wrong
     */
    virtual std::string ChooseEnds(const std::function<std::vector<std::string>()>& hosts,
                                   IwarpTopology::Ends& ends);

    /// Tell whether the workload says what counts and when a run is over, from Begin() on. @return
    /// false unless a subclass says otherwise: then GetOctets() and GetWarmUp() do
    virtual bool HasStage() const;

    /// All flows are installed, and the simulation is about to begin; called if HasStage().
    /// @param stage of the run
    virtual void Begin(const Stage& stage);

    /// What counts begins now, when a warm-up is over: what the applications have counted until
    /// then is left out of what Finish() reports. A subclass that overrides this asks its base
    /// class, too.
    virtual void Restart();

    /// Report what only this workload knows, when the simulation is over, and let go of the
    /// applications. @param metrics where to add
    virtual void Finish(iwarp::MetricSet& metrics) = 0;

    /// Get a table for people, after Finish(). @return lines that end in a newline, or ""
    virtual std::string GetReport() const;

    /// Tell what a reader has to know of what was measured, after Finish(). @return one line each
    virtual std::vector<std::string> ListCautions() const;
    /// Tell whether messages end when TCP has acknowledged them. @return so
    virtual bool EndsWithAck() const;

  protected:
    /// Look at what the attribute Protocol names. @param factory it @return "", or one line that
    /// says what is wrong: it makes no stream sockets
    static std::string CheckProtocol(const TypeId& factory);

    /// Add what applications have counted since they began, of metrics that are sums; nothing
    /// unless a subclass does. @param counts where to add
    virtual void Count(iwarp::MetricSet& counts) const;
    /// Report Count() without what it was at Restart(). @param metrics where to add
    void ReportCounts(iwarp::MetricSet& metrics);

    /// @return messages of a flow that are posted at once at most
    uint32_t GetQueueDepth() const;
    /// @return whether messages have content that receivers compare
    bool IsBacked() const;

    /**
     * @brief Give the applications of a flow its random streams; NS_ABORT if they use more than
     * CountStreams().
     * @param flow it
     * @param applications with AssignStreams()
     */
    template <typename... Applications>
    void AssignStreams(const Flow& flow, const Ptr<Applications>&... applications) const
    {
        int64_t used = 0;
        ((used += applications->AssignStreams(flow.stream + used)), ...);
        NS_ABORT_MSG_IF(used > CountStreams(),
                        GetInstanceTypeId().GetName()
                            << ": a flow uses " << used << " random streams, CountStreams() says "
                            << CountStreams());
    }

  private:
    uint32_t m_queueDepth;     //!< messages posted at once
    bool m_backed;             //!< messages have content
    uint8_t m_dscp;            //!< see Dscp
    iwarp::MetricSet m_before; //!< Count() at Restart()
};

} // namespace ns3

#endif // IWARP_WORKLOAD_H
