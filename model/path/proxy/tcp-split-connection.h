/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_SPLIT_CONNECTION_H
#define TCP_SPLIT_CONNECTION_H

#include "ns3/mpa-tcp-socket.h"
#include "ns3/packet.h"
#include "ns3/simple-ref-count.h"

#include <array>
#include <cstdint>
#include <functional>

namespace ns3
{

/**
 * @ingroup iwarp-app
 * @brief Two TCP connections that a TcpSplitProxy makes one of.
 *
 * Octets are taken from one socket when the other has room for them, so that each sender is held
 * back by its receive window. What ends one connection ends the other in
 * the same way: a FIN when all before it has been handed on, a reset at once.
 */
class TcpSplitConnection : public SimpleRefCount<TcpSplitConnection>
{
  public:
    /// How it ended
    enum class End : uint8_t
    {
        CLOSED, //!< both directions by FIN
        RESET,  //!< by a reset, or a side that cannot be reached
    };

    /// Something has changed. @param held octets that are held now more than before, or less
    using ChangeFunction = std::function<void(int64_t held)>;

    /**
     * @brief Begin.
     * @param near socket of the accepted connection
     * @param far socket that is connecting
     * @param change called when GetMoved(), GetHeld() or IsOver() may have changed
     */
    TcpSplitConnection(Ptr<MpaTcpSocket> near, Ptr<MpaTcpSocket> far, ChangeFunction change);
    ~TcpSplitConnection();

    void Reset(); //!< End both connections by resets.

    bool IsOver() const; //!< Tell whether it has ended. @return whether it has
    End GetEnd() const;  //!< Tell how it ended. @return how, if IsOver()
    /// Count octets handed on. @param forth from near to far, or back @return octets
    uint64_t GetMoved(bool forth) const;
    /// Count octets that wait at the proxy: received and not taken, or not acknowledged yet.
    /// @param forth from near to far, or back @return octets
    uint32_t GetHeld(bool forth) const;

  private:
    /// One direction
    struct Way
    {
        Ptr<MpaTcpSocket> from; //!< where octets come
        Ptr<MpaTcpSocket> to;   //!< where they go
        Ptr<Packet> rest;       //!< the last octets, taken with the FIN; nullptr before
        uint64_t moved{0};      //!< octets handed on
        bool shut{false};       //!< the FIN is handed on
    };

    void Connected(Ptr<Socket> socket); //!< @param socket far, which is connected
    void Lost(Ptr<Socket> socket);      //!< @param socket that cannot be reached, or was reset
    void Closed(Ptr<Socket> socket);    //!< @param socket whose peer sent FIN or a reset
    void Received(Ptr<Socket> socket);  //!< @param socket that has octets
    void Sent(Ptr<Socket> socket,
              uint32_t room); //!< @param socket that has room @param room octets
    void Move();              //!< hand on what can be, both ways
    /// @param way where octets are @return how many have come and are not handed on
    static uint32_t CountWaiting(const Way& way);
    static bool Move(Way& way); //!< @param way hand on what can be @return false if it is lost
    void Change();              //!< tell that something has changed
    void Detach();              //!< want no more calls of the sockets

    std::array<Way, 2> m_ways; //!< forth and back
    ChangeFunction m_change;   //!< who wants to know
    uint32_t m_held{0};        //!< octets held when that was told last
    bool m_connected{false};   //!< far is connected
    bool m_over{false};        //!< it has ended
    End m_end{End::CLOSED};    //!< how
};

} // namespace ns3

#endif // TCP_SPLIT_CONNECTION_H
