/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_PRIORITY_QUEUE_DISC_H
#define PATH_PRIORITY_QUEUE_DISC_H

#include "path-pause-gate.h"
#include "path-priorities.h"
#include "path-priority-scheduler.h"

#include "ns3/queue-disc.h"

#include <cstdint>
#include <functional>

namespace ns3
{

/**
 * @ingroup iwarp-path
 * @brief Who says whether a datagram may wait at a port, as the memory of its switch does.
 */
class PathAdmission
{
  public:
    virtual ~PathAdmission() = default;

    /**
     * @brief A datagram is about to wait.
     * @param port number that the queue disc was given
     * @param priority of the datagram
     * @param packet with its tags
     * @param octets of the datagram
     * @return nullptr, or why it is dropped
     */
    virtual const char* Admit(uint32_t port,
                              uint8_t priority,
                              const Ptr<Packet>& packet,
                              uint32_t octets) = 0;
};

/**
 * @ingroup iwarp-path
 * @brief A queue disc with a queue disc for each priority, which pauses by priority.
 *
 * PathPriorities says which priority a datagram has, PathPriorityScheduler which one sends next,
 * PathPauseGate which must not, PathAdmission what there is no memory for. ns-3's PrioQueueDisc has
 * strict priorities only, by a tag of the sending socket that no switch sees, and nothing holds one
 * of them back.
 */
class PathPriorityQueueDisc : public QueueDisc
{
  public:
    static constexpr const char* NO_SHARED = "No shared memory"; //!< why a datagram is dropped
    static constexpr const char* NO_HEADROOM = "Headroom full";  //!< the same, of a lossless one

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    PathPriorityQueueDisc();
    ~PathPriorityQueueDisc() override;

    /**
     * @brief Have priorities, once, before the disc is a device's.
     * @param priorities of it
     * @param make called with each priority for its queue disc
     */
    void SetPriorities(const PathPriorities& priorities,
                       const std::function<Ptr<QueueDisc>(uint8_t)>& make);

    /// Give datagrams without a DSCP one, as an adapter may: for the link's own queues and all
    /// behind it. @param dscp 1 to 63, or 0 to leave them as they are
    void SetDscp(uint8_t dscp);

    /// Have somebody admit datagrams. @param admission outlives this @param port number to tell it
    void SetAdmission(PathAdmission* admission, uint32_t port);

    /// Get what holds priorities back. @return it
    Ptr<PathPauseGate> GetGate() const;

  protected:
    void DoDispose() override;

  private:
    bool DoEnqueue(Ptr<QueueDiscItem> item) override;
    Ptr<QueueDiscItem> DoDequeue() override;
    bool CheckConfig() override;
    void InitializeParams() override;
    /// @param item without a DSCP @return the same with one, or @p item if it is not of IP
    Ptr<QueueDiscItem> Colour(const Ptr<QueueDiscItem>& item) const;

    PathPriorities m_priorities;         //!< which datagrams are of which
    PathPriorityScheduler m_scheduler;   //!< which sends next
    Ptr<PathPauseGate> m_gate;           //!< which must not
    PathAdmission* m_admission{nullptr}; //!< or none
    uint32_t m_port{0};                  //!< for it
    uint8_t m_dscp{0};                   //!< for datagrams without one
};

} // namespace ns3

#endif // PATH_PRIORITY_QUEUE_DISC_H
