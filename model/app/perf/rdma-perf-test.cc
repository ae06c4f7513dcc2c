/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-perf-test.h"

#include "ns3/ddp-octets.h"
#include "ns3/ns3-compat.h"

namespace ns3
{

namespace
{

constexpr uint32_t PERF_MAGIC = 0x69775046; // "iwPF"
constexpr uint8_t FLAG_BIDIRECTIONAL = 1;   // of the flags octet
constexpr uint8_t FLAG_ENDLESS = 2;
constexpr uint8_t FLAG_ALL = 4;

/// Appends or reads big-endian numbers, one behind the other.
class Cursor
{
  public:
    /// @param octets where
    explicit Cursor(uint8_t* octets)
        : m_octets(octets)
    {
    }

    /// @param value to append
    template <typename T>
    void Put(T value)
    {
        ddp::StoreBig<T>(m_octets, value);
        m_octets += sizeof(T);
    }

  private:
    uint8_t* m_octets; //!< next
};

/// Reads big-endian numbers, one behind the other.
class Reader
{
  public:
    /// @param octets where
    explicit Reader(const uint8_t* octets)
        : m_octets(octets)
    {
    }

    /// @return the next number
    template <typename T>
    T Get()
    {
        const T value = ddp::LoadBig<T>(m_octets);
        m_octets += sizeof(T);
        return value;
    }

  private:
    const uint8_t* m_octets; //!< next
};

} // namespace

Ptr<const AttributeChecker>
RdmaPerfTestChecker()
{
    return iwarp::MakeEnumChecker(RdmaPerfTest::SEND_BW,
                                  "send_bw",
                                  RdmaPerfTest::SEND_LAT,
                                  "send_lat",
                                  RdmaPerfTest::WRITE_BW,
                                  "write_bw",
                                  RdmaPerfTest::WRITE_LAT,
                                  "write_lat",
                                  RdmaPerfTest::READ_BW,
                                  "read_bw",
                                  RdmaPerfTest::READ_LAT,
                                  "read_lat",
                                  RdmaPerfTest::ATOMIC_BW,
                                  "atomic_bw",
                                  RdmaPerfTest::ATOMIC_LAT,
                                  "atomic_lat");
}

Ptr<const AttributeChecker>
RdmaPerfExchangeChecker()
{
    return iwarp::MakeEnumChecker(RdmaPerfExchange::PRIVATE_DATA,
                                  "PrivateData",
                                  RdmaPerfExchange::PERFTEST,
                                  "Perftest");
}

uint32_t
RdmaPerfDefaultSize(RdmaPerfTest test)
{
    return RdmaPerfIsLatency(test) ? RdmaPerfParameters::LATENCY_SIZE
                                   : RdmaPerfParameters::BANDWIDTH_SIZE;
}

bool
RdmaPerfIsLatency(RdmaPerfTest test)
{
    return test == RdmaPerfTest::SEND_LAT || test == RdmaPerfTest::WRITE_LAT ||
           test == RdmaPerfTest::READ_LAT || test == RdmaPerfTest::ATOMIC_LAT;
}

uint32_t
RdmaPerfParameters::GetLargest() const
{
    return all ? ALL_LAST : size;
}

std::vector<uint8_t>
RdmaPerfParameters::Encode() const
{
    std::vector<uint8_t> octets(SIZE);
    Cursor cursor(octets.data());
    cursor.Put(PERF_MAGIC);
    cursor.Put(static_cast<uint8_t>(test));
    cursor.Put(static_cast<uint8_t>(atomic));
    cursor.Put(static_cast<uint8_t>((bidirectional ? FLAG_BIDIRECTIONAL : 0) |
                                    (endless ? FLAG_ENDLESS : 0) | (all ? FLAG_ALL : 0)));
    cursor.Put<uint8_t>(0);
    cursor.Put(size);
    cursor.Put(iterations);
    for (const uint32_t value : {txDepth, rxDepth, cqMod, postList, inlineSize, outs, record, key})
    {
        cursor.Put(value);
    }
    cursor.Put(address);
    cursor.Put(creditKey);
    return octets;
}

bool
RdmaPerfParameters::Decode(const std::vector<uint8_t>& octets, RdmaPerfParameters& parameters)
{
    if (octets.size() != SIZE)
    {
        return false;
    }
    Reader reader(octets.data());
    const bool ours = reader.Get<uint32_t>() == PERF_MAGIC;
    const auto test = reader.Get<uint8_t>();
    const auto atomic = reader.Get<uint8_t>();
    const auto flags = reader.Get<uint8_t>();
    reader.Get<uint8_t>();
    if (!ours || test > static_cast<uint8_t>(RdmaPerfTest::ATOMIC_LAT) ||
        atomic > static_cast<uint8_t>(RdmaPerfAtomic::CMP_AND_SWAP))
    {
        return false;
    }
    RdmaPerfParameters& p = parameters;
    p.test = static_cast<RdmaPerfTest>(test);
    p.atomic = static_cast<RdmaPerfAtomic>(atomic);
    p.bidirectional = (flags & FLAG_BIDIRECTIONAL) != 0;
    p.endless = (flags & FLAG_ENDLESS) != 0;
    p.all = (flags & FLAG_ALL) != 0;
    p.size = reader.Get<uint32_t>();
    p.iterations = reader.Get<uint64_t>();
    for (uint32_t* value :
         {&p.txDepth, &p.rxDepth, &p.cqMod, &p.postList, &p.inlineSize, &p.outs, &p.record, &p.key})
    {
        *value = reader.Get<uint32_t>();
    }
    p.address = reader.Get<uint64_t>();
    p.creditKey = reader.Get<uint32_t>();
    return p.size > 0 && p.txDepth > 0 && p.rxDepth > 0 && p.cqMod > 0 && p.postList > 0;
}

} // namespace ns3
