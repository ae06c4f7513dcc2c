/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "esp-format.h"

#include <algorithm>

namespace ns3
{

EspSizes
GetEspSizes(const EspTransform& transform, uint32_t payload, uint32_t tfc)
{
    EspSizes sizes;
    sizes.iv = transform.ivSize;
    sizes.payload = payload;
    sizes.tfc = tfc;
    sizes.icv = transform.icvSize;
    const uint32_t unit = transform.alignment;
    sizes.pad = (unit - sizes.GetCiphered() % unit) % unit;
    return sizes;
}

uint32_t
GetEspMaxPayload(const EspTransform& transform, uint32_t room)
{
    const uint32_t around = ESP_HEADER_SIZE + transform.ivSize + transform.icvSize;
    const uint32_t ciphered =
        room < around ? 0 : (room - around) / transform.alignment * transform.alignment;
    return ciphered < ESP_TRAILER_SIZE ? 0 : ciphered - ESP_TRAILER_SIZE;
}

uint32_t
EspEncapsulation::GetInFront(uint32_t header) const
{
    return (mode == IpsecMode::TUNNEL ? outerHeader : header) + (udp ? ESP_UDP_HEADER_SIZE : 0);
}

EspSizes
EspEncapsulation::GetSizes(uint32_t datagram, uint32_t header, uint32_t mtu) const
{
    const bool tunnel = mode == IpsecMode::TUNNEL;
    uint32_t tfc = 0;
    if (tunnel && datagram < tfcLength)
    {
        tfc = std::max(datagram, std::min(tfcLength, GetInnerMtu(mtu, header))) - datagram;
    }
    return GetEspSizes(*transform, tunnel ? datagram : datagram - header, tfc);
}

uint32_t
EspEncapsulation::GetProtected(uint32_t datagram, uint32_t header) const
{
    return GetProtected(GetSizes(datagram, header), header);
}

uint32_t
EspEncapsulation::GetProtected(const EspSizes& sizes, uint32_t header) const
{
    return GetInFront(header) + sizes.GetTotal();
}

uint32_t
EspEncapsulation::GetInnerMtu(uint32_t mtu, uint32_t header) const
{
    const uint32_t front = GetInFront(header);
    const uint32_t payload = mtu < front ? 0 : GetEspMaxPayload(*transform, mtu - front);
    if (payload == 0)
    {
        return 0;
    }
    return mode == IpsecMode::TUNNEL ? payload : payload + header;
}

} // namespace ns3
