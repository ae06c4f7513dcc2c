/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMAP_WATCHED_CONNECTION_H
#define RDMAP_WATCHED_CONNECTION_H

#include "rdmap-stream-fixture.h"

#include "ns3/ddp-header.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-socket-base.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

/// @ingroup iwarp-tests
/// What an end's streams and socket report.
struct RdmapStreamWatch
{
    /// Shift of the window, for the usual receive buffer of 131072 octets
    static constexpr uint32_t SHIFT = 2;

    /// An FPDU or a segment sent
    struct Piece
    {
        uint32_t seq;  //!< first sequence number
        uint32_t size; //!< octets of the stream
    };

    ns3::Ptr<ns3::MpaStream> mpa;                             //!< transport
    std::vector<Piece> fpdus;                                 //!< FPDUs sent
    std::vector<uint32_t> ulpdus;                             //!< their ULPDU lengths
    std::vector<Piece> segments;                              //!< TCP segments sent
    std::vector<ns3::Time> segmentTimes;                      //!< when
    std::vector<std::vector<uint8_t>> passed;                 //!< first octets of the ULPDUs passed
    std::vector<ns3::DdpHeader> placed;                       //!< DDP Segments placed
    uint64_t outOfOrder{0};                                   //!< of these, out of order
    std::vector<uint32_t> windows;                            //!< windows advertised
    std::vector<uint32_t> edges;                              //!< their right edges
    std::vector<std::pair<ns3::RdmapOpcode, ns3::Time>> sent; //!< messages sent

    /// @param end where; before startup
    void Attach(RdmapTestEnd& end)
    {
        auto before = end.onMpa;
        end.onMpa = [this, before, &end](ns3::Ptr<ns3::MpaStream> stream) {
            before(stream);
            mpa = stream;
            mpa->TraceConnectWithoutContext("FpduSent",
                                            ns3::MakeCallback(&RdmapStreamWatch::FpduSent, this));
            mpa->TraceConnectWithoutContext("Passed",
                                            ns3::MakeCallback(&RdmapStreamWatch::Passed, this));
            mpa->GetSocket()->TraceConnectWithoutContext(
                "SegmentSent",
                ns3::MakeCallback(&RdmapStreamWatch::SegmentSent, this));
            mpa->GetSocket()->TraceConnectWithoutContext(
                "Tx",
                ns3::MakeCallback(&RdmapStreamWatch::Tx, this));
            end.stream->TraceConnectWithoutContext(
                "SegmentPlaced",
                ns3::MakeCallback(&RdmapStreamWatch::Placed, this));
            end.stream->TraceConnectWithoutContext(
                "MessageSent",
                ns3::MakeCallback(&RdmapStreamWatch::MessageSent, this));
        };
    }

    void FpduSent(uint32_t seq, uint32_t ulpdu, uint32_t size)
    {
        fpdus.push_back({seq, size});
        ulpdus.push_back(ulpdu);
    }

    void Passed(const ns3::MpaUlpdu& ulpdu, ns3::Time /* wait */)
    {
        passed.emplace_back(ulpdu.data, ulpdu.data + std::min<uint32_t>(ulpdu.length, 18));
    }

    void SegmentSent(ns3::SequenceNumber32 seq, uint32_t size, bool, bool, bool)
    {
        segments.push_back({seq.GetValue(), size});
        segmentTimes.push_back(ns3::Simulator::Now());
    }

    void Placed(const ns3::DdpHeader& header, uint32_t /* payload */, bool inOrder)
    {
        placed.push_back(header);
        outOfOrder += !inOrder;
    }

    void Tx(ns3::Ptr<const ns3::Packet> /* packet */,
            const ns3::TcpHeader& header,
            ns3::Ptr<const ns3::TcpSocketBase> /* socket */)
    {
        if (!(header.GetFlags() & ns3::TcpHeader::SYN))
        {
            windows.push_back(header.GetWindowSize() << SHIFT);
            edges.push_back(header.GetAckNumber().GetValue() + windows.back());
        }
    }

    void MessageSent(ns3::RdmapOpcode opcode, uint64_t /* octets */)
    {
        sent.emplace_back(opcode, ns3::Simulator::Now());
    }
};

/// @ingroup iwarp-tests
/// A connection with a watch at each end.
struct RdmapWatchedConnection
{
    RdmapTestConnection c; //!< connection
    RdmapStreamWatch a;    //!< at the Initiator
    RdmapStreamWatch b;    //!< at the Responder

    RdmapWatchedConnection()
    {
        a.Attach(c.a);
        b.Attach(c.b);
    }
};

#endif // RDMAP_WATCHED_CONNECTION_H
