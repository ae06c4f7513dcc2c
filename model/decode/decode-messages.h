/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DECODE_MESSAGES_H
#define DECODE_MESSAGES_H

#include "decode-event.h"

#include <array>
#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup iwarp-decode
 * @brief Makes messages of the DDP segments of one direction, and judges them as a receiver can
 * that knows neither the buffers nor the STags (RFC 5041 sections 5 and 7, RFC 5040).
 */
class DecodeMessages
{
  public:
    DecodeMessages();

    /// What is wrong with a segment.
    struct Fault
    {
        DecodeLayer layer{DecodeLayer::DDP}; //!< who finds it
        std::string text;                    //!< what; empty if nothing is
    };

    /**
     * @brief The next segment in order.
     * @param[in,out] fpdu its ULPDU; receives header and message
     * @param available octets of the ULPDU that were captured
     * @return what is wrong with it
     */
    Fault Segment(DecodeFpdu& fpdu, uint32_t available);

    /// Say which version startup has settled, if it is not 1. @param version DV and RV: 1, or 0
    /// with a peer that follows the RDMA Consortium (RFC 5044 Appendix C)
    void SetVersion(uint8_t version);

    void Gap(); //!< Segments are missing: numbers start anew with the next segment.

  private:
    static constexpr uint32_t QUEUES = 4; //!< queues of RDMAP

    /// @param header of a segment @param payload its octets @return what is wrong with them alone
    Fault CheckHeader(const DdpHeader& header, uint32_t payload) const;
    /// A message begins. @param header of its first segment that was seen @param payload octets of
    /// that @param captured how many there are
    void Open(const DdpHeader& header, const uint8_t* payload, uint32_t captured);
    /// @param header an Untagged header @return what is wrong with its place in the queue
    std::string CheckUntagged(const DdpHeader& header);
    /// @param header a Tagged header @return what is wrong with its place in the message
    std::string CheckTagged(const DdpHeader& header) const;
    /// @param message complete, to be filled in @return what is wrong with it
    static std::string Complete(DecodeMessage& message);

    uint8_t m_version{ddp::VERSION};     //!< DV and RV
    bool m_open{false};                  //!< a message has begun
    DecodeMessage m_message;             //!< the message
    std::array<uint32_t, QUEUES> m_msn;  //!< MSN due on each queue
    std::array<bool, QUEUES> m_msnKnown; //!< it is known
    bool m_lost{false};                  //!< the next message may have begun before
};

} // namespace ns3

#endif // DECODE_MESSAGES_H
