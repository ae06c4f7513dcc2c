/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NVME_CONTROLLER_H
#define NVME_CONTROLLER_H

#include "nvme-admin.h"
#include "nvme-command.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-nvme
/// @brief What the controllers of a target have in common: a subsystem with one namespace.
struct NvmeSubsystem
{
    std::string nqn;         //!< SUBNQN
    uint64_t blocks{0};      //!< logical blocks of the namespace, whose NSID is 1
    uint32_t blockSize{512}; //!< octets of a block, a power of 2
    uint32_t inCapsule{0};   //!< octets of data in an I/O capsule at most
    uint32_t queueSize{128}; //!< entries of a queue at most
    uint32_t ioQueues{128};  //!< I/O queues of a controller at most
};

/// @ingroup iwarp-nvme
/// @brief How a command is answered.
struct NvmeAnswer
{
    NvmeStatus status{NvmeStatus::SUCCESS}; //!< how it went
    uint64_t result{0};                     //!< DW0 and DW1
    std::vector<uint8_t> data{};            //!< for the host
    bool later{false};                      //!< not now: it waits for an event
};

/**
 * @ingroup iwarp-nvme
 * @brief A controller: what it answers on its queues but for I/O (NVM Express Base Specification
 * 2.0, sections 3.3.2, 5 and 6). Pure.
 *
 * It knows Connect, Property Get and Set, Identify, features of queues, events and Keep Alive, and
 * the SMART log, which Linux reads; other commands are refused.
 */
class NvmeController
{
  public:
    static constexpr uint32_t NSID = 1; //!< of the namespace

    /// Make a controller. @param subsystem of which it is; outlives it @param cntlid its number
    NvmeController(const NvmeSubsystem& subsystem, uint16_t cntlid);

    /**
     * @brief A queue connects. I/O queues may once the admin queue has, for the same host.
     * @param sqe Connect
     * @param data of it
     * @return with the controller's number, or why not: of Connect Invalid Parameters the result
     * says where, by IATTR and IPO (section 6.3)
     */
    NvmeAnswer Connect(const NvmeSqe& sqe, const std::vector<uint8_t>& data);

    /// The connection of an I/O queue has ended: another one may be that queue. @param queue QID
    void RemoveQueue(uint16_t queue);

    /// Execute a command of the admin queue. @param sqe it, not Connect @return its answer
    NvmeAnswer ExecuteAdmin(const NvmeSqe& sqe);

    /**
     * @brief Check a command of an I/O queue.
     * @param sqe it
     * @param length octets of its data
     * @return SUCCESS if its data may be moved
     */
    NvmeStatus CheckIo(const NvmeSqe& sqe, uint32_t length) const;

    bool IsReady() const;       //!< Tell whether it processes commands. @return CSTS.RDY
    uint16_t GetCntlid() const; //!< Get its number. @return CNTLID

  private:
    NvmeAnswer GetProperty(const NvmeSqe& sqe) const; //!< @param sqe Property Get @return answer
    NvmeAnswer SetProperty(const NvmeSqe& sqe);       //!< @param sqe Property Set @return answer
    NvmeAnswer Identify(const NvmeSqe& sqe) const;    //!< @param sqe Identify @return answer
    NvmeAnswer SetFeatures(const NvmeSqe& sqe);       //!< @param sqe Set Features @return answer
    NvmeAnswer GetFeatures(const NvmeSqe& sqe) const; //!< @param sqe Get Features @return answer
    /// Tell how many I/O queues there may be. @return NSQA and NCQA, 0's based
    NvmeAnswer AnswerQueues() const;
    void SetKeepAlive(uint32_t timeout); //!< Set KATO, in units of KAS. @param timeout ms

    const NvmeSubsystem& m_subsystem;  //!< of which it is
    uint16_t m_cntlid;                 //!< its number
    std::optional<std::string> m_host; //!< HOSTNQN of the host that it is for, once it is
    std::set<uint16_t> m_queues;       //!< QIDs of the I/O queues that are connected
    uint32_t m_configuration{0};       //!< CC
    uint32_t m_events{0};              //!< Asynchronous Event Requests that wait
    uint32_t m_eventMask{0};           //!< of which events the host wants to know
    uint32_t m_keepAlive{0};           //!< KATO, ms
};

} // namespace ns3

#endif // NVME_CONTROLLER_H
