/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FUZZ_TARGET_H
#define FUZZ_TARGET_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

/// A fuzz target: judges one input, and ends the program if the code under test misbehaves.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size);

/// @return inputs from which fuzz-main.cc makes others
std::vector<std::vector<uint8_t>> FuzzSeeds();

/// End the program unless a condition holds, in every kind of build.
#define FUZZ_CHECK(condition)                                                                      \
    do                                                                                             \
    {                                                                                              \
        if (!(condition))                                                                          \
        {                                                                                          \
            std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);           \
            std::abort();                                                                          \
        }                                                                                          \
    } while (false)

/// Takes decisions from the octets of an input; zeros once they are used up.
class FuzzInput
{
  public:
    /// @param data octets @param size how many
    FuzzInput(const uint8_t* data, std::size_t size)
        : m_data(data),
          m_left(size)
    {
    }

    /// @return true if nothing is left
    bool IsEmpty() const
    {
        return m_left == 0;
    }

    /// @return next octet
    uint8_t Octet()
    {
        if (m_left == 0)
        {
            return 0;
        }
        --m_left;
        return *m_data++;
    }

    /// @return next two octets
    uint16_t Word()
    {
        const uint16_t high = Octet();
        return static_cast<uint16_t>(high << 8 | Octet());
    }

    /// @param below bound, at least 1 @return a number below it from two octets
    uint32_t Below(uint32_t below)
    {
        return Word() % below;
    }

    const uint8_t* Rest() const; //!< @return octets not taken
    std::size_t Left() const;    //!< @return how many they are

  private:
    const uint8_t* m_data; //!< next octet
    std::size_t m_left;    //!< octets left
};

inline const uint8_t*
FuzzInput::Rest() const
{
    return m_data;
}

inline std::size_t
FuzzInput::Left() const
{
    return m_left;
}

#endif // FUZZ_TARGET_H
