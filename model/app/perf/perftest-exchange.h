/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PERFTEST_EXCHANGE_H
#define PERFTEST_EXCHANGE_H

#include "rdma-perf-test.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-app
 * @brief What both ends of ib_{send,write,read}_{bw,lat} -R do, one after the other, as
 * perftest 4.5 does it over iWARP.
 *
 * From VERSION to MEMORY, and from REPORT_SIZE on, a step is a Send of the client over the first
 * connection, which the server answers by one of the same length.
 */
enum class PerftestStep : uint8_t
{
    VERSION,           //!< 16 octets: version of the exchange, text
    CYCLE_BUFFER,      //!< 4: octets of memory that a test goes round in, at least
    CACHE_LINE,        //!< 4: octets of a line of the cache
    MTU,               //!< 2: InfiniBand's number of a path MTU, text
    SYNC,              //!< 56: a struct pingpong_dest of zeros
    CONNECT,           //!< the second connection is made, which is measured
    MEMORY,            //!< 56: a struct pingpong_dest, PerftestDestination
    TEST,              //!< messages go over the second connection
    REPORT_SIZE,       //!< 8: octets of a message of the test
    REPORT_ITERATIONS, //!< 8: messages of the test
    REPORT_PEAK,       //!< 8: peak, MiB/s, a double
    REPORT_AVERAGE,    //!< 8: average, MiB/s, a double
    REPORT_RATE,       //!< 8: million messages/s, a double
    CLOSE,             //!< 56: a struct pingpong_dest; the test is over at the client
    END,               //!< nothing more is to come
};

/// @ingroup iwarp-app
/// @brief What perftest's struct pingpong_dest tells of an end, as far as iWARP makes use of it.
struct PerftestDestination
{
    static constexpr uint32_t SIZE = 56;    //!< octets of the struct
    static constexpr uint32_t READS = 4;    //!< where in it the number of RDMA Reads is
    static constexpr uint32_t PAIR = 8;     //!< where the queue pair's number is
    static constexpr uint32_t KEY = 16;     //!< where the STag is
    static constexpr uint32_t ADDRESS = 24; //!< where the TO is

    uint32_t reads{1};     //!< RDMA Reads under way at a time
    uint32_t queuePair{0}; //!< number of the queue pair that is measured
    uint32_t key{0};       //!< STag of the memory that the peer writes or reads
    uint64_t address{0};   //!< TO of its first octet

    /// Write them as perftest does, with zeros for what iWARP has no use for. @return octets
    std::vector<uint8_t> Encode() const;
    /// Read them. @param octets SIZE octets @return what they tell
    static PerftestDestination Decode(const std::vector<uint8_t>& octets);
};

/// @ingroup iwarp-app
/// @brief What the client of ib_write_bw and ib_read_bw tells the server that it has measured.
struct PerftestReport
{
    double peak{0};    //!< MiB/s
    double average{0}; //!< MiB/s
    double rate{0};    //!< million messages/s
};

/// @ingroup iwarp-app
/// @brief How the server of ib_send_bw tells the client which of its messages have come: it writes
/// their number to the client's memory.
struct PerftestCredit
{
    static constexpr uint32_t SIZE = 4; //!< octets, little-endian as on the hosts perftest runs on

    /// Tell after how many messages the number is written. @param depth receives that the server
    /// has posted @return messages; the number is written after the last one, too
    static uint32_t GetInterval(uint32_t depth);
    /// Write a number. @param received messages @return SIZE octets
    static std::vector<uint8_t> Encode(uint32_t received);
    /// Read a number. @param octets SIZE of them @return messages
    static uint32_t Decode(const uint8_t* octets);
};

/**
 * @ingroup iwarp-app
 * @brief One end's place in perftest's exchange: what it sends, and whether what comes makes sense.
 *
 * It knows no connections. At a step with a message the client sends MakeMessage(), checks
 * the answer by Take() and goes on by Next(); the server checks the client's message by Take(),
 * answers by MakeMessage() and goes on. At the others Next() is called when they are over.
 */
class PerftestExchange
{
  public:
    static constexpr const char* VERSION = "6.06"; //!< of the exchange, perftest 4.5's

    /**
     * @brief Begin.
     * @param test test that goes by it, see Check()
     * @param server this end is the server
     * @param size octets of a message, of this end
     * @param iterations messages, of this end
     */
    PerftestExchange(RdmaPerfTest test, bool server, uint32_t size, uint64_t iterations);

    /**
     * @brief Check that a test can go by it.
     * @param test a test
     * @param iterations its messages
     * @return "", or what is wrong, in words
     */
    static std::string Check(RdmaPerfTest test, uint64_t iterations);

    PerftestStep GetStep() const; //!< Get the step at hand. @return step
    /// Tell the octets of the messages of a step. @param step step @return octets; 0 of those
    /// without
    static uint32_t GetLength(PerftestStep step);
    void Next(); //!< Go on to the next step.

    void SetOwn(const PerftestDestination& own);  //!< Tell of this end. @param own its memory
    void SetReport(const PerftestReport& report); //!< Tell the result. @param report of the client
    const PerftestDestination& GetPeer() const;   //!< Get what the peer tells. @return its memory
    uint32_t GetBuffer() const; //!< Get the memory to tell the peer of, at least. @return octets

    /// Make this end's message of the step at hand. @return octets
    std::vector<uint8_t> MakeMessage() const;
    /// Look at the peer's message of the step at hand, and remember what it tells. @param octets
    /// its octets @return "", or what is wrong with it, in words
    std::string Take(const std::vector<uint8_t>& octets);

  private:
    /// @param octets of VERSION @return "", or what is wrong
    std::string TakeVersion(const std::vector<uint8_t>& octets) const;
    /// @param octets of CYCLE_BUFFER or CACHE_LINE @return "", or what is wrong
    std::string TakePower(const std::vector<uint8_t>& octets);
    /// @param octets of REPORT_SIZE or REPORT_ITERATIONS @return "", or what is wrong
    std::string TakeReport(const std::vector<uint8_t>& octets) const;

    bool m_server;                     //!< this end is the server
    uint32_t m_size;                   //!< octets of a message
    uint64_t m_iterations;             //!< messages
    std::vector<PerftestStep> m_steps; //!< all steps, in turn
    std::size_t m_step{0};             //!< the one at hand
    uint32_t m_cycleBuffer;            //!< as both ends want it
    PerftestDestination m_own;         //!< of this end
    PerftestDestination m_peer;        //!< of the peer
    PerftestReport m_report;           //!< of the client
};

} // namespace ns3

#endif // PERFTEST_EXCHANGE_H
