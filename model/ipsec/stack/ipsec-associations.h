/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPSEC_ASSOCIATIONS_H
#define IPSEC_ASSOCIATIONS_H

#include "ipsec-association-database.h"
#include "ipsec-association.h"
#include "ipsec-policies.h"
#include "ipsec-statistics.h"

#include "ns3/esp-work.h"
#include "ns3/object.h"
#include "ns3/packet.h"

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <unordered_map>

namespace ns3
{

/**
 * @ingroup iwarp-ipsec
 * @brief The security association database of a node (RFC 4301 section 4.4.2): what sends and what
 * receives, for how long, who gets new ones, and what waits for them.
 */
class IpsecAssociations
{
  public:
    using Index = IpsecPolicyDatabase::Index;              //!< names a policy
    using Association = std::shared_ptr<IpsecAssociation>; //!< shared with the databases
    /// Is asked for an association. @param policy that wants it @param flow that needs it
    using Acquire = std::function<void(Index policy, const IpsecFlow& flow)>;
    /// Is told of an association that goes. @param direction of its packets @param association it
    using RemovalHook = std::function<void(EspDirection direction, const Association& association)>;

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

    /**
     * @brief Have none yet. All that is given outlives this.
     * @param owner kept while an end of a lifetime is scheduled; nullptr: none
     * @param policies that want associations
     * @param statistics of what is dropped
     * @param maxWaiting most datagrams that wait for one association; may change
     */
    IpsecAssociations(Object* owner,
                      const IpsecPolicies& policies,
                      IpsecStatistics& statistics,
                      const uint32_t& maxWaiting);
    IpsecAssociations(const IpsecAssociations&) = delete;
    IpsecAssociations& operator=(const IpsecAssociations&) = delete;

    /// Have all told that go. @param hook called for each association that is removed or evicted
    void SetRemovalHook(RemovalHook hook);
    void Clear(); //!< Forget what waits and who is asked and told; associations stay.

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
    Association FindSending(Index policy, const IpsecFlow& flow);

    /// Find the association that is to send some traffic; one whose hard lifetime is over goes, if
    /// there is somebody to get another. @param policy that protects @param flow in question
    /// @return association, or nullptr
    Association FindAssociation(Index policy, const IpsecFlow& flow);

    /// Have associations got where there are none. @param acquire called once for all that would
    /// share one, until AddOutbound() or Abandon()
    void SetAcquire(Acquire acquire);

    /// Have keying told of associations. @param noticed called behind the packet
    void SetNotice(Noticed noticed);

    /// Do something once there is an association. @param policy that wants it @param flow that
    /// needs it @param packet that waits @param go what to do then
    void Await(Index policy,
               const IpsecFlow& flow,
               const Ptr<const Packet>& packet,
               std::function<void()> go);

    /// Give up an association that was asked for: what waits is dropped. @param policy that wants
    /// it
    /// @param flow that needs it
    void Abandon(Index policy, const IpsecFlow& flow);

    /// A packet went by an association, whose age is looked at. @param association it
    /// @param received the packet has come by it
    void Notify(IpsecAssociation& association, bool received);

    /// Reach the associations of what goes out. @return them
    IpsecAssociationDatabase& GetOutbound();
    /// Look at the associations of what goes out. @return them
    const IpsecAssociationDatabase& GetOutbound() const;
    /// Reach the associations of what comes in. @return them
    IpsecAssociationDatabase& GetInbound();

  private:
    /// A datagram that has no association yet.
    struct Waiting
    {
        Ptr<const Packet> packet; //!< it
        std::function<void()> go; //!< what to do once there is one
    };

    /// Have an association go when its time is over. @param direction of its packets
    /// @param association that was added
    void ExpireInTime(EspDirection direction, const Association& association);
    /// Have an association go whose hard lifetime is over, if it is still here.
    /// @param direction of its packets @param association it
    void Expire(EspDirection direction, const Association& association);

    Object* m_owner;                     //!< kept while events are scheduled
    const IpsecPolicies& m_policies;     //!< that want associations
    IpsecStatistics& m_statistics;       //!< of what is dropped
    const uint32_t& m_maxWaiting;        //!< most datagrams that wait for one association
    std::array<uint64_t, 2> m_numbers{}; //!< last one of an association, by EspDirection
    IpsecAssociationDatabase m_outbound; //!< of what goes out
    IpsecAssociationDatabase m_inbound{0,
                                       IpsecAssociationDatabase::Naming::SPI}; //!< of what comes in
    Noticed m_noticed; //!< is told of associations
    Acquire m_acquire; //!< gets associations
    /// What waits for associations: by policy, then by traffic that shares one
    std::unordered_map<Index, std::unordered_map<IpsecFlow, std::deque<Waiting>, IpsecFlowHash>>
        m_waiting;
};

} // namespace ns3

#endif // IPSEC_ASSOCIATIONS_H
