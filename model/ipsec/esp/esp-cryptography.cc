/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "esp-cryptography.h"

#include "esp-codec.h"

#ifdef IWARP_HAVE_OPENSSL
#include "ns3/abort.h"

#include <algorithm>
#include <array>
#include <boost/endian/conversion.hpp>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#endif

namespace ns3
{

#ifdef IWARP_HAVE_OPENSSL

namespace
{

/// Frees what OpenSSL made.
struct Release
{
    void operator()(EVP_CIPHER_CTX* context) const
    {
        EVP_CIPHER_CTX_free(context);
    }

    void operator()(EVP_MD_CTX* context) const
    {
        EVP_MD_CTX_free(context);
    }

    void operator()(EVP_PKEY* key) const
    {
        EVP_PKEY_free(key);
    }
};

using Cipher = std::unique_ptr<EVP_CIPHER_CTX, Release>; //!< a key set up for one direction
using KeyedHash = std::unique_ptr<EVP_MD_CTX, Release>;  //!< a keyed hash

/// @param result what a function of OpenSSL returned, which cannot fail if OpenSSL is whole
void
Expect(bool result)
{
    NS_ABORT_MSG_UNLESS(result,
                        "OpenSSL: " << ERR_error_string(ERR_get_error(), nullptr)
                                    << ": its library may lack this algorithm, see openssl list "
                                       "-cipher-algorithms");
}

/// libcrypto at work.
class OpensslCryptography : public EspCryptography
{
  public:
    OpensslCryptography(const EspTransform& transform, const EspKeys& keys);

    void Protect(uint8_t* packet, const EspSizes& sizes, const uint32_t* high) const override;
    bool Open(uint8_t* packet, std::size_t ciphered, const uint32_t* high) const override;
    void EncipherBlock(uint8_t* block) const override;

  private:
    /// @param key the cipher's @param encrypt which way @return the key, set up
    Cipher SetUp(const std::vector<uint8_t>& key, bool encrypt) const;
    /// @param context a key @param iv in the packet; starts the packet's octets
    void Start(EVP_CIPHER_CTX* context, const uint8_t* iv) const;
    /// @param context a key @param packet from the SPI on @param high upper half of the sequence
    /// number, or nullptr; shows a combined algorithm what it only authenticates
    void Associate(EVP_CIPHER_CTX* context, const uint8_t* packet, const uint32_t* high) const;
    /// @param packet from the SPI on @param size octets before the ICV @param high upper half of
    /// the sequence number, or nullptr @return the HMAC, of which the first octets are the ICV
    std::array<uint8_t, EVP_MAX_MD_SIZE> GetHmac(const uint8_t* packet,
                                                 std::size_t size,
                                                 const uint32_t* high) const;

    const EspTransform& m_transform; //!< cipher and integrity
    std::array<uint8_t, 4> m_salt{}; //!< begins each nonce
    Cipher m_encrypt;                //!< key for packets that go out
    Cipher m_decrypt;                //!< key for packets that come in
    Cipher m_block;                  //!< key for single blocks
    KeyedHash m_hmac;                //!< keyed hash that has seen nothing
    KeyedHash m_work;                //!< its copy for a packet
};

OpensslCryptography::OpensslCryptography(const EspTransform& transform, const EspKeys& keys)
    : m_transform(transform)
{
    if (transform.mode != EspMode::NONE)
    {
        std::copy_n(keys.cipher.begin() + transform.keySize, transform.saltSize, m_salt.begin());
        m_encrypt = SetUp(keys.cipher, true);
        m_decrypt = SetUp(keys.cipher, false);
    }
    if (transform.mode == EspMode::CBC)
    {
        m_block = SetUp(keys.cipher, true);
    }
    if (transform.integrity != EspIntegrity::NONE)
    {
        const EVP_MD* hash = EVP_get_digestbyname(transform.integrityNames.openssl);
        const std::unique_ptr<EVP_PKEY, Release> key(
            EVP_PKEY_new_raw_private_key(EVP_PKEY_HMAC,
                                         nullptr,
                                         keys.integrity.data(),
                                         keys.integrity.size()));
        m_hmac.reset(EVP_MD_CTX_new());
        m_work.reset(EVP_MD_CTX_new());
        Expect(hash && key && m_hmac && m_work &&
               EVP_DigestSignInit(m_hmac.get(), nullptr, hash, nullptr, key.get()) == 1);
    }
}

Cipher
OpensslCryptography::SetUp(const std::vector<uint8_t>& key, bool encrypt) const
{
    Cipher context(EVP_CIPHER_CTX_new());
    const EVP_CIPHER* cipher = EVP_get_cipherbyname(m_transform.cipherNames.openssl);
    Expect(
        cipher && context &&
        EVP_CipherInit_ex(context.get(), cipher, nullptr, key.data(), nullptr, encrypt ? 1 : 0) ==
            1);
    EVP_CIPHER_CTX_set_padding(context.get(), 0);
    return context;
}

void
OpensslCryptography::Start(EVP_CIPHER_CTX* context, const uint8_t* iv) const
{
    std::array<uint8_t, BLOCK> first{};
    auto end = std::copy_n(m_salt.begin(), m_transform.saltSize, first.begin());
    end = std::copy_n(iv, m_transform.ivSize, end);
    if (m_transform.mode == EspMode::COUNTER)
    {
        first.back() = 1; // the counter begins with 1 (RFC 3686 section 4)
    }
    Expect(EVP_CipherInit_ex(context, nullptr, nullptr, nullptr, first.data(), -1) == 1);
}

void
OpensslCryptography::Associate(EVP_CIPHER_CTX* context,
                               const uint8_t* packet,
                               const uint32_t* high) const
{
    // SPI and sequence number, its upper half between them (RFC 4106 section 5, RFC 7634
    // section 2.1)
    std::array<uint8_t, ESP_HEADER_SIZE + 4> header;
    auto end = std::copy_n(packet, 4, header.begin());
    if (high)
    {
        boost::endian::store_big_u32(&*end, *high);
        end += 4;
    }
    end = std::copy_n(packet + 4, 4, end);
    int written = 0;
    Expect(EVP_CipherUpdate(context,
                            nullptr,
                            &written,
                            header.data(),
                            static_cast<int>(end - header.begin())) == 1);
}

std::array<uint8_t, EVP_MAX_MD_SIZE>
OpensslCryptography::GetHmac(const uint8_t* packet, std::size_t size, const uint32_t* high) const
{
    std::array<uint8_t, EVP_MAX_MD_SIZE> hmac;
    std::size_t length = hmac.size();
    Expect(EVP_MD_CTX_copy_ex(m_work.get(), m_hmac.get()) == 1 &&
           EVP_DigestSignUpdate(m_work.get(), packet, size) == 1);
    if (high) // behind the packet (RFC 4303 section 2.2.1)
    {
        std::array<uint8_t, 4> octets;
        boost::endian::store_big_u32(octets.data(), *high);
        Expect(EVP_DigestSignUpdate(m_work.get(), octets.data(), octets.size()) == 1);
    }
    Expect(EVP_DigestSignFinal(m_work.get(), hmac.data(), &length) == 1);
    return hmac;
}

void
OpensslCryptography::Protect(uint8_t* packet, const EspSizes& sizes, const uint32_t* high) const
{
    uint8_t* text = packet + sizes.GetHead();
    const std::size_t covered = sizes.GetHead() + sizes.GetCiphered();
    uint8_t* icv = packet + covered;
    if (m_encrypt)
    {
        int written = 0;
        Start(m_encrypt.get(), packet + ESP_HEADER_SIZE);
        if (m_transform.IsCombined())
        {
            Associate(m_encrypt.get(), packet, high);
        }
        Expect(EVP_CipherUpdate(m_encrypt.get(),
                                text,
                                &written,
                                text,
                                static_cast<int>(sizes.GetCiphered())) == 1);
        if (m_transform.IsCombined())
        {
            Expect(EVP_CipherFinal_ex(m_encrypt.get(), icv, &written) == 1 &&
                   EVP_CIPHER_CTX_ctrl(m_encrypt.get(), EVP_CTRL_AEAD_GET_TAG, sizes.icv, icv) ==
                       1);
        }
    }
    if (m_hmac)
    {
        const auto hmac = GetHmac(packet, covered, high);
        std::copy_n(hmac.begin(), sizes.icv, icv);
    }
}

bool
OpensslCryptography::Open(uint8_t* packet, std::size_t ciphered, const uint32_t* high) const
{
    const std::size_t head = ESP_HEADER_SIZE + m_transform.ivSize;
    uint8_t* text = packet + head;
    uint8_t* icv = text + ciphered;
    if (m_hmac)
    {
        const auto hmac = GetHmac(packet, head + ciphered, high);
        if (CRYPTO_memcmp(hmac.data(), icv, m_transform.icvSize) != 0)
        {
            return false;
        }
    }
    if (!m_decrypt)
    {
        return true;
    }
    int written = 0;
    EVP_CIPHER_CTX* context = m_decrypt.get();
    Start(context, packet + ESP_HEADER_SIZE);
    if (m_transform.IsCombined())
    {
        Associate(context, packet, high);
        Expect(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, m_transform.icvSize, icv) == 1);
    }
    Expect(EVP_CipherUpdate(context, text, &written, text, static_cast<int>(ciphered)) == 1);
    std::array<uint8_t, BLOCK> none;
    return !m_transform.IsCombined() || EVP_CipherFinal_ex(context, none.data(), &written) == 1;
}

void
OpensslCryptography::EncipherBlock(uint8_t* block) const
{
    const std::array<uint8_t, BLOCK> zeros{};
    int written = 0;
    Expect(EVP_CipherInit_ex(m_block.get(), nullptr, nullptr, nullptr, zeros.data(), -1) == 1 &&
           EVP_CipherUpdate(m_block.get(), block, &written, block, BLOCK) == 1);
}

} // namespace

bool
EspCryptography::IsThere()
{
    return true;
}

std::unique_ptr<const EspCryptography>
EspCryptography::Create(const EspTransform& transform, const EspKeys& keys)
{
    return std::make_unique<const OpensslCryptography>(transform, keys);
}

#else

bool
EspCryptography::IsThere()
{
    return false;
}

std::unique_ptr<const EspCryptography>
EspCryptography::Create(const EspTransform& /* transform */, const EspKeys& /* keys */)
{
    return nullptr;
}

#endif

} // namespace ns3
