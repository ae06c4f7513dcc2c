/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IKE_KEYING_H
#define IKE_KEYING_H

#include "ike-peer.h"

#include "ns3/event-id.h"
#include "ns3/ipsec-keying.h"
#include "ns3/socket.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-ipsec
 * @brief Gives nodes their associations by messages, after IKEv2 (RFC 7296): over UDP through the
 * network, which delays and loses them, and by CPUs that compute keys, one at each node.
 *
 * Associations are replaced once their soft lifetime is over, and deleted once they have been idle
 * for IdleTime; connections above do not notice but for the time that it takes to get another one
 * (RFC 5044 section 9.4).
 */
class IkeKeying : public IpsecKeying, private IkeSettings
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IkeKeying();
    ~IkeKeying() override;

    void Add(Ptr<IpsecStack> stack) override;

    uint64_t GetResent() const;   //!< Count retries. @return requests that were sent again
    uint64_t GetReplaced() const; //!< Count replacements. @return pairs that took over from others
    uint64_t GetDeleted() const;  //!< Count deletions. @return pairs deleted for being idle

  protected:
    void DoDispose() override;
    void Acquire(IpsecStack* stack, IpsecStack::Index policy, const IpsecFlow& flow) override;

  private:
    /// Key exchange of an address with another.
    struct Session
    {
        std::unique_ptr<IkePeer> peer;         //!< this end
        std::map<uint32_t, IkeChild> children; //!< its pairs, by the SPI that it receives by
    };

    /// A node.
    struct Host
    {
        IkeProcessor processor;            //!< computes
        std::unordered_set<uint32_t> spis; //!< that were drawn, none of them twice
    };

    /// An address of a node.
    struct End
    {
        IpsecStack* stack;                       //!< of the node
        IpsecAddress address;                    //!< it
        Ptr<Socket> socket;                      //!< for messages
        Host* host;                              //!< the node
        std::map<std::string, Session> sessions; //!< by the peer's address
        EventId idle;                            //!< looks for idle pairs next
    };

    /// @param member a setting @return the same as a member of this class, for accessors
    template <typename T, typename Base>
    static T IkeKeying::*Of(T Base::*member);
    /// @param address of a node @return it, or nullptr
    End* FindEnd(const IpsecAddress& address);
    /// @param end of an exchange @param peer its other end @return the session
    Session& GetSession(End& end, const IpsecAddress& peer);
    uint32_t DrawSpi(End& end); //!< @param end that receives by it @return SPI new to the node
    void Receive(Ptr<Socket> socket); //!< Messages have come. @param socket of an end
    /// @param end of an exchange @param peer its other end @param actions to take, now or later
    void Execute(End& end, const IpsecAddress& peer, const IkeActions& actions);
    /// @param end of an exchange @param peer its other end @param action to take now
    void Do(End& end, const IpsecAddress& peer, const IkeAction& action);
    /// @param end of an exchange @param peer its other end @param action INBOUND or OUTBOUND
    void Install(End& end, const IpsecAddress& peer, const IkeAction& action);
    /// @param association of an end @param notice what the node says of it
    void NotifyChild(const IpsecAssociation& association, IpsecAssociations::Notice notice);
    void DropIdle(End* end); //!< @param end where pairs may be idle

    Time m_idleTime;                                    //!< see IdleTime
    uint64_t m_replaced{0};                             //!< pairs that took over
    uint64_t m_deleted{0};                              //!< pairs deleted
    std::vector<std::unique_ptr<Host>> m_hosts;         //!< nodes
    std::map<std::string, std::unique_ptr<End>> m_ends; //!< by address
};

} // namespace ns3

#endif // IKE_KEYING_H
