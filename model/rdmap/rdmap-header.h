/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMAP_HEADER_H
#define RDMAP_HEADER_H

#include <cstddef>
#include <cstdint>

namespace ns3
{

/// @ingroup iwarp-rdmap
/// @brief RDMAP opcodes (RFC 5040 section 4.1, RFC 7306 section 8).
enum class RdmapOpcode : uint8_t
{
    WRITE = 0x0,              //!< RDMA Write
    READ_REQUEST = 0x1,       //!< RDMA Read Request
    READ_RESPONSE = 0x2,      //!< RDMA Read Response
    SEND = 0x3,               //!< Send
    SEND_INVALIDATE = 0x4,    //!< Send with Invalidate
    SEND_SE = 0x5,            //!< Send with Solicited Event
    SEND_SE_INVALIDATE = 0x6, //!< Send with Solicited Event and Invalidate
    TERMINATE = 0x7,          //!< Terminate
    IMMEDIATE = 0x8,          //!< Immediate Data (RFC 7306)
    IMMEDIATE_SE = 0x9,       //!< Immediate Data with Solicited Event (RFC 7306)
    ATOMIC_REQUEST = 0xA,     //!< Atomic Request (RFC 7306)
    ATOMIC_RESPONSE = 0xB,    //!< Atomic Response (RFC 7306)
};

namespace rdmap
{

constexpr uint8_t VERSION = 1;       //!< RV of the IETF protocol (RFC 5040 section 4.1)
constexpr uint8_t VERSION_RDMAC = 0; //!< RV of peers that follow the RDMA Consortium

constexpr uint32_t QN_SEND = 0;            //!< queue of Sends and Immediate Data
constexpr uint32_t QN_READ_REQUEST = 1;    //!< queue of Read Requests and Atomic Requests
constexpr uint32_t QN_TERMINATE = 2;       //!< queue of the Terminate message
constexpr uint32_t QN_ATOMIC_RESPONSE = 3; //!< queue of Atomic Responses (RFC 7306)

constexpr uint32_t READ_REQUEST_SIZE = 28;    //!< octets of a Read Request header
constexpr uint32_t IMMEDIATE_SIZE = 8;        //!< octets of Immediate Data
constexpr uint32_t ATOMIC_REQUEST_SIZE = 52;  //!< octets of an Atomic Request header
constexpr uint32_t ATOMIC_RESPONSE_SIZE = 12; //!< octets of an Atomic Response header
constexpr uint32_t ATOMIC_OCTETS = 8;         //!< octets of an Atomic's operands and target
constexpr uint32_t TERMINATE_MAX_SIZE = 52;   //!< octets of the longest Terminate header

/**
 * @brief Ask whether an opcode means anything.
 * @param opcode low 4 bits of a control octet
 * @return true if RFC 5040 or RFC 7306 assigns it
 */
constexpr bool
IsAssigned(uint8_t opcode)
{
    return opcode <= static_cast<uint8_t>(RdmapOpcode::ATOMIC_RESPONSE);
}

/**
 * @brief Tell the opcodes of RFC 7306 from those of RFC 5040.
 * @param opcode an assigned opcode
 * @return true if it came with RFC 7306
 */
constexpr bool
IsExtension(RdmapOpcode opcode)
{
    return opcode >= RdmapOpcode::IMMEDIATE;
}

/**
 * @brief Find the buffer model of an opcode.
 * @param opcode an assigned opcode
 * @return true if its messages use the Tagged Buffer Model
 */
constexpr bool
IsTagged(RdmapOpcode opcode)
{
    return opcode == RdmapOpcode::WRITE || opcode == RdmapOpcode::READ_RESPONSE;
}

/**
 * @brief Find the queue of an opcode.
 * @param opcode an opcode of the Untagged Buffer Model
 * @return the queue that its messages go to
 */
constexpr uint32_t
QueueOf(RdmapOpcode opcode)
{
    return opcode == RdmapOpcode::READ_REQUEST || opcode == RdmapOpcode::ATOMIC_REQUEST
               ? QN_READ_REQUEST
           : opcode == RdmapOpcode::TERMINATE       ? QN_TERMINATE
           : opcode == RdmapOpcode::ATOMIC_RESPONSE ? QN_ATOMIC_RESPONSE
                                                    : QN_SEND;
}

/**
 * @brief Ask whether a message is a Send.
 * @param opcode any opcode
 * @return true for the Send kinds, Immediate Data not among them
 */
constexpr bool
IsSend(RdmapOpcode opcode)
{
    return opcode >= RdmapOpcode::SEND && opcode <= RdmapOpcode::SEND_SE_INVALIDATE;
}

/**
 * @brief Ask whether a message invalidates.
 * @param opcode any opcode
 * @return true if the message names an STag for the peer to invalidate
 */
constexpr bool
IsInvalidate(RdmapOpcode opcode)
{
    return opcode == RdmapOpcode::SEND_INVALIDATE || opcode == RdmapOpcode::SEND_SE_INVALIDATE;
}

/**
 * @brief Ask whether a message is to wake the receiver.
 * @param opcode any opcode
 * @return true if the message raises a Solicited Event
 */
constexpr bool
IsSolicited(RdmapOpcode opcode)
{
    return opcode == RdmapOpcode::SEND_SE || opcode == RdmapOpcode::SEND_SE_INVALIDATE ||
           opcode == RdmapOpcode::IMMEDIATE_SE;
}

/**
 * @brief Name an opcode for people to read.
 * @param opcode low 4 bits of a control octet
 * @return a short English name, "reserved opcode" for those not assigned
 */
const char* OpcodeName(uint8_t opcode);

} // namespace rdmap

/**
 * @ingroup iwarp-rdmap
 * @brief RDMAP control octet: the first octet that RDMAP has of each segment (RFC 5040
 * section 4.1).
 */
struct RdmapControl
{
    uint8_t version{rdmap::VERSION}; //!< RV, 2 bits
    uint8_t reserved{0};             //!< Rsv, 2 bits: 0 when sent, not looked at when received
    uint8_t opcode{0};               //!< Opcode, 4 bits, perhaps not an assigned one

    RdmapControl() = default;

    /**
     * @brief Make the control octet of a message.
     * @param op opcode to send
     * @param rv RV: that of the RFC, or rdmap::VERSION_RDMAC
     */
    explicit constexpr RdmapControl(RdmapOpcode op, uint8_t rv = rdmap::VERSION)
        : version(rv),
          opcode(static_cast<uint8_t>(op))
    {
    }

    /**
     * @brief Encode.
     * @return the octet
     */
    constexpr uint8_t Encode() const
    {
        return (version & 3) << 6 | (reserved & 3) << 4 | (opcode & 15);
    }

    /**
     * @brief Decode.
     * @param octet the octet as received
     * @return its fields
     */
    static constexpr RdmapControl Decode(uint8_t octet)
    {
        RdmapControl control(static_cast<RdmapOpcode>(octet & 15));
        control.version = octet >> 6;
        control.reserved = octet >> 4 & 3;
        return control;
    }
};

/// @ingroup iwarp-rdmap
/// @brief Header of an RDMA Read Request (RFC 5040 section 4.4).
struct RdmapReadRequest
{
    uint32_t sinkStag{0}; //!< STag that the Response is to carry
    uint64_t sinkTo{0};   //!< TO of the Response's first octet
    uint32_t size{0};     //!< octets asked for, RDMARDSZ
    uint32_t srcStag{0};  //!< STag of the buffer to be read
    uint64_t srcTo{0};    //!< TO of the first octet to be read

    void Write(uint8_t* out) const; //!< Encode the header. @param out receives 28 octets
    void Read(const uint8_t* data); //!< Decode the header. @param data 28 octets
    /// Take off what has been answered. @param done octets, at most size
    void Advance(uint32_t done);
};

/// @ingroup iwarp-rdmap
/// @brief Operations that an Atomic Request may ask for (RFC 7306 section 5.2).
enum class RdmapAtomicOpcode : uint8_t
{
    FETCH_ADD = 0,    //!< add field by field
    COMPARE_SWAP = 2, //!< swap if the compared bits are equal
};

/// @ingroup iwarp-rdmap
/// @brief Header of an Atomic Request (RFC 7306 section 5.2.1).
struct RdmapAtomicRequest
{
    uint32_t reserved{0};               //!< 28 bits, 0 when sent, not looked at when received
    uint8_t opcode{0};                  //!< AOpCode, 4 bits, perhaps not an assigned one
    uint32_t requestId{0};              //!< comes back in the response
    uint32_t stag{0};                   //!< STag of the target
    uint64_t to{0};                     //!< TO of the target, a multiple of 8
    uint64_t data{0};                   //!< Add or Swap Data
    uint64_t dataMask{0};               //!< Add or Swap Mask
    uint64_t compare{0};                //!< Compare Data
    uint64_t compareMask{~UINT64_C(0)}; //!< Compare Mask

    void Write(uint8_t* out) const; //!< Encode the header. @param out receives 52 octets
    void Read(const uint8_t* data); //!< Decode the header. @param data 52 octets

    /**
     * @brief Ask whether the operation can be done.
     * @return true if the AOpCode is one of RdmapAtomicOpcode
     */
    bool IsSupported() const;

    /**
     * @brief Compute what the target becomes. Only if IsSupported().
     * @param old 64-bit value before the operation
     * @return value behind it
     */
    uint64_t Apply(uint64_t old) const;
};

/// @ingroup iwarp-rdmap
/// @brief Header of an Atomic Response (RFC 7306 section 5.2.2).
struct RdmapAtomicResponse
{
    uint32_t requestId{0}; //!< identifier of the request
    uint64_t original{0};  //!< value of the target before the operation

    void Write(uint8_t* out) const; //!< Encode the header. @param out receives 12 octets
    void Read(const uint8_t* data); //!< Decode the header. @param data 12 octets
};

} // namespace ns3

#endif // RDMAP_HEADER_H
