/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "esp-work.h"

namespace ns3
{

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

} // namespace ns3
