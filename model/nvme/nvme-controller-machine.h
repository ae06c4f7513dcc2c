/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NVME_CONTROLLER_MACHINE_H
#define NVME_CONTROLLER_MACHINE_H

#include "nvme-machine.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>

namespace ns3
{

/// @ingroup iwarp-nvme
/// @brief What a controller grants, and how it moves data.
struct NvmeControllerSettings
{
    bool headerDigest{true};     //!< enable header digests for hosts that ask for them
    bool dataDigest{true};       //!< enable data digests for hosts that ask for them
    uint32_t alignment{4};       //!< CPDA in octets, 4 to 128
    uint32_t maxH2cData{131072}; //!< MAXH2CDATA, a multiple of 4, 4096 at least
    uint32_t maxR2t{1};       //!< R2Ts of a command outstanding at most, if the host takes so many
    uint32_t r2tLength{0};    //!< octets of an R2T at most, a multiple of 4; 0 for all at once
    uint32_t maxC2hData{0};   //!< octets of a C2HData at most, a multiple of 4; 0 for all at once
    uint32_t inCapsule{8192}; //!< octets of data in the capsule of an I/O command at most
    uint32_t queueSize{128};  //!< commands under way at most
    bool success{false};      //!< reads end with SUCCESS in place of a CapsuleResp
};

/**
 * @ingroup iwarp-nvme
 * @brief The controller's end of a connection: takes commands with their data, and answers them
 * (NVMe/TCP section 3.3). Pure.
 *
 * A command is told of when all data that go to the controller are there. The data of reads go in
 * C2HData of up to NvmeControllerSettings::maxC2hData octets, those of several commands in turn.
 */
class NvmeControllerMachine : public NvmeMachine
{
  public:
    /// Is told of commands.
    class ControllerListener
    {
      public:
        /// A command is to be executed; Complete() answers it. @param sqe it @param length octets
        /// of its data
        virtual void HandleCommand(const NvmeSqe& sqe, uint32_t length) = 0;

      protected:
        ~ControllerListener() = default;
    };

    /// Make a controller. @param settings what it grants @param listener told of the connection
    /// @param commands told of commands
    NvmeControllerMachine(const NvmeControllerSettings& settings,
                          Listener& listener,
                          ControllerListener& commands);

    /// Take the queue for an admin queue: its commands have up to nvme::ADMIN_IN_CAPSULE octets in
    /// capsules.
    void SetAdmin();
    /// Set how many entries the host's Submission Queue has, as Connect says. @param entries 1 or
    /// more; SQHD counts modulo them
    void SetQueueSize(uint32_t entries);

    uint32_t CountCommands() const; //!< Count commands under way. @return commands

    /**
     * @brief Answer a command.
     * @param cid of a command that HandleCommand() has told of
     * @param status how it went
     * @param result DW0 and DW1 of the completion
     * @param size octets of data for the host, of a command that moves some; 0 without success
     */
    void Complete(uint16_t cid, NvmeStatus status, uint64_t result = 0, uint32_t size = 0);

  private:
    /// A command under way.
    struct Command
    {
        NvmeSqe sqe;           //!< it
        uint32_t length{0};    //!< octets of its data
        uint32_t granted{0};   //!< octets that R2Ts have asked for
        uint32_t received{0};  //!< octets that have come
        uint32_t r2ts{0};      //!< R2Ts outstanding
        bool bad{false};       //!< a data digest was bad
        bool executing{false}; //!< HandleCommand() has told of it, Complete() has not answered
    };

    /// An R2T outstanding.
    struct Request
    {
        uint16_t cid;    //!< command
        uint32_t begin;  //!< R2TO
        uint32_t offset; //!< of its next octet
        uint32_t left;   //!< octets
    };

    /// What is to be sent.
    struct Work
    {
        NvmePduType type; //!< R2T, C2HData or CapsuleResp
        uint16_t cid;     //!< of the command
        uint16_t ttag;    //!< of an R2T
        uint32_t offset;  //!< of the data
        uint32_t left;    //!< octets
        NvmeCqe cqe;      //!< completion; of a C2HData that behind the data
        bool owner;       //!< the CID is this command's, and is free behind the completion
    };

    // NvmeMachine
    std::optional<NvmePdu> Begin() override;
    NvmeFatalError CheckData(const NvmeCommonHeader& ch) const override;
    NvmeFatalError Process(const NvmePdu& pdu, bool good) override;
    bool PopNext(NvmeOutgoing& out) override;
    void Clear() override;

    NvmeFatalError ProcessIcReq(const NvmeIcReq& req); //!< @param req it @return error
    /// @param pdu CapsuleCmd @param good its data are @return error
    NvmeFatalError ProcessCommand(const NvmePdu& pdu, bool good);
    /// @param pdu H2CData @param good its data are @return error
    NvmeFatalError ProcessData(const NvmePdu& pdu, bool good);
    /// @param data H2CData, of fields that are valid @return its R2T; nullptr if there is none
    Request* FindRequest(const NvmeTransfer& data);
    /// @param sqe a command @param data octets in its capsule @return what is wrong with its SGL
    NvmeStatus CheckSgl(const NvmeSqe& sqe, uint32_t data) const;
    /// @param cid of a command whose data are there as far as they can be
    void Execute(uint16_t cid);
    void RequestMore(uint16_t cid); //!< R2Ts for what they may be for @param cid command
    /// @param cid of a command @param status how it went @param result DW0 and DW1 @return its
    /// completion, without SQHD
    NvmeCqe MakeCqe(uint16_t cid, NvmeStatus status, uint64_t result) const;
    void PopData(NvmeOutgoing& out);     //!< of the work in front @param [out] out the next C2HData
    void PopResponse(NvmeOutgoing& out); //!< of the work in front @param [out] out CapsuleResp
    void Advance();                      //!< SQHD: an entry of the Submission Queue is free

    NvmeControllerSettings m_settings;      //!< what it grants
    Listener& m_listener;                   //!< told of data
    ControllerListener& m_user;             //!< told of commands
    bool m_admin{false};                    //!< see SetAdmin()
    uint32_t m_entries{0};                  //!< see SetQueueSize()
    uint32_t m_conflicts{0};                //!< refusals of CIDs in use that are to be sent
    uint16_t m_sqhd{0};                     //!< SQHD
    uint16_t m_ttag{0};                     //!< of the next R2T
    std::map<uint16_t, Command> m_commands; //!< by CID
    std::map<uint16_t, Request> m_requests; //!< R2Ts outstanding by TTAG
    std::deque<Work> m_work;                //!< what is to be sent, in order
};

} // namespace ns3

#endif // NVME_CONTROLLER_MACHINE_H
