/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_PLAIN_HEADER_H
#define TCP_PLAIN_HEADER_H

#include "tcp-header-fields.h"

#include "ns3/header.h"

namespace ns3
{

/**
 * @ingroup iwarp-tcp
 * @brief A TCP header without options but perhaps timestamps, and without checksum, as nearly all
 * segments of a simulation have.
 *
 * Its octets are those of a TcpHeader, for which packet metadata takes it. That has an object for
 * each option, which is the dearest part of sending a segment.
 */
class TcpPlainHeader : public Header
{
  public:
    /// Make a header. @param fields of it; their size is not looked at
    explicit TcpPlainHeader(const TcpHeaderFields& fields);

    TypeId GetInstanceTypeId() const override; //!< Get the type. @return that of TcpHeader
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    uint32_t Deserialize(Buffer::Iterator start) override;
    void Print(std::ostream& os) const override;

  private:
    TcpHeaderFields m_fields; //!< what it says
};

} // namespace ns3

#endif // TCP_PLAIN_HEADER_H
