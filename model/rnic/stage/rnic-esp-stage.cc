/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-esp-stage.h"

#include "ns3/boolean.h"
#include "ns3/rnic-association-cache.h"
#include "ns3/rnic-attribute.h"
#include "ns3/rnic-cpu.h"
#include "ns3/rnic-datapath.h"
#include "ns3/rnic-host-interface.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(RnicEspCore);
NS_OBJECT_ENSURE_REGISTERED(RnicEspStage);
NS_OBJECT_ENSURE_REGISTERED(RnicInlineEspStage);
NS_OBJECT_ENSURE_REGISTERED(RnicLookasideEspStage);
NS_OBJECT_ENSURE_REGISTERED(RnicSoftwareEspStage);

TypeId
RnicEspCore::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RnicEspCore")
            .SetParent<RnicPart>()
            .SetGroupName("Iwarp")
            .AddConstructor<RnicEspCore>()
            .AddAttribute(
                "Engines",
                "Crypto engines that both directions share; 0 where each has those of its "
                "stage.",
                UintegerValue(0),
                MakeUintegerAccessor(&RnicEspCore::m_count),
                MakeUintegerChecker<uint32_t>(0, 1024));
    return tid;
}

std::string
RnicEspCore::Check() const
{
    return "";
}

bool
RnicEspCore::IsIdeal() const
{
    return true; // what takes time is work of the stages
}

void
RnicEspCore::DoInitialize()
{
    RnicPart::DoInitialize();
    m_engines.resize(m_count);
}

RnicTime
RnicEspCore::Use(RnicTime now, RnicTime at, uint64_t engine, RnicTime work)
{
    return m_engines[engine % m_engines.size()].Reserve(now, at, work).end;
}

uint32_t
RnicEspCore::GetEngines() const
{
    return m_count;
}

RnicTime
RnicEspCore::GetBusy() const
{
    RnicTime busy = 0;
    for (const auto& engine : m_engines)
    {
        busy += engine.GetBusy();
    }
    return busy;
}

TypeId
RnicEspStage::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RnicEspStage")
            .SetParent<RnicStage>()
            .SetGroupName("Iwarp")
            .AddAttribute("TimePerPacket",
                          "Work for each packet, whatever is in it.",
                          TimeValue(Time(0)),
                          rnic::MakeTimeAccessor(&RnicEspStage::m_timePerPacket),
                          rnic::MakeTimeChecker())
            .AddAttribute("KeySetup",
                          "Work besides for a packet whose context had to be fetched; needs "
                          "AssociationCache.Entries.",
                          TimeValue(Time(0)),
                          rnic::MakeTimeAccessor(&RnicEspStage::m_keySetup),
                          rnic::MakeTimeChecker())
            .AddAttribute("Rate",
                          "Rate of an engine or a CPU for the octets between IV and ICV, whatever "
                          "the algorithms, whose own times come besides; 0 for no limit.",
                          DataRateValue(DataRate(0)),
                          rnic::MakeRateAccessor(&RnicEspStage::m_bitRate),
                          MakeDataRateChecker())
            .AddAttribute("AesGcmRate",
                          "As Rate, for AES-GCM with keys of 128 bits; longer ones take 12 or 14 "
                          "rounds instead of 10 (FIPS 197).",
                          DataRateValue(DataRate(0)),
                          rnic::MakeRateAccessor(&RnicEspStage::m_gcmBitRate),
                          MakeDataRateChecker())
            .AddAttribute("AesCbcRate",
                          "As AesGcmRate, for AES-CBC.",
                          DataRateValue(DataRate(0)),
                          rnic::MakeRateAccessor(&RnicEspStage::m_cbcBitRate),
                          MakeDataRateChecker())
            .AddAttribute("AesCtrRate",
                          "As AesGcmRate, for AES-CTR.",
                          DataRateValue(DataRate(0)),
                          rnic::MakeRateAccessor(&RnicEspStage::m_ctrBitRate),
                          MakeDataRateChecker())
            .AddAttribute("ChaCha20Poly1305Rate",
                          "As Rate, for ChaCha20-Poly1305.",
                          DataRateValue(DataRate(0)),
                          rnic::MakeRateAccessor(&RnicEspStage::m_chachaBitRate),
                          MakeDataRateChecker())
            .AddAttribute("HmacSha1Rate",
                          "As Rate, for HMAC-SHA1.",
                          DataRateValue(DataRate(0)),
                          rnic::MakeRateAccessor(&RnicEspStage::m_sha1BitRate),
                          MakeDataRateChecker())
            .AddAttribute("HmacSha2Rate",
                          "As Rate, for HMAC-SHA2 of any length.",
                          DataRateValue(DataRate(0)),
                          rnic::MakeRateAccessor(&RnicEspStage::m_sha2BitRate),
                          MakeDataRateChecker())
            .AddAttribute(
                "Spread",
                "Whether packets of an association go to any engine or CPU; otherwise to one only.",
                BooleanValue(false),
                MakeBooleanAccessor(&RnicEspStage::m_spread),
                MakeBooleanChecker());
    return tid;
}

RnicEspStage::RnicEspStage() = default;
RnicEspStage::~RnicEspStage() = default;

std::vector<uint64_t>
RnicEspStage::GetRates() const
{
    return {m_bitRate,
            m_gcmBitRate,
            m_cbcBitRate,
            m_ctrBitRate,
            m_chachaBitRate,
            m_sha1BitRate,
            m_sha2BitRate};
}

std::string
RnicEspStage::Check() const
{
    for (uint64_t rate : GetRates())
    {
        const std::string fault = RnicRate::Check(rate);
        if (!fault.empty())
        {
            return "ESP at " + fault;
        }
    }
    return m_keySetup > 0 && m_cache->IsIdeal()
               ? "KeySetup counts when a context is fetched: set AssociationCache.Entries"
               : "";
}

bool
RnicEspStage::IsIdeal() const
{
    return false; // the frame is another behind it
}

void
RnicEspStage::Bind(const RnicDatapath& path)
{
    m_cache = path.Get<RnicAssociationCache>("AssociationCache");
}

void
RnicEspStage::DoInitialize()
{
    RnicStage::DoInitialize();
    m_rates = {RnicRate(m_bitRate),
               RnicRate(m_gcmBitRate),
               RnicRate(m_cbcBitRate),
               RnicRate(m_ctrBitRate),
               RnicRate(m_chachaBitRate),
               RnicRate(m_sha1BitRate),
               RnicRate(m_sha2BitRate)};
    m_aheadRates = m_rates;
    RnicServerConfig config;
    config.engines = GetWorkers();
    m_ahead = RnicServer(config);
}

RnicTime
RnicEspStage::Rates::Serve(const EspWork& work)
{
    const uint64_t octets = work.ciphered;
    const RnicTime rounds = 6 + work.transform->keySize / 4; // of AES
    RnicTime time = any.Serve(octets);
    switch (work.transform->cipher)
    {
    case EspCipher::NULL_CIPHER:
        break;
    case EspCipher::AES_CBC:
        time += cbc.Serve(octets) * rounds / 10;
        break;
    case EspCipher::AES_CTR:
        time += ctr.Serve(octets) * rounds / 10;
        break;
    case EspCipher::AES_GCM:
        time += gcm.Serve(octets) * rounds / 10;
        break;
    case EspCipher::CHACHA20_POLY1305:
        time += chacha.Serve(octets);
        break;
    }
    switch (work.transform->integrity)
    {
    case EspIntegrity::NONE:
        break;
    case EspIntegrity::HMAC_SHA1_96:
        time += sha1.Serve(octets);
        break;
    case EspIntegrity::HMAC_SHA2_256_128:
    case EspIntegrity::HMAC_SHA2_384_192:
    case EspIntegrity::HMAC_SHA2_512_256:
        time += sha2.Serve(octets);
        break;
    }
    return time;
}

void
RnicEspStage::Serve(RnicSegment& segment)
{
    if (!segment.protection)
    {
        return;
    }
    RnicProtection& protection = *segment.protection;
    const RnicTime arrival = segment.time;
    const uint64_t misses = m_cache->GetMisses();
    const auto direction = protection.on ? EspDirection::INBOUND : EspDirection::OUTBOUND;
    const uint64_t key = RnicAssociationCache::GetKey(direction, protection.work.association);
    segment.time = m_cache->Fetch(segment.now, segment.time, key);
    m_statistics.contextWait += segment.time - arrival;
    const RnicTime work = m_timePerPacket + m_rates.Serve(protection.work) +
                          (m_cache->GetMisses() != misses ? m_keySetup : 0);
    Work(segment, work);
    protection.on = !protection.on;
    segment.frame = protection.frame;
    ++m_statistics.packets;
    m_statistics.octets += protection.work.ciphered;
    m_statistics.work += work;
    m_statistics.spent += segment.time - arrival;
}

RnicTime
RnicEspStage::Reserve(RnicSegment& segment)
{
    if (!segment.protection)
    {
        return segment.time;
    }
    const EspWork& work = segment.protection->work;
    m_ahead.Serve(segment.time, 0, 1, m_timePerPacket + m_aheadRates.Serve(work));
    segment.frame = segment.protection->frame;
    return m_ahead.GetFreeAt();
}

const RnicEspStage::Statistics&
RnicEspStage::GetStatistics() const
{
    return m_statistics;
}

bool
RnicEspStage::IsSpread() const
{
    return m_spread;
}

uint64_t
RnicEspStage::ChooseWorker(const RnicSegment& segment)
{
    return m_spread ? m_next++ : segment.protection->work.association;
}

void
RnicEspStage::KeepTurn(RnicSegment& segment)
{
    if (m_spread)
    {
        m_lastOut = segment.time = std::max(segment.time, m_lastOut);
    }
}

TypeId
RnicInlineEspStage::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::RnicInlineEspStage")
            .SetParent<RnicEspStage>()
            .SetGroupName("Iwarp")
            .AddConstructor<RnicInlineEspStage>()
            .AddAttribute("Engines",
                          "Engines of this direction; each works on a packet at a time. 1 where "
                          "EspCore.Engines are shared.",
                          UintegerValue(1),
                          MakeUintegerAccessor(&RnicInlineEspStage::m_engines),
                          MakeUintegerChecker<uint32_t>(1, 1024))
            .AddAttribute("Latency",
                          "Time that a packet spends in the stage besides; keeps no engine busy.",
                          TimeValue(Time(0)),
                          rnic::MakeTimeAccessor(&RnicInlineEspStage::m_latency),
                          rnic::MakeTimeChecker());
    return tid;
}

RnicInlineEspStage::RnicInlineEspStage() = default;
RnicInlineEspStage::~RnicInlineEspStage() = default;

std::string
RnicInlineEspStage::Check() const
{
    const std::string fault = RnicEspStage::Check();
    return fault.empty() && m_engines > 1 && m_core->GetEngines() > 0
               ? "Engines are those of one direction, and EspCore.Engines those of both: set one "
                 "of "
                 "them"
               : fault;
}

void
RnicInlineEspStage::Bind(const RnicDatapath& path)
{
    RnicEspStage::Bind(path);
    m_core = path.Get<RnicEspCore>("EspCore");
}

void
RnicInlineEspStage::DoInitialize()
{
    RnicEspStage::DoInitialize();
    RnicServerConfig config;
    config.latency = m_latency;
    config.engines = IsSpread() ? m_engines : 1;
    m_servers.assign(IsSpread() ? 1 : m_engines, RnicServer(config));
}

void
RnicInlineEspStage::Work(RnicSegment& segment, RnicTime work)
{
    if (m_core->GetEngines() > 0)
    {
        // the other direction books times to come, too: a queue would have this wait for them
        segment.time =
            m_core->Use(segment.now, segment.time, ChooseWorker(segment), work) + m_latency;
        KeepTurn(segment);
        return;
    }
    const EspWork& esp = segment.protection->work;
    RnicServer& server = m_servers[esp.association % m_servers.size()];
    segment.time = server.Serve(segment.time, esp.ciphered, 1, work).departure;
}

uint32_t
RnicInlineEspStage::GetWorkers() const
{
    return m_core->GetEngines() > 0 ? m_core->GetEngines() : m_engines;
}

TypeId
RnicLookasideEspStage::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RnicLookasideEspStage")
                            .SetParent<RnicInlineEspStage>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<RnicLookasideEspStage>();
    return tid;
}

RnicLookasideEspStage::RnicLookasideEspStage() = default;
RnicLookasideEspStage::~RnicLookasideEspStage() = default;

void
RnicLookasideEspStage::Bind(const RnicDatapath& path)
{
    RnicInlineEspStage::Bind(path);
    m_host = path.Get<RnicHostInterface>("HostInterface");
}

void
RnicLookasideEspStage::Work(RnicSegment& segment, RnicTime work)
{
    const EspWork& esp = segment.protection->work;
    const bool sealed = segment.protection->on;
    const uint32_t there = sealed ? esp.sealed : esp.clear;
    const uint32_t back = sealed ? esp.clear : esp.sealed;
    segment.time = m_host->GetVisible(m_host->Write(segment.now, segment.time, there));
    RnicInlineEspStage::Work(segment, work);
    segment.time = m_host->Read(segment.now, segment.time, back);
}

TypeId
RnicSoftwareEspStage::GetTypeId()
{
    static TypeId tid = TypeId("ns3::RnicSoftwareEspStage")
                            .SetParent<RnicEspStage>()
                            .SetGroupName("Iwarp")
                            .AddConstructor<RnicSoftwareEspStage>();
    return tid;
}

RnicSoftwareEspStage::RnicSoftwareEspStage() = default;
RnicSoftwareEspStage::~RnicSoftwareEspStage() = default;

std::string
RnicSoftwareEspStage::Check() const
{
    const std::string fault = RnicEspStage::Check();
    return fault.empty() && m_core->GetEngines() > 0
               ? "EspCore.Engines are those of an adapter, and CPUs do ESP here: set Cpu.Cores"
               : fault;
}

void
RnicSoftwareEspStage::Bind(const RnicDatapath& path)
{
    RnicEspStage::Bind(path);
    m_cpu = path.Get<RnicCpu>("Cpu");
    m_core = path.Get<RnicEspCore>("EspCore");
}

void
RnicSoftwareEspStage::Work(RnicSegment& segment, RnicTime work)
{
    segment.time = m_cpu->Use(segment.now, segment.time, ChooseWorker(segment), work);
    KeepTurn(segment);
}

uint32_t
RnicSoftwareEspStage::GetWorkers() const
{
    return m_cpu->GetCores();
}

} // namespace ns3
