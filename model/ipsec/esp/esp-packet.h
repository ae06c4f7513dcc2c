/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ESP_PACKET_H
#define ESP_PACKET_H

#include "esp-codec.h"

#include "ns3/header.h"
#include "ns3/packet.h"
#include "ns3/trailer.h"

#include <array>
#include <cstdint>

namespace ns3
{

/// @ingroup iwarp-ipsec
/// @brief What stands before the payload of an ESP packet (RFC 4303 section 2): SPI, sequence
/// number, initialisation vector.
class EspHeader : public Header
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    EspHeader() = default;
    /// Take octets. @param head octets, EspCodec::MAX_HEAD at most @param size how many
    EspHeader(const uint8_t* head, uint32_t size);

    uint32_t GetSpi() const;      //!< Get the name of the association. @return its SPI
    uint32_t GetSequence() const; //!< Get the sequence number. @return its lower half

    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator start) const override;
    /// Read SPI and sequence number; only the association knows how long an IV is. @param start
    /// first octet @return octets read
    uint32_t Deserialize(Buffer::Iterator start) override;

  private:
    std::array<uint8_t, EspCodec::MAX_HEAD> m_octets{}; //!< octets
    uint32_t m_size{ESP_HEADER_SIZE};                   //!< how many
};

/// @ingroup iwarp-ipsec
/// @brief What stands behind the payload of an ESP packet: padding, its length, next header, ICV.
class EspTrailer : public Trailer
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    EspTrailer() = default;
    /// Take octets. @param tail octets, EspCodec::MAX_TAIL at most @param size how many
    EspTrailer(const uint8_t* tail, uint32_t size);

    TypeId GetInstanceTypeId() const override;
    void Print(std::ostream& os) const override;
    uint32_t GetSerializedSize() const override;
    void Serialize(Buffer::Iterator end) const override;
    /// Read nothing: only the association knows how long it is. @param end behind the last octet
    /// @return 0
    uint32_t Deserialize(Buffer::Iterator end) override;

  private:
    const uint8_t* m_octets{nullptr}; //!< the caller's
    uint32_t m_size{0};               //!< how many
};

/**
 * @ingroup iwarp-ipsec
 * @brief Make an ESP packet of what is to be protected, in place. In modelled mode its octets stay
 * what they are, virtual ones virtual; tags stay in either mode.
 * @param codec of the association
 * @param fields SPI, sequence number, next header
 * @param sizes as the association's EspEncapsulation tells
 * @param packet sizes.payload octets; receives the ESP packet
 */
void SealEspPacket(const EspCodec& codec,
                   const EspFields& fields,
                   const EspSizes& sizes,
                   const Ptr<Packet>& packet);

/**
 * @ingroup iwarp-ipsec
 * @brief Have a packet that IP may divide hold its virtual octets, too. ns-3 misplaces what stands
 * behind such octets, as the trailer of modelled ESP does, when it puts fragments together again.
 * @param packet ESP packet; its tags stay
 */
void FillEspPacket(const Ptr<Packet>& packet);

/**
 * @ingroup iwarp-ipsec
 * @brief Take out what an ESP packet protects, in place.
 * @param codec of the association
 * @param sequence whole sequence number, as IpsecAssociation::Admit() told it
 * @param packet ESP packet; receives the payload, with TFC padding, unless the result is not OK
 * @return what was found
 */
EspOpened OpenEspPacket(const EspCodec& codec, uint64_t sequence, const Ptr<Packet>& packet);

} // namespace ns3

#endif // ESP_PACKET_H
