/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_STARTUP_H
#define MPA_STARTUP_H

#include "mpa-error.h"
#include "mpa-negotiation.h"
#include "mpa-startup-frame.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-mpa
 * @brief MPA connection startup as a pure state machine (RFC 5044 section 7.1, RFC 6581).
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
            SEND_TERMINATE, //!< send an FPDU, the last one, with a Terminate: layer 2, type 0,
                            //!< code @ref error; it may go even if ENABLE_SEND never came
            CLOSE,          //!< close TCP (FIN)
            FAIL,           //!< report @ref error and @ref reason to the ULP
        };

        Kind kind;                     //!< what to do
        std::vector<uint8_t> octets{}; //!< for SEND_FRAME
        MpaError error{
            MpaError::NONE};  //!< for FAIL, SEND_TERMINATE; NONE: local error without a code
        std::string reason{}; //!< for FAIL, for people
    };

    using Actions = std::vector<Action>; //!< in the order in which they are to be done

    /**
     * @brief Begin with MPA off, in state STREAM.
     * @param config what this end wants
     */
    explicit MpaStartup(const MpaStartupConfig& config);

    /**
     * @brief Change what a Responder answers, before Accept() or Reject(): how many reads its ULP
     * needs may be known only when it has seen the Request.
     * @param config what this end wants; Result() follows
     */
    void SetEnhanced(const MpaEnhancedConfig& config);

    /**
     * @brief The ULP starts MPA on an established connection.
     * @param privateData for the Request; only an Initiator may give any, at most MaxPrivateData()
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
     *
     * If the Request cannot give the Responder the outbound reads that it needs (Result() says so
     * from REPORT_FRAME on), this rejects and fails.
     * @param privateData for the Reply; only a Responder may give any, at most MaxPrivateData()
     * @return actions
     */
    Actions Accept(const std::vector<uint8_t>& privateData);

    /**
     * @brief The ULP finds the peer's Private Data unacceptable; a Responder sends a Reply with
     * R=1.
     * @param privateData for the Reply, at most MaxPrivateData()
     * @return actions
     */
    Actions Reject(const std::vector<uint8_t>& privateData);

    /**
     * @brief The ULP gives up on the connection before Full Operation; TCP closes, no Reply.
     * @return actions
     */
    Actions Close();

    /**
     * @brief Something went wrong at this end that has no error code of its own; it is code 5.
     * @param reason for people
     * @return actions; an enhanced connection that may send FPDUs sends a Terminate first
     */
    Actions LocalError(const std::string& reason);

    /// @brief The startup timer ran out. @return actions
    Actions Timeout();

    /// @brief TCP was lost or closed by the peer. @return actions
    Actions ConnectionLost();

    /// @brief The receiver validated its first FPDU. @return actions
    Actions FpduValidated();

    /// Find how much Private Data a frame takes. @return octets of Private Data that the ULP may
    /// give: 512, in an enhanced frame 508
    std::size_t MaxPrivateData() const;

    /**
     * @brief TCP ended without an answer to an enhanced Request, as it does if the peer does not
     * know revision 2; a new connection with revision 1 may do (RFC 6581 section 10).
     * @return true if so
     */
    bool MayRetryUnenhanced() const;

    /// Tell how far startup has come. @return the state
    State GetState() const
    {
        return m_state;
    }

    /// See the settings. @return what this end wants
    const MpaStartupConfig& GetConfig() const
    {
        return m_config;
    }

    /**
     * @brief See what the peer said.
     * @return the peer's frame, from REPORT_FRAME or REPORT_REJECT on; its privateData are the
     * ULP's share, without the enhanced word
     */
    const MpaStartupFrame& PeerFrame() const
    {
        return m_peerFrame;
    }

    /// See what both ends agree on. @return what was settled, from REPORT_FRAME on; after
    /// REPORT_REJECT the peer's IRD and ORD, and as its own what is configured
    const MpaStartupResult& Result() const
    {
        return m_result;
    }

  private:
    /**
     * @brief The peer's frame is whole.
     * @param more octets came right behind it
     * @return actions
     */
    Actions ProcessFrame(bool more);

    /**
     * @brief The peer's Reply accepts, and nothing is wrong with it by RFC 5044.
     * @param word the Responder's word, if the Reply is enhanced
     * @return actions
     */
    Actions ProcessReply(const MpaEnhancedWord& word);

    /**
     * @brief Nothing is wrong with the peer's Request.
     * @param word the Initiator's word, if the Request is enhanced
     * @return actions
     */
    Actions ProcessRequest(const MpaEnhancedWord& word);

    MpaEnhancedWord Negotiate(); //!< negotiate on an enhanced Request @return the word that answers
                                 //!< it

    /// Answer the Request with the Reply as it is. @param privateData the ULP's share of its
    /// Private Data @return the action that sends it
    Action Answer(const std::vector<uint8_t>& privateData);

    /**
     * @brief Startup has failed: stop the timer if it runs, close TCP, tell the ULP.
     * @param error code for DDP, NONE for a local error
     * @param reason for people
     * @return actions
     */
    Actions Abandon(MpaError error, const std::string& reason);

    /**
     * @brief An Initiator finds the accepting Reply unusable: tell the Responder, then close.
     * @param error code for the Terminate
     * @param reason for people
     * @return actions
     */
    Actions Terminate(MpaError error, const std::string& reason);

    /**
     * @brief What to say of a key that is not the expected one.
     * @return reason
     */
    std::string DescribeBadKey() const;

    MpaStartupConfig m_config;      //!< what this end wants
    State m_state{State::STREAM};   //!< state
    std::vector<uint8_t> m_partial; //!< octets of a frame not yet whole
    MpaStartupFrame m_ownFrame;     //!< an Initiator's Request; a Responder's Reply to be, with the
                                    //!< Initiator's word until it is answered
    MpaStartupFrame m_peerFrame;    //!< the peer's frame
    MpaStartupResult m_result;      //!< what was settled
    bool m_unanswered{false};       //!< TCP ended before an octet of the peer's frame came
};

} // namespace ns3

#endif // MPA_STARTUP_H
