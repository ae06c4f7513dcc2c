/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DECODE_EVENT_H
#define DECODE_EVENT_H

#include "decode-packet.h"

#include "ns3/ddp-header.h"
#include "ns3/mpa-startup-frame.h"
#include "ns3/rdmap-header.h"
#include "ns3/rdmap-terminate.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

class DecodeConnection;

/// @ingroup iwarp-decode
/// @brief Verdict on the CRC of an FPDU.
enum class DecodeCrc : uint8_t
{
    GOOD,    //!< the field is the CRC32c of the FPDU
    BAD,     //!< it is not
    OFF,     //!< the connection does without
    UNKNOWN, //!< octets of the FPDU are not in the capture
};

/// @ingroup iwarp-decode
/// @brief A message of RDMAP, complete with its last segment.
struct DecodeMessage
{
    uint8_t opcode{0};    //!< see RdmapOpcode
    uint64_t length{0};   //!< octets of payload in all its segments
    uint32_t segments{0}; //!< its segments
    bool partial{false};  //!< it may have begun before the first segment that was seen
    DdpHeader first;      //!< header of the first segment that was seen
    /// First octets of the payload: the header of a message that is little else
    std::array<uint8_t, rdmap::ATOMIC_REQUEST_SIZE> header{};
    uint32_t headerSize{0};    //!< how many were captured
    RdmapTerminate terminate;  //!< of a Terminate
    std::string terminateText; //!< what it says, in English
    bool mirrored{false};      //!< the Terminate is laid out as RdmapTerminateForm::MIRRORED
};

/// @ingroup iwarp-decode
/// @brief An FPDU, the DDP segment in it, and the RDMAP message that it completes.
struct DecodeFpdu
{
    uint32_t ulpduLength{0};        //!< ULPDU_Length field
    uint32_t wireSize{0};           //!< octets of the FPDU in the stream
    uint32_t markers{0};            //!< Markers inside
    uint32_t position{0};           //!< position of its first octet (see mpa-marker.h), modulo 2^32
    bool markersUsed{false};        //!< there are Markers in this direction
    DecodeCrc crc{DecodeCrc::OFF};  //!< verdict on its CRC
    bool aligned{false};            //!< came whole within one segment
    uint32_t missing{0};            //!< octets that are not in the capture, and stand here as zeros
    const uint8_t* octets{nullptr}; //!< the FPDU as in the stream
    const uint8_t* ulpdu{nullptr};  //!< the ULPDU, without Markers
    bool hasSegment{false};         //!< the ULPDU is a DDP segment with a whole header
    DdpHeader ddp;                  //!< its header
    uint32_t payload{0};            //!< octets of payload behind it
    bool hasMessage{false};         //!< it completes a message
    DecodeMessage message;          //!< the message
};

/// @ingroup iwarp-decode
/// @brief A PDU of a framing besides MPA's, see DecodeFramer.
struct DecodePdu
{
    /// A field of the header
    struct Field
    {
        const char* name; //!< name, in snake_case
        uint64_t value;   //!< value
    };

    const char* framing{""};          //!< which framing
    const char* name{""};             //!< kind of PDU
    std::vector<Field> fields;        //!< header
    const uint8_t* octets{nullptr};   //!< the PDU as in the stream
    uint32_t size{0};                 //!< its octets
    uint32_t payload{0};              //!< of these, octets of a message
    uint32_t missing{0};              //!< octets that are not in the capture: zeros, at any place
    bool aligned{false};              //!< came whole within one segment
    DecodeCrc digest{DecodeCrc::OFF}; //!< verdict on its digests
    std::string fault;                //!< what is wrong; empty if nothing is
};

/// @ingroup iwarp-decode
/// @brief Where an error or a remark belongs.
enum class DecodeLayer : uint8_t
{
    CAPTURE, //!< the file
    TCP,     //!< what of the stream was captured
    MPA,     //!< MPA
    DDP,     //!< DDP
    RDMAP,   //!< RDMAP
    FRAMING, //!< what frames a stream that is not MPA's
};

/// @ingroup iwarp-decode
/// @brief Get the name of a layer. @param layer any @return in lower case
const char* DecodeLayerName(DecodeLayer layer);

/// @ingroup iwarp-decode
/// @brief Something found in a capture.
struct DecodeEvent
{
    /// Kinds of event
    enum class Kind : uint8_t
    {
        STARTUP, //!< @ref startup, an MPA Request or Reply Frame
        FPDU,    //!< @ref fpdu
        PDU,     //!< @ref pdu
        ERROR,   //!< @ref text says what is malformed
        NOTE,    //!< @ref text says what one should know to read the rest
    };

    Kind kind{Kind::NOTE};                   //!< which of them
    DecodeLayer layer{DecodeLayer::MPA};     //!< of an error or note
    uint64_t frame{0};                       //!< number of the frame that completed it
    int64_t time{0};                         //!< time of that frame, ns since the epoch
    uint32_t stream{0};                      //!< number of the connection, 0 for the first
    unsigned side{0};                        //!< 0 if @ref from sent the connection's first segment
    const DecodeEndpoint* from{nullptr};     //!< sender; nullptr for the file
    const DecodeEndpoint* to{nullptr};       //!< receiver
    uint64_t seq{0};                         //!< first octet: 1 for the first of the direction
    const MpaStartupFrame* startup{nullptr}; //!< of STARTUP
    const DecodeFpdu* fpdu{nullptr};         //!< of FPDU
    const DecodePdu* pdu{nullptr};           //!< of PDU
    std::string text;                        //!< of ERROR and NOTE
};

/// @ingroup iwarp-decode
/// @brief Figures of one direction of a connection.
struct DecodeStats
{
    const char* framing{nullptr};        //!< besides MPA: its PDUs count as FPDUs
    uint64_t segments{0};                //!< TCP segments with payload
    uint64_t octets{0};                  //!< octets of the stream, each counted once
    uint64_t outOfOrder{0};              //!< segments that came ahead of others
    uint64_t duplicates{0};              //!< segments that brought nothing new
    uint64_t checksums{0};               //!< segments not taken for their TCP checksum
    uint64_t missing{0};                 //!< octets that are not in the capture
    uint64_t skipped{0};                 //!< octets from which no FPDU could be made
    uint64_t fpdus{0};                   //!< FPDUs
    uint64_t markers{0};                 //!< Markers in them
    uint64_t crcGood{0};                 //!< FPDUs with a good CRC
    uint64_t crcBad{0};                  //!< FPDUs with a bad CRC
    uint64_t crcOff{0};                  //!< FPDUs without a CRC
    uint64_t alignedFpdus{0};            //!< FPDUs that came whole within one segment
    uint64_t classified{0};              //!< segments whose place among FPDU boundaries is known
    uint64_t headerAligned{0};           //!< of these, beginning with an FPDU
    uint64_t fpduAligned{0};             //!< of these, holding whole FPDUs only
    uint64_t errors{0};                  //!< what is malformed, bad CRCs included
    std::array<uint64_t, 16> messages{}; //!< complete messages by opcode
    uint64_t payload{0};                 //!< octets of payload in them
};

/// @ingroup iwarp-decode
/// @brief Takes what is found.
class DecodeListener
{
  public:
    virtual ~DecodeListener() = default;
    /// Something is found. @param event it; what it points to is valid during the call only
    virtual void Found(const DecodeEvent& event) = 0;

    /// A segment came, before anything is made of it. @param connection it is of this one @param
    /// side direction, 0 or 1 @param segment the segment, whose octets stay where they are @param
    /// frame the frame that holds it
    virtual void Seen([[maybe_unused]] const DecodeConnection& connection,
                      [[maybe_unused]] unsigned side,
                      [[maybe_unused]] const DecodeSegment& segment,
                      [[maybe_unused]] const DecodeFrame& frame)
    {
    }
};

} // namespace ns3

#endif // DECODE_EVENT_H
