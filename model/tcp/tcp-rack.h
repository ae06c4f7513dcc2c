/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_RACK_H
#define TCP_RACK_H

#include "tcp-held-octets.h"
#include "tcp-round-trips.h"

#include "ns3/nstime.h"
#include "ns3/sequence-number.h"

#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-tcp
 * @brief Which segments are lost, by RACK (RFC 8985 sections 5 and 6): pure, its events are told.
 *
 * A segment is lost if one that was sent later has arrived, and a round trip and the reordering
 * window have passed since it was sent. That holds for what is sent again as well. The window is a
 * quarter of the least RTT; it grows by as much in each round trip that brings a DSACK, up to the
 * smoothed RTT, and is so again behind 16 recoveries without one. It is zero as long as no
 * reordering was seen, in recovery and from the third segment on that arrived ahead.
 *
 * It is the scoreboard besides: what is in flight, what is lost and has to be sent again, what the
 * peer has told of. A segment counts as told of when all of it is, which segments that are cut anew
 * can be at once. Those in flight form a list in
 * the order in which they were sent, so that an event costs time by what it changes, and not by the
 * window.
 */
class TcpRack
{
  public:
    /// Octets in a row: the first, and the one behind the last.
    using Block = std::pair<SequenceNumber32, SequenceNumber32>;

    /// What an ACK tells.
    struct Ack
    {
        SequenceNumber32 ack;      //!< acknowledgment number
        std::vector<Block> blocks; //!< SACK blocks that are no duplicates
        bool duplicate{false};     //!< it has a DSACK block (RFC 2883)
        std::optional<Time> echo;  //!< behind the last moment whose timestamp it echoes
        bool recovered{false};     //!< it ends fast recovery or RTO recovery
        Time now;                  //!< the clock
    };

    /// What is found to be lost.
    struct Losses
    {
        uint32_t octets{0};   //!< as many more than before
        Time wait;            //!< what is to be looked at again then; 0: nothing is
        Time latestAgain{-1}; //!< when the last of those that were sent again was; -1: none was
    };

    /// Begin with nothing sent. @param next number of the first octet @param threshold DupThresh of
    /// RFC 6675 @param window time for which the least RTT counts
    TcpRack(SequenceNumber32 next, uint32_t threshold, Time window);
    ~TcpRack();
    TcpRack(const TcpRack&) = delete;
    TcpRack& operator=(const TcpRack&) = delete;

    /// Take a round-trip time that no data has told: that of the handshake. @param rtt it @param
    /// now the clock
    void MeasureHandshake(Time rtt, Time now);

    /// A segment is sent (section 6.1), perhaps of others as a whole or in part. @param seq first
    /// octet @param size octets: all new, or all sent before @param now the clock
    void NotifySent(SequenceNumber32 seq, uint32_t size, Time now);

    /// An ACK has come (section 6.2, steps 1 to 4). @param ack it @return it has told of an RTT
    bool NotifyAck(const Ack& ack);

    /// Find what is lost (section 6.2, step 5). @param recovering fast recovery or RTO recovery is
    /// on @param now the clock @return what is found
    Losses DetectLosses(bool recovering, Time now);

    /// The retransmission timer has run out (section 6.3). @param recovering fast recovery or RTO
    /// recovery is on @param now the clock
    void MarkTimeout(bool recovering, Time now);

    /// Have all sent again, for another reason. @param forget the peer has given up what it had
    /// told of (RFC 2018 section 8)
    void MarkAll(bool forget);

    /// Find what is to be sent again. @param limit octets that are enough @return the first segment
    /// that is lost, and those right behind it until there are as many; empty if there is none
    Block FindLost(uint32_t limit) const;

    /// Find the segment that a probe repeats. @return the last one sent; empty if nothing is
    /// outstanding
    Block FindLast() const;

    /// Tell whether the first segment has been sent again. @return true if it has
    bool IsFirstAgain() const;

    /// Get the end of what was sent. @return number behind it
    SequenceNumber32 GetNext() const
    {
        return m_next;
    }

    /// Count what is on its way. @return octets that are neither lost nor told of
    uint32_t GetInFlight() const
    {
        return m_octets[IN_FLIGHT];
    }

    /// Count what is lost. @return octets, those that were sent again not among them
    uint32_t GetLost() const
    {
        return m_octets[LOST];
    }

    /// Count what was lost so far. @return octets, each time that they were
    uint64_t GetTotalLost() const
    {
        return m_totalLost;
    }

    /// Count what the peer holds behind a hole. @return segments: RACK.segs_sacked
    uint32_t GetSackedSegments() const
    {
        return m_sackedSegments;
    }

    /// Count what is outstanding. @return segments
    std::size_t GetSegments() const
    {
        return m_segments.size();
    }

    /// Get the reordering window. @param recovering fast recovery or RTO recovery is on
    /// @return RACK.reo_wnd
    Time GetWindow(bool recovering) const;

    /// Get the round-trip times. @return them
    const TcpRoundTrips& GetRoundTrips() const
    {
        return m_roundTrips;
    }

    /// Tell whether reordering was seen. @return RACK.reordering_seen
    bool HasReordered() const
    {
        return m_reordered;
    }

  private:
    /// What has become of a segment.
    enum State : uint8_t
    {
        IN_FLIGHT, //!< nothing is known
        LOST,      //!< it is lost, and has to be sent again
        SACKED,    //!< the peer has told of it
        STATES,
    };

    /// When a segment was sent, and its end.
    using Sending = std::pair<Time, SequenceNumber32>;

    /// A segment, by its end. Its place in the list of those in flight is its own.
    struct Segment : boost::intrusive::list_base_hook<>
    {
        SequenceNumber32 begin; //!< first octet
        SequenceNumber32 end;   //!< behind the last one
        Time sent;              //!< Segment.xmit_ts
        State state{IN_FLIGHT}; //!< what has become of it
        bool again{false};      //!< Segment.retransmitted

        Sending GetSending() const //!< @return when it was sent last, and its end
        {
            return {sent, end};
        }

        uint32_t GetSize() const //!< @return octets
        {
            return static_cast<uint32_t>(end - begin);
        }
    };

    /// What an ACK has newly acknowledged and told of.
    struct Delivery
    {
        std::optional<Sending> first; //!< of those sent once, that sent first
        std::optional<Sending> last;  //!< and that sent last
        /// Those sent again, and whether the ACK stands behind them.
        std::vector<std::pair<Sending, bool>> again;
    };

    using Segments = std::map<SequenceNumber32, Segment>; //!< by end
    using Flight = boost::intrusive::list<Segment>;       //!< by when they were sent

    /// @param one segment @param other segment @return the one was sent after the other
    static bool IsSentAfter(const Sending& one, const Sending& other)
    {
        return one > other;
    }

    void Enlist(Segment& segment);    //!< @param segment sent now
    void Unlist(Segment& segment);    //!< @param segment in flight no more
    void Forget(Segment& segment);    //!< in all but m_segments @param segment one
    void SetLost(Segment& segment);   //!< @param segment lost
    void SetSacked(Segment& segment); //!< @param segment told of
    void Cut(SequenceNumber32 seq);   //!< has a segment begin there @param seq octet
    /// Step 3, for a segment. @param segment acknowledged or told of @param inOrder it is the
    /// former
    /// @param delivery takes it
    void Deliver(const Segment& segment, bool inOrder, Delivery& delivery);
    /// @param ack acknowledgment number @param delivery takes what it acknowledges
    void Acknowledge(SequenceNumber32 ack, Delivery& delivery);
    /// @param ack an ACK @param delivery takes what it tells of
    void TakeBlocks(const Ack& ack, Delivery& delivery);
    /// Step 2. @param ack an ACK @param delivery what it has delivered
    void Follow(const Ack& ack, const Delivery& delivery);
    void AdaptWindow(const Ack& ack);          //!< step 4 @param ack an ACK
    bool IsTold(const Segment& segment) const; //!< @param segment one @return all of it is told of
    /// What the peer has told of before. @param segment cut or put together now
    void SettleTold(Segment& segment);

    const uint32_t m_threshold;        //!< DupThresh
    Segments m_segments;               //!< outstanding
    Flight m_flight;                   //!< those of them in flight
    Flight::iterator m_after;          //!< the first of these that was sent after what has arrived
    std::set<SequenceNumber32> m_lost; //!< ends of those that are lost
    std::optional<TcpHeldOctets> m_told; //!< what the peer has told of
    SequenceNumber32 m_next;             //!< SND.NXT
    uint32_t m_octets[STATES]{};         //!< of segments, by what has become of them
    uint32_t m_sackedSegments{0};        //!< RACK.segs_sacked
    uint64_t m_totalLost{0};             //!< octets that were lost

    TcpRoundTrips m_roundTrips;      //!< SRTT and RACK.min_RTT
    std::optional<Sending> m_latest; //!< RACK.xmit_ts and RACK.end_seq, once something has arrived
    Time m_rtt;                      //!< RACK.rtt
    SequenceNumber32 m_forward;      //!< RACK.fack
    bool m_reordered{false};         //!< RACK.reordering_seen
    std::optional<SequenceNumber32> m_round; //!< RACK.dsack_round
    uint32_t m_multiplier{1};                //!< RACK.reo_wnd_mult
    uint32_t m_persist{0};                   //!< RACK.reo_wnd_persist
};

} // namespace ns3

#endif // TCP_RACK_H
