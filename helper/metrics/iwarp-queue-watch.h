/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_QUEUE_WATCH_H
#define IWARP_QUEUE_WATCH_H

#include "iwarp-collector.h"

#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/ptr.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3
{

class IwarpNetwork;
class QueueDiscItem;

namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief Tells how long the queues of a network are, and what they drop and mark.
 *
 * The queue at a device is what waits in its queue disc, if it has one, and in the device itself;
 * the packet that is being sent is not part of it.
 */
class QueueWatch : public Collector
{
  public:
    /// What queues did
    struct Figures
    {
        /// packets dropped, all queues; empty if ns-3 does not tell what one of them drops
        std::optional<uint64_t> drops;
        uint64_t marks{0};  //!< packets marked, all queues
        double mean{0};     //!< packets in the queue with the greatest mean over time
        uint32_t peak{0};   //!< most packets that were in one queue
        uint32_t median{0}; //!< packets that the queue of the mean had at most half of the time
        uint32_t p90{0};    //!< the same for 90 % of the time
        uint32_t p99{0};    //!< the same for 99 % of the time
        uint32_t queue{0};  //!< which queue has the mean: twice the link's index, 1 more at end B

        /// Merge with those of other queues at the same time. @param ledger of ranks that have them
        void Share(RankLedger& ledger);
    };

    /// Watch both ends of all links. @param network them @param begin when the time to count begins
    QueueWatch(const IwarpNetwork& network, Time begin);
    ~QueueWatch() override;

    void Restart() override;
    void Report(MetricSet& metrics, const Period& period) override;
    void Share(RankLedger& ledger) override;
    Figures GetFigures() const; //!< Get what has been since. @return figures up to now

    /// Tell whether any queue marks packets. @param network its queues @return so
    static bool HasMarking(const IwarpNetwork& network);

  private:
    /// The queue at a device
    struct Meter : public SimpleRefCount<Meter>
    {
        uint32_t level{0};          //!< packets in it
        uint32_t peak{0};           //!< most
        Time changed;               //!< when it changed last
        std::vector<int64_t> times; //!< time steps at each level until then, by packets in it

        /// A part of it changes. @param before packets in this part @param now packets then
        void Change(uint32_t before, uint32_t now);
        void Advance();         //!< count up to now
        double GetArea() const; //!< @return packets times time steps, until it changed
        /// @param share of the time, 0 to 1 @return packets that it had at most for that share
        uint32_t GetQuantile(double share) const;
    };

    void DropPacket(Ptr<const Packet> packet);    //!< @param packet that found a device full
    void DropItem(Ptr<const QueueDiscItem> item); //!< @param item that a queue disc dropped
    void CountDrop();                             //!< count one, if all are told
    /// @param item that a queue disc marked @param reason why
    void Mark(Ptr<const QueueDiscItem> item, const char* reason);

    std::vector<Ptr<Meter>> m_meters; //!< two for each link
    Time m_begin;                     //!< since when it counts
    std::optional<uint64_t> m_drops;  //!< packets dropped, if all drops are told
    uint64_t m_marks{0};              //!< packets marked
    std::optional<Figures> m_shared;  //!< of all ranks, at the end
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_QUEUE_WATCH_H
