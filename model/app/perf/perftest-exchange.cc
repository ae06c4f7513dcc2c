/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "perftest-exchange.h"

#include "ns3/ddp-octets.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <cstring>

namespace ns3
{

namespace
{

constexpr uint32_t CYCLE_BUFFER_SIZE = 4096; // a page
constexpr uint32_t CACHE_LINE_SIZE = 64;
constexpr uint64_t LEAST_ITERATIONS = 5;
constexpr uint64_t MOST_ITERATIONS = 100000000;
constexpr uint32_t LARGEST_POWER = 1 << 24; // memory of that length is made
constexpr char PATH_MTU = '3';              // 1024 octets, which siw has too
constexpr char LEAST_MTU = '1';             // 256 octets
constexpr char MOST_MTU = '5';              // 4096 octets

/// @param test a test @return its steps
std::vector<PerftestStep>
StepsOf(RdmaPerfTest test)
{
    using Step = PerftestStep;
    std::vector<Step> steps{Step::VERSION,
                            Step::CYCLE_BUFFER,
                            Step::CACHE_LINE,
                            Step::MTU,
                            Step::SYNC,
                            Step::CONNECT,
                            Step::SYNC,
                            Step::MEMORY,
                            Step::MEMORY,
                            Step::MEMORY};
    std::vector<Step> rest{Step::MEMORY, Step::TEST, Step::CLOSE};
    if (test == RdmaPerfTest::WRITE_BW || test == RdmaPerfTest::READ_BW)
    {
        // the client alone knows what it measured
        rest = {Step::TEST,
                Step::MEMORY,
                Step::REPORT_SIZE,
                Step::REPORT_ITERATIONS,
                Step::REPORT_PEAK,
                Step::REPORT_AVERAGE,
                Step::REPORT_RATE,
                Step::CLOSE};
    }
    else if (test == RdmaPerfTest::WRITE_LAT)
    {
        rest = {Step::MEMORY, Step::TEST}; // both ends count the writes
    }
    steps.insert(steps.end(), rest.begin(), rest.end());
    steps.push_back(Step::END);
    return steps;
}

/// @param value number @return its octets, most significant first
template <typename T>
std::vector<uint8_t>
BigOctets(T value)
{
    std::vector<uint8_t> octets(sizeof(T));
    ddp::StoreBig<T>(octets.data(), value);
    return octets;
}

/// @param value number @return its octets as perftest sends them, the sign's first
std::vector<uint8_t>
DoubleOctets(double value)
{
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    return BigOctets(bits);
}

} // namespace

// ---- parts of messages --------------------------------------------------------------------------

std::vector<uint8_t>
PerftestDestination::Encode() const
{
    std::vector<uint8_t> octets(SIZE);
    ddp::StoreBig(&octets[READS], reads);
    ddp::StoreBig(&octets[PAIR], queuePair);
    ddp::StoreBig(&octets[KEY], key);
    ddp::StoreBig(&octets[ADDRESS], address);
    return octets;
}

PerftestDestination
PerftestDestination::Decode(const std::vector<uint8_t>& octets)
{
    PerftestDestination destination;
    destination.reads = ddp::LoadBig<uint32_t>(&octets[READS]);
    destination.queuePair = ddp::LoadBig<uint32_t>(&octets[PAIR]);
    destination.key = ddp::LoadBig<uint32_t>(&octets[KEY]);
    destination.address = ddp::LoadBig<uint64_t>(&octets[ADDRESS]);
    return destination;
}

uint32_t
PerftestCredit::GetInterval(uint32_t depth)
{
    return std::max(1U, depth / 3);
}

std::vector<uint8_t>
PerftestCredit::Encode(uint32_t received)
{
    std::vector<uint8_t> octets(SIZE);
    boost::endian::store_little_u32(octets.data(), received);
    return octets;
}

uint32_t
PerftestCredit::Decode(const uint8_t* octets)
{
    return boost::endian::load_little_u32(octets);
}

// ---- exchange -----------------------------------------------------------------------------------

PerftestExchange::PerftestExchange(RdmaPerfTest test,
                                   bool server,
                                   uint32_t size,
                                   uint64_t iterations)
    : m_server(server),
      m_size(size),
      m_iterations(iterations),
      m_steps(StepsOf(test)),
      m_cycleBuffer(CYCLE_BUFFER_SIZE)
{
}

std::string
PerftestExchange::Check(RdmaPerfTest test, uint64_t iterations)
{
    if (test == RdmaPerfTest::ATOMIC_BW || test == RdmaPerfTest::ATOMIC_LAT)
    {
        return "Exchange=Perftest has no Test=atomic_bw or atomic_lat: take Exchange=PrivateData";
    }
    if (iterations < LEAST_ITERATIONS || iterations > MOST_ITERATIONS)
    {
        return "Exchange=Perftest takes Iterations of " + std::to_string(LEAST_ITERATIONS) +
               " to " + std::to_string(MOST_ITERATIONS) + ", as perftest does, not " +
               std::to_string(iterations);
    }
    return "";
}

PerftestStep
PerftestExchange::GetStep() const
{
    return m_steps[m_step];
}

uint32_t
PerftestExchange::GetLength(PerftestStep step)
{
    switch (step)
    {
    case PerftestStep::VERSION:
        return 16;
    case PerftestStep::CYCLE_BUFFER:
    case PerftestStep::CACHE_LINE:
        return 4;
    case PerftestStep::MTU:
        return 2;
    case PerftestStep::SYNC:
    case PerftestStep::MEMORY:
    case PerftestStep::CLOSE:
        return PerftestDestination::SIZE;
    case PerftestStep::REPORT_SIZE:
    case PerftestStep::REPORT_ITERATIONS:
    case PerftestStep::REPORT_PEAK:
    case PerftestStep::REPORT_AVERAGE:
    case PerftestStep::REPORT_RATE:
        return 8;
    case PerftestStep::CONNECT:
    case PerftestStep::TEST:
    case PerftestStep::END:
        break;
    }
    return 0;
}

void
PerftestExchange::Next()
{
    m_step = std::min(m_step + 1, m_steps.size() - 1);
}

void
PerftestExchange::SetOwn(const PerftestDestination& own)
{
    m_own = own;
}

void
PerftestExchange::SetReport(const PerftestReport& report)
{
    m_report = report;
}

const PerftestDestination&
PerftestExchange::GetPeer() const
{
    return m_peer;
}

uint32_t
PerftestExchange::GetBuffer() const
{
    return std::max(m_size, m_cycleBuffer);
}

std::vector<uint8_t>
PerftestExchange::MakeMessage() const
{
    const PerftestStep step = GetStep();
    std::vector<uint8_t> octets(GetLength(step));
    switch (step)
    {
    case PerftestStep::VERSION:
        std::copy_n(VERSION, std::strlen(VERSION), octets.begin());
        break;
    case PerftestStep::CYCLE_BUFFER:
        return BigOctets(CYCLE_BUFFER_SIZE);
    case PerftestStep::CACHE_LINE:
        return BigOctets(CACHE_LINE_SIZE);
    case PerftestStep::MTU:
        octets[0] = PATH_MTU;
        break;
    case PerftestStep::MEMORY:
    case PerftestStep::CLOSE:
        return m_own.Encode();
    case PerftestStep::REPORT_SIZE:
        return BigOctets<uint64_t>(m_size);
    case PerftestStep::REPORT_ITERATIONS:
        return BigOctets(m_iterations);
    case PerftestStep::REPORT_PEAK:
        return DoubleOctets(m_report.peak);
    case PerftestStep::REPORT_AVERAGE:
        return DoubleOctets(m_report.average);
    case PerftestStep::REPORT_RATE:
        return DoubleOctets(m_report.rate);
    case PerftestStep::SYNC:
    case PerftestStep::CONNECT:
    case PerftestStep::TEST:
    case PerftestStep::END:
        break;
    }
    return octets;
}

std::string
PerftestExchange::Take(const std::vector<uint8_t>& octets)
{
    const PerftestStep step = GetStep();
    if (octets.size() != GetLength(step))
    {
        return "the peer sends a message of " + std::to_string(octets.size()) +
               " octets where perftest's exchange has " +
               (GetLength(step) > 0 ? "one of " + std::to_string(GetLength(step)) : "none") +
               ": do both ends run the same test?";
    }
    switch (step)
    {
    case PerftestStep::VERSION:
        return TakeVersion(octets);
    case PerftestStep::CYCLE_BUFFER:
    case PerftestStep::CACHE_LINE:
        return TakePower(octets);
    case PerftestStep::MTU:
        return octets[0] >= LEAST_MTU && octets[0] <= MOST_MTU && octets[1] == 0
                   ? ""
                   : "the peer's MTU is none of InfiniBand's";
    case PerftestStep::MEMORY:
        m_peer = PerftestDestination::Decode(octets);
        return "";
    case PerftestStep::REPORT_SIZE:
    case PerftestStep::REPORT_ITERATIONS:
        return TakeReport(octets);
    default:
        return "";
    }
}

std::string
PerftestExchange::TakeVersion(const std::vector<uint8_t>& octets) const
{
    const auto end = std::find(octets.begin(), octets.end(), 0);
    const std::string version(octets.begin(), end);
    const bool text = std::all_of(version.begin(), version.end(), [](char c) {
        return (c >= '0' && c <= '9') || c == '.';
    });
    if (!text || version.empty())
    {
        return "the peer does not begin with a version of perftest's exchange";
    }
    // perftest itself warns and goes on, into messages of other lengths
    return version == VERSION ? ""
                              : "the peer has version " + version +
                                    " of perftest's exchange, not " + VERSION + " as perftest 4.5";
}

std::string
PerftestExchange::TakePower(const std::vector<uint8_t>& octets)
{
    const auto value = ddp::LoadBig<uint32_t>(octets.data());
    if (value == 0 || value > LARGEST_POWER || (value & (value - 1)) != 0)
    {
        return "the peer's page or cache line has " + std::to_string(value) +
               " octets, no power of two up to 16 MiB";
    }
    if (GetStep() == PerftestStep::CYCLE_BUFFER)
    {
        m_cycleBuffer = std::max(m_cycleBuffer, value);
    }
    return "";
}

std::string
PerftestExchange::TakeReport(const std::vector<uint8_t>& octets) const
{
    const bool size = GetStep() == PerftestStep::REPORT_SIZE;
    const auto theirs = ddp::LoadBig<uint64_t>(octets.data());
    const uint64_t ours = size ? m_size : m_iterations;
    // perftest's server leaves what it answers to chance
    if (!m_server || theirs == ours)
    {
        return "";
    }
    return std::string("the client's ") + (size ? "Size" : "Iterations") + " is " +
           std::to_string(theirs) + ", and " + std::to_string(ours) +
           " here: perftest wants the same at both ends";
}

} // namespace ns3
