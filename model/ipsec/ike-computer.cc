/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ike-computer.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(IkeComputer);

IkeComputation
IkeComputation::Init()
{
    IkeComputation init;
    init.keyPairs = init.sharedSecrets = init.derivations = 1;
    return init;
}

IkeComputation
IkeComputation::Authenticate()
{
    IkeComputation authenticate;
    authenticate.signatures = authenticate.verifications = authenticate.derivations = 1;
    return authenticate;
}

IkeComputation
IkeComputation::CreateChild(bool secrecy)
{
    IkeComputation child;
    child.derivations = 1;
    child.keyPairs = child.sharedSecrets = secrecy ? 1 : 0;
    return child;
}

TypeId
IkeComputer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::IkeComputer").SetParent<Object>().SetGroupName("Iwarp");
    return tid;
}

} // namespace ns3
