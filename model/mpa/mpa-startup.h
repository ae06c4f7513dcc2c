/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_STARTUP_H
#define MPA_STARTUP_H

#include "mpa-error.h"
#include "mpa-startup-frame.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-mpa
/// @brief Who sends the Request; independent of who sent the TCP SYN (RFC 5044 section 7.1).
enum class MpaRole : uint8_t
{
    INITIATOR,
    RESPONDER,
};

/// @ingroup iwarp-mpa
/// @brief Kinds of RNIC in the sense of RFC 5044 Appendix C.
enum class MpaPersonality : uint8_t
{
    IETF,       //!< non-permissive IETF RNIC: revision 1 (or 2) only
    PERMISSIVE, //!< permissive IETF RNIC: falls back to revision 0 for an RDMAC peer
    RDMAC,      //!< RDMA Consortium RNIC with a frame agent: revision 0, Markers and CRC on
};

/// @ingroup iwarp-mpa
/// @brief What an endpoint wants from startup.
struct MpaStartupConfig
{
    MpaRole role{MpaRole::INITIATOR};                 //!< role
    MpaPersonality personality{MpaPersonality::IETF}; //!< kind of RNIC
    bool markers{true};  //!< M: Markers wanted in what this end receives
    bool crc{true};      //!< C: CRC wanted
    uint8_t revision{1}; //!< highest revision this end speaks
    std::size_t privateDataLimit{
        MpaStartupFrame::MAX_PRIVATE_DATA}; //!< octets the ULP's buffer takes
    bool closeOnReject{false}; //!< close TCP on R=1 (7.1.4.2) rather than leave it open (7.1.2)
    bool waitForFirstFpdu{
        true}; //!< a Responder sends nothing before it has validated an FPDU (7.1.2 rule 4)
};

/// @ingroup iwarp-mpa
/// @brief What startup has settled.
struct MpaStartupResult
{
    uint8_t version{1};      //!< protocol version to report to DDP: 1, or 0 with an RDMAC peer
    uint8_t peerRevision{1}; //!< Rev of the peer's frame
    bool txMarkers{false};   //!< Markers in what this end sends (the peer's M)
    bool rxMarkers{false};   //!< Markers in what this end receives (own M)
    bool crc{true};          //!< CRC generated and checked in both directions
};

/**
 * @ingroup iwarp-mpa
 * @brief MPA connection startup as a pure state machine (RFC 5044 section 7.1).
 *
 * Events go in as calls; each returns the actions that the caller is to carry out, in order. The
 * machine knows neither sockets nor time. Delayed and immediate startup differ only in when the
 * caller calls Start().
 */
class MpaStartup
{
  public:
    /// States; the tables of section 7.1 in words.
    enum class State : uint8_t
    {
        STREAM,       //!< TCP is open, MPA is off (before, or after a rejection)
        WAIT_FRAME,   //!< Initiator waits for a Reply, Responder for a Request
        ULP_DECIDES,  //!< the peer's frame is good, the ULP accepts, rejects or closes
        FULL_RX_ONLY, //!< Responder that has not yet validated an FPDU
        FULL,         //!< Full Operation
        CLOSED,       //!< over
    };

    /// One thing for the caller to do.
    struct Action
    {
        /// Kinds of action
        enum class Kind : uint8_t
        {
            SEND_FRAME,     //!< send @ref octets as they are
            START_TIMER,    //!< start the startup timer
            STOP_TIMER,     //!< stop it
            REPORT_FRAME,   //!< give the peer's frame (PeerFrame()) to the ULP, which then decides
            REPORT_REJECT,  //!< the peer rejected; MPA is off again, TCP stays open
            ENABLE_RECEIVE, //!< decode what comes from here on as FPDUs, by Result()
            ENABLE_SEND,    //!< FPDUs may be sent from here on, by Result()
            CLOSE,          //!< close TCP (FIN)
            FAIL,           //!< report @ref error and @ref reason to the ULP
        };

        Kind kind;                      //!< what to do
        std::vector<uint8_t> octets{};  //!< for SEND_FRAME
        MpaError error{MpaError::NONE}; //!< for FAIL; NONE is a local error without a code
        std::string reason{};           //!< for FAIL, for people
    };

    using Actions = std::vector<Action>; //!< in the order in which they are to be done

    /**
     * @param config what this end wants
     */
    explicit MpaStartup(const MpaStartupConfig& config);

    /**
     * @brief The ULP starts MPA on an established connection.
     * @param privateData for the Request; only an Initiator may give any, at most 512 octets
     * @return actions; FAIL alone, in state STREAM, if the arguments are bad
     */
    Actions Start(const std::vector<uint8_t>& privateData);

    /**
     * @brief Octets came in order.
     * @param data octets
     * @param size number of octets
     * @param [out] consumed octets that belong to the startup frame; the rest is not startup's
     * @return actions
     */
    Actions Receive(const uint8_t* data, std::size_t size, std::size_t& consumed);

    /**
     * @brief The ULP accepts the peer's frame, and a DDP endpoint is bound.
     * @param privateData for the Reply; only a Responder may give any, at most 512 octets
     * @return actions
     */
    Actions Accept(const std::vector<uint8_t>& privateData);

    /**
     * @brief The ULP finds the peer's Private Data unacceptable; a Responder sends a Reply with
     * R=1.
     * @param privateData for the Reply, at most 512 octets
     * @return actions
     */
    Actions Reject(const std::vector<uint8_t>& privateData);

    /// @brief The startup timer ran out. @return actions
    Actions Timeout();

    /// @brief TCP was lost or closed by the peer. @return actions
    Actions ConnectionLost();

    /// @brief The receiver validated its first FPDU. @return actions
    Actions FpduValidated();

    State GetState() const;                    //!< @return the state
    const MpaStartupConfig& GetConfig() const; //!< @return what this end wants
    const MpaStartupFrame& PeerFrame()
        const; //!< @return the peer's frame, valid from ULP_DECIDES on
    const MpaStartupResult& Result()
        const; //!< @return what was settled, valid from FULL_RX_ONLY or FULL on

  private:
    MpaStartupConfig m_config;      //!< what this end wants
    State m_state{State::STREAM};   //!< state
    std::vector<uint8_t> m_partial; //!< octets of a frame not yet whole
    MpaStartupFrame m_peerFrame;    //!< the peer's frame
    MpaStartupResult m_result;      //!< what was settled
};

} // namespace ns3

#endif // MPA_STARTUP_H
