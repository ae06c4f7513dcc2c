/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_STARTUP_FRAME_H
#define MPA_STARTUP_FRAME_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-mpa
 * @brief MPA Request or Reply Frame (RFC 5044 section 7.1.1), octets in and out, pure.
 */
struct MpaStartupFrame
{
    static constexpr std::size_t HEADER_SIZE = 20;       //!< octets without Private Data
    static constexpr std::size_t KEY_SIZE = 16;          //!< octets of the key
    static constexpr std::size_t MAX_PRIVATE_DATA = 512; //!< largest PD_Length
    static constexpr uint8_t ENHANCED = 0x10;            //!< S in @ref reserved (RFC 6581)

    /// What Decode() found.
    enum class Status : uint8_t
    {
        COMPLETE,   //!< a whole frame; @ref privateData holds PD_Length octets
        INCOMPLETE, //!< more octets are needed, nothing is wrong so far
        BAD_KEY,    //!< the key is not the expected one (told as soon as one octet differs)
        BAD_LENGTH, //!< PD_Length exceeds 512
    };

    bool reply{false};                //!< Reply key rather than Request key
    bool markers{false};              //!< M: the sender of this frame wants to receive Markers
    bool crc{true};                   //!< C: the sender of this frame wants CRC
    bool reject{false};               //!< R: in a Reply, the connection is rejected
    uint8_t reserved{0};              //!< the five Res bits (the S bit of RFC 6581 among them)
    uint8_t revision{1};              //!< Rev
    std::vector<uint8_t> privateData; //!< Private Data, 0 to 512 octets

    /// Tell an enhanced frame from a plain one. @return true if an MpaEnhancedWord opens the
    /// Private Data: S is set and Rev is 2 or more
    bool IsEnhanced() const;

    /// Write the frame as it stands on the wire. @return the frame's octets, HEADER_SIZE +
    /// privateData.size()
    std::vector<uint8_t> Encode() const;

    /**
     * @brief Read a frame.
     * @param data first octets of the half connection
     * @param size octets there
     * @param expectReply the key that is acceptable: Reply's (true) or Request's (false)
     * @param frame filled if the status is COMPLETE
     * @return what was found; a COMPLETE frame takes HEADER_SIZE + frame.privateData.size() octets
     */
    static Status Decode(const uint8_t* data,
                         std::size_t size,
                         bool expectReply,
                         MpaStartupFrame& frame);
};

} // namespace ns3

#endif // MPA_STARTUP_FRAME_H
