/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_FLOW_COLLECTOR_H
#define IWARP_FLOW_COLLECTOR_H

#include "iwarp-metrics.h"
#include "iwarp-slowdown.h"

#include "ns3/callback.h"
#include "ns3/mpa-stream.h"
#include "ns3/sequence-number.h"
#include "ns3/simple-ref-count.h"
#include "ns3/tcp-socket-state.h"
#include "ns3/util-sample-set.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace ns3
{
namespace iwarp
{

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
        uint64_t header{0};   //!< of these, those that begin with an FPDU
        uint64_t fpdu{0};     //!< of these, those that hold whole FPDUs only
    };

    /// Messages of a flow
    struct Messages
    {
        Time begun;                   //!< when its sender could begin
        std::vector<Time> ended;      //!< when messages were complete
        std::vector<uint64_t> octets; //!< how many they had
    };

    Shares sent;                 //!< as the senders send them, retransmissions included
    Shares received;             //!< as the receivers get them
    uint64_t fpdusSent{0};       //!< FPDUs given to TCP
    uint64_t fpdusPassed{0};     //!< FPDUs passed
    uint64_t fpdusOutOfOrder{0}; //!< of these, out of order
    uint64_t messages{0};        //!< messages complete
    uint64_t octets{0};          //!< payload of these
    uint64_t drops{0};           //!< segments that the receivers dropped
    uint64_t timeouts{0};        //!< times that a sender fell back to slow start for want of ACKs
    LevelOverTime held;          //!< octets in reassembly memory, all receivers
    SampleSet placement;         //!< from an FPDU's last octet to its being passed
    SampleSet delivery;          //!< from an FPDU's last octet to its being delivered
    SampleSet completion;        //!< from posting of a message to its completion
    Slowdown slowdown;           //!< the same by size, and against the time alone
    Time lastMessage;            //!< when the last message was complete
    std::deque<Messages> flows;  //!< messages of each flow that has completed any
    Time since;                  //!< messages that begin from then on count
    uint64_t emss{0};            //!< octets: the senders' EMSS, summed up
    uint64_t senders{0};         //!< how many these are

    void Restart(); //!< Begin to count anew; what receivers hold stays
    /// Report all this when the simulation has ended. @param metrics where to add @param paced
    /// messages have times of their own
    void Report(MetricSet& metrics, bool paced);
    /**
     * @brief Report what all flows do together while all of them run.
     * @param metrics where to add
     * @param count flows that there are
     */
    void ReportTogether(MetricSet& metrics, std::size_t count) const;
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
    Ptr<EmptyPath> path;                        //!< what messages take alone, if that matters
};

/**
 * @ingroup iwarp-helper
 * @brief Follows one direction of a flow, by the traces of the streams at its ends.
 */
class FlowCollector : public SimpleRefCount<FlowCollector>
{
  public:
    /// Start to follow a flow. @param listener told of the flow
    explicit FlowCollector(const FlowListener& listener);

    /// Count what a stream sends. @param stream in Full Operation
    void WatchSender(Ptr<MpaStream> stream);
    /// Count and time what a stream gets. @param stream that gets no FPDUs yet
    void WatchReceiver(Ptr<MpaStream> stream);

    void Posted(); //!< a message is posted
    /// Messages are complete, the oldest ones posted. @param size their octets @param count them
    void Completed(uint64_t size, uint64_t count = 1);
    void Failed(const std::string& reason); //!< the connection ended early @param reason why

  private:
    /// An FPDU passed and not delivered
    struct Passed
    {
        uint32_t seq; //!< its sequence number
        Time arrival; //!< when its last octet came
    };

    // trace sinks
    void SegmentSent(SequenceNumber32 seq,
                     uint32_t size,
                     bool header,
                     bool record,
                     bool again);                    //!< MpaTcpSocket, SegmentSent
    void EmssChanged(uint32_t before, uint32_t now); //!< MpaTcpSocket, Emss
    void StateChanged(TcpSocketState::TcpCongState_t before,
                      TcpSocketState::TcpCongState_t now);      //!< MpaTcpSocket, CongState
    void FpduSent(uint32_t seq, uint32_t ulpdu, uint32_t wire); //!< MpaStream, FpduSent
    void Classified(uint32_t seq, uint32_t size, bool header, bool fpdu); //!< MpaStream, Classified
    void PassedUp(const MpaUlpdu& ulpdu, Time wait);                      //!< MpaStream, Passed
    void Delivered(uint32_t count);                                       //!< MpaStream, Delivered
    void Held(uint64_t before, uint64_t after); //!< MpaStream, ReassemblyMemory
    void Dropped(uint32_t seq, uint32_t size, MpaStream::DropReason reason); //!< MpaStream, Drop

    FlowListener m_listener;          //!< told of the flow
    uint64_t m_octets{0};             //!< payload of messages that are complete
    Time m_completed;                 //!< when the last of them was
    FlowTotals& m_totals;             //!< where to add
    std::deque<Passed> m_undelivered; //!< FPDUs passed and not delivered, by sequence number
    FlowTotals::Messages* m_messages{nullptr}; //!< its own there, once a message is complete
    Time m_begun;                              //!< when the sender could begin
    std::deque<Time> m_posted;                 //!< when the messages under way were posted
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_FLOW_COLLECTOR_H
