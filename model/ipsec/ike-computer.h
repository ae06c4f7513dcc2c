/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IKE_COMPUTER_H
#define IKE_COMPUTER_H

#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-ipsec
 * @brief What one end computes for an exchange of IKEv2 (RFC 7296), as counts of operations.
 */
struct IkeComputation
{
    uint32_t keyPairs{0};      //!< Diffie-Hellman key pairs made
    uint32_t sharedSecrets{0}; //!< Diffie-Hellman shared secrets found
    uint32_t signatures{0};    //!< signatures made
    uint32_t verifications{0}; //!< signatures checked
    uint32_t derivations{0};   //!< runs of the pseudo-random function that give keys

    /// IKE_SA_INIT (section 1.2): keys of the IKE SA. @return for either end
    static IkeComputation Init();

    /// IKE_AUTH (section 1.2): both ends sign, and keys of the first child SA.
    /// @return for either end
    static IkeComputation Authenticate();

    /// CREATE_CHILD_SA (section 1.3): keys of a further child SA, or of one's successor.
    /// @param secrecy with a Diffie-Hellman exchange of its own (perfect forward secrecy)
    /// @return for either end
    static IkeComputation CreateChild(bool secrecy);
};

/**
 * @ingroup iwarp-ipsec
 * @brief Takes the time that key exchange computes, aggregated to a node; without one it takes
 * none.
 */
class IkeComputer : public Object
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

    /// Compute for an exchange, behind all that is there already.
    /// @param computation what @return from now until it is done, 0 and more
    virtual Time Compute(const IkeComputation& computation) = 0;
};

} // namespace ns3

#endif // IKE_COMPUTER_H
