/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LIVE_CONFORMANCE_CASES_H
#define LIVE_CONFORMANCE_CASES_H

#include "ns3/ddp-header.h"
#include "ns3/mpa-enhanced.h"
#include "ns3/mpa-fpdu.h"
#include "ns3/mpa-startup-frame.h"
#include "ns3/rdmap-header.h"
#include "ns3/util-crc32c.h"

#include <boost/endian/conversion.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace live
{

using Octets = std::vector<uint8_t>; //!< of a stream

/// Memory of the endpoint, of which its private data tell.
struct Target
{
    uint64_t address{0}; //!< of the first octet
    uint32_t key{0};     //!< STag
    uint32_t length{0};  //!< octets
};

/// What a peer sends that is wrong, or odd, and what an endpoint is to do about it.
struct ConformanceCase
{
    std::string name;                              //!< by which it is chosen
    std::string requirements;                      //!< ids of the catalogues, see doc/requirements
    std::string expected;                          //!< outcome that the RFC asks for
    std::function<Octets(const Target&)> ulpdu{};  //!< sent once the connection is there
    std::function<void(Octets&)> spoil{};          //!< what becomes of the kit's startup frame
    std::function<void(Octets&, uint32_t)> bend{}; //!< of the FPDU, at a position (mpa-marker.h)
    bool markers{false}; //!< is about Markers that the kit sends, if the endpoint asks for them
};

namespace conformance
{

/// @param ulpdu it @param position of the FPDU in the stream @param markers whether the stream has
/// Markers @return the FPDU, with a CRC
inline Octets
MakeFpdu(const Octets& ulpdu, uint32_t position, bool markers)
{
    const auto size = static_cast<uint32_t>(ulpdu.size());
    Octets out(ns3::mpa::WireSize(size, position, markers));
    ns3::mpa::EncodeFpdu(out.data(), ulpdu.data(), size, nullptr, 0, position, {markers, true});
    return out;
}

/// Change the first Marker of an FPDU, which then has the CRC of what it is.
/// @param change gets the Marker's reserved half and its pointer @return what bends the FPDU
inline std::function<void(Octets&, uint32_t)>
BendMarker(const std::function<void(uint16_t&, uint16_t&)>& change)
{
    return [change](Octets& fpdu, uint32_t position) {
        uint8_t* const marker = &fpdu[ns3::mpa::DistanceToMarker(position)];
        uint16_t reserved = boost::endian::load_big_u16(marker);
        uint16_t pointer = boost::endian::load_big_u16(marker + 2);
        change(reserved, pointer);
        boost::endian::store_big_u16(marker, reserved);
        boost::endian::store_big_u16(marker + 2, pointer);
        const std::size_t covered = fpdu.size() - ns3::mpa::CRC_SIZE;
        ns3::iwarp::Crc32c crc;
        crc.Update(fpdu.data(), covered);
        crc.Write(&fpdu[covered]);
    };
}

/// @param header of a DDP Segment @param payload octets behind it @return the segment
inline Octets
MakeSegment(const ns3::DdpHeader& header, const Octets& payload)
{
    Octets ulpdu(header.GetSize());
    header.Write(ulpdu.data());
    ulpdu.insert(ulpdu.end(), payload.begin(), payload.end());
    return ulpdu;
}

/// @param opcode of RDMAP, any @param msn number of the message @return header of a whole Untagged
/// message to the queue of Sends
inline ns3::DdpHeader
MakeUntagged(uint8_t opcode, uint32_t msn)
{
    ns3::RdmapControl control;
    control.opcode = opcode;
    ns3::DdpHeader header;
    header.last = true;
    header.ulpControl = control.Encode();
    header.msn = msn;
    return header;
}

/// @param stag of it @param to offset of the first octet @return header of an RDMA Write
inline ns3::DdpHeader
MakeWrite(uint32_t stag, uint64_t to)
{
    ns3::DdpHeader header;
    header.tagged = true;
    header.last = true;
    header.ulpControl = ns3::RdmapControl(ns3::RdmapOpcode::WRITE).Encode();
    header.stag = stag;
    header.to = to;
    return header;
}

/// @param stag of the source @param to offset of the source @param size octets
/// @param queue queue that it goes to @return an RDMA Read Request
inline Octets
MakeRead(uint32_t stag, uint64_t to, uint32_t size, uint32_t queue = ns3::rdmap::QN_READ_REQUEST)
{
    auto header = MakeUntagged(static_cast<uint8_t>(ns3::RdmapOpcode::READ_REQUEST),
                               queue == ns3::rdmap::QN_READ_REQUEST ? 1 : 2);
    header.qn = queue;
    ns3::RdmapReadRequest request;
    request.sinkStag = 0x100;
    request.size = size;
    request.srcStag = stag;
    request.srcTo = to;
    Octets payload(ns3::rdmap::READ_REQUEST_SIZE);
    request.Write(payload.data());
    return MakeSegment(header, payload);
}

/// @param stag of the word @param to offset of the word @return an Atomic Request that adds 1
inline Octets
MakeAtomic(uint32_t stag, uint64_t to)
{
    auto header = MakeUntagged(static_cast<uint8_t>(ns3::RdmapOpcode::ATOMIC_REQUEST), 1);
    header.qn = ns3::rdmap::QN_READ_REQUEST;
    ns3::RdmapAtomicRequest request;
    request.opcode = static_cast<uint8_t>(ns3::RdmapAtomicOpcode::FETCH_ADD);
    request.stag = stag;
    request.to = to;
    request.data = 1;
    Octets payload(ns3::rdmap::ATOMIC_REQUEST_SIZE);
    request.Write(payload.data());
    return MakeSegment(header, payload);
}

/// Have a Request ask for RFC 6581, with an IRD and an ORD of 4. @param frame of revision 1
inline void
Enhance(Octets& frame)
{
    ns3::MpaStartupFrame request;
    ns3::MpaStartupFrame::Decode(frame.data(), frame.size(), false, request);
    ns3::MpaEnhancedWord word;
    word.ird = word.ord = 4;
    request.revision = 2;
    request.reserved |= ns3::MpaStartupFrame::ENHANCED;
    request.privateData.insert(request.privateData.begin(), ns3::MpaEnhancedWord::SIZE, 0);
    word.Encode(request.privateData.data());
    frame = request.Encode();
}

constexpr std::size_t FLAGS = 16; //!< octet of a startup frame that has M, C, R and S
constexpr uint8_t MARKERS = 0x80; //!< M
constexpr uint8_t CRC = 0x40;     //!< C
constexpr uint8_t REJECT = 0x20;  //!< R

/// Have a startup frame ask for Markers. @param frame it
inline void
AskForMarkers(Octets& frame)
{
    frame[FLAGS] |= MARKERS;
}

/// Have a startup frame say that it has 513 octets of private data, and have them. @param frame it
inline void
Lengthen(Octets& frame)
{
    frame[18] = 513 >> 8;
    frame[19] = 513 & 0xff;
    frame.resize(ns3::MpaStartupFrame::HEADER_SIZE + 513);
}

/// @param change what is done to the header of a Send, the second message @param octets of payload
/// @return the Send
inline std::function<Octets(const Target&)>
SpoilSend(const std::function<void(ns3::DdpHeader&)>& change, uint32_t octets = 4)
{
    return [change, octets](const Target&) {
        auto header = MakeUntagged(static_cast<uint8_t>(ns3::RdmapOpcode::SEND), 2);
        change(header);
        return MakeSegment(header, Octets(octets));
    };
}

/// @param change what is done to the header of an RDMA Write of 8 octets into the target
/// @return the Write
inline std::function<Octets(const Target&)>
SpoilWrite(const std::function<void(ns3::DdpHeader&, const Target&)>& change)
{
    return [change](const Target& target) {
        auto header = MakeWrite(target.key, target.address);
        change(header, target);
        return MakeSegment(header, Octets(8));
    };
}

constexpr uint32_t NO_QUEUE = 77;   //!< number of a queue that no endpoint has
constexpr uint32_t TURN = 0xabcd00; //!< of a key, into one that is not there

} // namespace conformance

/**
 * List the cases, each a connection of its own. The endpoint has accepted a Send, MSN 1, before it
 * gets what is wrong; its receives are of 65536 octets at most.
 */
inline std::vector<ConformanceCase>
ListConformanceCases()
{
    using namespace conformance;
    using ns3::DdpHeader;
    using ns3::RdmapOpcode;
    const std::string accepted = "accepted";
    const std::string closed = "closed";
    const auto header = [](std::function<void(DdpHeader&)> change) { return SpoilSend(change); };
    const auto send = [](uint32_t octets) { return SpoilSend([](DdpHeader&) {}, octets); };
    const auto turnIntoImmediate = [](DdpHeader& send) {
        send.ulpControl = ns3::RdmapControl(RdmapOpcode::IMMEDIATE).Encode();
    };
    return {
        {"good", "MPA-7.1.2-01 MPA-7.1.1-22", accepted},
        {"request-key",
         "MPA-7.1.1-02 MPA-7.1.2-04 MPA-8-09",
         closed,
         {},
         [](Octets& frame) { frame[9] ^= 0x20; }},
        {"request-length", "MPA-7.1.1-24 MPA-7.1.2-28", closed, {}, Lengthen},
        {"request-reject",
         "MPA-7.1.1-14",
         accepted,
         {},
         [](Octets& frame) { frame[FLAGS] |= REJECT; }},
        {"enhanced", "ENH-5-2", accepted, {}, Enhance},
        {"markers",
         "MPA-4.3-03 MPA-4.3-04 MPA-4.3-10 MPA-4.3-13",
         "Read Response 1200",
         [](const Target& target) { return MakeRead(target.key, target.address, 1200); },
         AskForMarkers},
        {"markers-terminate",
         "MPA-4.3-03 MPA-4.3-10",
         "Terminate 1/2/3",
         header([](DdpHeader& send) { send.msn = 1; }),
         AskForMarkers},
        {"crc",
         "MPA-4.4-09 MPA-8-03 MPA-8-04",
         "Terminate 2/0/2",
         send(4),
         {},
         [](Octets& fpdu, uint32_t) { fpdu.back() ^= 1; }},
        {"marker-reserved",
         "MPA-4.2-03",
         accepted,
         send(600),
         {},
         BendMarker([](uint16_t& reserved, uint16_t&) { reserved = 0xffff; }),
         true},
        {"marker-low-bits",
         "MPA-4.3-09",
         accepted,
         send(600),
         {},
         BendMarker([](uint16_t&, uint16_t& pointer) { pointer |= 3; }),
         true},
        {"marker-pointer",
         "MPA-8-05 MPA-8-06",
         "Terminate 2/0/3",
         send(600),
         {},
         BendMarker([](uint16_t&, uint16_t& pointer) { pointer += 4; }),
         true},
        {"tagged-version",
         "DDP-4.1-13",
         "Terminate 1/1/4",
         SpoilWrite([](DdpHeader& write, const Target&) { write.version = 2; })},
        {"untagged-version", "DDP-4.1-13", "Terminate 1/2/6", header([](DdpHeader& send) {
             send.version = 2;
         })},
        {"write-key",
         "DDP-7.1-13",
         "Terminate 1/1/0",
         SpoilWrite([](DdpHeader& write, const Target&) { write.stag ^= TURN; })},
        {"write-bounds",
         "DDP-7.1-16",
         "Terminate 1/1/1",
         SpoilWrite([](DdpHeader& write, const Target& target) {
             write.to = target.address + target.length - 7;
         })},
        {"write-below",
         "DDP-7.1-15",
         "Terminate 1/1/1",
         SpoilWrite([](DdpHeader& write, const Target& target) { write.to = target.address - 1; })},
        {"write-wrap",
         "DDP-7.1-17",
         "Terminate 1/1/3",
         SpoilWrite([](DdpHeader& write, const Target&) { write.to = UINT64_MAX - 3; })},
        {"write-nothing",
         "DDP-5.2-15",
         accepted,
         [](const Target&) { return MakeSegment(MakeWrite(0, UINT64_MAX), {}); }},
        {"queue", "DDP-7.1-2 DDP-6.2.2-3", "Terminate 1/2/1", header([](DdpHeader& send) {
             send.qn = NO_QUEUE;
         })},
        {"msn-again", "DDP-7.1-10", "Terminate 1/2/3", header([](DdpHeader& send) {
             send.msn = 1;
         })},
        {"mo", "DDP-7.1-8", "Terminate 1/2/4", header([](DdpHeader& send) { send.mo = 1 << 30; })},
        {"too-long",
         "DDP-7.1-9",
         "Terminate 1/2/5",
         SpoilSend([](DdpHeader& send) { send.mo = 65530; }, 100)},
        {"rdmap-version", "RDMAP-7.2-03", "Terminate 0/2/5", header([](DdpHeader& send) {
             send.ulpControl = (send.ulpControl & 0x3f) | 0x80;
         })},
        {"opcode", "RDMAP-7.2-02", "Terminate 0/2/6", header([](DdpHeader& send) {
             send.ulpControl |= 0x0c;
         })},
        {"send-tagged",
         "RDMAP-7.2-02",
         "Terminate 0/2/6",
         SpoilWrite([](DdpHeader& write, const Target&) {
             write.ulpControl = ns3::RdmapControl(RdmapOpcode::SEND).Encode();
         })},
        {"read",
         "RDMAP-5.2.1-03 RDMAP-5.2.1-11",
         "Read Response 1200",
         [](const Target& target) { return MakeRead(target.key, target.address, 1200); }},
        {"read-nothing",
         "RDMAP-5.2.1-14 RDMAP-5.2.1-15",
         "Read Response 0",
         [](const Target& target) { return MakeRead(target.key ^ TURN, UINT64_MAX, 0); }},
        {"read-key",
         "RDMAP-7.2-07 RDMAP-7.1-04",
         "Terminate 0/1/0",
         [](const Target& target) { return MakeRead(target.key ^ TURN, target.address, 8); }},
        {"read-bounds",
         "RDMAP-7.2-10",
         "Terminate 0/1/1",
         [](const Target& target) {
             return MakeRead(target.key, target.address + target.length - 7, 8);
         }},
        {"read-below",
         "RDMAP-7.2-09",
         "Terminate 0/1/1",
         [](const Target& target) { return MakeRead(target.key, target.address - 1, 8); }},
        {"read-wrap",
         "RDMAP-7.2-11",
         "Terminate 0/1/4",
         [](const Target& target) { return MakeRead(target.key, UINT64_MAX - 3, 8); }},
        {"read-queue",
         "RDMAP-7.2-06",
         "Terminate 0/2/6",
         [](const Target& target) {
             return MakeRead(target.key, target.address, 8, ns3::rdmap::QN_SEND);
         }},
        {"response-unasked",
         "RDMAP-5.2.2-05",
         "Terminate 0/2/6",
         SpoilWrite([](DdpHeader& write, const Target&) {
             write.ulpControl = ns3::RdmapControl(RdmapOpcode::READ_RESPONSE).Encode();
         })},
        {"invalidate-key",
         "RDMAP-7.2-04",
         "Terminate 0/1/9",
         [](const Target& target) {
             auto send = MakeUntagged(static_cast<uint8_t>(RdmapOpcode::SEND_INVALIDATE), 2);
             send.ulpWord = target.key ^ TURN;
             return MakeSegment(send, Octets(4));
         }},
        {"immediate", "EXT-4.1-01", accepted, SpoilSend(turnIntoImmediate, 8)},
        {"immediate-version",
         "EXT-8.2-01",
         "Terminate 0/2/5",
         SpoilSend(
             [=](DdpHeader& send) {
                 turnIntoImmediate(send);
                 send.ulpControl = (send.ulpControl & 0x3f) | 0x80;
             },
             8)},
        {"immediate-queue",
         "EXT-8.2-01",
         "Terminate 0/2/6",
         [](const Target&) {
             auto immediate = MakeUntagged(static_cast<uint8_t>(RdmapOpcode::IMMEDIATE), 1);
             immediate.qn = ns3::rdmap::QN_READ_REQUEST;
             return MakeSegment(immediate, Octets(ns3::rdmap::READ_REQUEST_SIZE));
         }},
        {"atomic",
         "EXT-5.2.1-02 EXT-5.2.1-14 EXT-5.2.2-03",
         "Atomic Response",
         [](const Target& target) { return MakeAtomic(target.key, target.address); }},
        {"atomic-unaligned",
         "EXT-5.1.1-03 EXT-8.2-02",
         "Terminate 0/2/7",
         [](const Target& target) { return MakeAtomic(target.key, target.address + 4); }},
        {"atomic-key",
         "RDMAP-7.2-07 RDMAP-7.1-04",
         "Terminate 0/1/0",
         [](const Target& target) { return MakeAtomic(target.key ^ TURN, target.address); }},
        {"atomic-bounds",
         "RDMAP-7.2-10",
         "Terminate 0/1/1",
         [](const Target& target) {
             return MakeAtomic(target.key, target.address + target.length);
         }},
        {"terminate",
         "RDMAP-5.4-04 RDMAP-5.4-05",
         closed,
         [](const Target&) {
             auto terminate = MakeUntagged(static_cast<uint8_t>(RdmapOpcode::TERMINATE), 1);
             terminate.qn = ns3::rdmap::QN_TERMINATE;
             return MakeSegment(terminate, {0x00, 0x00, 0x00, 0x00});
         }},
    };
}

/**
 * List the cases of an endpoint that connects: what it does about Replies, and those of
 * ListConformanceCases() that name no memory, which the kit sends when a first message has come.
 */
inline std::vector<ConformanceCase>
ListInitiatorCases()
{
    using namespace conformance;
    std::vector<ConformanceCase> cases{
        {"reply", "MPA-7.1.2-14 MPA-7.1.2-18", "FPDU"},
        {"reply-key",
         "MPA-7.1.1-04 MPA-7.1.2-15 MPA-7.1.2-21",
         "closed",
         {},
         [](Octets& frame) { frame[0] ^= 0x20; }},
        {"reply-of-initiator",
         "MPA-7.1.1-04 MPA-7.1.2-26",
         "closed",
         {},
         [](Octets& frame) { frame[9] = 'q'; }},
        {"reply-length", "MPA-7.1.1-24 MPA-7.1.2-15", "closed", {}, Lengthen},
        {"reply-revision",
         "MPA-7.1.1-19 MPA-7.1.1-20",
         "closed",
         {},
         [](Octets& frame) { frame[17] = 0xff; }},
        {"reply-reserved", "MPA-7.1.1-17", "FPDU", {}, [](Octets& frame) { frame[FLAGS] |= 0x01; }},
        {"reply-reject",
         "MPA-7.1.2-16",
         "no FPDU",
         {},
         [](Octets& frame) { frame[FLAGS] |= REJECT; }},
        {"reply-crc-off",
         "MPA-7.1.1-11",
         "FPDU",
         {},
         [](Octets& frame) { frame[FLAGS] &= static_cast<uint8_t>(~CRC); }},
        {"reply-markers", "MPA-7.1.1-06 MPA-7.1.1-08 MPA-4.3-10", "FPDU", {}, AskForMarkers},
    };
    for (const auto& one : ListConformanceCases())
    {
        if (!one.spoil && one.ulpdu && one.ulpdu({}) == one.ulpdu({1, 1, 1}))
        {
            cases.push_back(one);
        }
    }
    return cases;
}

} // namespace live

#endif // LIVE_CONFORMANCE_CASES_H
