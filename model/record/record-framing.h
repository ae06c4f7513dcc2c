/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RECORD_FRAMING_H
#define RECORD_FRAMING_H

#include <cstdint>

namespace ns3
{

/// @ingroup iwarp-record
/// @brief What the head of a record says of it.
struct RecordHead
{
    uint32_t size{0};          //!< octets of the record in the stream, its head among them; 0 if no
                               //!< record begins so
    uint32_t payload{0};       //!< of these, octets for whoever uses the protocol
    uint32_t payloadOffset{0}; //!< where they begin, in octets behind the record's first
};

/**
 * @ingroup iwarp-record
 * @brief How the records of a protocol follow each other in a stream: each begins with a head that
 * says how long the record is, such as PDUs of NVMe/TCP or records of TLS.
 *
 * Pure, and without a state: who follows a stream keeps that (RecordChain).
 */
class RecordFraming
{
  public:
    virtual ~RecordFraming() = default;

    /// Name the framing. @return as it stands in lines and JSON, such as "nvme-tcp"
    virtual const char* GetName() const = 0;
    /// Tell what a record is known by. @return octets from its first on
    virtual uint32_t GetHeadSize() const = 0;
    /// Look at the head of a record. @param head GetHeadSize() octets @return what it says
    virtual RecordHead ReadHead(const uint8_t* head) const = 0;

    /// Guess whether a record begins at a place in the stream that no record before tells.
    /// @param head GetHeadSize() octets @return true if they look like a head
    virtual bool IsLikely(const uint8_t* head) const
    {
        return ReadHead(head).size >= GetHeadSize();
    }
};

} // namespace ns3

#endif // RECORD_FRAMING_H
