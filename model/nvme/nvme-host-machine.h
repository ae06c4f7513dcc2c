/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NVME_HOST_MACHINE_H
#define NVME_HOST_MACHINE_H

#include "nvme-machine.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-nvme
/// @brief What a host wants of a connection.
struct NvmeHostSettings
{
    bool headerDigest{false};   //!< ask for header digests
    bool dataDigest{false};     //!< ask for data digests
    bool requireDigests{false}; //!< do without a controller that does not enable them
    uint32_t alignment{4};      //!< HPDA in octets, 4 to 128
    uint32_t maxR2t{1};         //!< R2Ts of a command outstanding at most, 1 or more
    uint32_t queueDepth{32};    //!< commands under way at most, 1 to 65536
    uint32_t inCapsule{0};      //!< octets of data in the capsule of an I/O command at most
};

/**
 * @ingroup iwarp-nvme
 * @brief The host's end of a connection: commands, their data, their completions (NVMe/TCP section
 * 3.3). Pure.
 *
 * Data that go to the controller are in the capsule if they fit; otherwise they go for R2Ts, which
 * are served in the order in which they have come, behind the capsules that were submitted before.
 */
class NvmeHostMachine : public NvmeMachine
{
  public:
    /// Is told of commands.
    class HostListener
    {
      public:
        /// A command is complete; its CID is free again. @param cid of it @param sqe it @param cqe
        /// the controller's, or made for SUCCESS
        virtual void HandleCompletion(uint16_t cid, const NvmeSqe& sqe, const NvmeCqe& cqe) = 0;

      protected:
        ~HostListener() = default;
    };

    /// Make a host. @param settings what it wants @param listener told of the connection @param
    /// commands told of commands
    NvmeHostMachine(const NvmeHostSettings& settings, Listener& listener, HostListener& commands);

    /// Take the queue for an admin queue: its commands have up to nvme::ADMIN_IN_CAPSULE octets in
    /// capsules.
    void SetAdmin();
    /// Change the limit of data in capsules, as Identify Controller says. @param octets at most
    void SetInCapsule(uint32_t octets);

    bool HasRoom() const; //!< Tell whether a command may be submitted. @return true in READY, with
                          //!< a CID that is free
    uint32_t CountCommands() const; //!< Count commands under way. @return commands

    /**
     * @brief Submit a command; only while HasRoom().
     * @param sqe it; CID, PSDT and SGL1 are filled in
     * @param length octets of its data, a multiple of 4; its opcode says which way they go
     * @return its CID
     */
    uint16_t Submit(const NvmeSqe& sqe, uint32_t length);

  private:
    /// A command under way.
    struct Command
    {
        bool busy{false};      //!< the CID is in use
        NvmeSqe sqe;           //!< it
        uint32_t length{0};    //!< octets of its data
        bool transport{false}; //!< they are not in the capsule
        uint32_t received{0};  //!< octets that have come
        uint32_t requested{0}; //!< octets for which R2Ts have come
        uint32_t r2ts{0};      //!< R2Ts not answered yet
        bool last{false};      //!< LAST_PDU has come
        bool bad{false};       //!< a data digest was bad
    };

    /// What is to be sent.
    struct Work
    {
        uint16_t cid;    //!< of the command
        bool capsule;    //!< its capsule, or data for an R2T
        uint16_t ttag;   //!< of the R2T
        uint32_t offset; //!< of the next octet
        uint32_t left;   //!< octets
    };

    // NvmeMachine
    std::optional<NvmePdu> Begin() override;
    NvmeFatalError CheckData(const NvmeCommonHeader& ch) const override;
    NvmeFatalError Process(const NvmePdu& pdu, bool good) override;
    bool PopNext(NvmeOutgoing& out) override;
    void Clear() override;

    NvmeFatalError ProcessIcResp(const NvmeIcResp& resp); //!< @param resp it @return error
    /// @param pdu C2HData @param good its data are @return error
    NvmeFatalError ProcessData(const NvmePdu& pdu, bool good);
    NvmeFatalError ProcessR2t(const NvmeTransfer& r2t); //!< @param r2t it @return error
    NvmeFatalError ProcessResponse(const NvmeCqe& cqe); //!< @param cqe it @return error
    /// @param cid of a command that is under way @param cqe its completion
    void Complete(uint16_t cid, NvmeCqe cqe);
    /// @param cid any @return the command that has it; nullptr if none has
    Command* Find(uint16_t cid);
    /// @param sqe a command @return most octets of data in its capsule
    uint32_t GetInCapsule(const NvmeSqe& sqe) const;

    NvmeHostSettings m_settings;     //!< what it wants
    Listener& m_listener;            //!< told of data
    HostListener& m_user;            //!< told of commands
    bool m_admin{false};             //!< see SetAdmin()
    std::vector<Command> m_commands; //!< by CID
    std::deque<uint16_t> m_free;     //!< CIDs, that which was free longest first
    std::deque<Work> m_work;         //!< what is to be sent, in order
};

} // namespace ns3

#endif // NVME_HOST_MACHINE_H
