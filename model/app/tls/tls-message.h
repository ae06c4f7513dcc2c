/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TLS_MESSAGE_H
#define TLS_MESSAGE_H

#include "ns3/packet.h"
#include "ns3/ptr.h"

#include <array>
#include <cstdint>
#include <functional>

/**
 * @file
 * @ingroup iwarp-app
 * Messages of TlsBulkSender and TlsSink in a stream of octets, without a simulator: each has its
 * number, from 0, and its octets before it. Their content is that of iwarp::MessagePattern().
 */

namespace ns3
{
namespace iwarp
{

constexpr uint32_t TLS_MESSAGE_HEADER = 12; //!< octets before a message's payload

/// What stands before a message. @param number of it, from 0 @param size octets of payload @return
/// octets
std::array<uint8_t, TLS_MESSAGE_HEADER> WriteTlsMessageHeader(uint32_t number, uint64_t size);

/**
 * @ingroup iwarp-app
 * @brief Finds the messages in octets in order, however these are divided.
 */
class TlsMessageReader
{
  public:
    /// Payload has come. @param octets of it
    using PayloadFunction = std::function<void(uint64_t octets)>;
    /// A message is complete. @param number of it @param size octets
    using MessageFunction = std::function<void(uint32_t number, uint64_t size)>;

    /// Begin with the first message. @param backed compare payload @param payload called for each
    /// piece of it @param complete called for each message, behind the last of its payload
    TlsMessageReader(bool backed, PayloadFunction payload, MessageFunction complete);

    /// Octets follow. @param octets any @return false if no message begins where one has to; then
    /// nothing more is heeded
    bool Add(const Ptr<const Packet>& octets);

    bool IsBetween() const;            //!< Tell where it stands. @return true between two messages
    uint64_t GetOctets() const;        //!< Count the payload that has come. @return octets
    uint64_t GetMessages() const;      //!< Count the messages that are complete. @return messages
    uint64_t GetMessageOctets() const; //!< Count the payload of these. @return octets
    /// Count what is not as it was sent, where payload is compared. @return octets
    uint64_t GetContentErrors() const;

  private:
    void Compare(const Ptr<const Packet>& payload); //!< @param payload that follows

    bool m_backed;                                        //!< compare payload
    PayloadFunction m_payload;                            //!< called for payload
    MessageFunction m_complete;                           //!< called for each message
    std::array<uint8_t, TLS_MESSAGE_HEADER> m_header{{}}; //!< of the message under way
    uint32_t m_have{0};                                   //!< octets of that
    uint64_t m_size{0};                                   //!< octets of the message under way
    uint64_t m_come{0};                                   //!< of these
    bool m_bad{false};                                    //!< no message has begun
    uint64_t m_octets{0};                                 //!< see GetOctets()
    uint32_t m_messages{0};                               //!< see GetMessages()
    uint64_t m_messageOctets{0};                          //!< see GetMessageOctets()
    uint64_t m_contentErrors{0};                          //!< see GetContentErrors()
};

} // namespace iwarp
} // namespace ns3

#endif // TLS_MESSAGE_H
