/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-esp-profile.h"

#include "ns3/abort.h"
#include "ns3/string.h"

#include <algorithm>

namespace ns3
{
namespace
{

using Figures = std::vector<RnicFigure>;
using Sure = RnicFigure::Sure;

/// A profile.
struct EspProfile
{
    const char* name; //!< its name
    EspPlace place;   //!< where ESP is done
    Figures (*get)(); //!< its figures
};

const char* const CHELSIO_RATE =
    "the rate of its link: www.chelsio.com/crypto-solution says so of TLS";
const char* const CHELSIO_MEMORY = "contexts are in DDR memory of the adapter "
                                   "(www.chelsio.com/crypto-solution): about its latency";
const char* const NVIDIA_RATE =
    "the rate of its link; docs.nvidia.com, IPsec Crypto Offload, tells of a limit from 100 Gb/s "
    "on, and not of its figure";
const char* const NO_ESP_FIGURE = "no figure of this is public";
const char* const QAT =
    "50 Gb/s, of both ways together: linusgeek.blogspot.com, Introduction to QAT, 2021";
const char* const GCM = "0.64 cycles an octet at 3 GHz: N. Drucker, S. Gueron, V. Krasnov, Making "
                        "AES great again, 2018";
const char* const CBC =
    "one packet at a time, 5 times 0.88 cycles an octet at 3 GHz: A. Bogdanov, M. Lauridsen, "
    "E. Tischhauser, Comb to Pipeline, 2015";
const char* const CBC_BACK =
    "its blocks are independent: 0.88 cycles an octet at 3 GHz, as several packets at once in "
    "Comb to Pipeline, 2015";
const char* const CTR = "no slower than AES-GCM, which does more";
const char* const CHACHA = "1.5 cycles an octet at 3 GHz, with vectors of 256 bits";
const char* const SHA1 = "3 cycles an octet at 3 GHz, without instructions of its own";
const char* const SHA2 = "6.5 cycles an octet at 3 GHz, without instructions of its own";
const char* const KERNEL =
    "a CPU of an EPYC 9135 moves a flow of 3.3 Gb/s through a gateway (linux-ipsec.org, pCPU "
    "testing, July 2025); its packets are not told, here they have 1500 octets";

// @param what was measured @return where it is from
std::string
CiteCurve(const char* what)
{
    return "OpenSSL 3.1.1 on Skylake, doc/speed.md of lib25519-20230630, at 3 GHz: " +
           std::string(what);
}

// @param figures of one way, paths without a part @return the same of both ways
Figures
BothWays(const Figures& figures)
{
    Figures both;
    for (const char* stage : {"TxEsp.", "RxEsp."})
    {
        for (const auto& figure : figures)
        {
            both.push_back({stage + figure.path, figure.value, figure.sure, figure.source});
        }
    }
    return both;
}

// @param figures some @param more others @return all
Figures
Join(Figures figures, const Figures& more)
{
    figures.insert(figures.end(), more.begin(), more.end());
    return figures;
}

Figures
T6Like()
{
    return Join(BothWays({{"Rate", "100Gbps", Sure::ASSUMED, CHELSIO_RATE},
                          {"TimePerPacket", "20ns", Sure::ASSUMED, NO_ESP_FIGURE},
                          {"Latency", "500ns", Sure::ASSUMED, NO_ESP_FIGURE}}),
                {{"AssociationCache.Entries", "1024", Sure::ASSUMED, NO_ESP_FIGURE},
                 {"AssociationCache.Fetches", "8", Sure::ASSUMED, NO_ESP_FIGURE},
                 {"AssociationCache.MemoryLatency", "300ns", Sure::ASSUMED, CHELSIO_MEMORY}});
}

Figures
ConnectX6DxLike()
{
    return Join(BothWays({{"Rate", "100Gbps", Sure::ASSUMED, NVIDIA_RATE},
                          {"TimePerPacket", "10ns", Sure::ASSUMED, NO_ESP_FIGURE},
                          {"Latency", "400ns", Sure::ASSUMED, NO_ESP_FIGURE}}),
                {{"AssociationCache.Entries", "4096", Sure::ASSUMED, NO_ESP_FIGURE},
                 {"AssociationCache.EntrySize", "128", Sure::ASSUMED, NO_ESP_FIGURE},
                 {"AssociationCache.Fetches", "8", Sure::ASSUMED, NO_ESP_FIGURE}});
}

Figures
QatLike()
{
    return Join(BothWays({{"Rate", "50Gbps", Sure::CITED, QAT},
                          {"TimePerPacket", "50ns", Sure::ASSUMED, NO_ESP_FIGURE},
                          {"Spread", "true", Sure::ASSUMED, "requests name their session"},
                          {"Latency", "5us", Sure::ASSUMED, NO_ESP_FIGURE}}),
                {{"EspCore.Engines", "1", Sure::FITTED, QAT}});
}

Figures
AesNiLike()
{
    return Join(BothWays({{"TimePerPacket", "3300ns", Sure::ASSUMED, KERNEL},
                          {"AesGcmRate", "37.5Gbps", Sure::CITED, GCM},
                          {"AesCtrRate", "37.5Gbps", Sure::ASSUMED, CTR},
                          {"ChaCha20Poly1305Rate", "16Gbps", Sure::ASSUMED, CHACHA},
                          {"HmacSha1Rate", "8Gbps", Sure::ASSUMED, SHA1},
                          {"HmacSha2Rate", "3.7Gbps", Sure::ASSUMED, SHA2}}),
                {{"TxEsp.AesCbcRate", "5.45Gbps", Sure::CITED, CBC},
                 {"RxEsp.AesCbcRate", "27.3Gbps", Sure::ASSUMED, CBC_BACK}});
}

const std::vector<EspProfile>&
GetEspProfiles()
{
    static const std::vector<EspProfile> entries{
        {"inline", EspPlace::INLINE, [] { return Figures(); }},
        {"lookaside", EspPlace::LOOKASIDE, [] { return Figures(); }},
        {"software", EspPlace::SOFTWARE, [] { return Figures(); }},
        {"t6-like", EspPlace::INLINE, &T6Like},
        {"connectx6dx-like", EspPlace::INLINE, &ConnectX6DxLike},
        {"qat-like", EspPlace::LOOKASIDE, &QatLike},
        {"aesni-like", EspPlace::SOFTWARE, &AesNiLike},
    };
    return entries;
}

// @param name of a profile @return it, or nullptr
const EspProfile*
FindEspProfile(const std::string& name)
{
    const auto& entries = GetEspProfiles();
    const auto found =
        std::find_if(entries.begin(), entries.end(), [&name](const EspProfile& entry) {
            return entry.name == name;
        });
    return found == entries.end() ? nullptr : &*found;
}

// @param name of a profile @return it
const EspProfile&
GetEspProfile(const std::string& name)
{
    const EspProfile* entry = FindEspProfile(name);
    NS_ABORT_MSG_UNLESS(entry,
                        "there is no profile of ESP \"" << name
                                                        << "\"; RnicEspProfile::GetNames() tells");
    return *entry;
}

} // namespace

std::vector<std::string>
RnicEspProfile::GetNames()
{
    std::vector<std::string> names;
    for (const auto& entry : GetEspProfiles())
    {
        names.emplace_back(entry.name);
    }
    return names;
}

bool
RnicEspProfile::Has(const std::string& name)
{
    return FindEspProfile(name);
}

EspPlace
RnicEspProfile::GetPlace(const std::string& name)
{
    return GetEspProfile(name).place;
}

std::vector<RnicFigure>
RnicEspProfile::Get(const std::string& name)
{
    return GetEspProfile(name).get();
}

std::vector<RnicFigure>
RnicEspProfile::GetKeyExchange()
{
    return {
        {"exponentiation", "42.1us", Sure::CITED, CiteCurve("X25519, mean of key pair and secret")},
        {"signature", "89.3us", Sure::CITED, CiteCurve("Ed25519, mean of making and checking one")},
        {"handling", "10us", Sure::ASSUMED, "a dozen runs of HMAC-SHA2-256, and a packet"},
    };
}

std::string
RnicEspProfile::Apply(const std::string& name, RnicDesign& design)
{
    std::string problem = rnic::AddEsp(design, GetPlace(name));
    for (const auto& figure : Get(name))
    {
        problem = problem.empty() ? design.Set(figure.path, StringValue(figure.value)) : problem;
    }
    return problem;
}

} // namespace ns3
