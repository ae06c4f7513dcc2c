/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-ike-computer.h"

#include "rnic-attribute.h"

#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("RnicIkeComputer");
NS_OBJECT_ENSURE_REGISTERED(RnicIkeComputer);

TypeId
RnicIkeComputer::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RnicIkeComputer")
                            .SetParent<IkeComputer>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<RnicIkeComputer>()
                            .AddAttribute("KeyPairTime",
                                          "Time of a CPU to make a Diffie-Hellman key pair.",
                                          TimeValue(Time(0)),
                                          rnic::MakeTimeAccessor(&RnicIkeComputer::m_keyPair),
                                          rnic::MakeTimeChecker())
                            .AddAttribute("SharedSecretTime",
                                          "Time of a CPU to find a Diffie-Hellman shared secret.",
                                          TimeValue(Time(0)),
                                          rnic::MakeTimeAccessor(&RnicIkeComputer::m_sharedSecret),
                                          rnic::MakeTimeChecker())
                            .AddAttribute("SignTime",
                                          "Time of a CPU to make a signature.",
                                          TimeValue(Time(0)),
                                          rnic::MakeTimeAccessor(&RnicIkeComputer::m_sign),
                                          rnic::MakeTimeChecker())
                            .AddAttribute("VerifyTime",
                                          "Time of a CPU to check a signature.",
                                          TimeValue(Time(0)),
                                          rnic::MakeTimeAccessor(&RnicIkeComputer::m_verify),
                                          rnic::MakeTimeChecker())
                            .AddAttribute("DeriveTime",
                                          "Time of a CPU to derive keys from a secret.",
                                          TimeValue(Time(0)),
                                          rnic::MakeTimeAccessor(&RnicIkeComputer::m_derive),
                                          rnic::MakeTimeChecker())
                            .AddAttribute("Cores",
                                          "CPUs that compute; each works on an exchange at a time.",
                                          UintegerValue(1),
                                          MakeUintegerAccessor(&RnicIkeComputer::m_cores),
                                          MakeUintegerChecker<uint32_t>(1, 1024));
    return tid;
}

std::vector<RnicFigure>
RnicIkeComputer::GetFigures()
{
    using Sure = RnicFigure::Sure;
    const char* const curve =
        "cycles of OpenSSL 3.1.1 on Skylake, lib25519.cr.yp.to/speed.html, at 3 GHz: ";
    auto cite = [curve](const char* cycles) { return std::string(curve) + cycles; };
    return {
        {"KeyPairTime", "44.7us", Sure::CITED, cite("X25519, key pair, 134236")},
        {"SharedSecretTime", "39.5us", Sure::CITED, cite("X25519, secret, 118455")},
        {"SignTime", "42us", Sure::CITED, cite("Ed25519, sign, 125875")},
        {"VerifyTime", "136.7us", Sure::CITED, cite("Ed25519, verify, 410016")},
        {"DeriveTime", "10us", Sure::ASSUMED, "a dozen runs of HMAC-SHA2-256"},
        {"Cores", "1", Sure::ASSUMED, "a daemon with one thread"},
    };
}

void
RnicIkeComputer::DoInitialize()
{
    RnicServerConfig config;
    config.engines = m_cores;
    m_server = RnicServer(config);
    IkeComputer::DoInitialize();
}

RnicTime
RnicIkeComputer::Sum(const IkeComputation& computation) const
{
    return computation.keyPairs * m_keyPair + computation.sharedSecrets * m_sharedSecret +
           computation.signatures * m_sign + computation.verifications * m_verify +
           computation.derivations * m_derive;
}

Time
RnicIkeComputer::GetWork(const IkeComputation& computation) const
{
    return FromRnicTime(Sum(computation));
}

Time
RnicIkeComputer::Compute(const IkeComputation& computation)
{
    NS_LOG_FUNCTION(this);
    Initialize(); // with the attributes as they are, if nobody has
    const RnicTime now = ToRnicTime(Simulator::Now());
    return FromRnicTime(m_server.Serve(now, 0, 1, Sum(computation)).departure - now);
}

const RnicServer&
RnicIkeComputer::GetServer() const
{
    return m_server;
}

} // namespace ns3
