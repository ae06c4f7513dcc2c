/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMAP_TERMINATE_H
#define RDMAP_TERMINATE_H

#include "rdmap-error.h"
#include "rdmap-header.h"

#include "ns3/ddp-error.h"
#include "ns3/ddp-header.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace ns3
{

/// @ingroup iwarp-rdmap
/// @brief Layer that found the error which a Terminate reports (RFC 5040 section 4.8).
enum class RdmapLayer : uint8_t
{
    RDMAP = 0, //!< RDMAP
    DDP = 1,   //!< DDP
    LLP = 2,   //!< the layer below DDP: MPA
};

/// @ingroup iwarp-rdmap
/// @brief How the first four octets of a Terminate are laid out.
enum class RdmapTerminateForm : uint8_t
{
    RFC,      //!< as RFC 5040 draws them
    MIRRORED, //!< as Linux's soft-iWARP on little-endian machines sends them: nibbles of the first
              //!< octet exchanged, header bits at the low end of the third
};

/**
 * @ingroup iwarp-rdmap
 * @brief Header of a Terminate message (RFC 5040 section 4.8).
 */
struct RdmapTerminate
{
    uint8_t layer{0};          //!< Layer, 4 bits, see RdmapLayer
    uint8_t type{0};           //!< EType, 4 bits
    uint8_t code{0};           //!< Error Code
    bool lengthValid{false};   //!< M: segmentLength is right
    bool hasDdpHeader{false};  //!< D: segmentLength and ddpHeader are there
    bool hasReadHeader{false}; //!< R: readHeader is there
    uint16_t reserved{0};      //!< 13 bits: 0 when sent, not looked at when received
    uint16_t segmentLength{0}; //!< octets of the DDP Segment in error, header included
    std::array<uint8_t, ddp::MAX_HEADER_SIZE> ddpHeader{};      //!< that segment's DDP header
    std::array<uint8_t, rdmap::READ_REQUEST_SIZE> readHeader{}; //!< its Read Request header

    /**
     * @brief Tell how long the copied DDP header is.
     * @return octets of the copied DDP header, 14 or 18 by its T bit; 0 without one
     */
    uint32_t GetDdpHeaderSize() const;

    /**
     * @brief Tell how long the header is with all that it copies.
     * @return octets of the Terminate header, 4..52
     */
    uint32_t GetSize() const;

    /**
     * @brief Encode.
     * @param out receives GetSize() octets
     * @param form layout of the first four octets
     * @return octets written
     */
    uint32_t Write(uint8_t* out, RdmapTerminateForm form = RdmapTerminateForm::RFC) const;

    /**
     * @brief Decode.
     * @param data octets behind the DDP header
     * @param size number of octets, any
     * @param form layout of the first four octets
     * @return octets of the Terminate header, or 0 if @p size holds no whole one
     */
    uint32_t Read(const uint8_t* data,
                  std::size_t size,
                  RdmapTerminateForm form = RdmapTerminateForm::RFC);

    /**
     * @brief Include a copy of the segment in error: sets M and D, and R for a Read Request.
     * @param ulpdu octets of the segment from its DDP header on
     * @param available octets that can be read there
     * @param length octets of the whole segment
     * @param withRead include the Read Request header if the segment has one
     */
    void CopyHeaders(const uint8_t* ulpdu, uint32_t available, uint32_t length, bool withRead);

    /**
     * @brief Make a Terminate for an error of RDMAP.
     * @param error what RDMAP found
     * @return a Terminate that reports it, without header copies
     */
    static RdmapTerminate ForRdmap(RdmapError error);

    /**
     * @brief Make a Terminate for an error of DDP.
     * @param error what DDP found
     * @return a Terminate that reports it, without header copies
     */
    static RdmapTerminate ForDdp(DdpError error);

    /**
     * @brief Make a Terminate for an error of MPA.
     * @param code error code of MPA (RFC 5044 section 8, RFC 6581 section 8)
     * @return a Terminate that reports it, without header copies as RFC 5040 has it
     */
    static RdmapTerminate ForLlp(uint8_t code);

    /**
     * @brief Put it into words for people to read.
     * @return what it says, in English
     */
    std::string Describe() const;
};

} // namespace ns3

#endif // RDMAP_TERMINATE_H
