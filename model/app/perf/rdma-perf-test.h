/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PERF_TEST_H
#define RDMA_PERF_TEST_H

#include "ns3/attribute.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-app
/// @brief The tests of the perftest suite, each named as its program (ib_send_bw, …).
enum class RdmaPerfTest : uint8_t
{
    SEND_BW,    //!< bandwidth of Sends
    SEND_LAT,   //!< half the round trip of two Sends
    WRITE_BW,   //!< bandwidth of RDMA Writes
    WRITE_LAT,  //!< half the round trip of two RDMA Writes, seen by polling memory
    READ_BW,    //!< bandwidth of RDMA Reads
    READ_LAT,   //!< time of an RDMA Read
    ATOMIC_BW,  //!< rate of Atomics
    ATOMIC_LAT, //!< time of an Atomic
};

/// @ingroup iwarp-app
/// @brief Which Atomic (perftest's --atomic_type).
enum class RdmaPerfAtomic : uint8_t
{
    FETCH_AND_ADD, //!< fetch and add
    CMP_AND_SWAP,  //!< compare and swap
};

/// @ingroup iwarp-app
/// @brief In which order the queue pairs of a bandwidth test send.
enum class RdmaPerfOrder : uint8_t
{
    TURN,   //!< each as its own messages complete; so with equal queue pairs mostly in turn
    RANDOM, //!< each message on one drawn at random, whenever one has ended anywhere
};

/// @ingroup iwarp-app
/// @brief How client and server of a test tell each other of it.
enum class RdmaPerfExchange : uint8_t
{
    PRIVATE_DATA, //!< in the private data of MPA's startup, and by a record of the simulation
    PERFTEST,     //!< as perftest's own programs do it, over a connection of its own
};

/// Check values of attributes that name a test, as perftest's programs without ib_. @return checker
Ptr<const AttributeChecker> RdmaPerfTestChecker();

/// Check values of attributes that say how a test is told of. @return checker
Ptr<const AttributeChecker> RdmaPerfExchangeChecker();

/// Get the octets of a message where none are asked for. @param test a test @return perftest's
/// default
uint32_t RdmaPerfDefaultSize(RdmaPerfTest test);

/// Tell latency from bandwidth. @param test a test @return true if it measures latency
bool RdmaPerfIsLatency(RdmaPerfTest test);

/**
 * @ingroup iwarp-app
 * @brief A test with its options; what the client's Request and the server's Reply carry as private
 * data. Each end says with it where its own memory is.
 */
struct RdmaPerfParameters
{
    static constexpr uint32_t SIZE = 64;          //!< octets of private data
    static constexpr uint32_t ALL_FIRST = 2;      //!< first of all sizes, octets
    static constexpr uint32_t ALL_LAST = 1 << 23; //!< last of all sizes, octets
    static constexpr uint32_t ALL_COUNT = 23;     //!< sizes, each twice the one before
    static constexpr uint32_t ATOMIC_SIZE = 8;    //!< octets of an Atomic
    static constexpr uint32_t LATENCY_SIZE = 2;   //!< perftest's default if it measures latency …
    static constexpr uint32_t BANDWIDTH_SIZE = 65536; //!< … and bandwidth, octets

    RdmaPerfTest test{RdmaPerfTest::SEND_BW};             //!< test
    RdmaPerfAtomic atomic{RdmaPerfAtomic::FETCH_AND_ADD}; //!< which Atomic
    bool bidirectional{false};                            //!< both ends send
    bool endless{false};                                  //!< until the client's time is up
    bool all{false};                                      //!< all sizes, one after the other
    uint32_t size{0};                                     //!< octets of a message, the first size
    uint64_t iterations{0};                               //!< messages a queue pair and direction
    uint32_t txDepth{1};                                  //!< most sends posted
    uint32_t rxDepth{1};                                  //!< receives posted, of the sender
    uint32_t cqMod{1};                                    //!< every so many sends are signaled
    uint32_t postList{1};                                 //!< sends posted at a time
    uint32_t inlineSize{0};                               //!< longest message sent inline, octets
    uint32_t outs{1};                                     //!< most Reads and Atomics under way
    uint32_t record{0};                                   //!< see RdmaPerfRecord

    uint32_t key{0};       //!< STag of the sender's memory
    uint64_t address{0};   //!< TO of its first octet
    uint32_t creditKey{0}; //!< STag of the memory for its credits

    uint32_t GetLargest() const; //!< Get the size of the longest message. @return octets

    /// Write them as private data. @return octets
    std::vector<uint8_t> Encode() const;

    /**
     * @brief Read them from private data.
     * @param octets private data
     * @param [out] parameters what they say
     * @return false if they are not those of these applications
     */
    static bool Decode(const std::vector<uint8_t>& octets, RdmaPerfParameters& parameters);
};

} // namespace ns3

#endif // RDMA_PERF_TEST_H
