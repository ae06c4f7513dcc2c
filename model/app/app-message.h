/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef APP_MESSAGE_H
#define APP_MESSAGE_H

#include "ns3/ddp-header.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

/**
 * @file
 * @ingroup iwarp-app
 * Messages of MpaBulkSender and MpaSink, without a simulator.
 *
 * Each ULPDU begins with the 14 octets of a Tagged DDP header of an RDMA Write (RFC 5041 section
 * 4.2, RFC 5040 section 4.1), so that each can be placed by itself, in any order, and Wireshark can
 * read it: the STag holds the number of the message, counted from 0, the TO the offset of the
 * segment in it, and L marks its last segment. Beyond the form of that header these applications
 * have nothing of DDP; they define the numbers' meaning themselves.
 */

namespace ns3
{
namespace iwarp
{

constexpr uint32_t MESSAGE_HEADER = ddp::TAGGED_HEADER_SIZE; //!< octets before the payload

/**
 * @brief Write the header of one ULPDU.
 * @param out receives MESSAGE_HEADER octets
 * @param message number of the message
 * @param offset octets of the message before this segment
 * @param last whether the segment ends the message
 * @param version DV and RV, as MPA startup has settled them: 0 with a peer that follows the RDMA
 * Consortium (RFC 5044 appendix C)
 */
void WriteMessageHeader(uint8_t* out,
                        uint32_t message,
                        uint64_t offset,
                        bool last,
                        uint8_t version = ddp::VERSION);

/**
 * @brief The payload that a message has in backed mode.
 *
 * A pure function of the message's number and the offset. Equal octets at different places are a
 * coincidence of 1 in 256 an octet, so that misplaced data shows.
 *
 * @param message number of the message
 * @param offset offset of the first octet wanted
 * @return the octets from there on, 65536 of them; valid for ever
 */
const uint8_t* MessagePattern(uint32_t message, uint64_t offset);

constexpr uint32_t PATTERN_RUN = 65536; //!< octets that MessagePattern() offers

/**
 * @ingroup iwarp-app
 * @brief Puts the messages of one connection together from ULPDUs in any order.
 *
 * In backed mode it really places the payload into a buffer for each message, and compares the
 * buffer with MessagePattern() when the message is complete.
 */
class MessageAssembler
{
  public:
    /// What is wrong with a ULPDU.
    enum class Fault : uint8_t
    {
        NONE,   //!< nothing
        HEADER, //!< it does not begin with a header of these applications
        RANGE,  //!< it lies outside its message, or its message is far ahead or over
    };

    /// A message is complete. @param message number @param size its octets
    using MessageFunction = std::function<void(uint32_t message, uint64_t size)>;

    /**
     * @brief Begin with the first message of a connection.
     * @param backed whether to hold and compare the payload
     * @param complete called for each message, in the order of the sender
     */
    MessageAssembler(bool backed, MessageFunction complete);

    /**
     * @brief Place a ULPDU.
     * @param ulpdu its octets
     * @param size how many
     * @param version DV and RV that it has to have
     * @return what is wrong; then nothing was placed
     */
    Fault Place(const uint8_t* ulpdu, std::size_t size, uint8_t version = ddp::VERSION);

    /**
     * @brief The next ULPDUs in the sender's order have all been placed.
     * @param count how many
     */
    void Deliver(uint32_t count);

    uint64_t GetOctets() const;        //!< Count the payload that was placed. @return octets
    uint64_t GetMessages() const;      //!< Count the messages that are complete. @return messages
    uint64_t GetMessageOctets() const; //!< Count the payload of complete messages. @return octets
    /// Count the octets that differ from what was sent, are missing or came twice, in complete
    /// messages; only in backed mode do differences show. @return octets
    uint64_t GetContentErrors() const;

  private:
    /// A message of which at least one ULPDU is there, or a later one's.
    struct Message
    {
        uint64_t placed{0};          //!< octets placed
        uint64_t size{0};            //!< octets of the whole, once the last segment is there
        uint32_t ulpdus{0};          //!< ULPDUs placed
        bool sized{false};           //!< the last segment is there
        std::vector<uint8_t> data{}; //!< payload, in backed mode
    };

    /// Count what is wrong with a complete message. @param number its number @param message it
    void Compare(uint32_t number, const Message& message);

    bool m_backed;                  //!< hold and compare payload
    MessageFunction m_complete;     //!< called for each message
    std::deque<Message> m_messages; //!< messages under way, in order
    uint32_t m_first{0};            //!< number of the first of these
    uint64_t m_delivered{0};        //!< ULPDUs delivered since the first of these began
    uint64_t m_octets{0};           //!< see GetOctets()
    uint64_t m_count{0};            //!< see GetMessages()
    uint64_t m_messageOctets{0};    //!< see GetMessageOctets()
    uint64_t m_contentErrors{0};    //!< see GetContentErrors()
};

} // namespace iwarp
} // namespace ns3

#endif // APP_MESSAGE_H
