/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPSEC_STACK_H
#define IPSEC_STACK_H

#include "ipsec-association-database.h"
#include "ipsec-association.h"
#include "ipsec-datagram.h"
#include "ipsec-fragments.h"
#include "ipsec-path-mtu.h"
#include "ipsec-policy-database.h"
#include "ipsec-view.h"

#include "ns3/esp-engine.h"
#include "ns3/esp-forecast.h"
#include "ns3/ip-l4-protocol.h"
#include "ns3/node.h"
#include "ns3/tcp-datagram-sizes.h"
#include "ns3/traced-callback.h"
#include "ns3/util-ip-traits.h"

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <unordered_map>
#include <vector>

namespace ns3
{

class TcpDontFragment;
class TcpEndPointTable;

/**
 * @ingroup iwarp-ipsec
 * @brief IPsec of a node (RFC 4301): ESP, in transport and tunnel mode, over IPv4 and IPv6.
 *
 * On the way down it stands between TCP, UDP, ICMP or an RNIC, and IP; on the way up behind IP,
 * which has put fragments together. A node that forwards is a security gateway once
 * InstallIpsecGateway() was called for it: then what is forwarded goes through the
 * policies too. What no policy selects is treated as OtherTraffic says. Neighbour discovery goes in
 * clear. ICMP's error messages go with the traffic that they are about, and count only if they have
 * come so (RFC 4301 sections 6 and 8); those about ESP come in clear.
 *
 * What a policy wants protected and has no association waits, at most MaxWaiting datagrams of
 * those that would share one, while whoever was named by SetAcquire() gets it.
 */
class IpsecStack : public TcpDatagramSizes
{
  public:
    using Index = IpsecPolicyDatabase::Index; //!< names a policy
    /// Is asked for an association. @param policy that wants it @param flow that needs it
    using Acquire = std::function<void(Index policy, const IpsecFlow& flow)>;

    /// What keying may have to know of an association.
    enum class Notice : uint8_t
    {
        FIRST_RECEIVED,    //!< the first packet has come by it
        RECEIVING_AGED,    //!< a packet has come by it, and its soft lifetime is over
        SENDING_AGED,      //!< a packet goes out by it, and its soft lifetime is over
        EVICTED,           //!< it went from here to make room for another, see MaxAssociations
        SENDING_EXPIRED,   //!< it sent, and went from here since it was of no use any more
        RECEIVING_EXPIRED, //!< it received, and went from here since its hard lifetime was over
    };

    /// Is told of associations. @param association it @param notice what
    using Noticed = std::function<void(const IpsecAssociation& association, Notice notice)>;

    /// What was done so far.
    struct Counters
    {
        uint64_t sealed{0};       //!< packets protected
        uint64_t sealedOctets{0}; //!< octets of them, from the first of IP's on
        uint64_t added{0};        //!< of these, octets that protection has added
        uint64_t opened{0};       //!< packets received and found good
        /// packets dropped, by reason
        std::array<uint64_t, static_cast<std::size_t>(IpsecDrop::COUNT)> dropped{};

        /// @param drop a reason @return packets dropped for it
        uint64_t GetDropped(IpsecDrop drop) const
        {
            return dropped.at(static_cast<std::size_t>(drop));
        }
    };

    /// Signature of Sealed. @param payload what is protected, without IP header @param flow of it
    /// @param octets of the IP datagram that goes out, or of all if that is divided before ESP
    typedef void (*SealedTracedCallback)(Ptr<const Packet> payload,
                                         const IpsecFlow& flow,
                                         uint32_t octets);
    /// Signature of Drop. @param reason why @param packet without IP header
    typedef void (*DropTracedCallback)(IpsecDrop reason, Ptr<const Packet> packet);

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IpsecStack();
    ~IpsecStack() override;

    /// Give a node IPsec. What no policy selects passes as it did. @param node with an internet
    /// stack and all its interfaces, and no IPsec yet; NS_ABORT otherwise
    void Install(Ptr<Node> node);

    /**
     * @brief Add a policy for what goes out, and the same for the answers that come in, behind
     * those that are there.
     * @param policy for what goes out
     * @param proposal PROTECT: what its associations are made of; mode, transform, addresses, SPI
     *        and keys are not looked at
     * @return its index
     */
    Index AddPolicy(const IpsecPolicy& policy, const IpsecAssociationConfig& proposal = {});

    /// Find the policy of what goes out. @param flow of a datagram @return its index, or NONE
    Index FindOutbound(const IpsecFlow& flow);

    /// Find the policy of what comes in. @param flow of a datagram @return its index, or NONE
    Index FindInbound(const IpsecFlow& flow);

    /// Get a policy of what goes out. @param policy index @return it
    const IpsecPolicy& GetPolicy(Index policy) const;

    /// Get what the associations of a policy are made of. @param policy index @return proposal,
    /// with mode and transform of the policy
    const IpsecAssociationConfig& GetProposal(Index policy) const;

    /**
     * @brief Add an association for what goes out, in place of the one that is there for the same
     * traffic. What waits for it goes.
     * @param config what it is made of
     * @param policy that wants it
     * @param flow that needs it, or any that shares it
     * @return false if another has its SPI and destination: nothing is changed
     */
    [[nodiscard]] bool AddOutbound(const IpsecAssociationConfig& config,
                                   Index policy,
                                   const IpsecFlow& flow);

    /// Add an association for what comes in. It goes when its hard lifetime is over.
    /// @param config what it is made of
    /// @return false if another has its SPI: nothing is changed
    [[nodiscard]] bool AddInbound(const IpsecAssociationConfig& config);

    /// Find the association that sends some traffic. @param policy that wants it
    /// @param flow that needs it, or any that shares it @return it, or nullptr
    std::shared_ptr<IpsecAssociation> FindSending(Index policy, const IpsecFlow& flow);

    /// Have associations got where there are none. @param acquire called once for all that would
    /// share one, until AddOutbound() or Abandon()
    void SetAcquire(Acquire acquire);

    /// Have keying told of associations. @param noticed called behind the packet
    void SetNotice(Noticed noticed);

    /// Give up an association that was asked for: what waits is dropped. @param policy that wants
    /// it
    /// @param flow that needs it
    void Abandon(Index policy, const IpsecFlow& flow);

    /// Reach the associations of what goes out. @return them
    IpsecAssociationDatabase& GetOutbound();
    /// Reach the associations of what comes in. @return them
    IpsecAssociationDatabase& GetInbound();
    /// Tell what was done. @return counts
    const Counters& GetCounters() const;

    // From TcpDatagramSizes

    uint32_t GetInnerMtu(uint32_t mtu, const Address& local, const Address& peer) override;

    // For those who stand at the node's IP

    /// A datagram for this node comes in. @param packet behind IP's header @param header of IP
    /// @param interface where it came in @return status
    template <typename H, typename I>
    IpL4Protocol::RxStatus Receive(Ptr<Packet> packet, const H& header, Ptr<I> interface);

    /**
     * @brief A datagram is to be forwarded.
     * @param packet behind IP's header
     * @param header of IP
     * @param forward IP's way on, for what goes as it is
     */
    template <typename H>
    void Forward(Ptr<const Packet> packet, const H& header, const std::function<void()>& forward);

    /**
     * @brief The path to a node takes less than was thought, as ICMP tells of an ESP packet. It
     * counts if there is an association by which that has been sent, or was one lately (RFC 4301
     * section 8.2); who has sent what does not fit is told at once. Less than every host takes (RFC
     * 791) is not asked of anybody: packets may be divided then.
     * @param destination of the packet
     * @param spi of the packet; none: it was in UDP, and what ICMP returns ends before the SPI
     * @param mtu octets of IP that the path takes
     */
    void NotifyPathMtu(const IpsecAddress& destination, std::optional<uint32_t> spi, uint32_t mtu);

  protected:
    void NotifyNewAggregate() override;
    void DoDispose() override;

  private:
    using Association = std::shared_ptr<IpsecAssociation>; //!< shared with the databases
    using Room = IpsecPathMtu::Room;                       //!< what a packet may be like

    /// A datagram that has no association yet.
    struct Waiting
    {
        Ptr<const Packet> packet; //!< it
        std::function<void()> go; //!< what to do once there is one
    };

    /// A datagram on its way out.
    template <typename V>
    struct Outgoing
    {
        Ptr<Packet> packet;           //!< behind IP's header
        typename V::Address from;     //!< source
        typename V::Address to;       //!< destination
        uint8_t protocol;             //!< next layer protocol
        Ptr<typename V::Route> route; //!< as TCP found it, or nullptr
        bool whole;                   //!< it is not to be fragmented
    };

    void SetMaxAssociations(uint32_t most); //!< @param most see MaxAssociations
    uint32_t GetMaxAssociations() const;    //!< @return see MaxAssociations

    void Start(); //!< begins: the node's IP is there
    /// @param ip of the node, or nullptr
    template <typename Ip>
    void Insert(Ip* ip);
    /// @param association that a packet went by @param received it has come by it
    void Notify(IpsecAssociation& association, bool received);
    /// Have an association go when its time is over. @param direction of its packets
    /// @param association that was added
    void ExpireInTime(EspDirection direction, const Association& association);
    /// Have an association go whose hard lifetime is over, if it is still here.
    /// @param direction of its packets @param association it
    void Expire(EspDirection direction, const Association& association);
    /// @param policies of a direction @return false if all passes in clear, as long as none is
    /// added
    bool HasRules(const IpsecPolicyDatabase& policies) const;
    /// @param policies of a direction @param index of a policy, or NONE @return what happens
    IpsecAction GetAction(const IpsecPolicyDatabase& policies, Index index) const;
    /// @param reason why @param packet that is dropped
    void Drop(IpsecDrop reason, const Ptr<const Packet>& packet);
    /// @param destination of ESP packets @param mtu of the link @return what packets may be like
    Room FindRoom(const IpsecAddress& destination, uint32_t mtu) const;
    /// @param local address and port @param peer address and port @param[out] header octets of IP's
    /// @return policy that protects the connection, or NONE
    Index FindOutbound(const Address& local, const Address& peer, uint32_t& header);
    /// @param policy that protects @return what that makes of sizes
    EspEncapsulation GetEncapsulation(Index policy) const;
    /// @param policy that protects @param flow in question @return association, or nullptr
    Association FindAssociation(Index policy, const IpsecFlow& flow);
    /// Do something once there is an association. @param policy that wants it @param flow that
    /// needs it @param packet that waits @param go what to do then
    void Await(Index policy,
               const IpsecFlow& flow,
               const Ptr<const Packet>& packet,
               std::function<void()> go);

    // what takes time

    void Watch(); //!< Have those told who keep contexts of associations, and foresee for them
    /// Foresee how a datagram will be protected, see EspForecast. @param flow of it
    /// @param datagram octets @param header octets of IP's @param[out] work what it needs
    /// @return it will be
    bool Predict(const IpsecFlow& flow, uint32_t datagram, uint32_t header, EspWork& work);
    /// Do something once ESP has taken its time. @param direction of a packet @param work what it
    /// needs @param go what to do then
    void ProcessWork(EspDirection direction, const EspWork& work, std::function<void()> go);
    /// Have a packet take its time, of which nothing remains. @param work what it needed
    void ChargeWork(const EspWork& work);

    // out

    void Send(Ptr<Packet> packet,
              Ipv4Address from,
              Ipv4Address to,
              uint8_t protocol,
              Ptr<Ipv4Route> route);
    void Send6(Ptr<Packet> packet,
               Ipv6Address from,
               Ipv6Address to,
               uint8_t protocol,
               Ptr<Ipv6Route> route);
    template <typename V>
    void Dispatch(const Outgoing<V>& datagram); //!< @param datagram of this node
    /// @param datagram of this node @param flow of it @param traffic whose association protects it
    /// @param policy that protects that
    template <typename V>
    void Protect(const Outgoing<V>& datagram,
                 const IpsecFlow& flow,
                 const IpsecFlow& traffic,
                 Index policy);
    /// @param datagram of this node @param flow of it @param association that protects it
    template <typename V>
    void SendTransport(const Outgoing<V>& datagram,
                       const IpsecFlow& flow,
                       IpsecAssociation& association);
    /// @param datagram of this node @param flow of it @param association that protects it
    template <typename V>
    void SendTunnel(const Outgoing<V>& datagram,
                    const IpsecFlow& flow,
                    IpsecAssociation& association);
    /// Put a datagram into a tunnel. @param payload behind its IP header @param header of IP
    /// @param flow of it @param association of the tunnel @param least octets up to which it is
    /// divided, outside, rather than its sender asked for less @param tell called with what fits,
    /// in octets, if it is too big; nullptr if it is to be divided
    template <typename V>
    void Tunnel(const Ptr<Packet>& payload,
                const typename V::Header& header,
                const IpsecFlow& flow,
                IpsecAssociation& association,
                uint32_t least,
                const std::function<void(uint32_t mtu)>& tell);
    /// Put what fits into a tunnel. @param payload behind its IP header @param header of IP
    /// @param association of the tunnel @param sizes of the ESP packet @param whole nobody may
    /// divide the packet
    template <typename V>
    void Enclose(const Ptr<Packet>& payload,
                 const typename V::Header& header,
                 IpsecAssociation& association,
                 const EspSizes& sizes,
                 bool whole);
    /// @param packet to be forwarded @param header of IP @param flow of it @param traffic whose
    /// association protects it @param policy that protects that
    template <typename V>
    void ForwardProtected(const Ptr<Packet>& packet,
                          const typename V::Header& header,
                          const IpsecFlow& flow,
                          const IpsecFlow& traffic,
                          Index policy);
    /// @param flow of a datagram that is forwarded, in clear @param out policy for it, or NONE
    /// @return it may go on, or be protected
    bool MayForward(const IpsecFlow& flow, Index out);
    /// Tell a sender by ICMP. @param packet too big @param header of IP @param mtu that fits
    void NotifyTooBig(const Ptr<Packet>& packet, const Ipv4Header& header, uint32_t mtu);
    /// As above, for IPv6. @param packet too big @param header of IP @param mtu that fits
    void NotifyTooBig(const Ptr<Packet>& packet, const Ipv6Header& header, uint32_t mtu);
    /// Protect a packet. @param association of it @param sizes of the ESP packet @param next header
    /// @param packet to protect, in place @return false if it was dropped
    bool Seal(IpsecAssociation& association,
              const EspSizes& sizes,
              uint8_t next,
              const Ptr<Packet>& packet);
    /// Send a packet through a tunnel. @param packet ESP @param association of the tunnel
    /// @param tos of the outer header @param whole nobody may divide it
    void SendOuter(const Ptr<Packet>& packet,
                   const IpsecAssociation& association,
                   uint8_t tos,
                   bool whole);
    /// Tell who sent a datagram that it does not fit any more. @param entry of the datagram
    /// @param mtu octets of packets that fit
    void NotifySender(const IpsecSentLog::Entry& entry, uint32_t mtu);
    /// @param destination of a tunnel @return MTU of the link that leads there
    uint32_t FindLinkMtu(const IpsecAddress& destination) const;
    /// @param datagram to hand to IP @param protocol next layer protocol
    void Down(const Outgoing<Ipv4Traits>& datagram, uint8_t protocol);
    /// @param datagram to hand to IP @param protocol next layer protocol
    void Down(const Outgoing<Ipv6Traits>& datagram, uint8_t protocol);
    TcpDontFragment* GetMarks() const; //!< @return what keeps datagrams whole, or nullptr

    /// @return the node's version of IP
    template <typename V>
    typename V::Ip* GetIp() const
    {
        if constexpr (std::is_same_v<V, Ipv4Traits>)
        {
            return m_ip4;
        }
        else
        {
            return m_ip6;
        }
    }

    // in

    /// Hand on what was protected. @param packet it @param association that protected it
    /// @param next header @param header of IP @param interface where it came in @return status
    template <typename V>
    IpL4Protocol::RxStatus ReceiveOpened(const Ptr<Packet>& packet,
                                         IpsecAssociation& association,
                                         uint8_t next,
                                         const typename V::Header& header,
                                         const Ptr<typename V::Interface>& interface);
    /// @param packet ESP @param header of IP @param interface where it came in @return status
    template <typename V>
    IpL4Protocol::RxStatus ReceiveEsp(const Ptr<Packet>& packet,
                                      const typename V::Header& header,
                                      const Ptr<typename V::Interface>& interface);
    /// @param association named by the packet @param low sequence number in it @param packet ESP,
    /// becomes what it protects @param[out] next header @return why it was dropped, or NONE
    IpsecDrop Open(IpsecAssociation& association,
                   uint32_t low,
                   const Ptr<Packet>& packet,
                   uint8_t& next);
    /// Hand on what came through a tunnel. @param packet the inner datagram @param association of
    /// the tunnel @param tos of the outer header @param device where it came in
    template <typename V>
    void ReceiveInner(const Ptr<Packet>& packet,
                      IpsecAssociation& association,
                      uint8_t tos,
                      const Ptr<NetDevice>& device);
    /// @param flow of a datagram that has come @return it may pass without, or came with protection
    bool Permits(const IpsecFlow& flow);
    /// @param association that a datagram came by @param flow of it @param packet behind its IP
    /// header @return it is of those that the association is for, or is ICMP about one of them
    static bool IsSelected(const IpsecAssociation& association,
                           const IpsecFlow& flow,
                           const Ptr<const Packet>& packet);
    /// @param view of a datagram that came through a tunnel @param packet behind its IP header
    /// @param[in,out] header of IP @param association of the tunnel @return what IP is to get, or
    /// nullptr if it is a part of that
    template <typename V>
    Ptr<Packet> Reassemble(const IpsecView& view,
                           const Ptr<Packet>& packet,
                           typename V::Header& header,
                           const IpsecAssociation& association);

    // ICMP

    /// @param packet that this node sends @param flow of it @param[out] traffic whose association
    /// is to protect it @param[out] policy for it @return what happens to it
    IpsecAction DecideIcmp(const Ptr<const Packet>& packet,
                           const IpsecFlow& flow,
                           IpsecFlow& traffic,
                           Index& policy);
    /// @param packet that has come for this node, in clear @param flow of it @return ICMP may see
    /// it
    bool PermitsIcmp(const Ptr<const Packet>& packet, const IpsecFlow& flow);
    /// @param error that ICMP tells of @return a policy that protects what answers the datagram in
    /// question, or NONE
    Index FindAnswering(const IpsecIcmpError& error);
    /// @param flow any @return what goes out so is protected
    bool Protects(const IpsecFlow& flow);

    Node* m_node{nullptr};                     //!< node
    Ptr<EspForecast> m_forecast;               //!< for hardware that does ESP itself
    Ptr<EspEngine> m_engine;                   //!< takes the time of ESP; nullptr if it takes none
    std::array<uint64_t, 2> m_numbers{};       //!< last one of an association, by EspDirection
    Ipv4L3Protocol* m_ip4{nullptr};            //!< its IPv4, or nullptr
    Ipv6L3Protocol* m_ip6{nullptr};            //!< its IPv6, or nullptr
    IpL4Protocol::DownTargetCallback m_down;   //!< way to IPv4
    IpL4Protocol::DownTargetCallback6 m_down6; //!< way to IPv6
    TcpEndPointTable* m_table{nullptr};        //!< knows what is not to be fragmented, or nullptr
    IpsecAction m_otherwise;                   //!< see OtherTraffic
    IpsecDontFragment m_dontFragment;          //!< see DontFragment
    IpsecFragments m_fragments;                //!< see Fragments
    Time m_pathMtuAge;                         //!< see PathMtuAge
    uint32_t m_maxWaiting{0};                  //!< see MaxWaiting
    IpsecPolicyDatabase m_outPolicies;         //!< of what goes out
    IpsecPolicyDatabase m_inPolicies;          //!< of what comes in, by the same indices
    std::vector<IpsecAssociationConfig> m_proposals; //!< by policy
    IpsecAssociationDatabase m_outbound;             //!< associations of what goes out
    IpsecPathMtu m_paths{m_outbound};                //!< what paths of ESP packets take
    IpsecAssociationDatabase m_inbound{
        0,
        IpsecAssociationDatabase::Naming::SPI}; //!< associations of what comes in
    Noticed m_noticed;                          //!< is told of associations
    Acquire m_acquire;                          //!< gets associations
    /// What waits for associations: by policy, then by traffic that shares one
    std::unordered_map<Index, std::unordered_map<IpsecFlow, std::deque<Waiting>, IpsecFlowHash>>
        m_waiting;
    IpsecFragmentPorts m_fragmentPorts; //!< of fragments that are forwarded
    IpsecReassembly m_reassembly;       //!< of fragments for this node that came by associations
    bool m_opened{false};               //!< what IP delivers now came through an association
    uint16_t m_identification{0};       //!< of IPv4 headers made here
    Counters m_counters;                //!< counts
    TracedCallback<Ptr<const Packet>, const IpsecFlow&, uint32_t> m_sealedTrace; //!< Sealed
    TracedCallback<IpsecDrop, Ptr<const Packet>> m_dropTrace;                    //!< Drop
};

} // namespace ns3

#endif // IPSEC_STACK_H
