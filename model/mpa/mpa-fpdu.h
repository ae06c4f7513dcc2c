/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_FPDU_H
#define MPA_FPDU_H

#include "mpa-marker.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{
namespace mpa
{

constexpr uint32_t MAX_ULPDU = 64768; //!< longest ULPDU that may be posted (RFC 5044 section 3)
constexpr uint32_t MIN_MULPDU = 128;  //!< floor of MULPDU (RFC 5044 section 3)
constexpr uint32_t LENGTH_SIZE = 2;   //!< octets of the ULPDU_Length field
constexpr uint32_t CRC_SIZE = 4;      //!< octets of the CRC field

/// How one half connection frames its FPDUs.
struct FpduFormat
{
    bool markers{false}; //!< Markers are inserted in this direction
    bool crc{true};      //!< the CRC field is computed and checked; otherwise it is sent as zero
};

/**
 * @brief Find the padding of an FPDU.
 * @param ulpduLength octets of the ULPDU
 * @return octets of PAD, 0 to 3, so that the FPDU is a multiple of 4
 */
constexpr uint32_t
PadSize(uint32_t ulpduLength)
{
    return (4 - (LENGTH_SIZE + ulpduLength) % 4) % 4;
}

/**
 * @brief Find the size of an FPDU before Markers go in.
 * @param ulpduLength octets of the ULPDU
 * @return octets of the FPDU without Markers
 */
constexpr uint32_t
BaseSize(uint32_t ulpduLength)
{
    return LENGTH_SIZE + ulpduLength + PadSize(ulpduLength) + CRC_SIZE;
}

/**
 * @brief Find the size of an FPDU on the wire.
 * @param ulpduLength octets of the ULPDU
 * @param position position of the FPDU's first octet (see mpa-marker.h)
 * @param markers whether Markers are in use
 * @return octets of the FPDU in the stream, its Markers included
 */
constexpr uint32_t
WireSize(uint32_t ulpduLength, uint32_t position, bool markers)
{
    const uint32_t base = BaseSize(ulpduLength);
    return markers ? base + MARKER_SIZE * MarkersInFpdu(position, base) : base;
}

/**
 * @brief Encode an FPDU (RFC 5044 sections 4.1 to 4.4).
 *
 * @param out receives WireSize() octets
 * @param head first part of the ULPDU
 * @param headSize octets of the first part
 * @param tail rest of the ULPDU; nullptr means zero octets
 * @param tailSize octets of the rest; headSize + tailSize is 1..65535
 * @param position position of the FPDU's first octet, a multiple of 4
 * @param format whether Markers and CRC are in use
 * @return octets written, WireSize(headSize + tailSize, position, format.markers)
 */
std::size_t EncodeFpdu(uint8_t* out,
                       const uint8_t* head,
                       uint32_t headSize,
                       const uint8_t* tail,
                       uint32_t tailSize,
                       uint32_t position,
                       const FpduFormat& format);

/// What is wrong with an FPDU that is wholly there.
enum class FpduFault : uint8_t
{
    NONE,   //!< valid
    CRC,    //!< CRC field and computed CRC32c differ: error code 2
    MARKER, //!< a Marker disagrees with the FPDU's start: error code 3
};

/// Which Markers of an FPDU are compared with its start (RFC 5044 sections 5.2 and 8).
enum class CheckMarkers : uint8_t
{
    NONE,  //!< Markers are skipped only
    FIRST, //!< the first Marker of each FPDU
    ALL,   //!< every Marker
};

/// An FPDU found in a run of stream octets.
struct FpduView
{
    bool complete{false}; //!< every octet is there; otherwise only the sizes known so far are set
    uint32_t wireSize{
        0}; //!< octets of the FPDU in the stream; 0 if even its length is not there yet
    uint16_t ulpduLength{0};          //!< ULPDU_Length field
    uint32_t markers{0};              //!< Markers inside, a leading one included
    FpduFault fault{FpduFault::NONE}; //!< verdict, if complete
};

/**
 * @brief Look at an FPDU at a known start.
 *
 * @param data octets from the FPDU's first octet (a leading Marker included) on
 * @param size octets held, any
 * @param position position of the first octet, a multiple of 4
 * @param format whether Markers and CRC are in use
 * @param check which Markers to compare with the FPDU's start
 * @return what was found; the CRC is checked before the Markers
 */
FpduView ParseFpdu(const uint8_t* data,
                   std::size_t size,
                   uint32_t position,
                   const FpduFormat& format,
                   CheckMarkers check);

/**
 * @brief Take the ULPDU out of a complete FPDU, leaving Markers, length, pad and CRC behind.
 *
 * @param data first octet of the FPDU
 * @param view what ParseFpdu() returned for it
 * @param position position of the first octet
 * @param format as for ParseFpdu()
 * @param scratch used when Markers interrupt the ULPDU
 * @return first octet of view.ulpduLength contiguous octets, inside @p data or @p scratch
 */
const uint8_t* ExtractUlpdu(const uint8_t* data,
                            const FpduView& view,
                            uint32_t position,
                            const FpduFormat& format,
                            std::vector<uint8_t>& scratch);

} // namespace mpa
} // namespace ns3

#endif // MPA_FPDU_H
