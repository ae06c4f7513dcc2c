/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_SCENARIO_IPSEC_TAP_H
#define IWARP_SCENARIO_IPSEC_TAP_H

#include "iwarp-part-ipsec.h"

#include "ns3/ipsec-tap.h"
#include "ns3/iwarp-topology.h"

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief Tap all links of a scenario for octets that its IPsec is to protect.
 *
 * Those of TCP between the flows' hosts with transport mode, of everything between them with
 * tunnels of the hosts, on all links; with gateways those of everything between the hosts behind
 * them, on links that are not a host's own. With real ciphers, but for null, the content of
 * messages counts wherever it stands.
 * @param place where IPsec is
 * @param enciphered octets are
 * @param network with all of its middleboxes
 * @param ends pairs of hosts, sending and receiving
 * @return the tap
 */
Ptr<IpsecTap> TapScenario(IwarpIpsecPart::Place place,
                          bool enciphered,
                          const IwarpNetwork& network,
                          const IwarpTopology::Ends& ends);

} // namespace iwarp
} // namespace ns3

#endif // IWARP_SCENARIO_IPSEC_TAP_H
