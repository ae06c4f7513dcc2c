/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NVME_HOST_QUEUE_H
#define NVME_HOST_QUEUE_H

#include "nvme-host-machine.h"
#include "nvme-queue.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

class NvmeHostQueue;

/// @ingroup iwarp-nvme
/// @brief Who uses a host's queue.
class NvmeHostQueueUser : public NvmeQueueUser
{
  public:
    /// A command is complete, and its CID may be given to the next one. @param queue where @param
    /// cid of the command @param cqe its completion
    virtual void HandleCompletion(NvmeHostQueue& queue, uint16_t cid, const NvmeCqe& cqe) = 0;

  protected:
    ~NvmeHostQueueUser() = default;
};

/**
 * @ingroup iwarp-nvme
 * @brief The host's end of an NVMe/TCP connection: commands are submitted, and completed.
 */
class NvmeHostQueue : public NvmeQueue, private NvmeHostMachine::HostListener
{
  public:
    /// Signature of CommandSubmitted. @param sqe it
    typedef void (*SubmittedTracedCallback)(const NvmeSqe& sqe);
    /// Signature of CommandCompleted. @param sqe the command @param cqe its completion @param
    /// latency since it was submitted
    typedef void (*CompletedTracedCallback)(const NvmeSqe& sqe, const NvmeCqe& cqe, Time latency);

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    NvmeHostQueue();
    ~NvmeHostQueue() override;

    /// Say who uses the queue, before Open(). @param user who outlives it or takes itself away;
    /// nullptr for nobody
    void SetUser(NvmeHostQueueUser* user);
    /// Take the queue for an admin queue, whose capsules hold more. To be called once it is ready.
    void SetAdmin();
    /// Change the limit of data in capsules, as Identify Controller says. To be called once it is
    /// ready. @param octets at most
    void SetInCapsule(uint32_t octets);
    uint32_t GetInCapsule() const; //!< Get the limit of data in capsules. @return octets

    bool HasRoom() const;           //!< Tell whether a command may be submitted. @return true then
    uint32_t CountCommands() const; //!< Count commands under way. @return commands

    /**
     * @brief Submit a command; only while HasRoom().
     * @param sqe it; CID, PSDT and SGL1 are filled in
     * @param data of a command that moves some to the controller, a multiple of 4 octets; otherwise
     * as many octets as are to come, of any content
     * @return its CID
     */
    uint16_t Submit(const NvmeSqe& sqe, const NvmeData& data);

  private:
    // NvmeQueue
    NvmeMachine& MakeMachine() override;
    NvmeQueueUser* GetUser() const override;
    NvmeData GetData(uint16_t cid) const override;

    // NvmeHostMachine::HostListener
    void HandleCompletion(uint16_t cid, const NvmeSqe& sqe, const NvmeCqe& cqe) override;

    /// A command under way.
    struct Command
    {
        NvmeData data;  //!< for the controller
        Time submitted; //!< when
    };

    uint32_t m_queueDepth;                      //!< see QueueDepth
    uint32_t m_inCapsule;                       //!< see InCapsuleSize
    bool m_requireDigests;                      //!< see RequireDigests
    NvmeHostQueueUser* m_user{nullptr};         //!< who uses it
    std::unique_ptr<NvmeHostMachine> m_machine; //!< what happens on the connection
    std::vector<Command> m_commands;            //!< by CID

    TracedCallback<const NvmeSqe&> m_submittedTrace;                       //!< CommandSubmitted
    TracedCallback<const NvmeSqe&, const NvmeCqe&, Time> m_completedTrace; //!< CommandCompleted
};

} // namespace ns3

#endif // NVME_HOST_QUEUE_H
