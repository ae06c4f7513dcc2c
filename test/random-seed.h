/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RANDOM_SEED_H
#define RANDOM_SEED_H

#include <cstdint>
#include <cstdlib>

/**
 * @file
 * @ingroup iwarp-test
 * Seeds of random tests, which `./iwarp soak` shifts. What such a test asks holds for each seed.
 */

/// Shift a seed. @param seed it @return it, plus what the environment's IWARP_TEST_SEED says
inline uint32_t
RandomSeed(uint32_t seed)
{
    const char* shift = std::getenv("IWARP_TEST_SEED");
    return seed + (shift ? static_cast<uint32_t>(std::strtoul(shift, nullptr, 10)) : 0);
}

#endif // RANDOM_SEED_H
