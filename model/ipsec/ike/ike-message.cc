/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ike-message.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>

namespace ns3
{

namespace
{

using boost::endian::load_big_u16;
using boost::endian::load_big_u32;
using boost::endian::load_big_u64;
using boost::endian::store_big_u16;
using boost::endian::store_big_u32;
using boost::endian::store_big_u64;

// octets of payloads, their generic header of 4 included (RFC 7296 section 3)
constexpr uint32_t SA_OF_IKE =
    4 + 8 + 12 + 8 + 8; //!< a proposal: cipher with key length, PRF, group
constexpr uint32_t SA_OF_CHILD = 4 + 8 + 4 + 12 + 8; //!< a proposal: SPI, cipher, ESN
constexpr uint32_t GROUP = 8;          //!< a transform more in a proposal of CREATE_CHILD_SA
constexpr uint32_t KEY_EXCHANGE = 8;   //!< KE without the public value
constexpr uint32_t NONCE = 4;          //!< Ni or Nr without the nonce
constexpr uint32_t AUTHENTICATION = 8; //!< AUTH without the data
constexpr uint32_t CERTIFICATE = 5;    //!< CERT without the data
constexpr uint32_t NAT_DETECTION = 2 * (8 + 20); //!< two notifications with a SHA-1 each
constexpr uint32_t INITIAL_CONTACT = 8;          //!< a notification
constexpr uint32_t REKEY = 8 + 4;                //!< a notification with an SPI
constexpr uint32_t DELETION = 8 + 4;             //!< D with an SPI
constexpr uint32_t ENCRYPTED = 4 + 8 + 1 + 16;   //!< SK: IV, pad length and ICV of AES-GCM-16

constexpr uint8_t VERSION = 0x20;        //!< 2.0
constexpr uint8_t RESPONSE = 0x20;       //!< flag
constexpr uint8_t CONTACT = 1;           //!< flag of the model
constexpr uint8_t OF_IPV6 = 2;           //!< flag of the model
constexpr std::size_t ADDRESS_SIZE = 16; //!< octets that the model gives an address
/// octets of what the model says at most: flags, nonce, two SPIs, addresses, protocol, ports
constexpr std::size_t BODY = 1 + 8 + 4 + 4 + 2 * ADDRESS_SIZE + 1 + 4;

/// @param message any @return octets of what the model says in it
std::size_t
GetBodySize(const IkeMessage& message)
{
    switch (message.exchange)
    {
    case IkeExchange::SA_INIT:
        return 9;
    case IkeExchange::INFORMATIONAL:
        return 17;
    case IkeExchange::AUTH:
    case IkeExchange::CREATE_CHILD_SA:
        break;
    }
    return BODY;
}

/// @param octets of an address @param ipv6 its version @return the address
IpsecAddress
LoadAddress(const uint8_t* octets, bool ipv6)
{
    return ipv6 ? IpsecAddress(Ipv6Address::Deserialize(octets))
                : IpsecAddress(Ipv4Address::Deserialize(octets));
}

} // namespace

uint32_t
IkeSizes::GetEncrypted(const IkeMessage& message) const
{
    const bool ipv6 = message.traffic.source.IsIpv6();
    const uint32_t identity = 8 + (ipv6 ? 16 : 4);
    const uint32_t selectors = 2 * (8 + 8 + (ipv6 ? 32 : 8)); // TSi and TSr, a range in each
    switch (message.exchange)
    {
    case IkeExchange::SA_INIT:
        break;
    case IkeExchange::AUTH:
        return identity + (certificate > 0 ? CERTIFICATE + certificate : 0) + AUTHENTICATION +
               authentication + SA_OF_CHILD + selectors +
               (message.initialContact ? INITIAL_CONTACT : 0);
    case IkeExchange::CREATE_CHILD_SA:
        return (message.replaced > 0 && !message.response ? REKEY : 0) + SA_OF_CHILD + NONCE +
               nonce + (forwardSecrecy ? GROUP + KEY_EXCHANGE + keyExchange : 0) + selectors;
    case IkeExchange::INFORMATIONAL:
        return DELETION;
    }
    return 0;
}

uint32_t
IkeSizes::GetSize(const IkeMessage& message) const
{
    if (message.exchange == IkeExchange::SA_INIT)
    {
        return IKE_HEADER_SIZE + SA_OF_IKE + KEY_EXCHANGE + keyExchange + NONCE + nonce +
               NAT_DETECTION;
    }
    return IKE_HEADER_SIZE + ENCRYPTED + GetEncrypted(message);
}

std::vector<uint8_t>
EncodeIkeMessage(const IkeMessage& message, const IkeSizes& sizes)
{
    std::vector<uint8_t> octets(sizes.GetSize(message));
    octets[17] = VERSION;
    octets[18] = static_cast<uint8_t>(message.exchange);
    octets[19] = message.response ? RESPONSE : 0;
    store_big_u32(&octets[20], message.id);
    store_big_u32(&octets[24], static_cast<uint32_t>(octets.size()));

    std::vector<uint8_t> body(BODY);
    const auto& flow = message.traffic;
    body[0] = static_cast<uint8_t>((message.initialContact ? CONTACT : 0) |
                                   (flow.source.IsIpv6() ? OF_IPV6 : 0));
    store_big_u64(&body[1], message.nonce);
    store_big_u32(&body[9], message.spi);
    store_big_u32(&body[13], message.replaced);
    const auto& source = flow.source.GetOctets();
    const auto& destination = flow.destination.GetOctets();
    auto end = std::copy(source.begin(), source.end(), &body[17]);
    end = std::copy(destination.begin(), destination.end(), end);
    *end = flow.protocol;
    store_big_u16(end + 1, flow.sourcePort);
    store_big_u16(end + 3, flow.destinationPort);
    std::copy_n(body.begin(), GetBodySize(message), &octets[IKE_HEADER_SIZE]);
    return octets;
}

bool
DecodeIkeMessage(const uint8_t* octets, std::size_t size, IkeMessage& message)
{
    if (size < IKE_HEADER_SIZE || octets[17] != VERSION ||
        octets[18] < static_cast<uint8_t>(IkeExchange::SA_INIT) ||
        octets[18] > static_cast<uint8_t>(IkeExchange::INFORMATIONAL) ||
        load_big_u32(octets + 24) != size)
    {
        return false;
    }
    message = IkeMessage();
    message.exchange = static_cast<IkeExchange>(octets[18]);
    message.response = octets[19] & RESPONSE;
    message.id = load_big_u32(octets + 20);
    const std::size_t held = GetBodySize(message);
    if (size < IKE_HEADER_SIZE + held)
    {
        return false;
    }
    std::vector<uint8_t> body(BODY);
    std::copy_n(octets + IKE_HEADER_SIZE, held, body.begin());
    const bool ipv6 = body[0] & OF_IPV6;
    message.initialContact = body[0] & CONTACT;
    message.nonce = load_big_u64(&body[1]);
    message.spi = load_big_u32(&body[9]);
    message.replaced = load_big_u32(&body[13]);
    message.traffic.source = LoadAddress(&body[17], ipv6);
    message.traffic.destination = LoadAddress(&body[17 + ADDRESS_SIZE], ipv6);
    const uint8_t* rest = &body[17 + 2 * ADDRESS_SIZE];
    message.traffic.protocol = rest[0];
    message.traffic.sourcePort = load_big_u16(rest + 1);
    message.traffic.destinationPort = load_big_u16(rest + 3);
    return true;
}

} // namespace ns3
