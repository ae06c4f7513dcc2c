/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NVME_CONTROLLER_QUEUE_H
#define NVME_CONTROLLER_QUEUE_H

#include "nvme-controller-machine.h"
#include "nvme-queue.h"

#include <cstdint>
#include <map>
#include <memory>

namespace ns3
{

class NvmeControllerQueue;

/// @ingroup iwarp-nvme
/// @brief Who uses a controller's queue.
class NvmeControllerQueueUser : public NvmeQueueUser
{
  public:
    /// A command is to be executed; NvmeControllerQueue::Complete() answers it. @param queue where
    /// @param sqe the command @param length octets of its data; those that go to the controller
    /// have come
    virtual void HandleCommand(NvmeControllerQueue& queue, const NvmeSqe& sqe, uint32_t length) = 0;

  protected:
    ~NvmeControllerQueueUser() = default;
};

/**
 * @ingroup iwarp-nvme
 * @brief The controller's end of an NVMe/TCP connection: commands come with their data, and are
 * answered.
 */
class NvmeControllerQueue : public NvmeQueue, private NvmeControllerMachine::ControllerListener
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    NvmeControllerQueue();
    ~NvmeControllerQueue() override;

    /// Say who uses the queue, before Open(). @param user who outlives it or takes itself away;
    /// nullptr for nobody
    void SetUser(NvmeControllerQueueUser* user);
    void SetAdmin(); //!< Take the queue for an admin queue, as Connect says
    /// Set how many entries the host's Submission Queue has, as Connect says. @param entries 1 or
    /// more
    void SetQueueSize(uint32_t entries);
    /// Get the limit of data in the capsules of I/O commands. @return octets
    uint32_t GetInCapsule() const;
    uint32_t GetQueueSize() const; //!< Get the limit of commands under way. @return commands

    /**
     * @brief Answer a command.
     * @param cid of a command that the user was told of
     * @param status how it went
     * @param result DW0 and DW1 of the completion
     * @param data for the host, of a command that moves some and succeeds; a multiple of 4 octets
     */
    void Complete(uint16_t cid,
                  NvmeStatus status,
                  uint64_t result = 0,
                  const NvmeData& data = NvmeData());

  private:
    // NvmeQueue
    NvmeMachine& MakeMachine() override;
    NvmeQueueUser* GetUser() const override;
    NvmeData GetData(uint16_t cid) const override;

    // NvmeControllerMachine::ControllerListener
    void HandleCommand(const NvmeSqe& sqe, uint32_t length) override;

    uint32_t m_maxH2cData;                            //!< see MaxH2cData
    uint32_t m_r2tLength;                             //!< see R2tLength
    uint32_t m_maxC2hData;                            //!< see MaxC2hData
    uint32_t m_inCapsule;                             //!< see InCapsuleSize
    uint32_t m_queueSize;                             //!< see QueueSize
    bool m_success;                                   //!< see Success
    NvmeControllerQueueUser* m_user{nullptr};         //!< who uses it
    std::unique_ptr<NvmeControllerMachine> m_machine; //!< what happens on the connection
    std::map<uint16_t, NvmeData> m_data;              //!< that go to the host, by CID
};

} // namespace ns3

#endif // NVME_CONTROLLER_QUEUE_H
