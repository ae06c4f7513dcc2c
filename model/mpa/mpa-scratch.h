/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_SCRATCH_H
#define MPA_SCRATCH_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-mpa
 * @brief Room for octets during a call, from a buffer that all streams share: thousands of
 * connections need one.
 */
class MpaScratch
{
  public:
    /// Take the shared buffer, or a new one while that is in use. @param size octets needed
    explicit MpaScratch(uint32_t size)
    {
        m_octets.swap(Spare()); // a call within the call finds none there, and gets one of its own
        if (m_octets.size() < size)
        {
            m_octets.resize(size);
        }
    }

    ~MpaScratch()
    {
        if (m_octets.size() > Spare().size())
        {
            m_octets.swap(Spare());
        }
    }

    MpaScratch(const MpaScratch&) = delete;
    MpaScratch& operator=(const MpaScratch&) = delete;

    /// Reach the memory. @return the octets, of any value
    uint8_t* Data()
    {
        return m_octets.data();
    }

  private:
    /// @return the buffer while nobody uses it
    static std::vector<uint8_t>& Spare()
    {
        static thread_local std::vector<uint8_t> spare;
        return spare;
    }

    std::vector<uint8_t> m_octets; //!< octets
};

} // namespace ns3

#endif // MPA_SCRATCH_H
