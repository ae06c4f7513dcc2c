/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_SPLIT_PROXY_H
#define TCP_SPLIT_PROXY_H

#include "tcp-split-connection.h"

#include "ns3/address.h"
#include "ns3/application.h"
#include "ns3/tcp-socket-settings.h"
#include "ns3/traced-callback.h"
#include "ns3/traced-value.h"
#include "ns3/type-id.h"

#include <cstdint>
#include <map>
#include <string>

namespace ns3
{

/**
 * @ingroup iwarp-app
 * @brief Splits TCP connections in two, as performance-enhancing proxies do (RFC 3135 section 3.1).
 *
 * It listens at Local; for each connection it accepts it opens one to Remote, and hands octets on
 * both ways. Either side has its own congestion control, windows and retransmissions, and segments
 * of the one have nothing to do with those of the other: MPA's alignment does not survive it. What
 * is acknowledged is what the proxy has, not what the peer behind it has.
 *
 * A sender is held back when the other side takes less than it sends: the proxy holds 2 BufferSize
 * octets of a direction at most. A FIN is handed on behind the last octet, so that one direction
 * may end before the other; a reset, and that Remote cannot be reached, at once, by a reset.
 */
class TcpSplitProxy : public Application
{
  public:
    /// Signature of the Accepted trace. @param from address and port of the peer
    typedef void (*AcceptedTracedCallback)(const Address& from);
    /// Signature of the Ended trace. @param from address and port of the peer that had connected
    /// @param end how @param forth octets handed on to Remote @param back octets handed on from it
    typedef void (*EndedTracedCallback)(const Address& from,
                                        TcpSplitConnection::End end,
                                        uint64_t forth,
                                        uint64_t back);

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    TcpSplitProxy();
    ~TcpSplitProxy() override;

    /**
     * @brief Set an attribute of the TCP sockets towards those who connect, before the start.
     * @param name attribute of MpaTcpSocket
     * @param value its value
     */
    void SetNearSocketAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @brief Set an attribute of the TCP sockets towards Remote, before the start.
     * @param name attribute of MpaTcpSocket
     * @param value its value
     */
    void SetFarSocketAttribute(const std::string& name, const AttributeValue& value);

    std::size_t GetNConnections() const; //!< Count the connections that are there. @return pairs
    uint64_t GetHeld() const; //!< Count what waits at the proxy. @return octets, of all of them

  protected:
    void DoDispose() override;

  private:
    /// A connection that is there
    struct Entry
    {
        Ptr<TcpSplitConnection> connection; //!< it
        Address from;                       //!< who connected
    };

    void StartApplication() override;
    void StopApplication() override;

    /// @param settings of a side @param congestion control of it @return a socket for it
    Ptr<MpaTcpSocket> MakeSocket(const iwarp::SocketSettings& settings, TypeId congestion) const;
    /// @param socket of a new connection @param from who connected
    void HandleAccept(Ptr<Socket> socket, const Address& from);
    /// @param id of a connection that has changed @param held octets held more than before
    void HandleChange(uint64_t id, int64_t held);

    Address m_local;                      //!< where to listen
    Address m_remote;                     //!< where to connect to
    uint32_t m_bufferSize;                //!< octets of each buffer
    uint32_t m_maxConnections;            //!< connections at a time; 0 is no limit
    TypeId m_nearCongestion;              //!< congestion control towards those who connect
    TypeId m_farCongestion;               //!< congestion control towards Remote
    iwarp::SocketSettings m_nearSettings; //!< attributes of sockets towards those who connect
    iwarp::SocketSettings m_farSettings;  //!< attributes of sockets towards Remote

    Ptr<MpaTcpSocket> m_listener;            //!< listening socket
    std::map<uint64_t, Entry> m_connections; //!< in the order of acceptance
    uint64_t m_next{0};                      //!< number of the next connection
    TracedValue<uint64_t> m_held{0};         //!< octets held

    TracedCallback<const Address&> m_acceptedTrace; //!< Accepted
    TracedCallback<const Address&, TcpSplitConnection::End, uint64_t, uint64_t>
        m_endedTrace; //!< Ended
};

} // namespace ns3

#endif // TCP_SPLIT_PROXY_H
