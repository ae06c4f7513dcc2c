/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DDP_SCTP_SESSION_H
#define DDP_SCTP_SESSION_H

#include "ddp-sctp-control.h"

#include "ns3/mpa-negotiation.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-ddp
/// @brief What an endpoint of a DDP stream session over SCTP wants.
struct DdpSctpSessionConfig
{
    MpaRole role{MpaRole::INITIATOR}; //!< the Initiator is the active side
    MpaEnhancedConfig enhanced;       //!< IRD, ORD and indications; wanted: the active side asks
};

/**
 * @ingroup iwarp-ddp
 * @brief A DDP stream session over one SCTP stream pair, as a pure state machine (RFC 5043 section
 * 6 with the enhanced messages of RFC 6581 section 7).
 *
 * User data of chunks go in and come out; ns-3 has no SCTP, so the caller carries them. They may
 * come in any order, as unordered chunks do, and are taken in that of their DDP-SSN. No indication
 * has to be sent before other messages: the payload protocol tells control and segments apart.
 */
class DdpSctpSession
{
  public:
    /// States
    enum class State : uint8_t
    {
        IDLE,        //!< nothing sent or received
        WAIT_ANSWER, //!< active side, has asked
        ULP_DECIDES, //!< passive side, was asked
        OPEN,        //!< DDP Segments flow
        CLOSED,      //!< over
    };

    /// One thing for the caller to do.
    struct Action
    {
        /// Kinds of action
        enum class Kind : uint8_t
        {
            SEND,    //!< send @ref octets as an unordered chunk with @ref ppid
            REPORT,  //!< give @ref message to the ULP; its privateData are the ULP's share
            DELIVER, //!< @ref octets are a DDP Segment
            FAIL,    //!< the session has ended for @ref error and @ref reason
        };

        Kind kind;                      //!< what to do
        uint32_t ppid{0};               //!< for SEND
        std::vector<uint8_t> octets{};  //!< for SEND and DELIVER
        DdpSctpControl message{};       //!< for REPORT
        MpaError error{MpaError::NONE}; //!< for FAIL; NONE has no code
        std::string reason{};           //!< for FAIL, for people
    };

    using Actions = std::vector<Action>; //!< in the order in which they are to be done

    static constexpr std::size_t MAX_HELD = 1024; //!< chunks held while one before them is missing

    /**
     * @brief Make a session that is idle.
     * @param config what this end wants
     */
    explicit DdpSctpSession(const DdpSctpSessionConfig& config);

    /**
     * @brief The active side asks for a session.
     * @param privateData the ULP's, at most MaxPrivateData()
     * @return actions; FAIL alone, nothing changed, if this is not possible
     */
    Actions Initiate(const std::vector<uint8_t>& privateData);

    /**
     * @brief The passive side's ULP accepts.
     *
     * If the peer's word cannot give this end what it needs (Result() says so), this rejects.
     * @param privateData the ULP's, at most MaxPrivateData()
     * @return actions; FAIL alone, nothing changed, if this is not possible
     */
    Actions Accept(const std::vector<uint8_t>& privateData);

    /**
     * @brief The passive side's ULP rejects.
     * @param privateData the ULP's, at most MaxPrivateData()
     * @return actions; FAIL alone, nothing changed, if this is not possible
     */
    Actions Reject(const std::vector<uint8_t>& privateData);

    /**
     * @brief End the session: the ULP is done, or the provider refuses what it was asked.
     * @return actions
     */
    Actions Terminate();

    /**
     * @brief Send a DDP Segment.
     * @param segment header and payload
     * @return actions; FAIL alone, nothing changed, if the session is not open
     */
    Actions Send(const std::vector<uint8_t>& segment);

    /**
     * @brief A chunk came.
     * @param ppid its payload protocol
     * @param data user data
     * @param size octets there
     * @return actions
     */
    Actions Receive(uint32_t ppid, const uint8_t* data, std::size_t size);

    /// Tell how much Private Data a message of the ULP has room for. @return octets: 512, in an
    /// enhanced message 508
    std::size_t MaxPrivateData() const;

    /// Tell how far the session has come. @return its state
    State GetState() const;

    /// Get what the two ends have settled. @return IRD, ORD and indications, once the peer's word
    /// is known
    const MpaEnhancedResult& Result() const;

  private:
    /// A chunk that came before its time
    struct Held
    {
        uint32_t ppid;               //!< payload protocol
        std::vector<uint8_t> octets; //!< user data
    };

    /**
     * @brief Take the chunk whose turn it is.
     * @param chunk chunk
     * @param [in,out] actions what to do is added
     */
    void Process(const Held& chunk, Actions& actions);

    /**
     * @brief The active side's message has come.
     * @param message without its word
     * @param word its word, if it is enhanced
     * @param [in,out] actions what to do is added
     */
    void ProcessInitiate(const DdpSctpControl& message,
                         const MpaEnhancedWord& word,
                         Actions& actions);

    /**
     * @brief The passive side's message has come.
     * @param message without its word
     * @param word its word, if it is enhanced
     * @param [in,out] actions what to do is added
     */
    void ProcessAnswer(const DdpSctpControl& message,
                       const MpaEnhancedWord& word,
                       Actions& actions);

    /**
     * @brief End the session from this side and tell the ULP.
     * @param error code
     * @param reason for people
     * @param [in,out] actions what to do is added
     */
    void End(MpaError error, const std::string& reason, Actions& actions);

    /**
     * @param function function code of the unenhanced message
     * @param privateData the ULP's
     * @return the action that sends it, enhanced if the session is
     */
    Action Control(DdpSctpControl::Function function, const std::vector<uint8_t>& privateData);

    DdpSctpSessionConfig m_config;   //!< what this end wants
    State m_state{State::IDLE};      //!< state
    bool m_enhanced;                 //!< messages are the enhanced ones
    MpaEnhancedWord m_word;          //!< own word
    MpaEnhancedResult m_result;      //!< what was settled
    uint16_t m_nextOut{0};           //!< DDP-SSN of the next chunk to send
    uint16_t m_nextIn{0};            //!< DDP-SSN of the next chunk to take
    std::map<uint16_t, Held> m_held; //!< chunks whose turn has not come, by DDP-SSN
};

} // namespace ns3

#endif // DDP_SCTP_SESSION_H
