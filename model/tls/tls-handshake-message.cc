/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tls-handshake-message.h"

#include "tls-octet-writer.h"
#include "tls-record.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ns3
{

namespace
{

using Writer = TlsOctetWriter;
using Reader = TlsOctetReader;

// extensions (RFC 8446 section 4.2, RFC 8449, RFC 7685)
constexpr uint16_t SUPPORTED_GROUPS = 10;
constexpr uint16_t SIGNATURE_ALGORITHMS = 13;
constexpr uint16_t PADDING = 21;
constexpr uint16_t RECORD_SIZE_LIMIT = 28;
constexpr uint16_t PRE_SHARED_KEY = 41;
constexpr uint16_t SUPPORTED_VERSIONS = 43;
constexpr uint16_t PSK_KEY_EXCHANGE_MODES = 45;
constexpr uint16_t KEY_SHARE = 51;

constexpr uint16_t TLS_1_3 = 0x0304;
constexpr uint16_t X25519 = 29;
constexpr uint16_t ECDSA_P256 = 0x0403; // ecdsa_secp256r1_sha256
constexpr uint16_t RSA_PSS = 0x0804;    // rsa_pss_rsae_sha256
constexpr uint8_t PSK_DHE_KE = 1;
constexpr uint32_t EXTENSION_HEAD = 4;

/// @param to extensions @param type of another @param body octets of it
void
WriteExtension(Writer& to, uint16_t type, const TlsOctets& body)
{
    to.Number(type, 2).Vector(2, body);
}

/// @param share a key share @return KeyShareEntry
TlsOctets
WriteShare(const TlsRandom& share)
{
    return Writer().Number(X25519, 2).Vector(2, share).Get();
}

/// @param octets read @param[out] share octets of a key share @return whether it is one of X25519
bool
ReadShare(const TlsOctets& octets, TlsRandom& share)
{
    Reader reader(octets);
    const uint32_t group = reader.Number(2);
    const TlsOctets key = reader.Vector(2);
    if (!reader.IsGood() || group != X25519 || key.size() != share.size())
    {
        return false;
    }
    std::copy(key.begin(), key.end(), share.begin());
    return true;
}

/// @param tag of DER @param body octets @return an element of DER
TlsOctets
WriteDer(uint8_t tag, const TlsOctets& body)
{
    const auto size = static_cast<uint32_t>(body.size());
    Writer writer;
    writer.Number(tag, 1);
    if (size < 128)
    {
        writer.Number(size, 1);
    }
    else
    {
        const uint32_t octets = size < 256 ? 1 : size < 65536 ? 2 : 3;
        writer.Number(128 + octets, 1).Number(size, octets);
    }
    return writer.Add(body).Get();
}

/// @param parts elements of DER @return a SEQUENCE of them
TlsOctets
WriteSequence(const std::vector<TlsOctets>& parts)
{
    Writer writer;
    for (const auto& part : parts)
    {
        writer.Add(part);
    }
    return WriteDer(0x30, writer.Get());
}

/// @param serial octets of the serial number @param signature octets of that @return an X.509
/// certificate of a P-256 key, whose numbers mean nothing
TlsOctets
WriteCertificate(uint32_t serial, uint32_t signature)
{
    const TlsOctets ecdsaWithSha256{0x06, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2};
    const TlsOctets ecPublicKey{0x06, 7, 0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1};
    const TlsOctets prime256v1{0x06, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7};
    const std::string begin = "200101000000Z";
    const std::string end = "491231235959Z";
    const TlsOctets name = WriteSequence({});
    TlsOctets point(66, 1);
    point[0] = 0; // no unused bits
    point[1] = 4; // uncompressed
    TlsOctets bits(signature + 1, 1);
    bits[0] = 0;
    const TlsOctets version = WriteDer(0xa0, WriteDer(2, {2}));
    const TlsOctets validity = WriteSequence(
        {WriteDer(0x17, {begin.begin(), begin.end()}), WriteDer(0x17, {end.begin(), end.end()})});
    const TlsOctets key =
        WriteSequence({WriteSequence({ecPublicKey, prime256v1}), WriteDer(3, point)});
    const TlsOctets algorithm = WriteSequence({ecdsaWithSha256});
    const TlsOctets signedPart = WriteSequence(
        {version, WriteDer(2, TlsOctets(serial, 1)), algorithm, name, validity, name, key});
    return WriteSequence({signedPart, algorithm, WriteDer(3, bits)});
}

/// @param size octets, MIN_TLS_CERTIFICATE at least @return a certificate of them
TlsOctets
FitCertificate(uint32_t size)
{
    constexpr uint32_t most = 8; // octets that the lengths of DER can take more
    const auto least = static_cast<uint32_t>(WriteCertificate(1, 0).size());
    const uint32_t room = size - std::min(size, least);
    // where a length takes another octet, a longer serial number fills the gap
    for (uint32_t less = 0; less <= std::min(room, most); less++)
    {
        for (uint32_t serial = 1; serial <= most; serial++)
        {
            TlsOctets certificate = WriteCertificate(serial, room - less);
            if (certificate.size() == size)
            {
                return certificate;
            }
        }
    }
    return WriteCertificate(1, room);
}

/// What extensions say, of either hello or of EncryptedExtensions.
struct Extensions
{
    bool tls13{false};   //!< supported_versions names it
    bool shared{false};  //!< there is a key share
    bool good{true};     //!< all that is looked into can be read
    uint32_t limit{0};   //!< record_size_limit
    bool limited{false}; //!< there is one
    TlsRandom share{};   //!< octets of the key share
    bool hasPsk{false};  //!< there is a pre_shared_key
    TlsOctets psk;       //!< body of that
};

/// @param octets extensions @param hello of a client, whose extensions hold lists @return what they
/// say
Extensions
ReadExtensions(const TlsOctets& octets, bool hello)
{
    Extensions found;
    Reader reader(octets);
    while (reader.HasMore() && found.good)
    {
        const uint32_t type = reader.Number(2);
        const TlsOctets body = reader.Vector(2);
        Reader inner(body);
        switch (type)
        {
        case SUPPORTED_VERSIONS: {
            const TlsOctets versions = hello ? inner.Vector(1) : body;
            for (Reader each(versions); each.HasMore() && each.IsGood();)
            {
                found.tls13 = each.Number(2) == TLS_1_3 || found.tls13;
            }
            break;
        }
        case KEY_SHARE: {
            const TlsOctets shares = hello ? inner.Vector(2) : body;
            found.shared = ReadShare(shares, found.share);
            break;
        }
        case RECORD_SIZE_LIMIT:
            found.limit = inner.Number(2);
            found.limited = true;
            found.good = inner.IsWhole();
            break;
        case PRE_SHARED_KEY:
            found.psk = body;
            found.hasPsk = true;
            break;
        default:
            break;
        }
        found.good = found.good && inner.IsGood();
    }
    found.good = found.good && reader.IsGood();
    return found;
}

/// @param extensions read @return whether a limit of them may not be (RFC 8449 section 4)
bool
HasBadLimit(const Extensions& extensions)
{
    return extensions.limited && extensions.limit < tls::MIN_RECORD_SIZE_LIMIT;
}

} // namespace

// ---- messages in general ------------------------------------------------------------------------

TlsOctets
TlsHandshakeMessage::Write() const
{
    return Writer().Number(static_cast<uint8_t>(type), 1).Vector(3, body).Get();
}

void
TlsHandshakeReader::Add(const TlsOctets& octets)
{
    m_octets.insert(m_octets.end(), octets.begin(), octets.end());
}

bool
TlsHandshakeReader::Pop(TlsHandshakeMessage& message)
{
    Reader reader(m_octets);
    const auto type = static_cast<TlsHandshakeType>(reader.Number(1));
    TlsOctets body = reader.Vector(3);
    if (!reader.IsGood())
    {
        return false;
    }
    m_octets.erase(m_octets.begin(),
                   m_octets.begin() + TlsHandshakeMessage::HEAD +
                       static_cast<std::ptrdiff_t>(body.size()));
    message = {type, std::move(body)};
    return true;
}

bool
TlsHandshakeReader::IsEmpty() const
{
    return m_octets.empty();
}

bool
TlsHandshakeReader::IsTooLong() const
{
    Reader reader(m_octets);
    reader.Number(1);
    return reader.Number(3) > MAX_BODY;
}

// ---- hellos -------------------------------------------------------------------------------------

TlsHandshakeMessage
TlsClientHello::Write() const
{
    Writer offered;
    for (const uint16_t suite : suites)
    {
        offered.Number(suite, 2);
    }
    Writer extensions;
    const auto list = [](const TlsOctets& octets) { return Writer().Vector(2, octets).Get(); };
    WriteExtension(extensions, SUPPORTED_GROUPS, list(Writer().Number(X25519, 2).Get()));
    WriteExtension(extensions,
                   SIGNATURE_ALGORITHMS,
                   list(Writer().Number(ECDSA_P256, 2).Number(RSA_PSS, 2).Get()));
    WriteExtension(extensions, SUPPORTED_VERSIONS, Writer().Number(2, 1).Number(TLS_1_3, 2).Get());
    WriteExtension(extensions,
                   PSK_KEY_EXCHANGE_MODES,
                   Writer().Number(1, 1).Number(PSK_DHE_KE, 1).Get());
    WriteExtension(extensions, KEY_SHARE, list(WriteShare(share)));
    if (recordSizeLimit > 0)
    {
        WriteExtension(extensions, RECORD_SIZE_LIMIT, Writer().Number(recordSizeLimit, 2).Get());
    }
    Writer last; // pre_shared_key (section 4.2.11)
    if (!ticket.empty())
    {
        const auto identity = Writer().Vector(2, ticket).Number(0, 4).Get();
        const auto binders = Writer().Vector(1, TlsOctets(binder)).Get();
        WriteExtension(last, PRE_SHARED_KEY, Writer().Vector(2, identity).Vector(2, binders).Get());
    }
    Writer body;
    body.Number(tls::LEGACY_VERSION, 2).Add(random).Vector(1, session).Vector(2, offered.Get());
    body.Number(1, 1).Number(0, 1); // no compression
    const std::size_t whole = TlsHandshakeMessage::HEAD + body.Get().size() + 2 +
                              extensions.Get().size() + last.Get().size();
    if (whole + EXTENSION_HEAD <= size)
    {
        WriteExtension(extensions, PADDING, TlsOctets(size - whole - EXTENSION_HEAD));
    }
    body.Vector(2, extensions.Add(last.Get()).Get());
    return {TlsHandshakeType::CLIENT_HELLO, body.Get()};
}

TlsAlert
TlsClientHello::Read(const TlsOctets& body)
{
    Reader reader(body);
    reader.Number(2); // legacy_version says nothing
    const TlsOctets octets = reader.Octets(random.size());
    session = reader.Vector(1);
    const TlsOctets offered = reader.Vector(2);
    reader.Vector(1); // compression
    const TlsOctets rest = reader.HasMore() ? reader.Vector(2) : TlsOctets();
    const Extensions extensions = ReadExtensions(rest, true);
    if (!reader.IsWhole() || !extensions.good || session.size() > 32 || offered.size() % 2 != 0)
    {
        return TlsAlert::DECODE_ERROR;
    }
    if (!extensions.tls13)
    {
        return TlsAlert::PROTOCOL_VERSION;
    }
    if (HasBadLimit(extensions))
    {
        return TlsAlert::ILLEGAL_PARAMETER;
    }
    if (!extensions.shared)
    {
        return TlsAlert::HANDSHAKE_FAILURE; // there is no HelloRetryRequest
    }
    std::copy(octets.begin(), octets.end(), random.begin());
    suites.clear();
    for (Reader each(offered); each.HasMore();)
    {
        suites.push_back(static_cast<uint16_t>(each.Number(2)));
    }
    share = extensions.share;
    recordSizeLimit = static_cast<uint16_t>(extensions.limit);
    ticket.clear();
    if (extensions.hasPsk)
    {
        Reader psk(extensions.psk);
        const TlsOctets identities = psk.Vector(2);
        const TlsOctets binders = psk.Vector(2);
        Reader identity(identities);
        ticket = identity.Vector(2);
        binder = binders.empty() ? 0 : binders[0];
        if (!psk.IsWhole() || !identity.IsGood() || ticket.empty())
        {
            return TlsAlert::DECODE_ERROR;
        }
    }
    return TlsAlert::NONE;
}

TlsHandshakeMessage
TlsServerHello::Write() const
{
    Writer extensions;
    WriteExtension(extensions, SUPPORTED_VERSIONS, Writer().Number(TLS_1_3, 2).Get());
    WriteExtension(extensions, KEY_SHARE, WriteShare(share));
    if (resumed)
    {
        WriteExtension(extensions, PRE_SHARED_KEY, Writer().Number(0, 2).Get());
    }
    Writer body;
    body.Number(tls::LEGACY_VERSION, 2).Add(random).Vector(1, session).Number(suite, 2);
    body.Number(0, 1).Vector(2, extensions.Get());
    return {TlsHandshakeType::SERVER_HELLO, body.Get()};
}

TlsAlert
TlsServerHello::Read(const TlsOctets& body)
{
    Reader reader(body);
    reader.Number(2);
    const TlsOctets octets = reader.Octets(random.size());
    session = reader.Vector(1);
    suite = static_cast<uint16_t>(reader.Number(2));
    const uint32_t compression = reader.Number(1);
    const TlsOctets rest = reader.Vector(2);
    const Extensions extensions = ReadExtensions(rest, false);
    if (!reader.IsWhole() || !extensions.good)
    {
        return TlsAlert::DECODE_ERROR;
    }
    if (!extensions.tls13)
    {
        return TlsAlert::PROTOCOL_VERSION;
    }
    if (!extensions.shared || compression != 0)
    {
        return TlsAlert::ILLEGAL_PARAMETER;
    }
    std::copy(octets.begin(), octets.end(), random.begin());
    share = extensions.share;
    resumed = extensions.hasPsk;
    return TlsAlert::NONE;
}

// ---- what follows hellos ------------------------------------------------------------------------

TlsHandshakeMessage
MakeTlsEncryptedExtensions(uint16_t recordSizeLimit)
{
    Writer extensions;
    if (recordSizeLimit > 0)
    {
        WriteExtension(extensions, RECORD_SIZE_LIMIT, Writer().Number(recordSizeLimit, 2).Get());
    }
    return {TlsHandshakeType::ENCRYPTED_EXTENSIONS, Writer().Vector(2, extensions.Get()).Get()};
}

TlsAlert
ReadTlsEncryptedExtensions(const TlsOctets& body, uint16_t& recordSizeLimit)
{
    Reader reader(body);
    const TlsOctets octets = reader.Vector(2);
    const Extensions extensions = ReadExtensions(octets, false);
    if (!reader.IsWhole() || !extensions.good)
    {
        return TlsAlert::DECODE_ERROR;
    }
    recordSizeLimit = static_cast<uint16_t>(extensions.limit);
    return HasBadLimit(extensions) ? TlsAlert::ILLEGAL_PARAMETER : TlsAlert::NONE;
}

bool
IsTlsChainTaken(const std::vector<uint32_t>& sizes)
{
    uint64_t body = 4; // no context, and the length of the chain
    for (const uint32_t size : sizes)
    {
        body += 3 + size + 2; // its length, and that of no extensions
    }
    return body <= TlsHandshakeReader::MAX_BODY;
}

TlsHandshakeMessage
MakeTlsCertificates(const std::vector<uint32_t>& sizes)
{
    Writer chain;
    for (const uint32_t size : sizes)
    {
        chain.Vector(3, FitCertificate(size)).Number(0, 2); // no extensions
    }
    return {TlsHandshakeType::CERTIFICATE, Writer().Number(0, 1).Vector(3, chain.Get()).Get()};
}

TlsAlert
ReadTlsCertificates(const TlsOctets& body, uint32_t& count)
{
    Reader reader(body);
    reader.Vector(1);
    const TlsOctets chain = reader.Vector(3);
    Reader each(chain);
    for (count = 0; each.HasMore(); count++)
    {
        each.Vector(3);
        each.Vector(2);
    }
    return reader.IsWhole() && each.IsGood() && count > 0 ? TlsAlert::NONE : TlsAlert::DECODE_ERROR;
}

TlsHandshakeMessage
MakeTlsCertificateVerify(uint32_t signature)
{
    const uint16_t algorithm = signature < 128 ? ECDSA_P256 : RSA_PSS;
    return {TlsHandshakeType::CERTIFICATE_VERIFY,
            Writer().Number(algorithm, 2).Vector(2, TlsOctets(signature, 1)).Get()};
}

TlsAlert
ReadTlsCertificateVerify(const TlsOctets& body)
{
    Reader reader(body);
    reader.Number(2);
    reader.Vector(2);
    return reader.IsWhole() ? TlsAlert::NONE : TlsAlert::DECODE_ERROR;
}

TlsHandshakeMessage
MakeTlsTicket(uint8_t number, uint32_t size)
{
    constexpr uint32_t lifetime = 7200; // seconds
    Writer body;
    body.Number(lifetime, 4).Number(0, 4).Vector(1, Writer().Number(0, 4).Number(number, 4).Get());
    body.Vector(2, TlsOctets(size, 1)).Number(0, 2); // no extensions
    return {TlsHandshakeType::NEW_SESSION_TICKET, body.Get()};
}

TlsAlert
ReadTlsTicket(const TlsOctets& body)
{
    Reader reader(body);
    reader.Number(4);
    reader.Number(4);
    reader.Vector(1);
    const bool empty = reader.Vector(2).empty();
    reader.Vector(2);
    return reader.IsWhole() && !empty ? TlsAlert::NONE : TlsAlert::DECODE_ERROR;
}

TlsHandshakeMessage
MakeTlsKeyUpdate(bool requested)
{
    return {TlsHandshakeType::KEY_UPDATE, {static_cast<uint8_t>(requested ? 1 : 0)}};
}

TlsAlert
ReadTlsKeyUpdate(const TlsOctets& body, bool& requested)
{
    if (body.size() != 1)
    {
        return TlsAlert::DECODE_ERROR;
    }
    requested = body[0] == 1;
    return body[0] > 1 ? TlsAlert::ILLEGAL_PARAMETER : TlsAlert::NONE;
}

} // namespace ns3
