/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_RESEGMENTING_MIDDLEBOX_H
#define PATH_RESEGMENTING_MIDDLEBOX_H

#include "path-middlebox.h"
#include "path-tcp-coalescer.h"

#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/path-prefix.h"
#include "ns3/random-variable-stream.h"
#include "ns3/traced-callback.h"
#include "ns3/traced-value.h"

#include <array>
#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup iwarp-path
 * @brief Splits, merges and re-cuts TCP segments, of IPv4 and IPv6 (RFC 5044 section A.4).
 *
 * First, with CoalesceSize, segments in order of a flow are gathered, for HoldTime at most. Then
 * what has gathered, or each segment by itself, is cut in pieces of at most MaxPayload octets, of
 * octets drawn from PieceSize, and of what the MTU of the port allows: the least of these. Sequence
 * numbers stay what they are, so acknowledgments and SACK blocks need no change. See PathTcpRun for
 * what the headers of pieces are.
 *
 * Options of TCP can be overwritten with NOPs, and the MSS of a SYN be lowered.
 *
 * It concerns the segments of one direction or both that match the addresses and ports given.
 * Others, and what it does not understand (PathTcpSegment::Read()), pass untouched: other
 * protocols, fragments, IP options and extension headers, malformed packets, wrong checksums.
 */
class PathResegmentingMiddlebox : public PathMiddlebox
{
  public:
    /// Which way the segments go that the box concerns
    enum class Side : uint8_t
    {
        BOTH,   //!< either way
        A_TO_B, //!< from port A to port B
        B_TO_A, //!< from port B to port A
    };

    /// Signature of the Recut trace. @param segments that came @param pieces that go for them
    typedef void (*RecutTracedCallback)(uint32_t segments, uint32_t pieces);

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    PathResegmentingMiddlebox();
    ~PathResegmentingMiddlebox() override;

    std::string GetIdleAttribute() const override;

    uint32_t GetHeld() const; //!< Count what waits to be merged. @return octets of datagrams
    int64_t AssignStreams(int64_t stream) override;

  protected:
    void DoDispose() override;

  private:
    /// One direction
    struct Way
    {
        PathTcpCoalescer coalescer; //!< what is gathered
        EventId expire;             //!< when some of it has waited for long enough
    };

    void Pass(Ptr<Packet> packet, uint16_t protocol, PathDirection direction) override;

    /// @param direction direction @return its state
    Way& GetWay(PathDirection direction);
    /// @param direction of a segment @return whether it is one concerned
    bool Concerns(PathDirection direction) const;
    /// @param segment segment @return whether its addresses and ports are those concerned
    bool Matches(const PathTcpSegment& segment) const;
    /// @param segment changed as attributes say @return whether it was
    bool ChangeOptions(PathTcpSegment& segment) const;
    /// Cut and send. @param runs runs @param direction theirs
    void Send(const PathTcpCoalescer::Runs& runs, PathDirection direction);
    /// @param headers octets of IP's and TCP's headers @param direction where a piece goes
    /// @return octets of its payload at most
    uint32_t DrawPiece(uint32_t headers, PathDirection direction) const;
    /// Send what has waited for long enough. @param direction its direction
    void Expire(PathDirection direction);
    /// Note what is held now, and when it has waited. @param direction in which it changed
    void Watch(PathDirection direction);

    uint32_t m_maxPayload;                 //!< octets of a piece; 0 is no limit
    Ptr<RandomVariableStream> m_pieceSize; //!< octets of a piece; nullptr is no limit
    uint32_t m_coalesceSize;               //!< octets that are gathered
    Time m_holdTime;                       //!< how long they are
    uint32_t m_coalesceMemory;             //!< octets of datagrams for it
    bool m_stripTimestamps;                //!< no timestamps pass
    bool m_stripSack;                      //!< no SACK passes
    uint16_t m_mssClamp;                   //!< most that an MSS option says; 0 is no limit
    Side m_side;                           //!< direction concerned
    PathPrefix m_source;                   //!< source addresses concerned
    PathPrefix m_destination;              //!< destination addresses concerned
    uint16_t m_sourcePort;                 //!< source port concerned; 0 is any
    uint16_t m_destinationPort;            //!< destination port concerned; 0 is any

    std::array<Way, 2> m_ways;    //!< by PathDirection
    uint16_t m_id{0x8000};        //!< identification of the next new datagram
    TracedValue<uint32_t> m_held; //!< octets held

    TracedCallback<uint32_t, uint32_t> m_recutTrace; //!< data were merged or cut
};

} // namespace ns3

#endif // PATH_RESEGMENTING_MIDDLEBOX_H
