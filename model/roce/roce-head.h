/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_HEAD_H
#define ROCE_HEAD_H

#include <cstddef>
#include <cstdint>

namespace ns3
{

/**
 * @defgroup iwarp-roce RoCE
 * @ingroup iwarp
 * @brief Messages over UDP with go-back-N or selective repeat, and their congestion control.
 */

/**
 * @ingroup iwarp-roce
 * @brief The headers of a packet of RoCEv2 with reliable connections, as far as Writes need them.
 *
 * Behind UDP's header, to port 4791 (InfiniBand Architecture Specification volume 1, chapter 9, and
 * its annex A17): a base transport header (BTH) of 12 octets; in the first packet of a message an
 * RDMA extended transport header (RETH) of 16; in acknowledgements an AETH of 4; in a congestion
 * notification packet (CNP, A17.9.3) 16 octets of zeros; payload, padded to 4 octets; an ICRC of 4
 * (RoceIcrc).
 *
 * What refuses a packet under selective repeat has the PSN that came behind its AETH, in 4 octets,
 * as IRN proposes (Mittal et al., SIGCOMM 2018, section 3.1). An acknowledgement of the
 * specification has no place for it: readers of the standard take it for payload.
 */
struct RoceHead
{
    static constexpr uint16_t PORT = 4791;       //!< UDP's destination port
    static constexpr uint32_t UDP = 8;           //!< octets of UDP's header
    static constexpr uint32_t BTH = 12;          //!< octets
    static constexpr uint32_t RETH = 16;         //!< octets
    static constexpr uint32_t AETH = 4;          //!< octets
    static constexpr uint32_t ARRIVED = 4;       //!< octets of the PSN that came
    static constexpr uint32_t NOTIFICATION = 16; //!< octets of a CNP that are reserved
    static constexpr uint32_t ICRC = 4;          //!< octets
    static constexpr uint32_t LONGEST = 28;      //!< octets in front of payload or ICRC, at most
    static constexpr uint32_t WINDOW = 1 << 22;  //!< packets under way, at most: PSNs have 24 bits
    static constexpr uint32_t PAYLOAD = 65472; //!< octets in a datagram, at most, with 4 to pad to
    static constexpr uint8_t ACK = 0x1F;       //!< AETH's syndrome: all up to the PSN has come
    static constexpr uint8_t REFUSED = 0x60;   //!< and: PSN sequence error

    /// Operation codes of a reliable connection
    enum class Kind : uint8_t
    {
        WRITE_FIRST = 0x06,  //!< of several packets of a message
        WRITE_MIDDLE = 0x07, //!< neither the first nor the last
        WRITE_LAST = 0x08,   //!< of several
        WRITE_ONLY = 0x0A,   //!< the message is one packet
        ACKNOWLEDGE = 0x11,  //!< without payload
        NOTIFICATION = 0x81, //!< CNP: marked packets came; its BECN is set
    };

    Kind kind{Kind::ACKNOWLEDGE}; //!< operation code
    uint32_t queuePair{0};        //!< at the destination, 24 bits
    uint32_t psn{0};              //!< packet sequence number, 24 bits; of answers, see syndrome
    bool asksAck{false};          //!< acknowledge at once
    uint8_t pad{0};               //!< octets of padding, 0 to 3
    uint64_t address{0};          //!< RETH: virtual address that the message is written to
    uint32_t key{0};              //!< RETH: R_Key of the memory region
    uint32_t length{0};           //!< RETH: octets of the message
    uint8_t syndrome{ACK};        //!< AETH: ACK, or REFUSED, whose PSN is the one expected
    uint32_t messages{0};         //!< AETH: messages completed so far (MSN), 24 bits
    bool hasArrived{false};       //!< there is a PSN that came
    uint32_t arrived{0};          //!< it, 24 bits

    /// Tell the length of what Write() writes. @return octets in front of payload or ICRC
    uint32_t GetSize() const;

    /// Encode. @param [out] octets at least GetSize() of them
    void Write(uint8_t* octets) const;

    /**
     * @brief Decode.
     * @param octets of the UDP datagram
     * @param available octets there
     * @param size octets of the datagram, as UDP tells
     * @return false if it is none of these packets, too short, of another version of the headers or
     * not of the default partition
     */
    bool Read(const uint8_t* octets, std::size_t available, std::size_t size);

    /// Tell the payload of a packet. @param size octets of its UDP datagram, after Read()
    /// @return octets without padding
    uint32_t GetPayload(std::size_t size) const;

    /// Find a packet's number among all that were sent. @param psn 24 bits @param near number less
    /// than 2^23 from it @return number
    static uint64_t Expand(uint32_t psn, uint64_t near);
};

} // namespace ns3

#endif // ROCE_HEAD_H
