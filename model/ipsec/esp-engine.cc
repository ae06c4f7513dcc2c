/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "esp-engine.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(EspEngine);

EspWork::EspWork(uint64_t number,
                 const EspEncapsulation& encapsulation,
                 uint32_t datagram,
                 uint32_t header)
    : association(number),
      transform(encapsulation.transform),
      ciphered(encapsulation.GetSizes(datagram, header).GetCiphered()),
      clear(datagram),
      sealed(encapsulation.GetProtected(datagram, header))
{
}

TypeId
EspEngine::GetTypeId()
{
    static TypeId tid = TypeId("ns3::EspEngine").SetParent<Object>().SetGroupName("Iwarp");
    return tid;
}

} // namespace ns3
