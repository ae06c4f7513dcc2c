/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_FLOW_COLLECTOR_H
#define IWARP_FLOW_COLLECTOR_H

#include "iwarp-flow-journal.h"
#include "iwarp-metrics.h"
#include "iwarp-slowdown.h"

#include "ns3/callback.h"
#include "ns3/sequence-number.h"
#include "ns3/simple-ref-count.h"
#include "ns3/socket.h"
#include "ns3/tcp-socket-state.h"
#include "ns3/util-sample-set.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{
namespace iwarp
{

class FlowCollector;

/**
 * @ingroup iwarp-helper
 * @brief What the flows of a scenario have in common: sums, samples and the memory they hold.
 */
struct FlowTotals
{
    /// Counts of segments
    struct Shares
    {
        uint64_t segments{0}; //!< data segments
        uint64_t header{0};   //!< of these, those that begin with a frame
        uint64_t whole{0};    //!< of these, those that hold whole frames only
    };

    /// What hosts have by a time
    struct Mark
    {
        Time time{-1};     //!< it; negative for never
        int64_t octets{0}; //!< payload in their memory since Restart(), or that was to come then if
                           //!< negative
        uint64_t late{0};  //!< payload that RNICs have, and hosts not yet
        /// payload placed of each flow since the beginning
        std::vector<int64_t> flows;
    };

    Shares sent;                  //!< as the senders send them, retransmissions included
    Shares received;              //!< as the receivers get them
    uint64_t framesSent{0};       //!< frames given to TCP
    uint64_t framesPassed{0};     //!< frames passed
    uint64_t framesOutOfOrder{0}; //!< of these, out of order
    uint64_t messages{0};         //!< messages complete
    int64_t placed{0};            //!< payload placed, of messages under way as well
    uint64_t drops{0};            //!< segments that the receivers dropped
    uint64_t timeouts{0};         //!< times that a sender fell back to slow start for want of ACKs
    uint64_t probes{0};           //!< tail loss probes sent
    bool rack{false};             //!< senders use RACK-TLP, if they use SACK
    LevelOverTime held;           //!< octets in reassembly memory, all receivers
    SampleSet placement;          //!< from a frame's last octet to its being passed
    SampleSet delivery;           //!< from a frame's last octet to its being delivered
    SampleSet completion;         //!< from posting of a message to its completion
    Slowdown slowdown;            //!< the same by size, and against the time alone
    Time lastMessage;             //!< when the last message was complete
    std::size_t followed{0};      //!< directions of flows that are followed
    std::size_t begun{0};         //!< those whose sender could begin
    /// payload placed of each flow, since the beginning
    std::vector<int64_t> placedOf;
    Mark start;                    //!< when counting began: messages that begin from then on count
    Mark together;                 //!< when the last flow had begun
    Mark apart;                    //!< when the first flow had carried all it has to
    uint64_t emss{0};              //!< octets: the senders' EMSS, summed up
    uint64_t senders{0};           //!< how many these are
    bool loop{false};              //!< connections come and go, so that they have no time in common
    FlowJournal* journal{nullptr}; //!< takes down what happens, in place of all this; or nullptr
    std::optional<Time> replayed;  //!< the time where FlowJournal::Replay() is
    std::vector<FlowCollector*> collectors; //!< of flows, by number; with a journal

    Time GetNow() const; //!< Get the time. @return that of the simulation, or of a replay
    void Restart();      //!< Begin to count anew; what receivers hold stays
    /// Report all this when the simulation has ended. @param metrics where to add @param paced
    /// messages have times of their own @param edge octets of a segment of each flow
    void Report(MetricSet& metrics, bool paced, double edge);

    /// What has been placed since the last call is on its way through an RNIC. @param delay until
    /// the host has it
    void Delay(Time delay);
    Mark GetMark() const; //!< Get what hosts have by now. @return it, with the time
    /// Get the payload that counts. @return octets that came to hosts since Restart()
    uint64_t CountPayload() const;

  private:
    /// Report the time in which all flows run. @param metrics where to add @param end of the run
    /// @param edge octets of a segment of each flow
    void ReportCommon(MetricSet& metrics, const Mark& end, double edge) const;

    /// Payload on its way through an RNIC
    struct Late
    {
        Time time;       //!< when the host has it
        uint64_t octets; //!< how much it is
    };

    std::deque<Late> m_late; //!< the oldest first
    int64_t m_timed{0};      //!< of what is placed, what Delay() has been called for
};

/// @ingroup iwarp-helper
/// @brief Who looks on as the payload of flows comes.
class FlowWatcher
{
  public:
    /// A flow begins. @param flow number among those that are followed @param socket of its sender
    virtual void Begin(std::size_t flow, Ptr<Socket> socket) = 0;
    /// Payload has come. @param flow the same number @param octets of it; negative for what was
    /// none
    virtual void Count(std::size_t flow, int64_t octets) = 0;

  protected:
    ~FlowWatcher() = default;
};

/**
 * @ingroup iwarp-helper
 * @brief Who is told of the flows of a scenario.
 */
struct FlowListener
{
    FlowTotals* totals;                         //!< where to add what is seen
    Callback<void, uint64_t> message;           //!< a message of so many octets is complete
    Callback<void, const std::string&> failure; //!< a connection ended early, and why
    uint64_t warmUp{0};                         //!< payload after which a flow is warm, 0 for none
    Callback<void> warm;                        //!< a flow is warm
    uint64_t octets{0};                         //!< payload after which a flow ends, 0 for never
    Ptr<EmptyPath> path;                        //!< what messages take alone, if that matters
    FlowWatcher* watcher{nullptr};              //!< looks on, or nullptr
    /// Number of the flow, which both of its directions have; none: one of its own for each that
    /// is followed
    std::optional<std::size_t> flow{};
};

/**
 * @ingroup iwarp-helper
 * @brief Follows one direction of a flow: its messages, the frames that carry them, and the
 * segments of TCP that carry these.
 *
 * What frames are does not matter here: FPDUs, or those of any layer that sends records by an
 * RecordTcpSocket. Who watches such a stream tells of it (iwarp-workload-watch.h has MPA's and
 * those of NVMe/TCP).
 */
class FlowCollector : public SimpleRefCount<FlowCollector>
{
  public:
    /// Start to follow a flow. @param listener told of the flow
    explicit FlowCollector(const FlowListener& listener);

    /// Count the segments that a socket sends, as far as it knows of records. @param socket of the
    /// sender, which sends messages from here on
    void WatchSocket(Ptr<Socket> socket);

    void Posted(); //!< a message is posted
    /// Messages are complete, the oldest ones posted. @param size their octets @param count them
    void Completed(uint64_t size, uint64_t count = 1);
    void Failed(const std::string& reason); //!< the connection ended early @param reason why

    /// Payload is placed, in order or not, of messages that are complete or not. @param octets
    void Placed(uint64_t octets);
    /// Octets have come of a record that is not whole: they count as payload until Settle().
    /// @param octets that may be payload
    void Expect(uint64_t octets);
    void Settle(); //!< A record is whole: Placed() tells what of it is payload

    void FrameSent();     //!< a frame is given to TCP
    void ReceiverReady(); //!< the receiver can hold octets, from here on
    /// A segment has come. @param header it begins with a frame @param whole and holds whole ones
    /// only
    void SegmentReceived(bool header, bool whole);
    void SegmentDropped(); //!< the receiver has dropped a segment
    /// A frame is validated and its payload placed. @param seq sequence number of its first octet
    /// @param inOrder all before it is there @param wait time since its last octet came
    void FramePassed(uint32_t seq, bool inOrder, Time wait);
    /// Frames passed are delivered, in order. @param count them
    void FramesDelivered(uint32_t count);
    /// The receiver's reassembly memory changes. @param before octets in it @param after the same
    void MemoryHeld(uint64_t before, uint64_t after);

    /// Reckon with what has happened. @param event of this flow, but FAILED
    void Handle(const FlowEvent& event);

  private:
    /// Reckon with what happens now, or take it down. @param kind of it @param first what the kind
    /// says @param second likewise
    void Tell(FlowEvent::Kind kind, uint64_t first = 0, uint64_t second = 0);
    void HandlePosted(); //!< a message is posted
    /// Messages are complete. @param size their octets @param count them
    void HandleCompleted(uint64_t size, uint64_t count);
    /// The sender has a socket. @param emss octets @param kind 1 if it has records, 2 with Rack
    void HandleSender(uint64_t emss, uint64_t kind);
    void HandlePlaced(uint64_t octets); //!< @param octets that are placed
    void HandleSettled();               //!< a record is whole
    /// A frame is placed. @param seq of its first octet @param inOrder all before it is there
    /// @param wait since its last octet came
    void HandlePassed(uint32_t seq, bool inOrder, Time wait);
    void HandleDelivered(uint64_t count); //!< @param count frames delivered
    void Begin();                         //!< the sender can begin
    /// Payload is placed. @param octets how much, less than 0 if it was none
    void Count(int64_t octets);

    /// A frame passed and not delivered
    struct Passed
    {
        uint32_t seq; //!< its sequence number
        Time arrival; //!< when its last octet came
    };

    // trace sinks of the socket
    void SegmentSent(SequenceNumber32 seq, uint32_t size, bool header, bool record, bool again);
    void EmssChanged(uint32_t before, uint32_t now);
    void StateChanged(TcpSocketState::TcpCongState_t before, TcpSocketState::TcpCongState_t now);
    void ProbeSent(SequenceNumber32 seq, uint32_t size, bool again);

    FlowListener m_listener;          //!< told of the flow
    uint64_t m_octets{0};             //!< payload of messages that are complete
    uint64_t m_expected{0};           //!< see Expect()
    Time m_completed;                 //!< when the last of them was
    std::size_t m_flow;               //!< number of the flow among those that are followed
    FlowTotals& m_totals;             //!< where to add
    std::deque<Passed> m_undelivered; //!< frames passed and not delivered, by sequence number
    bool m_begun{false};              //!< the sender could begin
    std::deque<Time> m_posted;        //!< when the messages under way were posted
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_FLOW_COLLECTOR_H
