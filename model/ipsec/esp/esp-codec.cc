/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "esp-codec.h"

#include "esp-cryptography.h"

#include "ns3/abort.h"
#include "ns3/crypto-modelled-tag.h"

#include <algorithm>
#include <array>
#include <boost/endian/conversion.hpp>
#include <cstring>

namespace ns3
{

namespace
{

using Icv = std::array<uint8_t, 32>; //!< the longest there is

/// @param pad receives 1, 2, 3, ..., pad length and next header @param size octets of padding
/// @param nextHeader protocol of the payload
void
WriteTrailer(uint8_t* pad, uint32_t size, uint8_t nextHeader)
{
    for (uint32_t i = 0; i < size; ++i)
    {
        pad[i] = static_cast<uint8_t>(i + 1);
    }
    pad[size] = static_cast<uint8_t>(size);
    pad[size + 1] = nextHeader;
}

/**
 * @brief Look at the end of a payload in clear.
 * @param end behind the next header
 * @param shown octets before it that can be looked at
 * @param ciphered octets that the cipher worked on
 * @param head octets before them
 * @return where the payload is, or that the padding is bad
 */
EspOpened
ReadTrailer(const uint8_t* end, std::size_t shown, std::size_t ciphered, uint32_t head)
{
    EspOpened opened;
    const uint32_t size = end[-2];
    if (size + ESP_TRAILER_SIZE > ciphered)
    {
        opened.result = EspResult::BAD_PADDING;
        return opened;
    }
    for (uint32_t i = 0; i < std::min<std::size_t>(size, shown - ESP_TRAILER_SIZE); ++i)
    {
        if (end[-3 - static_cast<int>(i)] != size - i)
        {
            opened.result = EspResult::BAD_PADDING;
            return opened;
        }
    }
    opened.nextHeader = end[-1];
    opened.head = head;
    opened.payload = static_cast<uint32_t>(ciphered - size - ESP_TRAILER_SIZE);
    return opened;
}

/// @param result why a packet could not be opened @return that
EspOpened
Refused(EspResult result)
{
    EspOpened opened;
    opened.result = result;
    return opened;
}

/// @param given octets @param key of the key @param salt behind it @param whose which key it is
/// @return what is wrong with their number, or nothing
std::string
CheckKey(std::size_t given, std::size_t key, std::size_t salt, const std::string& whose)
{
    if (given == key + salt)
    {
        return "";
    }
    return "the " + whose + " has " + std::to_string(given) + " octets: give " +
           std::to_string(key) +
           (salt > 0 ? " of key and " + std::to_string(salt) + " of salt behind them" : "");
}

} // namespace

EspCodec::EspCodec(const EspTransform& transform, const EspKeys& keys, Mode mode, bool extended)
    : m_transform(&transform),
      m_mode(mode),
      m_extended(extended)
{
    const std::string fault = CheckKeys(transform, keys);
    NS_ABORT_MSG_IF(!fault.empty(), fault);
    if (mode == Mode::REAL)
    {
        NS_ABORT_MSG_UNLESS(HasReal(),
                            "this build of iwarp cannot encipher, since OpenSSL was not found: "
                            "install libssl-dev and configure again, or take modelled ESP");
        m_cryptography = std::make_unique<const EspCryptography>(transform, keys);
    }
    CryptoModelledTag key(transform.keySize);
    key.Cover(keys.cipher.data(), keys.cipher.size());
    key.Cover(keys.integrity.data(), keys.integrity.size());
    m_modelledKey = key.Get();
}

EspCodec::~EspCodec() = default;
EspCodec::EspCodec(EspCodec&&) noexcept = default;
EspCodec& EspCodec::operator=(EspCodec&&) noexcept = default;

bool
EspCodec::HasReal()
{
    return CryptoCipher::IsThere();
}

std::string
EspCodec::CheckKeys(const EspTransform& transform, const EspKeys& keys)
{
    const std::string fault = CheckKey(keys.cipher.size(),
                                       transform.keySize,
                                       transform.saltSize,
                                       "cipher key for " + transform.name);
    return fault.empty() ? CheckKey(keys.integrity.size(),
                                    transform.integrityKeySize,
                                    0,
                                    "integrity key for " + transform.name)
                         : fault;
}

const EspTransform&
EspCodec::GetTransform() const
{
    return *m_transform;
}

EspCodec::Mode
EspCodec::GetMode() const
{
    return m_mode;
}

uint32_t
EspCodec::GetHeadSize() const
{
    return ESP_HEADER_SIZE + m_transform->ivSize;
}

void
EspCodec::MakeIv(uint64_t sequence, uint8_t* iv) const
{
    std::array<uint8_t, EspCryptography::BLOCK> block{};
    boost::endian::store_big_u64(block.data() + 8, sequence);
    if (m_cryptography && m_transform->mode == EspMode::CBC)
    {
        m_cryptography->EncipherBlock(block.data());
    }
    std::copy(block.end() - m_transform->ivSize, block.end(), iv);
}

void
EspCodec::WriteHead(const EspFields& fields, const uint8_t* iv, uint8_t* head) const
{
    boost::endian::store_big_u32(head, fields.spi);
    boost::endian::store_big_u32(head + 4, static_cast<uint32_t>(fields.sequence));
    if (iv)
    {
        std::copy_n(iv, m_transform->ivSize, head + ESP_HEADER_SIZE);
    }
    else
    {
        MakeIv(fields.sequence, head + ESP_HEADER_SIZE);
    }
}

void
EspCodec::Seal(const EspFields& fields,
               const uint8_t* iv,
               const EspSizes& sizes,
               uint8_t* packet) const
{
    NS_ABORT_MSG_IF(m_mode != Mode::REAL, "a modelled codec enciphers nothing: SealModelled()");
    WriteHead(fields, iv, packet);
    uint8_t* tfc = packet + sizes.GetHead() + sizes.payload;
    std::fill_n(tfc, sizes.tfc, 0);
    WriteTrailer(tfc + sizes.tfc, sizes.pad, fields.nextHeader);
    const auto high = static_cast<uint32_t>(fields.sequence >> 32);
    m_cryptography->Protect(packet, sizes, m_extended ? &high : nullptr);
}

void
EspCodec::SealModelled(const EspFields& fields,
                       const EspSizes& sizes,
                       uint32_t digest,
                       uint8_t* head,
                       uint8_t* tail) const
{
    WriteHead(fields, nullptr, head);
    WriteTrailer(tail, sizes.pad, fields.nextHeader);
    const uint32_t clear = sizes.pad + ESP_TRAILER_SIZE;
    WriteModelledIcv(fields.sequence, head, sizes.GetCiphered(), tail, clear, digest, tail + clear);
}

void
EspCodec::WriteModelledIcv(uint64_t sequence,
                           const uint8_t* head,
                           std::size_t ciphered,
                           const uint8_t* tail,
                           std::size_t clear,
                           uint32_t digest,
                           uint8_t* icv) const
{
    CryptoModelledTag covered(m_modelledKey);
    covered.Cover(m_extended ? sequence >> 32 : 0);
    covered.Cover(static_cast<uint64_t>(ciphered) << 32 | digest);
    covered.Cover(head, GetHeadSize());
    covered.Cover(tail, clear);
    covered.Write(icv, m_transform->icvSize);
}

bool
EspCodec::IsWhole(std::size_t size) const
{
    const std::size_t around = GetHeadSize() + m_transform->icvSize;
    return size >= around + ESP_TRAILER_SIZE && (size - around) % m_transform->alignment == 0;
}

EspOpened
EspCodec::Open(uint64_t sequence, uint8_t* packet, std::size_t size) const
{
    NS_ABORT_MSG_IF(m_mode != Mode::REAL, "a modelled codec deciphers nothing: OpenModelled()");
    if (!IsWhole(size))
    {
        return Refused(EspResult::TRUNCATED);
    }
    const std::size_t ciphered = size - GetHeadSize() - m_transform->icvSize;
    const auto high = static_cast<uint32_t>(sequence >> 32);
    if (!m_cryptography->Open(packet, ciphered, m_extended ? &high : nullptr))
    {
        return Refused(EspResult::BAD_ICV);
    }
    return ReadTrailer(packet + GetHeadSize() + ciphered, ciphered, ciphered, GetHeadSize());
}

EspOpened
EspCodec::OpenModelled(uint64_t sequence,
                       const uint8_t* head,
                       const uint8_t* tail,
                       std::size_t size,
                       const std::function<uint32_t(uint32_t octets)>& digest) const
{
    if (!IsWhole(size))
    {
        return Refused(EspResult::TRUNCATED);
    }
    const std::size_t ciphered = size - GetHeadSize() - m_transform->icvSize;
    const std::size_t shown = std::min<std::size_t>(size, MAX_TAIL) - m_transform->icvSize;
    const uint8_t* end = tail + shown;
    // the length of the padding tells how far the payload goes; where it is wrong, so is the ICV
    const std::size_t clear = std::min<std::size_t>({end[-2] + ESP_TRAILER_SIZE, ciphered, shown});
    Icv icv;
    WriteModelledIcv(sequence,
                     head,
                     ciphered,
                     end - clear,
                     clear,
                     digest(static_cast<uint32_t>(ciphered - clear)),
                     icv.data());
    if (!std::equal(end, end + m_transform->icvSize, icv.begin()))
    {
        return Refused(EspResult::BAD_ICV);
    }
    return ReadTrailer(end, std::min(shown, ciphered), ciphered, GetHeadSize());
}

} // namespace ns3
