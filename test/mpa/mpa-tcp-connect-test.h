/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_TCP_CONNECT_TEST_H
#define MPA_TCP_CONNECT_TEST_H

#include "mpa-tcp-peer.h"

#include "ns3/test.h"

#include <cstdint>
#include <memory>
#include <string>

inline constexpr uint8_t SYN_ACK = ns3::TcpHeader::SYN | ns3::TcpHeader::ACK; //!< flags
inline constexpr uint8_t FIN_ACK = ns3::TcpHeader::FIN | ns3::TcpHeader::ACK; //!< flags
inline constexpr uint8_t RST_ACK = ns3::TcpHeader::RST | ns3::TcpHeader::ACK; //!< flags
inline constexpr uint32_t ISN = 0xf0000000;                                   //!< of the peer

/**
 * @ingroup iwarp-test
 * A socket that connects to a peer made by hand.
 */
class ConnectTest : public ns3::TestCase
{
  public:
    /// @param name of the case
    explicit ConnectTest(const std::string& name)
        : ns3::TestCase(name)
    {
    }

  protected:
    /// Connect at 1 ms and run 20 s.
    void Go()
    {
        m_socket = m_peer->MakeSocket();
        m_socket->SetConnectCallback(ns3::MakeCallback(&ConnectTest::Connected, this),
                                     ns3::MakeCallback(&ConnectTest::Failed, this));
        m_socket->SetCloseCallbacks(ns3::MakeCallback(&ConnectTest::Closed, this),
                                    ns3::MakeCallback(&ConnectTest::Lost, this));
        m_socket->SetRecvCallback(ns3::MakeCallback(&ConnectTest::Read, this));
        m_socket->TraceConnectWithoutContext("State",
                                             ns3::MakeCallback(&ConnectTest::NoteState, this));
        m_socket->TraceConnectWithoutContext("Rx", ns3::MakeCallback(&ConnectTest::NoteRx, this));
        ns3::Simulator::Schedule(ns3::MilliSeconds(1),
                                 [this] { m_socket->Connect(HandMadePeer::GetAddress()); });
        ns3::Simulator::Stop(ns3::Seconds(20));
        ns3::Simulator::Run();
        m_socket = nullptr;
        ns3::Simulator::Destroy();
    }

    /// Let a segment come, with a timestamp. @param at when @param flags flags @param seq octets
    /// behind the SYN @param ack acknowledgment number @param size octets of payload
    void Come(ns3::Time at, uint8_t flags, uint32_t seq, uint32_t ack, uint32_t size = 0)
    {
        HandMadeSegment segment;
        segment.flags = flags;
        segment.seq = ISN + seq;
        segment.ack = ack;
        segment.size = size;
        if (!(flags & ns3::TcpHeader::RST)) // as Linux answers where nobody listens
        {
            segment.timestamp = static_cast<uint32_t>(at.GetMilliSeconds());
        }
        ns3::Simulator::Schedule(at, &HandMadePeer::Send, m_peer.get(), segment);
    }

    /// @return octets of payload that the host has sent, each time
    uint32_t CountOctets() const
    {
        uint32_t octets = 0;
        for (const auto& segment : m_peer->seen)
        {
            octets += segment.size;
        }
        return octets;
    }

    std::unique_ptr<HandMadePeer> m_peer; //!< the peer
    ns3::Ptr<ns3::MpaTcpSocket> m_socket; //!< the host's socket
    ns3::Time m_connected;                //!< when it was
    ns3::Time m_failed;                   //!< when it failed
    ns3::Time m_end;                      //!< when it was in the state CLOSED
    ns3::TcpSocket::TcpStates_t m_state{ns3::TcpSocket::CLOSED}; //!< state
    uint32_t m_errors{0};        //!< errors that the application hears of
    uint32_t m_resets{0};        //!< resets that the trace Rx shows
    bool m_closeWithPeer{false}; //!< the application closes when its peer has

  private:
    void DoSetup() override
    {
        m_peer = std::make_unique<HandMadePeer>();
    }

    void DoTeardown() override
    {
        m_peer.reset();
    }

    void Connected(ns3::Ptr<ns3::Socket> /* socket */)
    {
        m_connected = ns3::Simulator::Now();
    }

    void Failed(ns3::Ptr<ns3::Socket> /* socket */)
    {
        m_failed = ns3::Simulator::Now();
    }

    void Read(ns3::Ptr<ns3::Socket> socket)
    {
        socket->Recv();
    }

    void Closed(ns3::Ptr<ns3::Socket> socket)
    {
        if (m_closeWithPeer)
        {
            socket->Close();
        }
    }

    void Lost(ns3::Ptr<ns3::Socket> socket)
    {
        m_errors++;
        Closed(socket);
    }

    void NoteState(ns3::TcpSocket::TcpStates_t /* before */, ns3::TcpSocket::TcpStates_t now)
    {
        m_state = now;
        if (now == ns3::TcpSocket::CLOSED)
        {
            m_end = ns3::Simulator::Now();
        }
    }

    void NoteRx(ns3::Ptr<const ns3::Packet> /* packet */,
                const ns3::TcpHeader& header,
                ns3::Ptr<const ns3::TcpSocketBase> /* socket */)
    {
        m_resets += (header.GetFlags() & ns3::TcpHeader::RST) != 0;
    }
};

#endif // MPA_TCP_CONNECT_TEST_H
