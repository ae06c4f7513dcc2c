/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPSEC_KEYING_H
#define IPSEC_KEYING_H

#include "ipsec-stack.h"

#include "ns3/object.h"
#include "ns3/random-variable-stream.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-ipsec
 * @brief Gives the nodes of a simulation the associations that their policies ask for, with keys
 * drawn at random: one each way at a time, at once and without messages, as where keys were handed
 * out beforehand. A pair takes over from the one that is there; what that one sent can be received
 * for a time, see Linger.
 */
class IpsecKeying : public Object
{
  public:
    /// A pair of associations, one each way.
    struct Pair
    {
        IpsecFlow flow;                   //!< that asked for it, as its sender sees it
        Ptr<IpsecStack> sender;           //!< where that goes out
        IpsecStack::Index senderPolicy;   //!< policy that protects it there
        Ptr<IpsecStack> receiver;         //!< where it comes in
        IpsecStack::Index receiverPolicy; //!< policy that protects the answers there
        IpsecAssociationConfig there;     //!< what protects it
        IpsecAssociationConfig back;      //!< what protects the answers
    };

    /// Signature of Created. @param config of an association
    typedef void (*CreatedTracedCallback)(const IpsecAssociationConfig& config);

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IpsecKeying();
    ~IpsecKeying() override;

    /// Serve a node, whose interfaces have their addresses. @param stack of it
    virtual void Add(Ptr<IpsecStack> stack);

    /// Fix the random stream. @param stream its number @return streams used: 1
    int64_t AssignStreams(int64_t stream);

    /**
     * @brief Agree on a pair of associations.
     * @param stack that asks
     * @param policy that wants it
     * @param flow that needs it
     * @param[out] pair what was agreed on
     * @return false if nobody is there who would agree: the other end is not served, or protects
     *         that traffic otherwise
     */
    bool Agree(Ptr<IpsecStack> stack, IpsecStack::Index policy, const IpsecFlow& flow, Pair& pair);

    void InstallAtReceiver(const Pair& pair); //!< Use a pair there. @param pair of Agree()
    void InstallAtSender(const Pair& pair);   //!< Use a pair there. @param pair of Agree()

    /// Find who has an address. @param address of a node @return its IPsec, or nullptr
    Ptr<IpsecStack> Find(const IpsecAddress& address) const;

  protected:
    void DoDispose() override;
    /// An association is wanted. @param stack that asks @param policy that wants it @param flow
    /// that needs it
    virtual void Acquire(IpsecStack* stack, IpsecStack::Index policy, const IpsecFlow& flow);
    /// @param stack of a node @return the node's addresses but for loopback and link-local ones
    static std::vector<IpsecAddress> ListAddresses(const IpsecStack& stack);
    /// Find what an association is made of. @param stack that sends @param policy that wants it
    /// @param flow that needs it @return all but SPI and keys
    static IpsecAssociationConfig MakeConfig(const IpsecStack& stack,
                                             IpsecStack::Index policy,
                                             const IpsecFlow& flow);
    /// Turn an association round. @param config of one, for the answers then
    static void Reverse(IpsecAssociationConfig& config);
    uint32_t DrawNumber(); //!< @return any number
    /// Tell that there is an association. @param config of it
    void NotifyCreated(const IpsecAssociationConfig& config);
    /// Have an association go after Linger that nothing is sent by any more. @param stack that
    /// receives by it @param spi of it @param destination of its packets
    void Detach(Ptr<IpsecStack> stack, uint32_t spi, const IpsecAddress& destination);

  private:
    /// @param size octets @return as many, at random
    std::vector<uint8_t> DrawKey(std::size_t size);
    /// @param receiver which names its associations by SPI alone (RFC 4301 section 4.1)
    /// @param sender to it @param destination of packets @return an SPI that is new to both
    uint32_t AllocateSpi(IpsecStack& receiver, IpsecStack& sender, const IpsecAddress& destination);
    /// Use a pair at an end, in place of what sends there. @param stack of the end
    /// @param in what it receives by @param out what it sends by @param policy that protects that
    /// @param flow that it sends
    void Use(IpsecStack& stack,
             const IpsecAssociationConfig& in,
             const IpsecAssociationConfig& out,
             IpsecStack::Index policy,
             const IpsecFlow& flow);

    std::unordered_map<IpsecFlow, Ptr<IpsecStack>, IpsecFlowHash> m_stacks; //!< by address
    std::unordered_map<const IpsecStack*, uint32_t> m_spis;  //!< last one used, by receiver
    Ptr<UniformRandomVariable> m_random;                     //!< keys
    Time m_linger;                                           //!< see Linger
    TracedCallback<const IpsecAssociationConfig&> m_created; //!< Created
};

} // namespace ns3

#endif // IPSEC_KEYING_H
