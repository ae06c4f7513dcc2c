/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DDP_HEADER_H
#define DDP_HEADER_H

#include <cstddef>
#include <cstdint>

namespace ns3
{
namespace ddp
{

constexpr uint32_t TAGGED_HEADER_SIZE = 14;   //!< octets of a Tagged header (RFC 5041 section 4.2)
constexpr uint32_t UNTAGGED_HEADER_SIZE = 18; //!< octets of an Untagged header (section 4.3)
constexpr uint32_t MAX_HEADER_SIZE = UNTAGGED_HEADER_SIZE; //!< octets of the longer header
constexpr uint8_t VERSION = 1;                             //!< value of DV (section 4.1)
constexpr uint8_t VERSION_RDMAC = 0;         //!< DV of peers that follow the RDMA Consortium
constexpr uint64_t MAX_MESSAGE = 0xFFFFFFFF; //!< octets of the longest ULP Message (section 5.2)

} // namespace ddp

/**
 * @ingroup iwarp-ddp
 * @brief Header of a DDP Segment, Tagged or Untagged (RFC 5041 section 4).
 *
 * A plain record with its codec. Fields of the other buffer model keep their defaults when a
 * header is decoded. Decoding keeps the reserved bits and the version as they came, so that
 * encoding gives the same octets back; judging them is the receiver's job.
 */
struct DdpHeader
{
    bool tagged{false};            //!< T: the payload goes to a Tagged Buffer
    bool last{false};              //!< L: last segment of its message
    uint8_t reserved{0};           //!< Rsvd, 4 bits: 0 when sent, not looked at when received
    uint8_t version{ddp::VERSION}; //!< DV, 2 bits
    uint8_t ulpControl{0};         //!< RsvdULP (Tagged), first octet of it (Untagged)
    uint32_t ulpWord{0};           //!< Untagged: RsvdULP bits 8 to 39
    uint32_t stag{0};              //!< Tagged: STag
    uint64_t to{0};                //!< Tagged: offset of this segment's first octet in the buffer
    uint32_t qn{0};                //!< Untagged: queue number
    uint32_t msn{0};               //!< Untagged: message sequence number
    uint32_t mo{0}; //!< Untagged: offset of this segment's first octet in the message

    /**
     * @brief Tell the size of a header from its kind.
     * @param tagged which buffer model
     * @return octets of such a header, 14 or 18
     */
    static constexpr uint32_t SizeOf(bool tagged)
    {
        return tagged ? ddp::TAGGED_HEADER_SIZE : ddp::UNTAGGED_HEADER_SIZE;
    }

    /**
     * @brief Tell how long this header is.
     * @return octets of this header, 14 or 18
     */
    uint32_t GetSize() const
    {
        return SizeOf(tagged);
    }

    /**
     * @brief Encode.
     * @param out receives GetSize() octets
     * @return octets written
     */
    uint32_t Write(uint8_t* out) const;

    /**
     * @brief Decode.
     * @param data octets of a DDP Segment from its first on
     * @param size number of octets, any
     * @return octets of the header, or 0 if @p size holds no whole header
     */
    uint32_t Read(const uint8_t* data, std::size_t size);
};

/**
 * @brief Compare two headers, reserved bits included.
 * @param a left header
 * @param b right header
 * @return true if all fields are equal
 */
bool operator==(const DdpHeader& a, const DdpHeader& b);

} // namespace ns3

#endif // DDP_HEADER_H
