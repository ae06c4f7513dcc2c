/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NVME_HOST_START_H
#define NVME_HOST_START_H

#include "nvme-admin.h"
#include "nvme-command.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-nvme
/// @brief What a host wants of a controller.
struct NvmeHostWishes
{
    std::string subNqn;    //!< SUBNQN
    std::string hostNqn;   //!< HOSTNQN
    uint32_t entries{32};  //!< of each queue
    uint32_t ioQueues{1};  //!< I/O queues
    uint32_t keepAlive{0}; //!< KATO, ms; 0 for none
};

/**
 * @ingroup iwarp-nvme
 * @brief How a host starts a controller, in the order of Linux's driver: on the admin queue
 * Connect, Controller Capabilities, Controller Configuration, Controller Status, Version, Identify
 * Controller, Number of Queues; Connect on each I/O queue; Namespace ID list, Identify Namespace.
 * Pure.
 */
class NvmeHostStart
{
  public:
    /// A command to submit.
    struct Step
    {
        NvmeSqe sqe;               //!< it
        std::vector<uint8_t> data; //!< for the controller, or as many octets as are to come
    };

    /// Begin. @param wishes what the host wants
    explicit NvmeHostStart(const NvmeHostWishes& wishes);

    /// Find what is to be submitted on the admin queue. @return it, until Complete() or
    /// HandleConnected(); nothing while I/O queues are to be connected, and in the end
    std::optional<Step> GetStep() const;

    /**
     * @brief The step's command is complete.
     * @param cqe its completion
     * @param data of it
     * @return "", or why the controller cannot be used
     */
    std::string Complete(const NvmeCqe& cqe, const std::vector<uint8_t>& data);

    /// Tell whether I/O queues are to be connected now. @return until HandleConnected()
    bool WantsQueues() const;
    /// Make the Connect of an I/O queue. @param queue QID, from 1 on @return it
    Step MakeConnect(uint16_t queue) const;
    void HandleConnected(); //!< All I/O queues are connected

    bool IsDone() const; //!< Tell whether I/O may begin. @return true then

    /// Get what Identify Controller has told. @return it
    const NvmeIdentifyController& GetController() const;
    /// Get what Identify Namespace has told. @return it
    const NvmeIdentifyNamespace& GetNamespace() const;

  private:
    /// Where it is
    enum class State : uint8_t
    {
        CONNECT,
        CAPABILITIES,
        DISABLE,
        ENABLE,
        STATUS,
        VERSION,
        IDENTIFY_CONTROLLER,
        NUMBER_OF_QUEUES,
        QUEUES,
        NAMESPACES,
        IDENTIFY_NAMESPACE,
        DONE
    };

    /// @param cqe completion of the step @param data of it @return what is wrong with it
    std::string Check(const NvmeCqe& cqe, const std::vector<uint8_t>& data);

    NvmeHostWishes m_wishes;             //!< what the host wants
    State m_state{State::CONNECT};       //!< where it is
    uint16_t m_cntlid{0};                //!< the controller's number
    NvmeIdentifyController m_controller; //!< what it tells of itself
    NvmeIdentifyNamespace m_namespace;   //!< what it tells of the namespace
    uint32_t m_nsid{0};                  //!< the first namespace
};

} // namespace ns3

#endif // NVME_HOST_START_H
