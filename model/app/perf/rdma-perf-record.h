/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PERF_RECORD_H
#define RDMA_PERF_RECORD_H

#include "rdma-perf-report.h"

#include "ns3/callback.h"
#include "ns3/ptr.h"
#include "ns3/simple-ref-count.h"
#include "ns3/util-sample-set.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-app
 * @brief Where both ends of a test write down what they see.
 *
 * A Send or RDMA Write ends where it is delivered, and only the other end knows when. A simulation
 * has one clock, so both ends share a record: the client makes it, the server finds it by the
 * number in the private data. Nothing of it is on the wire. With perftest's own exchange each end
 * has a record of its own, of what it sees itself.
 */
class RdmaPerfRecord : public SimpleRefCount<RdmaPerfRecord>
{
  public:
    /// A direction.
    enum Direction : uint8_t
    {
        FORWARD,  //!< what the client sends, or asks for
        BACKWARD, //!< what the server does
    };

    /**
     * @brief Begin a test, and give it a number.
     * @param parameters the test
     * @param queuePairs queue pairs of the test
     */
    RdmaPerfRecord(const RdmaPerfParameters& parameters, uint32_t queuePairs);
    ~RdmaPerfRecord();
    RdmaPerfRecord(const RdmaPerfRecord&) = delete;
    RdmaPerfRecord& operator=(const RdmaPerfRecord&) = delete;

    /// Find a record. @param number its number @return it; nullptr if this simulation has none such
    static Ptr<RdmaPerfRecord> Find(uint32_t number);

    /// Get the number by which the server finds it. @return number, not 0
    uint32_t GetNumber() const;
    uint32_t GetSize() const; //!< Get the size of the messages that are sent now. @return octets
    /// Get the messages of a queue pair, those of earlier sizes too. @return messages
    uint64_t GetLimit() const;

    /// Begin again with messages of another size, once all have ended. @param size octets
    void Next(uint32_t size);

    /// Have the end told of. @param callback called once a size, in an event of its own, when all
    /// that is to end has ended
    void SetDoneCallback(Callback<void> callback);

    /// Hear of the client's messages. @param callback called with their number whenever some end,
    /// and with 0 whenever a queue pair that others post for may have room
    void SetEndedCallback(Callback<void, uint64_t> callback);

    /// Messages are posted now. @param direction which @param count how many
    void Posted(Direction direction, uint64_t count);
    /// Messages end now. @param direction which @param count how many
    void Ended(Direction direction, uint64_t count);
    void HasRoom();            //!< A queue pair that others post for may have room.
    void Latency(Time sample); //!< A round trip, or half of one, is over. @param sample its time

    void Close();          //!< nothing more is posted
    bool IsClosed() const; //!< Tell whether nothing more is posted. @return true after Close()

    /**
     * @brief Work out the result, from all messages of the size at hand.
     * @param warmUp messages a direction that do not count
     * @param peak find the peak as well
     * @return what was measured
     */
    RdmaPerfReport MakeReport(uint64_t warmUp, bool peak) const;

  private:
    void Check();      //!< look whether all has ended
    void NotifyDone(); //!< call the callback

    RdmaPerfParameters m_parameters;      //!< the test, with the size that is sent now
    uint32_t m_queuePairs;                //!< queue pairs
    uint32_t m_number;                    //!< its number
    uint32_t m_sizes{1};                  //!< sizes so far
    std::array<RdmaPerfTimes, 2> m_times; //!< by direction
    iwarp::SampleSet m_latencies;         //!< of a latency test
    bool m_closed{false};                 //!< nothing more is posted
    bool m_done{false};                   //!< the callback was called for this size
    Callback<void> m_callback;            //!< called at the end
    Callback<void, uint64_t> m_ended;     //!< called as the client's messages end
};

} // namespace ns3

#endif // RDMA_PERF_RECORD_H
