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
    : EspWork(number, encapsulation, encapsulation.GetSizes(datagram, header), datagram, header)
{
}

EspWork::EspWork(uint64_t number,
                 const EspEncapsulation& encapsulation,
                 const EspSizes& sizes,
                 uint32_t datagram,
                 uint32_t header)
    : association(number),
      transform(encapsulation.transform),
      ciphered(sizes.GetCiphered()),
      clear(datagram),
      sealed(encapsulation.GetProtected(sizes, header))
{
}

} // namespace ns3
