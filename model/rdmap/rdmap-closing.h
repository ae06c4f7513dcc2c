/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMAP_CLOSING_H
#define RDMAP_CLOSING_H

#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-rdmap
 * @brief The end of an RDMAP stream as a pure state machine (RFC 5040 section 6, RFC 5041 section
 * 6.2).
 *
 * Events go in as calls; each returns the actions that the caller is to carry out, in order. What
 * is not an event but a condition of the parts around it goes in with Update(), whenever one of
 * them may have changed. The machine knows neither sockets nor time.
 */
class RdmapClosing
{
  public:
    /// States.
    enum class State : uint8_t
    {
        OPEN,              //!< nobody has closed
        DRAINING,          //!< Close() was called: what was posted goes out first
        SEND_CLOSED,       //!< this side sends no more, the peer may
        PEER_CLOSED,       //!< the peer sends no more, this side may
        DRAINING_FOR_LAST, //!< the same, and Close() was called
        TERMINATING,       //!< failed: a Terminate waits for room to leave
        BOTH_CLOSED,       //!< neither side sends any more
        CLOSED,            //!< over
    };

    /// What the caller is to do.
    enum class Action : uint8_t
    {
        SHUTDOWN_SEND, //!< end this half of the connection: FIN behind all that was sent
        CLOSE_TCP,     //!< close the connection
        LIMIT_END,     //!< reset the connection if it is not over in a set time; that is Lost()
        LOSE_LLP,      //!< tell the endpoint that nothing can be sent or taken any more
        FINISH,        //!< tell the layer above that both directions are over
    };

    using Actions = std::vector<Action>; //!< in the order in which they are to be done

    /// Conditions of the parts around the machine.
    struct Conditions
    {
        bool receives{false};         //!< MPA takes the peer's FPDUs
        bool sends{false};            //!< work goes out
        bool failed{false};           //!< the endpoint has failed
        bool terminatePending{false}; //!< its Terminate has not left yet
        bool drained{false};          //!< the endpoint has nothing to send or to wait for
        bool acknowledged{false};     //!< the peer has acknowledged all that was sent
        bool held{false};             //!< work waits for the peer's first FPDU
        bool owes{false};             //!< the peer waits for a response
    };

    void Close();      //!< The layer above ends the stream gracefully.
    void PeerClosed(); //!< The peer's FIN has come.

    /**
     * @brief The layer above ends the stream at once.
     * @return actions
     */
    Actions Abort();

    /**
     * @brief TCP has lost the connection.
     * @return actions
     */
    Actions Lost();

    /**
     * @brief MPA could not start; it has closed TCP, or leaves it to its owner.
     * @return actions
     */
    Actions StartupFailed();

    /**
     * @brief Find out what can be closed now.
     * @param now conditions
     * @return actions
     */
    Actions Update(const Conditions& now);

    State GetState() const; //!< Tell how far the end has come. @return the state
    /// Ask whether this direction is open. @return true until this side has sent its last octet
    bool MaySend() const;

    /// Ask whether Update() can be left out. @return true if it has nothing to do while the
    /// endpoint has not failed
    bool IsIdle() const;

  private:
    Actions Fail(const Conditions& now); //!< the endpoint has failed @param now conditions
                                         //!< @return actions

    State m_state{State::OPEN}; //!< state
    bool m_limited{false};      //!< LIMIT_END is done for a response that is owed
};

} // namespace ns3

#endif // RDMAP_CLOSING_H
