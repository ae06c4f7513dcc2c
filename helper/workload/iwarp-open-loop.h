/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_OPEN_LOOP_H
#define IWARP_OPEN_LOOP_H

#include "iwarp-arrivals.h"
#include "iwarp-flow-file.h"
#include "iwarp-message-carrier.h"
#include "iwarp-workload.h"

#include "ns3/iwarp-message-window.h"
#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace iwarp
{

/// @ingroup iwarp-helper
/// @brief Which connection a message of an open loop takes.
enum class ConnectionUse : uint8_t
{
    MULTIPLEXED, //!< one of those that its hosts have, behind the messages there
    POOL,        //!< one of those that its hosts have and no message uses
    OWN,         //!< a new one, which ends with it
};

/// @ingroup iwarp-helper
/// @brief Whose messages arrive in one process.
enum class ArrivalSource : uint8_t
{
    PAIR,    //!< those between two hosts
    HOST,    //!< those that a host sends, to others at random
    NETWORK, //!< all, between hosts at random
};

/**
 * @ingroup iwarp-helper
 * @brief Messages that arrive whatever becomes of those before them, the connections that they
 * take, and the window of time in which those that arrive are measured.
 *
 * Connections that are there from the start are made first, unless the first messages that take
 * them are to make them; when all are there, messages arrive until the last of the window has
 * ended, or the drain limit is over. Then the run ends.
 */
class OpenLoop : public SimpleRefCount<OpenLoop>, private MessageCarrier::User
{
  public:
    /// What it does
    struct Settings
    {
        ConnectionUse use{ConnectionUse::MULTIPLEXED}; //!< of connections
        bool grows{true};                              //!< pools do if no connection is idle
        bool onDemand{false};                          //!< first messages make connections
        uint64_t limit{0}; //!< messages under way between two hosts; 0 is none
        ArrivalSource source{ArrivalSource::HOST}; //!< of arrivals
        double load{0};                            //!< of what flows have; 0 if there is none
        /// Makes the distribution of sizes for a source, octets
        std::function<Ptr<RandomVariableStream>()> makeSizes;
        /// Makes the arrivals of a source, by the mean gap between them, seconds
        std::function<std::unique_ptr<Arrivals>(double)> makeArrivals;
        const FlowFile* file{nullptr};    //!< or messages of a file, which outlives this
        Time warmUp;                      //!< from the first arrival on
        Time window;                      //!< behind that; 0 is to the end of the file
        Time drain;                       //!< at most behind that; 0 is no limit
        IdealTime ideal{IdealTime::HOMA}; //!< what slowdowns refer to
        uint32_t bins{0};                 //!< of sizes
        std::string log;                  //!< file that messages are written to, or ""
    };

    /// Makes what carries messages of a flow, and tells a user of it
    using CarrierFactory = std::function<Ptr<MessageCarrier>(const IwarpWorkload::Flow& flow,
                                                             MessageCarrier::Kind kind,
                                                             MessageCarrier::User& user)>;

    static constexpr int64_t STREAMS = Arrivals::STREAMS + 2; //!< random streams of a flow

    /// Make one without flows. @param settings of it @param listener told of messages
    /// @param make makes carriers
    OpenLoop(const Settings& settings, const FlowListener& listener, CarrierFactory make);
    ~OpenLoop() override;

    /// Add a connection that is there from the start. @param flow where and when it begins
    void AddFlow(const IwarpWorkload::Flow& flow);
    /// Begin, in the simulation. @param stage of the run
    void Begin(const IwarpWorkload::Stage& stage);
    /// Report, when the simulation is over, and let go of what carries. @param metrics where to
    void Report(MetricSet& metrics);
    /// Tell what a reader has to know of what was measured. @return one line each
    std::vector<std::string> ListCautions() const;
    /// Write what was measured, if that is wanted. @return "", or why that failed
    std::string WriteLog() const;

  private:
    /// A message
    struct Message
    {
        uint64_t ticket; //!< of the window
        uint64_t octets; //!< payload
    };

    /// What carries messages
    struct Slot
    {
        uint32_t pair; //!< index in m_pairs
        Time start;    //!< when it connects, if it is there from the start
        std::unique_ptr<IwarpWorkload::Flow> flow; //!< where, until its carrier is made
        Ptr<MessageCarrier> carrier;               //!< it, or nullptr until a message takes it
        bool opening{false};                       //!< its connection is being made, or is there
        bool ready{false};                         //!< its connection is there
        std::list<Message> messages;               //!< that it has, the oldest first
    };

    /// Two hosts
    struct Pair
    {
        IwarpWorkload::Flow flow;    //!< the first between them
        std::vector<uint32_t> slots; //!< from the start
        std::vector<uint32_t> idle;  //!< slots without a message, the one used last at the end
        std::list<Message> waiting;  //!< messages for which there is none
        uint64_t underWay{0};        //!< messages
        uint64_t read{0};            //!< messages of a file that have arrived
        double share{0};             //!< payload at a load of 1, bit/s
    };

    /// What messages come from
    struct Source
    {
        std::unique_ptr<Arrivals> arrivals; //!< times
        Ptr<RandomVariableStream> sizes;    //!< octets
        Ptr<UniformRandomVariable> choice;  //!< of slots
        uint32_t node{0};                   //!< where it is
        double share{0};                    //!< payload at a load of 1, bit/s
        std::vector<uint32_t> slots;        //!< from the start: each stands for its hosts
        std::vector<double> until;          //!< shares of these added up
    };

    // MessageCarrier::User
    void HandleReady(MessageCarrier& carrier) override;
    void HandleMessage(MessageCarrier& carrier) override;

    uint32_t AddSlot(uint32_t pair, const IwarpWorkload::Flow& flow); //!< @return its number
    void MakeCarrier(uint32_t slot); //!< Have a slot carry messages. @param slot without a carrier
    void MakeSources();              //!< Say who sends how much
    void CheckCapacity() const; //!< Caution of links that would have to carry more than they can
    /// @return octets on links for each of payload, on average
    double GetExpansion() const;
    std::vector<uint64_t> ListEdges() const; //!< @return sizes at which bins end, or none
    void Start();                            //!< All connections are there: messages arrive
    void Open(uint32_t slot);                //!< @param slot whose connection is made
    void ScheduleNext(std::size_t source);   //!< @param source whose next message arrives later
    void Draw(std::size_t source);           //!< a message of a source arrives @param source it
    void ReadNext();                         //!< messages of the file arrive that are due
    /// A message arrives. @param slot from the start that stands for its hosts @param octets of it
    void Arrive(uint32_t slot, uint64_t octets);
    /// Give a message to a connection. @param slot of it @param message it
    void Give(uint32_t slot, const Message& message);
    void CloseWindow(); //!< No further message is measured
    void Stop();        //!< All is over

    Settings m_settings;                                //!< what it does
    FlowListener m_listener;                            //!< told of messages
    CarrierFactory m_make;                              //!< makes carriers
    IwarpWorkload::Stage m_stage;                       //!< of the run
    MessageWindow m_window;                             //!< what is measured
    std::vector<Pair> m_pairs;                          //!< hosts
    std::map<uint32_t, uint32_t> m_pairIndices;         //!< where they are, by Flow::pair
    std::vector<Slot> m_slots;                          //!< connections
    std::map<const MessageCarrier*, uint32_t> m_slotOf; //!< by carrier
    std::vector<Source> m_sources;                      //!< of messages
    std::size_t m_next{0};                              //!< message of the file
    std::size_t m_missing{0};                           //!< connections that are not there yet
    bool m_started{false};                              //!< messages arrive
    bool m_stopped{false};                              //!< all is over
    Time m_start;                                       //!< since when
    uint64_t m_opened{0};                               //!< connections made for messages
    uint64_t m_waited{0};                               //!< messages that waited for a connection
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_OPEN_LOOP_H
