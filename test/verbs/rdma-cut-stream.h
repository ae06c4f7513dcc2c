/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CUT_STREAM_H
#define RDMA_CUT_STREAM_H

#include "../mpa/mpa-receiver-random.h"

#include "ns3/ddp-header.h"
#include "ns3/rdmap-header.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

/// What is wrong with a peer's stream, or how it ends.
enum class RdmaCutFault : uint8_t
{
    NONE,
    CRC,
    MARKER,
    SHORT_SEGMENT,
    EMPTY_ULPDU,
    DDP_VERSION,
    BAD_QN,
    NO_RECEIVE,
    MSN_AGAIN,
    MSN_SKIPPED,
    BAD_MO,
    TOO_LONG,
    BAD_STAG,
    OUT_OF_BOUNDS,
    TO_WRAP,
    RDMAP_VERSION,
    OPCODE,
    OPCODE_QUEUE,
    RESPONSE_UNASKED,
    RESPONSE_BOUNDS,
    RESPONSE_AGAIN,
    RESPONSE_SHORT,
    READ_STAG,
    READ_SIZE,
    ATOMIC_ALIGNMENT,
    INVALIDATED_AGAIN,
    INVALIDATED_WRITTEN,
    IMMEDIATE_SIZE,
    TERMINATE,
    FIN,
    FIN_IN_FPDU,
    KINDS, //!< how many there are
};

/// Where the host has what.
struct RdmaCutPlaces
{
    static constexpr uint32_t SPARES = 4; //!< regions that the peer may invalidate

    uint64_t base{0};                      //!< address of the host's memory
    uint32_t key{0};                       //!< its key
    std::array<uint32_t, SPARES> spares{}; //!< keys of those that the peer may invalidate
};

/// How a stream is made.
struct RdmaCutShape
{
    uint32_t seed{1};                       //!< of what is random
    RdmaCutFault fault{RdmaCutFault::NONE}; //!< what is wrong with it
    uint32_t before{2};                     //!< operations ahead of that
    uint32_t behind{2};                     //!< operations behind it
    uint32_t largest{64};                   //!< octets that an operation moves at most, below 1000
    bool markers{false};                    //!< Markers are in use
    bool crc{true};                         //!< the CRC is in use
    bool listens{false};                    //!< the host listens
    bool withReply{false};                  //!< FPDUs come directly behind the peer's Reply
};

/**
 * @ingroup iwarp-tests
 * What a peer sends, from its startup frame to its end.
 */
class RdmaCutStream
{
  public:
    using Octets = mpatest::Octets; //!< octets

    static constexpr uint32_t RECEIVE_SIZE = 1000; //!< octets of a posted receive
    static constexpr uint32_t READ_SIZE = 40;      //!< octets that the host reads at a time
    static constexpr uint32_t SPARE_SIZE = 0x1000; //!< octets of a region that may be invalidated
    static constexpr uint32_t WRITES = 0x20000;    //!< where RDMA Writes go
    static constexpr uint32_t SINKS = 0x60000;     //!< where the host's Reads go
    static constexpr uint32_t ATOMICS = 0x70000;   //!< where Atomics go
    static constexpr uint32_t SOURCE = 0x78000;    //!< what the peer reads
    static constexpr uint32_t HIGH = 0x80000;      //!< here and above: what lies behind the fault
    // kinds do not share places: with Markers, a Write may come to its place ahead of an Atomic or
    // a Send before it (RFC 5040 section 5.5, RFC 7306 section 5)
    static constexpr uint32_t HIGH_WRITES = 0x90000;  //!< where RDMA Writes behind the fault go
    static constexpr uint32_t HIGH_ATOMICS = 0xB0000; //!< where Atomics behind the fault go
    static constexpr uint32_t FAULT = 0xC0000;        //!< where segments with a fault go
    static constexpr uint32_t SPARE = 0xF0000;        //!< where the spare regions are

    /// @param shape how it is made @param places of the host
    RdmaCutStream(const RdmaCutShape& shape, const RdmaCutPlaces& places);

    /// @param id id of a receive, from 1 on @return where its buffer is
    uint32_t GetReceivePlace(uint32_t id) const;
    /// @param fault what may be wrong with a stream @return it is about the host's RDMA Reads
    static bool IsOfReads(RdmaCutFault fault);

    RdmaCutShape shape;         //!< how it was made
    Octets startup;             //!< the peer's startup frame
    Octets octets;              //!< FPDUs, perhaps the last without its end
    std::vector<uint32_t> ends; //!< where FPDUs end
    uint32_t receives{1};       //!< receives that the host posts
    uint32_t reads{0};          //!< RDMA Reads that the host posts
    bool fin{false};            //!< the peer ends TCP

  private:
    uint32_t Random(uint32_t below); //!< @param below bound @return a random number below it
    Octets Payload(uint32_t size);   //!< @param size octets @return random octets
    /// Append an FPDU. @param ulpdu what is in it
    void Post(const Octets& ulpdu);
    /// @param header DDP header @param payload octets behind it
    void Post(const ns3::DdpHeader& header, const Octets& payload);
    /// @param opcode opcode @return header of the first segment of the next untagged message
    ns3::DdpHeader Untagged(ns3::RdmapOpcode opcode);
    /// @param opcode opcode @param key STag @param at place in the host's memory @return header
    ns3::DdpHeader Tagged(ns3::RdmapOpcode opcode, uint32_t key, uint64_t at) const;
    uint32_t NextPlace(); //!< @return where the next RDMA Write goes

    void PostGood();                                      //!< an operation
    void PostSend();                                      //!< in one segment or two
    void PostWrite();                                     //!< in one segment or two
    void PostReadRequest(uint32_t key, uint32_t missing); //!< @param key STag @param missing octets
    void PostResponse();                                  //!< to the host's next Read
    void PostImmediate(uint32_t size);                    //!< @param size octets, 8 if it is good
    void PostAtomic(uint32_t shift);                      //!< @param shift octets it is off
    void PostInvalidate();                                //!< of the next spare region
    void PostInvalidated();                               //!< the same, unless all are invalidated
    void PostFault();                                     //!< what is wrong
    void PostMpaFault();                                  //!< an FPDU with a fault
    void PostDdpFault();                                  //!< a segment with a fault
    void PostRdmapFault();                                //!< a message with a fault

    RdmaCutPlaces m_places;           //!< of the host
    mpatest::Dice m_dice;             //!< random numbers
    bool m_behind{false};             //!< behind the fault
    std::array<uint32_t, 4> m_msns{}; //!< messages of each queue
    uint32_t m_firstBehind{0};        //!< first receive behind the fault
    uint32_t m_writes{0};             //!< RDMA Writes
    uint32_t m_requests{0};           //!< Reads and Atomics of the peer
    uint32_t m_spares{0};             //!< spare regions in use
};

#endif // RDMA_CUT_STREAM_H
