/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_FLOW_COLLECTOR_H
#define IWARP_FLOW_COLLECTOR_H

#include "iwarp-sample-set.h"

#include "ns3/callback.h"
#include "ns3/mpa-bulk-sender.h"
#include "ns3/mpa-sink.h"
#include "ns3/sequence-number.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <deque>
#include <string>

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

    Shares sent;                 //!< as the senders send them, retransmissions included
    Shares received;             //!< as the receivers get them
    uint64_t fpdusSent{0};       //!< FPDUs given to TCP
    uint64_t fpdusPassed{0};     //!< FPDUs passed
    uint64_t fpdusOutOfOrder{0}; //!< of these, out of order
    uint64_t messages{0};        //!< messages complete
    uint64_t octets{0};          //!< payload of these
    uint64_t drops{0};           //!< segments that the receivers dropped
    LevelOverTime held;          //!< octets in reassembly memory, all receivers
    SampleSet placement;         //!< from an FPDU's last octet to its being passed
    SampleSet delivery;          //!< from an FPDU's last octet to its being delivered
    SampleSet completion;        //!< from posting of a message to its completion
    Time lastMessage;            //!< when the last message was complete
};

/**
 * @ingroup iwarp-helper
 * @brief Follows one flow, from its MpaBulkSender to its MpaSink, by their traces.
 */
class FlowCollector : public SimpleRefCount<FlowCollector>
{
  public:
    /// An error. @param text what happened
    using ErrorCallback = Callback<void, const std::string&>;
    /// A message is complete. @param size its octets
    using MessageCallback = Callback<void, uint64_t>;

    /**
     * @param totals where to add what is seen; outlives the simulation
     * @param message called for each message that is complete
     * @param error called if either application reports that its connection ended early
     */
    FlowCollector(FlowTotals& totals, MessageCallback message, ErrorCallback error);

    void Attach(Ptr<MpaBulkSender> sender); //!< @param sender not started yet
    void Attach(Ptr<MpaSink> sink);         //!< @param sink not started yet

  private:
    /// An FPDU passed and not delivered
    struct Passed
    {
        uint32_t seq; //!< its sequence number
        Time arrival; //!< when its last octet came
    };

    // trace sinks
    void SenderEstablished(Ptr<MpaStream> stream);       //!< MpaBulkSender, Established
    void MessagePosted(uint32_t message, uint64_t size); //!< MpaBulkSender, MessagePosted
    void SegmentSent(SequenceNumber32 seq,
                     uint32_t size,
                     bool header,
                     bool record,
                     bool again);                               //!< MpaTcpSocket, SegmentSent
    void FpduSent(uint32_t seq, uint32_t ulpdu, uint32_t wire); //!< MpaStream, FpduSent
    void SinkCreated(Ptr<MpaStream> stream);                    //!< MpaSink, StreamCreated
    void MessageReceived(Ptr<MpaStream> stream,
                         uint32_t message,
                         uint64_t size); //!< MpaSink, MessageReceived
    void Classified(uint32_t seq, uint32_t size, bool header, bool fpdu); //!< MpaStream, Classified
    void PassedUp(const MpaUlpdu& ulpdu, Time wait);                      //!< MpaStream, Passed
    void Delivered(uint32_t count);                                       //!< MpaStream, Delivered
    void Held(uint64_t before, uint64_t after); //!< MpaStream, ReassemblyMemory
    void Dropped(uint32_t seq, uint32_t size, MpaStream::DropReason reason); //!< MpaStream, Drop
    void SinkFailed(Ptr<MpaStream> stream, const std::string& reason);       //!< MpaSink, Failed
    void SenderFailed(const std::string& reason); //!< MpaBulkSender, Failed

    FlowTotals& m_totals;             //!< where to add
    MessageCallback m_message;        //!< called for messages
    ErrorCallback m_error;            //!< called for errors
    std::deque<Passed> m_undelivered; //!< FPDUs passed and not delivered, by sequence number
    std::deque<Time> m_posted;        //!< when the messages under way were posted
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_FLOW_COLLECTOR_H
