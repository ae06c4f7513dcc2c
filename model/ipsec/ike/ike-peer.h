/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IKE_PEER_H
#define IKE_PEER_H

#include "ike-child.h"
#include "ike-message.h"
#include "ike-processor.h"

#include "ns3/ipsec-selector.h"
#include "ns3/nstime.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-ipsec
/// @brief How key exchange goes.
struct IkeSettings : IkeSizes
{
    Time exponentiation;      //!< to make a key pair, or a shared secret of two
    Time signature;           //!< to make or to check an authentication
    Time handling;            //!< to make or to read a message
    Time retry{Seconds(4)};   //!< until a request is sent again (strongSwan's retransmit_timeout)
    double backOff{1.8};      //!< the next wait is so many times longer (retransmit_base)
    uint32_t retries{5};      //!< until the peer is given up (retransmit_tries)
    uint32_t window{1};       //!< requests that may wait for their responses (RFC 7296 section 2.3)
    Time overlap{Seconds(1)}; //!< for which a pair outlives its successor's making
};

/// @ingroup iwarp-ipsec
/// @brief What has to be done.
struct IkeAction
{
    /// What.
    enum class Kind : uint8_t
    {
        SEND,     //!< message goes to the peer
        WAKE,     //!< call Expire()
        INBOUND,  //!< child can be received by
        OUTBOUND, //!< child can be sent by, and takes over from what it replaces
        SILENCE,  //!< child is not to be sent by any more, but it is received by
        REMOVE,   //!< child is over, both ways
        FAILED,   //!< the peer does not answer: what child.traffic waits for does not come
    };

    Kind kind{Kind::SEND}; //!< what
    Time when;             //!< at which time
    IkeMessage message;    //!< of SEND
    IkeChild child;        //!< of the others but WAKE
};

using IkeActions = std::vector<IkeAction>; //!< in the order of their making

/**
 * @ingroup iwarp-ipsec
 * @brief One end of key exchange with one peer, after IKEv2 (RFC 7296): what happens goes in, what
 * has to be done comes out.
 *
 * The first demand takes two round trips (SA_INIT and AUTH), each later one, and each replacement,
 * one (CREATE_CHILD_SA). Requests are sent again until they are answered; a request that comes
 * again is answered again, as before. A pair is replaced by the end that asked for it, so that both
 * never do so at once. Of two that ask for the same at once each gets a pair.
 */
class IkePeer
{
  public:
    /// Draws numbers.
    using Random = std::function<uint32_t()>;

    /**
     * @param settings how it goes; the same at both ends as far as messages are concerned
     * @param random draws nonces
     * @param spis gives SPIs, from 256 on, of which each is another than all others of the node
     * @param processor computes; outlives this
     */
    IkePeer(const IkeSettings& settings, Random random, Random spis, IkeProcessor& processor);

    /// Ask for a pair. @param traffic what it is for, as this end sends it @param now current time
    /// @return what to do; nothing if one is being asked for
    IkeActions Acquire(const IpsecFlow& traffic, Time now);

    /// Replace a pair. @param inbound SPI that this end receives by @param now current time
    /// @return what to do; nothing if there is no such pair, the peer asked for it, or it is
    /// replaced
    IkeActions Rekey(uint32_t inbound, Time now);

    /// Delete a pair, as when it is idle: it is sent by no more, and received by until the peer has
    /// answered. @param inbound SPI that this end receives by @param now current time
    /// @return what to do; nothing if there is no such pair, or the peer is to delete it, which has
    /// replaced it
    IkeActions Delete(uint32_t inbound, Time now);

    /// Take a message of the peer. @param message as it came @param now current time
    /// @return what to do
    IkeActions Receive(const IkeMessage& message, Time now);

    /// Take note that a packet has come by a pair: the peer has it. @param inbound SPI that this
    /// end receives by @param now current time @return what to do
    IkeActions Used(uint32_t inbound, Time now);

    /// Look after what is due. @param now current time @return what to do
    IkeActions Expire(Time now);

    /// Tell whether this end has asked to delete a pair. @param inbound SPI that it receives by
    /// @return true then
    bool IsLeaving(uint32_t inbound) const;

    /// Find a pair by what this end sends by. @param spi outbound SPI @return inbound SPI, or 0
    uint32_t FindOutbound(uint32_t spi) const;

    bool IsEstablished() const; //!< @return whether the ends know each other
    std::size_t GetN() const;   //!< @return pairs that are there
    uint64_t GetResent() const; //!< @return requests sent again

  private:
    /// A request, sent or about to be.
    struct Request
    {
        IkeMessage message; //!< as it is sent, each time
        uint32_t sent{0};   //!< how often
        Time due;           //!< when it is sent again
        Time wait;          //!< from one time to the next
    };

    /// A pair that is there.
    struct Pair
    {
        IkeChild child;        //!< what it is
        bool outbound{false};  //!< it is sent by
        bool replacing{false}; //!< its successor is asked for
        bool leaving{false};   //!< its deletion is asked for, or will be
        bool deferred{false};  //!< its deletion is asked for once it has a successor
        uint32_t successor{0}; //!< inbound SPI of what has taken over from it; 0: nothing
    };

    /// An answer that may be wanted again.
    struct Answered
    {
        uint64_t asked{0};  //!< nonce of the request
        IkeMessage message; //!< the answer
    };

    using Requests = std::deque<Request>; //!< in the order of their numbers
    using Flows = std::unordered_multiset<IpsecFlow, IpsecFlowHash>; //!< traffic of pairs

    uint64_t Nonce(); //!< @return a number that was not drawn before
    Time Work(IkeExchange exchange, bool response) const; //!< @return time to make such a message

    /// @param message to ask @param now current time @param[out] actions what to do
    void SendRequest(IkeMessage message, Time now, IkeActions& actions);
    /// @param inbound SPI of a pair @param now current time @param[out] actions what to do
    void RequestDeletion(uint32_t inbound, Time now, IkeActions& actions);
    /// @return requests that may be under way, of the window from the oldest without a response on
    std::size_t CountOpen() const;
    /// @param now current time @param[out] actions: SEND of what the window has room for
    void Advance(Time now, IkeActions& actions);
    /// @param message request of the peer @param now current time @param[out] actions what to do
    void Answer(const IkeMessage& message, Time now, IkeActions& actions);
    /// @param message request of the peer @param[out] answer to complete @param when it is made
    /// @param[out] actions what to do
    void AnswerChild(const IkeMessage& message, IkeMessage& answer, Time when, IkeActions& actions);
    /// @param message response of the peer @param now current time @param[out] actions what to do
    void Conclude(const IkeMessage& message, Time now, IkeActions& actions);
    /// @param child that is made @param when it is @param[out] actions what to do
    void Install(const IkeChild& child, Time when, IkeActions& actions);
    /// @param inbound SPI of a pair @param when it goes @param[out] actions what to do
    void Remove(uint32_t inbound, Time when, IkeActions& actions);
    /// @param now current time @param[out] actions: all that this peer was for is over
    void GiveUp(Time now, IkeActions& actions);

    IkeSettings m_settings;                 //!< how it goes
    Random m_random;                        //!< draws nonces
    Random m_spis;                          //!< gives SPIs
    IkeProcessor& m_processor;              //!< computes
    bool m_established{false};              //!< both ends know each other
    uint32_t m_next{0};                     //!< number of the next request
    uint64_t m_resent{0};                   //!< requests sent again
    Requests m_requests;                    //!< not answered yet; those behind the window wait
    std::deque<IkeMessage> m_held;          //!< demands that wait for the ends to know each other
    uint32_t m_expected{0};                 //!< number that the peer's next request should have
    uint64_t m_begun{0};                    //!< nonce of the peer's last SA_INIT
    std::map<uint32_t, Answered> m_answers; //!< to the peer's last requests, by number
    std::map<uint32_t, Pair> m_pairs;       //!< by inbound SPI
    Flows m_asked;                          //!< what pairs are asked for, or will be
    std::unordered_map<uint32_t, uint32_t> m_outbound;  //!< inbound SPIs of pairs, by outbound
    std::deque<std::pair<Time, uint32_t>> m_superseded; //!< inbound SPIs of pairs that were
                                                        //!< replaced, by when they are to go
};

} // namespace ns3

#endif // IKE_PEER_H
