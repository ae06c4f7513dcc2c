/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ESP_REPLAY_WINDOW_H
#define ESP_REPLAY_WINDOW_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-ipsec
/// @brief What an anti-replay window says of a sequence number.
enum class EspFreshness : uint8_t
{
    FRESH,    //!< not seen, and right of the window's left edge
    REPLAYED, //!< seen before
    TOO_OLD,  //!< left of the window, where nobody knows any more what was seen; so is 0, which no
              //!< sender uses
};

/**
 * @ingroup iwarp-ipsec
 * @brief Tells which packets of an association were received before (RFC 4303 section 3.4.3), with
 * 32-bit or extended sequence numbers (section 2.2.1 and Appendix A).
 *
 * Extend() what the packet says and Validate() it before its ICV is verified, Accept() once that is
 * good.
 */
class EspReplayWindow
{
  public:
    static constexpr uint32_t LEAST = 32;  //!< packets of the narrowest window
    static constexpr uint32_t MOST = 4096; //!< packets of the widest window

    /**
     * @brief Make a window that has seen nothing.
     * @param size packets, LEAST to MOST; 0: no anti-replay service, every packet is fresh
     * @param extended sequence numbers have 64 bits, of which packets carry the lower half: it
     * takes the window to tell the upper one, so that @p size may not be 0
     */
    EspReplayWindow(uint32_t size, bool extended);

    /**
     * @brief Find the whole sequence number of a packet.
     * @param low as the packet says it
     * @return the one nearest to the window (RFC 4303 Appendix A2.1), whose upper half the ICV
     * covers; 0 where that lies before the first packet
     */
    uint64_t Extend(uint32_t low) const;

    /// Judge a packet. @param sequence whole sequence number @return whether it may be taken
    EspFreshness Validate(uint64_t sequence) const;

    /// Note a packet that was authenticated. @param sequence whole sequence number, found FRESH
    void Accept(uint64_t sequence);

    /// Find the window's right edge. @return highest sequence number accepted, 0 if none
    uint64_t GetTop() const;

  private:
    static constexpr uint32_t WORD = 64; //!< packets in a word of the bitmap

    /// @param sequence any @return the word of the bitmap that has its bit
    std::size_t GetWord(uint64_t sequence) const;

    uint32_t m_size;              //!< packets
    bool m_extended;              //!< sequence numbers have 64 bits
    uint64_t m_top{0};            //!< right edge
    std::vector<uint64_t> m_seen; //!< bits by sequence number, a ring: words wider than the window
};

} // namespace ns3

#endif // ESP_REPLAY_WINDOW_H
