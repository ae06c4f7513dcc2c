/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DDP_SCTP_CONTROL_H
#define DDP_SCTP_CONTROL_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-ddp
 * @brief Session control message of DDP over SCTP (RFC 5043 section 5, RFC 6581 section 7), user
 * data of an SCTP DATA chunk: DDP-SSN, function code, Private Data.
 */
struct DdpSctpControl
{
    static constexpr uint32_t PPID_SEGMENT = 16;         //!< payload protocol of DDP Segments
    static constexpr uint32_t PPID_CONTROL = 17;         //!< payload protocol of these messages
    static constexpr uint32_t ADAPTATION_INDICATION = 1; //!< what an SCTP association is for
    static constexpr std::size_t SSN_SIZE = 2;           //!< octets of the DDP-SSN
    static constexpr std::size_t HEADER_SIZE = 4;        //!< octets before the Private Data
    static constexpr std::size_t MAX_PRIVATE_DATA = 512; //!< with the enhanced word

    /// Function codes
    enum class Function : uint16_t
    {
        INITIATE = 1,
        ACCEPT = 2,
        REJECT = 3,
        TERMINATE = 4,
        ENHANCED_INITIATE = 5, //!< Private Data open with an MpaEnhancedWord
        ENHANCED_ACCEPT = 6,   //!< Private Data open with an MpaEnhancedWord
        ENHANCED_REJECT = 7,   //!< Private Data open with an MpaEnhancedWord
    };

    /// What Decode() found.
    enum class Status : uint8_t
    {
        GOOD,
        TRUNCATED,        //!< too short for its header
        UNKNOWN_FUNCTION, //!< no code of the registry
        TOO_LONG,         //!< more than 512 octets of Private Data
        UNEXPECTED_DATA,  //!< a Terminate with Private Data
        NO_WORD,          //!< an enhanced message without its word
    };

    uint16_t ssn{0};                       //!< place in the sender's messages, segments included
    Function function{Function::INITIATE}; //!< function code
    std::vector<uint8_t> privateData;      //!< Private Data, with the enhanced word

    /// Tell whether the function code is an enhanced one. @return true if Private Data open with an
    /// MpaEnhancedWord
    bool IsEnhanced() const;

    /// Write the message as octets. @return user data of its DATA chunk
    std::vector<uint8_t> Encode() const;

    /**
     * @brief Read a message.
     * @param data user data
     * @param size octets there
     * @param message filled if the status is GOOD
     * @return what was found
     */
    static Status Decode(const uint8_t* data, std::size_t size, DdpSctpControl& message);
};

} // namespace ns3

#endif // DDP_SCTP_CONTROL_H
