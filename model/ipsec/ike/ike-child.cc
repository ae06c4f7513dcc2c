/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ike-child.h"

namespace ns3
{

namespace
{

/// @param state of a generator @return the next number (splitmix64)
uint64_t
Draw(uint64_t& state)
{
    state += 0x9E3779B97F4A7C15;
    uint64_t value = (state ^ state >> 30) * 0xBF58476D1CE4E5B9;
    value = (value ^ value >> 27) * 0x94D049BB133111EB;
    return value ^ value >> 31;
}

} // namespace

EspKeys
IkeChild::GetKeys(const EspTransform& transform, bool out) const
{
    // the first part of the keying material is for what goes to who answered (RFC 7296
    // section 2.17)
    const bool first = out == initiator;
    uint64_t state = nonces[0] ^ (first ? 0 : UINT64_MAX);
    state = Draw(state) ^ nonces[1];
    EspKeys keys;
    keys.cipher.resize(transform.keySize + transform.saltSize);
    keys.integrity.resize(transform.integrityKeySize);
    for (auto* key : {&keys.cipher, &keys.integrity})
    {
        for (auto& octet : *key)
        {
            octet = static_cast<uint8_t>(Draw(state));
        }
    }
    return keys;
}

} // namespace ns3
