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
 * out beforehand.
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
    void NoteCreated(const IpsecAssociationConfig& config);

  private:
    /// @param size octets @return as many, at random
    std::vector<uint8_t> DrawKey(std::size_t size);
    /// @param address of a receiver @return an SPI that is new there
    uint32_t TakeSpi(const IpsecAddress& address);

    std::unordered_map<IpsecFlow, Ptr<IpsecStack>, IpsecFlowHash> m_stacks; //!< by address
    std::unordered_map<IpsecFlow, uint32_t, IpsecFlowHash> m_spis; //!< last one used, by address
    Ptr<UniformRandomVariable> m_random;                           //!< keys
    TracedCallback<const IpsecAssociationConfig&> m_created;       //!< Created
};

} // namespace ns3

#endif // IPSEC_KEYING_H
