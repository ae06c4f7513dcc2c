/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_STREAM_FIXTURE_H
#define MPA_STREAM_FIXTURE_H

#include "ns3/mpa-stream.h"
#include "ns3/node-container.h"
#include "ns3/packet.h"
#include "ns3/tcp-header.h"

#include <functional>
#include <string>
#include <vector>

/**
 * @ingroup iwarp-tests
 * Two hosts on one link and a TCP connection between them: the left one connects, the right one
 * listens. Tests put an MPA stream, or octets made by hand, on either end. Made for one
 * simulation; call Simulator::Destroy() behind it.
 */
class MpaLinkedHosts
{
  public:
    /// What runs when an end of the connection is there.
    using Ready = std::function<void(ns3::Ptr<ns3::MpaTcpSocket>)>;

    /**
     * @param delay one-way delay of the link
     * @param mtu MTU of the link in octets
     * @param ipv6 connect over IPv6
     */
    explicit MpaLinkedHosts(ns3::Time delay = ns3::MilliSeconds(1),
                            uint32_t mtu = 1500,
                            bool ipv6 = false);

    /**
     * @brief Connect at 10 ms.
     * @param left runs when the connecting socket is established
     * @param right runs when the listening side has its socket
     */
    void Connect(Ready left, Ready right);

    ns3::Ptr<ns3::NetDevice> GetDevice(
        uint32_t host) const; //!< @param host 0 is left, 1 right @return its device
    ns3::Ptr<ns3::Node> GetNode(
        uint32_t host) const; //!< @param host 0 is left, 1 right @return its node

  private:
    /// The left socket is connected. @param socket it
    void HandleConnect(ns3::Ptr<ns3::Socket> socket);
    /// The right host has a new socket. @param socket it @param peer address of the peer
    void HandleAccept(ns3::Ptr<ns3::Socket> socket, const ns3::Address& peer);

    Ready m_leftReady;                  //!< runs for the left socket
    Ready m_rightReady;                 //!< runs for the right socket
    ns3::NodeContainer m_nodes;         //!< left and right
    ns3::Address m_rightAddress;        //!< where the right host listens
    ns3::Address m_anyAddress;          //!< what it binds to
    ns3::Ptr<ns3::Socket> m_listener;   //!< listening socket
    ns3::Ptr<ns3::MpaTcpSocket> m_left; //!< connecting socket
};

/// @param frame of these hosts, with IPv4 and TCP @return TCP's header
ns3::TcpHeader ReadTcpHeader(const ns3::Ptr<const ns3::Packet>& frame);

/// Everything that an MPA stream reported, in order. A test may have its own part in that.
struct MpaStreamLog : private ns3::MpaStreamUser
{
    /// A ULPDU
    struct Ulpdu
    {
        std::vector<uint8_t> octets; //!< octets
        uint32_t seq;                //!< sequence number of its FPDU
        bool inOrder;                //!< passed in order
        ns3::Time when;              //!< when it was passed
    };

    /// An error
    struct Error
    {
        ns3::MpaError code;                 //!< code
        std::string reason;                 //!< text
        ns3::Time when;                     //!< when
        ns3::MpaConnectionEvent::Kind kind; //!< kind of its event
    };

    /// What is done about the peer's frame: it is accepted, if nothing else is set.
    std::function<void(ns3::Ptr<ns3::MpaStream>, const ns3::MpaConnectionEvent&)> judge{
        [](ns3::Ptr<ns3::MpaStream> stream, const ns3::MpaConnectionEvent&) { stream->Accept(); }};

    bool takesUlpdus{true}; //!< it is ready for Full Operation
    /// Called when there is room in the send buffer, if set.
    std::function<void(ns3::Ptr<ns3::MpaStream>)> fill;
    /// Called when MULPDU has changed, if set.
    std::function<void(ns3::Ptr<ns3::MpaStream>)> mulpduChanged;
    /// Called to send a Terminate, if set.
    std::function<void(ns3::Ptr<ns3::MpaStream>, ns3::MpaError)> terminate;

    std::vector<Ulpdu> passed;                     //!< ULPDUs passed
    uint64_t delivered{0};                         //!< ULPDUs delivered
    std::vector<Error> errors;                     //!< errors
    std::vector<ns3::Time> established;            //!< when Full Operation began
    std::vector<std::vector<uint8_t>> privateData; //!< Private Data of the peer's frames
    std::vector<std::vector<uint8_t>> rejections;  //!< of Replies that reject
    std::vector<uint8_t> streaming;                //!< octets behind such a Reply

    /**
     * @brief Make a stream over a socket that writes to this log and accepts every peer.
     * @param socket transport
     * @return the stream; the log has to outlive it
     */
    ns3::Ptr<ns3::MpaStream> MakeStream(ns3::Ptr<ns3::MpaTcpSocket> socket);

  private:
    // MpaStreamUser
    bool TakesUlpdus() const override;
    void HandleEvent(ns3::MpaStream& stream, const ns3::MpaConnectionEvent& event) override;
    void HandleUlpdu(ns3::MpaStream& stream,
                     const ns3::MpaUlpdu& ulpdu,
                     ns3::RecordPlacementList* places) override;
    void HandleDeliver(ns3::MpaStream& stream, uint32_t count) override;
    void HandleTerminate(ns3::MpaStream& stream, ns3::MpaError error) override;
    void HandleStreaming(ns3::MpaStream& stream, ns3::Ptr<ns3::Packet> octets) override;
    void HandleRoom(ns3::MpaStream& stream, uint32_t room) override;
    void HandleMulpdu(ns3::MpaStream& stream) override;
};

/// An end of the connection that sends and collects octets as they are.
class RawEnd
{
  public:
    /// @param socket transport
    explicit RawEnd(ns3::Ptr<ns3::Socket> socket);

    void Send(const std::vector<uint8_t>& octets); //!< @param octets to send

    std::vector<uint8_t> received; //!< all octets received

  private:
    void Receive(ns3::Ptr<ns3::Socket> socket); //!< collect @param socket socket

    ns3::Ptr<ns3::Socket> m_socket; //!< transport
};

/// @return a Reply that accepts, without Private Data: no Markers, CRC (RFC 5044 section 7.1.1)
std::vector<uint8_t> MakeReply();

/// @param length octets @param salt varies the content @return a ULPDU that differs from its
/// neighbours
std::vector<uint8_t> PatternUlpdu(uint32_t length, uint32_t salt);

/// @param ulpdu octets @param position of the FPDU @param markers Markers in use @return the FPDU
std::vector<uint8_t> MakeFpdu(const std::vector<uint8_t>& ulpdu, uint32_t position, bool markers);

/// Send a ULPDU. @param stream stream @param ulpdu octets @return as MpaStream::Send()
int SendUlpdu(ns3::Ptr<ns3::MpaStream> stream, const std::vector<uint8_t>& ulpdu);

#endif // MPA_STREAM_FIXTURE_H
