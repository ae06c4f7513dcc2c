/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_STREAM_PEER_H
#define MPA_STREAM_PEER_H

#include "mpa-stream-fixture.h"

#include "ns3/simulator.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

using MpaOctets = std::vector<uint8_t>; //!< octets as they are sent

/// @param reply Reply rather than Request @param flags octet 16 @return a frame of revision 1,
/// without Private Data (RFC 5044 section 7.1.1)
inline MpaOctets
MpaFrame(bool reply, uint8_t flags)
{
    const std::string key = reply ? "MPA ID Rep Frame" : "MPA ID Req Frame";
    MpaOctets frame(key.begin(), key.end());
    frame.insert(frame.end(), {flags, 1, 0, 0});
    return frame;
}

/// Append octets. @param octets receives more @param more octets
inline void
MpaAppend(MpaOctets& octets, const MpaOctets& more)
{
    octets.insert(octets.end(), more.begin(), more.end());
}

/**
 * @ingroup iwarp-tests
 * An MPA stream at one of two linked hosts, and octets made by hand at the other. Ends its
 * simulation.
 */
struct MpaStreamAndPeer
{
    /// What is done with the new stream, such as starting it.
    using Setup = std::function<void(ns3::Ptr<ns3::MpaStream>)>;

    MpaLinkedHosts hosts;            //!< hosts and link
    MpaStreamLog log;                //!< what the stream reports
    ns3::Ptr<ns3::MpaStream> stream; //!< stream tried
    std::unique_ptr<RawEnd> peer;    //!< the other end

    ~MpaStreamAndPeer()
    {
        ns3::Simulator::Destroy();
    }

    /**
     * @brief Connect at 10 ms.
     * @param connects the stream's host is the left one, which connects
     * @param setup is done with the stream
     * @param greeting what the peer sends at once
     */
    void Connect(bool connects, Setup setup, const MpaOctets& greeting = {})
    {
        const MpaLinkedHosts::Ready own = [this, setup](ns3::Ptr<ns3::MpaTcpSocket> socket) {
            stream = log.MakeStream(socket);
            setup(stream);
        };
        const MpaLinkedHosts::Ready other = [this, greeting](ns3::Ptr<ns3::MpaTcpSocket> socket) {
            peer = std::make_unique<RawEnd>(socket);
            if (!greeting.empty())
            {
                peer->Send(greeting);
            }
        };
        hosts.Connect(connects ? own : other, connects ? other : own);
    }

    /// Let the peer send. @param when at which time @param octets which
    void SendAt(ns3::Time when, const MpaOctets& octets)
    {
        ns3::Simulator::Schedule(when, [this, octets] { peer->Send(octets); });
    }

    /// Simulate. @param duration how long
    static void Run(ns3::Time duration)
    {
        ns3::Simulator::Stop(duration);
        ns3::Simulator::Run();
    }
};

#endif // MPA_STREAM_PEER_H
