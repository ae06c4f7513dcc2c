/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "crypto-cipher.h"
#include "crypto-hmac.h"

#ifdef IWARP_HAVE_OPENSSL
#include "ns3/abort.h"

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
struct OpensslRelease
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

/// @param result what a function of OpenSSL returned, which cannot fail if OpenSSL is whole
void
ExpectOpenssl(bool result)
{
    NS_ABORT_MSG_UNLESS(result,
                        "OpenSSL: " << ERR_error_string(ERR_get_error(), nullptr)
                                    << ": its library may lack this algorithm, see openssl list "
                                       "-cipher-algorithms");
}

/// libcrypto's cipher.
class OpensslCipher : public CryptoCipher
{
  public:
    OpensslCipher(const char* name, const uint8_t* key, Direction direction)
        : m_encrypts(direction == Direction::ENCRYPT),
          m_context(EVP_CIPHER_CTX_new())
    {
        const EVP_CIPHER* cipher = EVP_get_cipherbyname(name);
        const int encrypts = m_encrypts ? 1 : 0;
        EVP_CIPHER_CTX* context = m_context.get();
        ExpectOpenssl(cipher && context &&
                      EVP_CipherInit_ex(context, cipher, nullptr, key, nullptr, encrypts) == 1);
        EVP_CIPHER_CTX_set_padding(context, 0);
    }

    bool Process(const CryptoText& text) const override
    {
        EVP_CIPHER_CTX* context = m_context.get();
        const auto size = static_cast<int>(text.size);
        const auto tagSize = static_cast<int>(text.tagSize);
        int written = 0;
        ExpectOpenssl(EVP_CipherInit_ex(context, nullptr, nullptr, nullptr, text.iv, -1) == 1);
        if (text.associatedSize > 0)
        {
            const auto associated = static_cast<int>(text.associatedSize);
            ExpectOpenssl(
                EVP_CipherUpdate(context, nullptr, &written, text.associated, associated) == 1);
        }
        if (text.tag && !m_encrypts)
        {
            ExpectOpenssl(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, tagSize, text.tag) ==
                          1);
        }
        ExpectOpenssl(EVP_CipherUpdate(context, text.octets, &written, text.octets, size) == 1);
        if (!text.tag)
        {
            return true;
        }
        uint8_t none[EVP_MAX_BLOCK_LENGTH];
        const bool good = EVP_CipherFinal_ex(context, none, &written) == 1;
        if (m_encrypts)
        {
            ExpectOpenssl(good &&
                          EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, tagSize, text.tag) ==
                              1);
        }
        return good;
    }

  private:
    bool m_encrypts;                                           //!< which way
    std::unique_ptr<EVP_CIPHER_CTX, OpensslRelease> m_context; //!< the key, set up
};

/// libcrypto's HMAC.
class OpensslHmac : public CryptoHmac
{
  public:
    OpensslHmac(const char* name, const uint8_t* octets, std::size_t size)
        : m_keyed(EVP_MD_CTX_new()),
          m_work(EVP_MD_CTX_new())
    {
        const EVP_MD* hash = EVP_get_digestbyname(name);
        const std::unique_ptr<EVP_PKEY, OpensslRelease> key(
            EVP_PKEY_new_raw_private_key(EVP_PKEY_HMAC, nullptr, octets, size));
        ExpectOpenssl(hash && key && m_keyed && m_work &&
                      EVP_DigestSignInit(m_keyed.get(), nullptr, hash, nullptr, key.get()) == 1);
    }

    Value Compute(const uint8_t* octets,
                  std::size_t size,
                  const uint8_t* more,
                  std::size_t moreSize) const override
    {
        static_assert(MAX_SIZE == EVP_MAX_MD_SIZE, "the longest hash of OpenSSL's");
        Value value;
        std::size_t length = value.size();
        EVP_MD_CTX* work = m_work.get();
        ExpectOpenssl(EVP_MD_CTX_copy_ex(work, m_keyed.get()) == 1 &&
                      EVP_DigestSignUpdate(work, octets, size) == 1);
        if (moreSize > 0)
        {
            ExpectOpenssl(EVP_DigestSignUpdate(work, more, moreSize) == 1);
        }
        ExpectOpenssl(EVP_DigestSignFinal(work, value.data(), &length) == 1);
        return value;
    }

  private:
    std::unique_ptr<EVP_MD_CTX, OpensslRelease> m_keyed; //!< has seen the key alone
    std::unique_ptr<EVP_MD_CTX, OpensslRelease> m_work;  //!< its copy for some octets
};

} // namespace

bool
CryptoCipher::IsThere()
{
    return true;
}

std::unique_ptr<const CryptoCipher>
CryptoCipher::Create(const char* name, const uint8_t* key, Direction direction)
{
    return std::make_unique<const OpensslCipher>(name, key, direction);
}

std::unique_ptr<const CryptoHmac>
CryptoHmac::Create(const char* hash, const uint8_t* key, std::size_t size)
{
    return std::make_unique<const OpensslHmac>(hash, key, size);
}

#else

bool
CryptoCipher::IsThere()
{
    return false;
}

std::unique_ptr<const CryptoCipher>
CryptoCipher::Create(const char* /* name */, const uint8_t* /* key */, Direction /* direction */)
{
    return nullptr;
}

std::unique_ptr<const CryptoHmac>
CryptoHmac::Create(const char* /* hash */, const uint8_t* /* key */, std::size_t /* size */)
{
    return nullptr;
}

#endif

} // namespace ns3
