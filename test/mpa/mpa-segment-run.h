/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_SEGMENT_RUN_H
#define MPA_SEGMENT_RUN_H

#include "mpa-stream-fixture.h"

#include "ns3/boolean.h"
#include "ns3/config.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

/**
 * @ingroup iwarp-tests
 * Two MPA streams over a link of MTU 1500 without TCP timestamps, so that the EMSS is 1460, and the
 * segments that the Initiator sends behind startup. Made for one simulation.
 */
class MpaSegmentRun
{
  public:
    /// A segment of the Initiator.
    struct Segment
    {
        uint32_t seq;       //!< sequence number
        uint32_t size;      //!< octets of payload
        bool headerAligned; //!< begins with an FPDU
        bool aligned;       //!< and holds whole ones
    };

    /// @param markers the Responder asks for Markers @param delay one-way delay of the link
    explicit MpaSegmentRun(bool markers = false, ns3::Time delay = ns3::MicroSeconds(50))
        : hosts((SetDefaults(), delay)),
          m_markers(markers)
    {
    }

    ~MpaSegmentRun()
    {
        ns3::Simulator::Destroy();
        ns3::Config::Reset();
    }

    MpaSegmentRun(const MpaSegmentRun&) = delete;
    MpaSegmentRun& operator=(const MpaSegmentRun&) = delete;

    /// Run until 100 s. @param send runs at 1 s, in Full Operation
    void Run(const std::function<void()>& send)
    {
        hosts.Connect(
            [this](ns3::Ptr<ns3::MpaTcpSocket> socket) {
                onSocket(socket);
                stream[0] = log[0].MakeStream(socket);
                stream[0]->StartInitiator();
            },
            [this](ns3::Ptr<ns3::MpaTcpSocket> socket) {
                stream[1] = log[1].MakeStream(socket);
                stream[1]->SetAttribute("Markers", ns3::BooleanValue(m_markers));
                stream[1]->StartResponder();
            });
        ns3::Simulator::Schedule(ns3::Seconds(1), [this, send] {
            stream[0]->GetSocket()->TraceConnectWithoutContext(
                "SegmentSent",
                ns3::MakeCallback(&MpaSegmentRun::NoteSegment, this));
            send();
        });
        ns3::Simulator::Stop(ns3::Seconds(100));
        ns3::Simulator::Run();
    }

    /// @return whether each segment begins with an FPDU and holds whole ones
    bool AreAligned() const
    {
        return std::all_of(segments.begin(), segments.end(), [](const Segment& segment) {
            return segment.headerAligned && segment.aligned;
        });
    }

    /// Set up the Initiator's socket before its stream is made.
    std::function<void(ns3::Ptr<ns3::MpaTcpSocket>)> onSocket{[](ns3::Ptr<ns3::MpaTcpSocket>) {}};
    MpaLinkedHosts hosts;               //!< hosts and link
    MpaStreamLog log[2];                //!< of Initiator and Responder
    ns3::Ptr<ns3::MpaStream> stream[2]; //!< Initiator and Responder
    std::vector<Segment> segments;      //!< what the Initiator sends behind startup

  private:
    static void SetDefaults() //!< before there are nodes
    {
        ns3::Config::SetDefault("ns3::TcpSocketBase::Timestamp", ns3::BooleanValue(false));
        ns3::Config::SetDefault("ns3::TcpSocket::SndBufSize", ns3::UintegerValue(2 << 20));
        ns3::Config::SetDefault("ns3::TcpSocket::RcvBufSize", ns3::UintegerValue(2 << 20));
    }

    void NoteSegment(ns3::SequenceNumber32 seq,
                     uint32_t size,
                     bool headerAligned,
                     bool aligned,
                     bool /* retransmission */)
    {
        segments.push_back({seq.GetValue(), size, headerAligned, aligned});
    }

    bool m_markers; //!< Markers towards the Responder
};

/// @param message octets of a DDP message @param mulpdu MULPDU @return ULPDUs with 14-octet headers
inline std::vector<uint32_t>
CutMessage(uint32_t message, uint32_t mulpdu)
{
    std::vector<uint32_t> lengths;
    for (uint32_t left = message; left > 0;)
    {
        const uint32_t payload = std::min(left, mulpdu - 14);
        lengths.push_back(payload + 14);
        left -= payload;
    }
    return lengths;
}

#endif // MPA_SEGMENT_RUN_H
