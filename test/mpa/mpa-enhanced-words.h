/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_ENHANCED_WORDS_H
#define MPA_ENHANCED_WORDS_H

#include "ns3/mpa-enhanced.h"

#include <cstdint>
#include <string>

/// @file
/// @ingroup iwarp-tests
/// Words and configurations of enhanced startup as its tests write them.

namespace mpatest
{

constexpr uint16_t ULP = ns3::MpaEnhancedWord::UNSPECIFIED; //!< a depth that is left to the ULP

/// @param word word @return its octets as one number
inline uint32_t
Number(const ns3::MpaEnhancedWord& word)
{
    uint8_t octets[4];
    word.Encode(octets);
    return uint32_t{octets[0]} << 24 | octets[1] << 16 | octets[2] << 8 | octets[3];
}

/// @param number octets as one number @return the word
inline ns3::MpaEnhancedWord
Word(uint32_t number)
{
    const uint8_t octets[] = {static_cast<uint8_t>(number >> 24),
                              static_cast<uint8_t>(number >> 16),
                              static_cast<uint8_t>(number >> 8),
                              static_cast<uint8_t>(number)};
    return ns3::MpaEnhancedWord::Decode(octets);
}

/// @param letters some of B, C and D @return the kinds
inline ns3::MpaRtrSet
Kinds(const std::string& letters)
{
    return {letters.find('B') != std::string::npos,
            letters.find('C') != std::string::npos,
            letters.find('D') != std::string::npos};
}

/**
 * @param ird IRD
 * @param ord ORD
 * @param maxIrd resources
 * @param kinds some of B, C and D
 * @return configuration
 */
inline ns3::MpaEnhancedConfig
Enhanced(uint16_t ird, uint16_t ord, uint16_t maxIrd, const std::string& kinds)
{
    ns3::MpaEnhancedConfig config;
    config.ird = ird;
    config.ord = ord;
    config.maxIrd = maxIrd;
    config.rtr = Kinds(kinds);
    return config;
}

} // namespace mpatest

#endif // MPA_ENHANCED_WORDS_H
