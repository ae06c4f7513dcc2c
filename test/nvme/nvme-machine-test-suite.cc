/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "nvme-machine-pair.h"

#include <boost/endian/conversion.hpp>
#include <functional>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(nvmeMachine, "nvme-machine");

/// Commands as tests use them.
NvmeSqe
IoCommand(NvmeOpcode opcode)
{
    return NvmeSqe::MakeIo(opcode, 1, 0, 1);
}

/// @param size octets @return some
NvmeOctets
SomeOctets(uint32_t size)
{
    NvmeOctets octets(size);
    for (uint32_t i = 0; i < size; i++)
    {
        octets[i] = static_cast<uint8_t>(i * 37 + i / 251);
    }
    return octets;
}

/// A machine under test, and a peer made by hand.
template <typename Machine, typename CommandListener>
class NvmeLoneMachine : public NvmeMachine::Listener, public CommandListener
{
  public:
    /// @param settings of the machine
    template <typename Settings>
    explicit NvmeLoneMachine(const Settings& settings)
        : machine(settings, *this, *this)
    {
        machine.Start();
    }

    void HandleReady(const NvmeTerms& /* terms */) override
    {
        ready++;
    }

    void HandleData(uint16_t /* cid */, uint32_t /* offset */, uint32_t size) override
    {
        received += size;
    }

    void HandleEnd(const NvmeEnd& end) override
    {
        ends.push_back(end);
    }

    /// The peer sends a PDU. @param pdu it @param format that it is in @param data of it @param
    /// change changes its octets
    void Give(
        NvmePdu pdu,
        const NvmePduFormat& format = {},
        uint32_t data = 0,
        const std::function<void(NvmeOctets&)>& change = [](NvmeOctets&) {})
    {
        pdu.Seal(format, data);
        NvmeOctets octets = pdu.Write(SomeOctets(data).data());
        change(octets);
        GiveOctets(octets);
    }

    /// @param octets of a PDU
    void GiveOctets(const NvmeOctets& octets)
    {
        NvmeCommonHeader ch;
        ch.Read(octets.data());
        machine.ProcessHeader(octets.data());
        const bool digest = ch.HasDataDigest() && ch.plen == octets.size();
        const bool good =
            !digest || nvme::IsDigestGood(&octets[ch.GetDataOffset()], ch.GetDataSize());
        machine.ProcessPdu(octets.data(),
                           std::min<uint32_t>(ch.GetHeadSize(), octets.size()),
                           good);
    }

    /// @return all PDUs that are to be sent
    std::vector<NvmeOutgoing> Take()
    {
        std::vector<NvmeOutgoing> all;
        for (NvmeOutgoing out; machine.Pop(out);)
        {
            all.push_back(out);
        }
        return all;
    }

    uint32_t ready{0};         //!< times that capsules could go
    uint64_t received{0};      //!< octets of data
    std::vector<NvmeEnd> ends; //!< how it ended
    Machine machine;           //!< under test
};

/// A host under test.
class LoneHost : public NvmeLoneMachine<NvmeHostMachine, NvmeHostMachine::HostListener>
{
  public:
    using NvmeLoneMachine::NvmeLoneMachine;

    void HandleCompletion(uint16_t /* cid */, const NvmeSqe& /* sqe */, const NvmeCqe& cqe) override
    {
        completions.push_back(cqe);
    }

    /// Startup. @param digests of both kinds
    void Connect(bool digests = false)
    {
        Take();
        const uint8_t dgst = digests ? 3 : 0;
        Give(NvmePdu::Make(NvmePduType::IC_RESP, NvmeIcResp{0, 0, dgst, 8192}));
    }

    std::vector<NvmeCqe> completions; //!< in their order
};

/// A controller under test.
class LoneController
    : public NvmeLoneMachine<NvmeControllerMachine, NvmeControllerMachine::ControllerListener>
{
  public:
    using NvmeLoneMachine::NvmeLoneMachine;

    void HandleCommand(const NvmeSqe& sqe, uint32_t /* length */) override
    {
        commands.push_back(sqe);
    }

    /// Startup. @param digests of both kinds
    void Connect(bool digests = false)
    {
        const uint8_t dgst = digests ? 3 : 0;
        Give(NvmePdu::Make(NvmePduType::IC_REQ, NvmeIcReq{0, 0, dgst, 7}));
        Take();
    }

    std::vector<NvmeSqe> commands; //!< to be executed
};

/// @param opcode of it @param cid of it @param length of its data @param type of SGL1 @return a
/// command
NvmePdu
MakeCommand(NvmeOpcode opcode, uint16_t cid, uint32_t length, uint8_t type = nvme::SGL_TRANSPORT)
{
    NvmeSqe sqe = IoCommand(opcode);
    sqe.cid = cid;
    sqe.flags = nvme::PSDT_SGL;
    sqe.sgl1 = {0, length, type};
    return NvmePdu::Make(NvmePduType::CAPSULE_CMD, sqe);
}

/// @param type of it @param transfer what it says @param flags of it @return a PDU
NvmePdu
MakeTransfer(NvmePduType type, const NvmeTransfer& transfer, uint8_t flags = 0)
{
    return NvmePdu::Make(type, transfer, flags);
}

/// @param cid of it @param status of it @return a response
NvmePdu
MakeResponse(uint16_t cid, NvmeStatus status = NvmeStatus::SUCCESS)
{
    NvmeCqe cqe;
    cqe.cid = cid;
    cqe.SetStatus(status);
    return NvmePdu::Make(NvmePduType::CAPSULE_RESP, cqe);
}

/// An error that a machine has to find.
template <typename Lone>
struct NvmeErrorRow
{
    const char* name;                  //!< what is wrong
    NvmeFes fes;                       //!< FES
    uint32_t fei;                      //!< FEI
    std::function<void(Lone&)> break_; //!< breaks the rule
    bool digests{false};               //!< the connection has digests
    bool fresh{false};                 //!< the connection is not set up
};

/// Machines find errors, and say so.
class NvmeErrorTest : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /// @param row an error @param lone the machine, connected if the row says so @param type of the
    /// Terminate Connection Request
    template <typename Lone>
    void CheckRow(const NvmeErrorRow<Lone>& row, Lone& lone, NvmePduType type)
    {
        row.break_(lone);
        const std::string name = row.name;
        NS_TEST_ASSERT_MSG_EQ(lone.ends.size(), 1, name << ": an end");
        NS_TEST_EXPECT_MSG_EQ((lone.ends[0].kind == NvmeEnd::Kind::ERROR), true, name);
        NS_TEST_EXPECT_MSG_EQ(uint32_t(lone.ends[0].error.fes), uint32_t(row.fes), name << ": FES");
        NS_TEST_EXPECT_MSG_EQ(lone.ends[0].error.fei, row.fei, name << ": FEI");
        const auto sent = lone.Take();
        NS_TEST_ASSERT_MSG_EQ(sent.size(), 1, name << ": nothing else is sent any more");
        NS_TEST_EXPECT_MSG_EQ((sent[0].pdu.ch.type == type), true, name << ": TermReq");
        const auto& term = std::get<NvmeTermReq>(sent[0].pdu.psh);
        NS_TEST_EXPECT_MSG_EQ(term.fes, uint32_t(row.fes), name << ": FES");
        NS_TEST_EXPECT_MSG_EQ(term.fei, row.fei, name << ": FEI");
        NS_TEST_EXPECT_MSG_EQ(sent[0].pdu.ch.flags, 0, name << ": without digests");
        NS_TEST_EXPECT_MSG_EQ(sent[0].own.size(), sent[0].pdu.ch.GetDataSize(), name);
        NS_TEST_EXPECT_MSG_EQ((sent[0].own.size() >= 8 && sent[0].own.size() <= 128),
                              true,
                              name << ": with the header at fault");
        const auto state = lone.machine.GetState();
        NS_TEST_EXPECT_MSG_EQ((state == NvmeMachine::State::TERMINATING), true, name);
    }

    void CheckHosts();       //!< errors that a host finds
    void CheckControllers(); //!< errors that a controller finds
};

} // namespace

// ---- startup ------------------------------------------------------------------------------------

/// @brief Digests are used if both ends say so, alignments and limits are those of each end.
IWARP_TEST(nvmeMachine, "what ICReq and ICResp settle")
{
    for (unsigned bits = 0; bits < 16; bits++)
    {
        NvmeHostSettings hostSettings;
        hostSettings.headerDigest = (bits & 1) != 0;
        hostSettings.dataDigest = (bits & 2) != 0;
        hostSettings.alignment = 16;
        hostSettings.maxR2t = 3;
        NvmeControllerSettings controllerSettings;
        controllerSettings.headerDigest = (bits & 4) != 0;
        controllerSettings.dataDigest = (bits & 8) != 0;
        controllerSettings.alignment = 128;
        controllerSettings.maxH2cData = 8192;
        controllerSettings.maxR2t = 2;
        NvmeMachinePair pair(hostSettings, controllerSettings);
        NS_TEST_EXPECT_MSG_EQ(pair.host.HasRoom(), false, "not before ICResp");
        pair.Settle(5);
        NS_TEST_ASSERT_MSG_EQ(pair.ready, 1, "the host may begin");
        NS_TEST_ASSERT_MSG_EQ(pair.at.ready, 1, "the controller waits for it");
        for (const auto& terms : {pair.host.GetTerms(), pair.controller.GetTerms()})
        {
            NS_TEST_EXPECT_MSG_EQ(terms.headerDigest, ((bits & 5) == 5), bits << ": HDGST");
            NS_TEST_EXPECT_MSG_EQ(terms.dataDigest, ((bits & 10) == 10), bits << ": DDGST");
            NS_TEST_EXPECT_MSG_EQ(terms.hostAlignment, 16, "HPDA");
            NS_TEST_EXPECT_MSG_EQ(terms.controllerAlignment, 128, "CPDA");
            NS_TEST_EXPECT_MSG_EQ(terms.maxH2cData, 8192, "MAXH2CDATA");
        }
        NS_TEST_EXPECT_MSG_EQ(pair.host.GetTerms().maxR2t, 3, "what the host offers");
        NS_TEST_EXPECT_MSG_EQ(pair.controller.GetTerms().maxR2t, 2, "what the controller uses");
    }
    IWARP_COVERS("NVT-3.1-01 NVT-3.3.1.1-01 NVT-3.3.1.1-02");
    NvmeHostSettings fewer;
    fewer.maxR2t = 3;
    NvmeControllerSettings more;
    more.maxR2t = 8;
    NvmeMachinePair limited(fewer, more);
    limited.Settle();
    NS_TEST_EXPECT_MSG_EQ(limited.controller.GetTerms().maxR2t, 3, "as many as the host takes");
    IWARP_COVERS("NVT-3.3.2.2-03");
    LoneHost host(NvmeHostSettings{true, false, false, 64, 4});
    const auto sent = host.Take();
    const auto& req = std::get<NvmeIcReq>(sent.at(0).pdu.psh);
    NS_TEST_EXPECT_MSG_EQ(uint32_t{req.hpda}, 15, "HPDA is of dwords, less 1");
    NS_TEST_EXPECT_MSG_EQ(req.maxr2t, 3, "MAXR2T is 0's based");
    IWARP_COVERS("NVT-3.3.2.2-03");
}

/// @brief A host that requires digests ends the connection, without a word.
IWARP_TEST(nvmeMachine, "digests that are required and not enabled")
{
    NvmeControllerSettings without;
    without.dataDigest = false;
    NvmeMachinePair pair({true, true, true}, without);
    pair.Settle();
    NS_TEST_ASSERT_MSG_EQ(pair.ends.size(), 1, "it ends");
    NS_TEST_EXPECT_MSG_EQ((pair.ends[0].kind == NvmeEnd::Kind::REFUSED), true, "refused");
    NS_TEST_EXPECT_MSG_EQ(pair.ready, 0, "no command goes");
    NS_TEST_EXPECT_MSG_EQ((pair.host.GetState() == NvmeMachine::State::OVER), true, "over");
    IWARP_COVERS("NVT-3.3.1.1-10");
}

/// @brief Who waits in vain at startup gives up.
IWARP_TEST(nvmeMachine, "no answer")
{
    LoneHost host{NvmeHostSettings()};
    host.machine.HandleTimeout();
    NS_TEST_ASSERT_MSG_EQ(host.ends.size(), 1, "the host ends");
    NS_TEST_EXPECT_MSG_EQ((host.ends[0].kind == NvmeEnd::Kind::TIMEOUT), true, "no ICResp");
    IWARP_COVERS("NVT-3.1-02");
    LoneController controller{NvmeControllerSettings()};
    controller.machine.HandleTimeout();
    NS_TEST_ASSERT_MSG_EQ(controller.ends.size(), 1, "the controller ends");
    NS_TEST_EXPECT_MSG_EQ((controller.ends[0].kind == NvmeEnd::Kind::TIMEOUT), true, "no ICReq");
    LoneHost late{NvmeHostSettings()};
    late.Connect();
    late.machine.HandleTimeout();
    NS_TEST_EXPECT_MSG_EQ(late.ends.size(), 0, "behind startup a timer means nothing");
}

// ---- transfers ----------------------------------------------------------------------------------

/// @brief Figure 15: 12288 octets in four C2HData, and a response.
IWARP_TEST(nvmeMachine, "data to the host, the specification's example")
{
    for (const bool success : {false, true})
    {
        LoneHost host{NvmeHostSettings()};
        host.Connect();
        const uint16_t cid = host.machine.Submit(IoCommand(NvmeOpcode::READ), 0x3000);
        const auto sent = host.Take();
        const auto& sqe = std::get<NvmeSqe>(sent.at(0).pdu.psh);
        NS_TEST_EXPECT_MSG_EQ(sqe.sgl1.length, 0x3000, "the buffer's size");
        NS_TEST_EXPECT_MSG_EQ(uint32_t{sqe.sgl1.type}, 0x5A, "Transport SGL Data Block");
        uint32_t at = 0;
        for (const uint32_t size : {1000U, 2000U, 8192U, 1096U})
        {
            const bool last = at + size == 0x3000;
            const uint8_t flags = last ? nvme::LAST_PDU | (success ? nvme::SUCCESS : 0) : 0;
            host.Give(MakeTransfer(NvmePduType::C2H_DATA, {cid, 0, at, size}, flags), {}, size);
            at += size;
        }
        NS_TEST_EXPECT_MSG_EQ(host.received, 0x3000, "all of it");
        NS_TEST_ASSERT_MSG_EQ(host.completions.size(), (success ? 1 : 0), "SUCCESS completes");
        if (!success)
        {
            host.Give(MakeResponse(cid));
        }
        NS_TEST_ASSERT_MSG_EQ(host.completions.size(), 1, "complete");
        NS_TEST_EXPECT_MSG_EQ(host.completions[0].result, 0, "result");
        NS_TEST_EXPECT_MSG_EQ(host.completions[0].status, 0, "status");
        NS_TEST_EXPECT_MSG_EQ(host.machine.CountCommands(), 0, "the CID is free");
        NS_TEST_EXPECT_MSG_EQ(host.ends.size(), 0, "no error");
    }
    IWARP_COVERS("NVT-3.3.2.1-06 NVT-3.3.2.1-13");
}

/// @brief Figure 16: 12288 octets for three R2Ts.
IWARP_TEST(nvmeMachine, "data to the controller, the specification's example")
{
    NvmeHostSettings settings;
    settings.maxR2t = 2;
    LoneHost host(settings);
    host.Connect();
    const uint16_t cid = host.machine.Submit(IoCommand(NvmeOpcode::WRITE), 0x3000);
    NS_TEST_EXPECT_MSG_EQ(host.Take().at(0).size, 0, "no data in the capsule");
    host.Give(MakeTransfer(NvmePduType::R2T, {cid, 7, 0, 3000}));
    auto sent = host.Take();
    host.Give(MakeTransfer(NvmePduType::R2T, {cid, 8, 3000, 8192}));
    host.Give(MakeTransfer(NvmePduType::R2T, {cid, 9, 11192, 1096}));
    for (auto& out : host.Take())
    {
        sent.push_back(out);
    }
    NS_TEST_ASSERT_MSG_EQ(sent.size(), 3, "an H2CData each: MAXH2CDATA is 8192");
    const uint32_t sizes[] = {3000, 8192, 1096};
    uint32_t at = 0;
    for (uint32_t i = 0; i < 3; i++)
    {
        const auto& data = std::get<NvmeTransfer>(sent[i].pdu.psh);
        NS_TEST_EXPECT_MSG_EQ(data.ttag, 7 + i, "TTAG");
        NS_TEST_EXPECT_MSG_EQ(data.datao, at, "DATAO");
        NS_TEST_EXPECT_MSG_EQ(data.datal, sizes[i], "DATAL");
        NS_TEST_EXPECT_MSG_EQ(uint32_t{sent[i].pdu.ch.flags}, 4, "LAST_PDU");
        at += sizes[i];
    }
    host.Give(MakeResponse(cid));
    NS_TEST_EXPECT_MSG_EQ(host.completions.size(), 1, "complete");

    // the controller takes them however the host has cut them: 1000 and 2000 for 3000
    NvmeControllerSettings by3000;
    by3000.r2tLength = 3000;
    LoneController controller(by3000);
    controller.Connect();
    controller.Give(MakeCommand(NvmeOpcode::WRITE, 5, 6000));
    const auto r2t = std::get<NvmeTransfer>(controller.Take().at(0).pdu.psh);
    NS_TEST_EXPECT_MSG_EQ(r2t.datal, 3000, "R2TL");
    controller.Give(MakeTransfer(NvmePduType::H2C_DATA, {5, r2t.ttag, 0, 1000}), {}, 1000);
    NS_TEST_EXPECT_MSG_EQ(controller.Take().size(), 0, "more is to come");
    controller.Give(MakeTransfer(NvmePduType::H2C_DATA, {5, r2t.ttag, 1000, 2000}, 4), {}, 2000);
    const auto next = std::get<NvmeTransfer>(controller.Take().at(0).pdu.psh);
    NS_TEST_EXPECT_MSG_EQ(next.datao, 3000, "R2TO");
    controller.Give(MakeTransfer(NvmePduType::H2C_DATA, {5, next.ttag, 3000, 3000}, 4), {}, 3000);
    NS_TEST_EXPECT_MSG_EQ(controller.commands.size(), 1, "it is executed with all of its data");
    NS_TEST_EXPECT_MSG_EQ(controller.ends.size(), 0, "no error");
    IWARP_COVERS("NVT-3.3.2.2-19");
}

/// @brief R2Ts of different commands are served in the order in which they came.
IWARP_TEST(nvmeMachine, "R2Ts of two commands")
{
    LoneHost host{NvmeHostSettings()};
    host.Connect();
    const uint16_t one = host.machine.Submit(IoCommand(NvmeOpcode::WRITE), 16384);
    const uint16_t two = host.machine.Submit(IoCommand(NvmeOpcode::WRITE), 16384);
    host.Take();
    host.Give(MakeTransfer(NvmePduType::R2T, {two, 1, 0, 16384}));
    host.Give(MakeTransfer(NvmePduType::R2T, {one, 2, 0, 16384}));
    std::vector<uint16_t> order;
    for (const auto& out : host.Take())
    {
        order.push_back(out.cid);
    }
    NS_TEST_EXPECT_MSG_EQ((order == std::vector<uint16_t>{two, two, one, one}), true, "in order");
    IWARP_COVERS("NVT-3.3.2.2-16");
}

/// @brief Where data of a write go, by the sizes that capsules may have.
IWARP_TEST(nvmeMachine, "data in capsules")
{
    NvmeHostSettings settings;
    settings.inCapsule = 4096;
    LoneHost host(settings);
    host.Connect();
    const auto submit = [&host](const NvmeSqe& sqe, uint32_t size) {
        host.machine.Submit(sqe, size);
        const auto out = host.Take().at(0);
        return std::pair{out.size, std::get<NvmeSqe>(out.pdu.psh).sgl1.type};
    };
    const NvmeSqe write = IoCommand(NvmeOpcode::WRITE);
    const NvmeSqe connect = NvmeSqe::MakeConnect(1, 32, 0);
    const std::pair<uint32_t, uint8_t> apart{0, nvme::SGL_TRANSPORT};
    const std::pair<uint32_t, uint8_t> in{4096, nvme::SGL_IN_CAPSULE};
    NS_TEST_EXPECT_MSG_EQ((submit(write, 4096) == in), true, "as much as fits");
    NS_TEST_EXPECT_MSG_EQ((submit(write, 4100) == apart), true, "more");
    NS_TEST_EXPECT_MSG_EQ((submit(IoCommand(NvmeOpcode::READ), 4) == apart), true, "a read's");
    NS_TEST_EXPECT_MSG_EQ(submit(connect, 8192).first, 8192, "of fabrics commands");
    NS_TEST_EXPECT_MSG_EQ(submit(connect, 8196).first, 0, "and no more");
    IWARP_COVERS("NVT-3.3.2-01");
    host.machine.SetInCapsule(16384);
    NS_TEST_EXPECT_MSG_EQ(submit(write, 16384).first, 16384, "as Identify Controller has told");
    host.machine.SetAdmin();
    NS_TEST_EXPECT_MSG_EQ(submit(write, 8192).first, 8192, "of admin commands");

    // what a controller makes of them
    NvmeControllerSettings small;
    small.inCapsule = 512;
    const auto answer = [&small](const NvmePdu& pdu, uint32_t data, bool admin = false) {
        LoneController controller(small);
        controller.Connect();
        if (admin)
        {
            controller.machine.SetAdmin();
        }
        controller.Give(pdu, {}, data);
        if (!controller.commands.empty())
        {
            controller.machine.Complete(controller.commands[0].cid, NvmeStatus::SUCCESS);
        }
        const auto sent = controller.Take();
        const auto* cqe = sent.empty() ? nullptr : std::get_if<NvmeCqe>(&sent[0].pdu.psh);
        return cqe ? cqe->GetStatus() : NvmeStatus::INTERNAL_ERROR;
    };
    const auto inline_ = [](uint32_t length, uint8_t type = nvme::SGL_IN_CAPSULE) {
        return MakeCommand(NvmeOpcode::WRITE, 3, length, type);
    };
    NvmeSqe fabrics = connect;
    fabrics.sgl1 = {0, 1024, nvme::SGL_IN_CAPSULE};
    const NvmePdu connecting = NvmePdu::Make(NvmePduType::CAPSULE_CMD, fabrics);
    NvmePdu shifted = inline_(512);
    std::get<NvmeSqe>(shifted.psh).sgl1.address = 4;
    const auto expect = [&](NvmeStatus is, NvmeStatus wanted, const char* name) {
        NS_TEST_EXPECT_MSG_EQ(NvmeStatusName(is), std::string(NvmeStatusName(wanted)), name);
    };
    expect(answer(inline_(512), 512), NvmeStatus::SUCCESS, "as much as fits");
    expect(answer(inline_(516), 516), NvmeStatus::SGL_OFFSET_INVALID, "more");
    expect(answer(shifted, 512), NvmeStatus::SGL_OFFSET_INVALID, "an offset");
    IWARP_COVERS("NVT-3.3.1-06");
    expect(answer(connecting, 1024), NvmeStatus::SUCCESS, "of fabrics commands");
    expect(answer(inline_(8192), 8192, true), NvmeStatus::SUCCESS, "of admin commands");
    IWARP_COVERS("NVT-3.3.1-01");
    expect(answer(inline_(512), 508), NvmeStatus::SGL_LENGTH_INVALID, "fewer than it says");
    expect(answer(inline_(508), 512), NvmeStatus::SGL_LENGTH_INVALID, "undefined octets");
    expect(answer(inline_(512, nvme::SGL_TRANSPORT), 512),
           NvmeStatus::SGL_LENGTH_INVALID,
           "data though they are to be elsewhere");
    IWARP_COVERS("NVT-3.3.1-05");
    expect(answer(inline_(512, 0x00), 0), NvmeStatus::SGL_TYPE_INVALID, "an address");
    expect(answer(inline_(512, 0x50), 0), NvmeStatus::SGL_TYPE_INVALID, "another sub type");
    IWARP_COVERS("NVT-3.3.2-02");
    expect(answer(inline_(514, nvme::SGL_TRANSPORT), 0),
           NvmeStatus::SGL_LENGTH_INVALID,
           "no multiple of 4");
    expect(answer(MakeCommand(NvmeOpcode::FLUSH, 1, 0, 0), 0), NvmeStatus::SUCCESS, "no SGL");
    expect(answer(MakeCommand(NvmeOpcode::READ, 1, 64, nvme::SGL_IN_CAPSULE), 0),
           NvmeStatus::SGL_LENGTH_INVALID,
           "a read into the capsule");
    expect(answer(MakeCommand(NvmeOpcode::READ, 1, 64, nvme::SGL_IN_CAPSULE), 64),
           NvmeStatus::SGL_LENGTH_INVALID,
           "which has data");
}

/// @brief A CID that is under way is refused, and its first command goes on.
IWARP_TEST(nvmeMachine, "a CID that is in use")
{
    LoneController controller{NvmeControllerSettings()};
    controller.Connect();
    controller.Give(MakeCommand(NvmeOpcode::READ, 9, 512));
    controller.Give(MakeCommand(NvmeOpcode::READ, 9, 512));
    const auto refused = controller.Take();
    NS_TEST_ASSERT_MSG_EQ(refused.size(), 1, "a response");
    const auto status = std::get<NvmeCqe>(refused[0].pdu.psh).GetStatus();
    NS_TEST_EXPECT_MSG_EQ((status == NvmeStatus::COMMAND_ID_CONFLICT), true, "conflict");
    controller.machine.Complete(9, NvmeStatus::SUCCESS, 0, 512);
    NS_TEST_EXPECT_MSG_EQ(controller.Take().size(), 2, "data and response of the first");
    NS_TEST_EXPECT_MSG_EQ(controller.machine.CountCommands(), 0, "over");
    // such refusals take an entry of the queue until they are sent, and no longer
    controller.Give(MakeCommand(NvmeOpcode::READ, 9, 512));
    for (uint32_t i = 0; i < 2 * NvmeControllerSettings().queueSize; i++)
    {
        controller.Give(MakeCommand(NvmeOpcode::READ, 9, 512));
        NS_TEST_ASSERT_MSG_EQ(controller.Take().size(), 1, "refused, " << i);
    }
    controller.Give(MakeCommand(NvmeOpcode::READ, 10, 512));
    NS_TEST_EXPECT_MSG_EQ(controller.machine.CountCommands(), 2, "there is room");
}

/// @brief SUCCESS says nothing of a result, so that a command with one has a response.
IWARP_TEST(nvmeMachine, "SUCCESS where there is nothing else to say")
{
    NvmeControllerSettings settings;
    settings.success = true;
    LoneController controller(settings);
    controller.Connect();
    const auto flags = [&controller](uint64_t result) {
        controller.Give(MakeCommand(NvmeOpcode::READ, 1, 512));
        controller.machine.Complete(1, NvmeStatus::SUCCESS, result, 512);
        const auto sent = controller.Take();
        return std::pair{sent.size(), sent[0].pdu.ch.flags};
    };
    NS_TEST_EXPECT_MSG_EQ((flags(0) == std::pair<std::size_t, uint8_t>{1, 12}), true, "SUCCESS");
    NS_TEST_EXPECT_MSG_EQ((flags(5) == std::pair<std::size_t, uint8_t>{2, 4}), true, "a response");
    IWARP_COVERS("NVT-3.3.2.1-09");
}

// ---- errors -------------------------------------------------------------------------------------

/// @brief A controller that has failed a write does without its data.
IWARP_TEST(nvmeMachine, "data of a write that is over")
{
    LoneHost host(NvmeHostSettings{});
    host.Connect();
    host.machine.Submit(IoCommand(NvmeOpcode::WRITE), 8192);
    host.machine.Submit(IoCommand(NvmeOpcode::WRITE), 8192);
    host.Take();
    host.Give(MakeTransfer(NvmePduType::R2T, {0, 0, 0, 8192}));
    host.Give(MakeTransfer(NvmePduType::R2T, {1, 1, 0, 8192}));
    host.Give(MakeResponse(0, NvmeStatus::LBA_OUT_OF_RANGE));
    NS_TEST_ASSERT_MSG_EQ(host.completions.size(), 1, "the first has failed");
    const auto sent = host.Take();
    NS_TEST_ASSERT_MSG_EQ(sent.size(), 1, "data of the second");
    NS_TEST_EXPECT_MSG_EQ(std::get<NvmeTransfer>(sent[0].pdu.psh).cccid, 1, "alone");
    NS_TEST_EXPECT_MSG_EQ(host.ends.size(), 0, "the connection goes on");
}

/// @brief Bad data digests: the command fails, the connection goes on.
IWARP_TEST(nvmeMachine, "data that have changed on their way")
{
    NvmeHostSettings hostSettings;
    hostSettings.headerDigest = hostSettings.dataDigest = true;
    hostSettings.inCapsule = 512;
    NvmeControllerSettings controllerSettings;
    controllerSettings.maxC2hData = 1024;
    controllerSettings.maxH2cData = 4096;
    NvmeMachinePair pair(hostSettings, controllerSettings);
    pair.Settle();
    const auto last = [&pair] { return pair.completions.back().second.GetStatus(); };
    const auto transient = NvmeStatus::TRANSIENT_TRANSPORT_ERROR;

    pair.toController.corrupt = true;
    pair.Submit(IoCommand(NvmeOpcode::WRITE), SomeOctets(512));
    pair.Settle();
    const auto isFinal = [&pair] { // Do Not Retry, the last bit of the status (NVMe Base 3.3.3.2)
        return (pair.completions.back().second.status & 0x8000) != 0;
    };
    NS_TEST_ASSERT_MSG_EQ(pair.completions.size(), 1, "in the capsule");
    NS_TEST_EXPECT_MSG_EQ((last() == transient), true, "in the capsule");
    NS_TEST_EXPECT_MSG_EQ(isFinal(), false, "it may be tried again");
    NS_TEST_EXPECT_MSG_EQ(pair.at.commands.size(), 0, "not executed");
    IWARP_COVERS("NVT-3.5-17");
    pair.toController.corrupt = true;
    pair.Submit(IoCommand(NvmeOpcode::WRITE), SomeOctets(20000));
    pair.Settle();
    NS_TEST_ASSERT_MSG_EQ(pair.completions.size(), 2, "for R2Ts: all of it is taken");
    NS_TEST_EXPECT_MSG_EQ((last() == transient), true, "for R2Ts");
    NS_TEST_EXPECT_MSG_EQ(pair.at.commands.size(), 0, "not executed");
    IWARP_COVERS("NVT-3.5-18 NVT-3.5-19");
    for (const bool good : {true, false})
    {
        pair.toHost.corrupt = true;
        pair.Submit(IoCommand(NvmeOpcode::READ), NvmeOctets(5000));
        pair.Settle();
        const uint16_t cid = pair.at.commands.back().cid;
        pair.at.data[cid] = SomeOctets(5000);
        pair.controller.Complete(cid,
                                 good ? NvmeStatus::SUCCESS : NvmeStatus::LBA_OUT_OF_RANGE,
                                 0,
                                 good ? 5000 : 0);
        pair.Settle();
        NS_TEST_EXPECT_MSG_EQ((last() == (good ? transient : NvmeStatus::LBA_OUT_OF_RANGE)),
                              true,
                              "to the host, where it would have succeeded");
        NS_TEST_EXPECT_MSG_EQ(isFinal(), !good, "what is out of range fails again");
        pair.toHost.corrupt = false;
    }
    NS_TEST_EXPECT_MSG_EQ(pair.completions.size(), 4, "all are complete");
    IWARP_COVERS("NVT-3.5-13 NVT-3.5-16");
    NS_TEST_EXPECT_MSG_EQ(pair.ends.size() + pair.at.ends.size(), 0, "the connection goes on");
}

void
NvmeErrorTest::CheckHosts()
{
    constexpr auto C2H = NvmePduType::C2H_DATA;
    constexpr auto R2T = NvmePduType::R2T;
    using Fes = NvmeFes;
    const auto icResp = [](const NvmeIcResp& resp) {
        return [resp](LoneHost& host) { host.Give(NvmePdu::Make(NvmePduType::IC_RESP, resp)); };
    };
    // CID 0 reads 8192 octets, CID 1 writes as many, CID 2 has no data
    const std::vector<NvmeErrorRow<LoneHost>> rows{
        {"PFV", Fes::UNSUPPORTED_PARAMETER, 8, icResp({1, 0, 0, 4096}), false, true},
        {"CPDA", Fes::INVALID_HEADER_FIELD, 10, icResp({0, 32, 0, 4096}), false, true},
        {"HDGST", Fes::INVALID_HEADER_FIELD, 11, icResp({0, 0, 1, 4096}), false, true},
        {"DDGST", Fes::INVALID_HEADER_FIELD, 11, icResp({0, 0, 2, 4096}), false, true},
        {"MAXH2CDATA", Fes::INVALID_HEADER_FIELD, 12, icResp({0, 0, 0, 4092}), false, true},
        {"MAXH2CDATA of no dwords",
         Fes::INVALID_HEADER_FIELD,
         12,
         icResp({0, 0, 0, 4098}),
         false,
         true},
        {"PLEN of an ICResp",
         Fes::INVALID_HEADER_FIELD,
         4,
         [](LoneHost& host) {
             host.Give(NvmePdu::Make(NvmePduType::IC_RESP, NvmeIcResp{0, 0, 0, 4096}),
                       {},
                       0,
                       [](auto& octets) { octets[4] = 0x84; });
         },
         false,
         true},
        {"a response ahead of ICResp",
         Fes::SEQUENCE,
         0,
         [](LoneHost& host) { host.Give(MakeResponse(0)); },
         false,
         true},
        {"a second ICResp", Fes::SEQUENCE, 0, icResp({0, 0, 0, 4096})},
        {"a CapsuleCmd",
         Fes::INVALID_HEADER_FIELD,
         0,
         [](LoneHost& host) { host.Give(MakeCommand(NvmeOpcode::READ, 0, 4)); }},
        {"a reserved type",
         Fes::INVALID_HEADER_FIELD,
         0,
         [](LoneHost& host) {
             host.GiveOctets({8, 0, 24, 0, 24, 0, 0, 0});
         }},
        {"SUCCESS that is not the last",
         Fes::INVALID_HEADER_FIELD,
         1,
         [](LoneHost& host) {
             host.Give(MakeTransfer(C2H, {0, 0, 0, 8}, 8), {}, 8);
         }},
        {"a digest that is not in use",
         Fes::INVALID_HEADER_FIELD,
         1,
         [](LoneHost& host) {
             host.Give(MakeResponse(0), {true, false, 4});
         }},
        {"no digest though it is in use",
         Fes::INVALID_HEADER_FIELD,
         1,
         [](LoneHost& host) { host.Give(MakeResponse(0)); },
         true},
        {"a data digest that is not in use",
         Fes::INVALID_HEADER_FIELD,
         1,
         [](LoneHost& host) {
             host.Give(MakeTransfer(C2H, {0, 0, 0, 8}), {false, true, 4}, 8);
         }},
        {"HLEN",
         Fes::INVALID_HEADER_FIELD,
         2,
         [](LoneHost& host) {
             host.Give(MakeResponse(0), {}, 0, [](auto& octets) { octets[2] = 28; });
         }},
        {"PDO",
         Fes::INVALID_HEADER_FIELD,
         3,
         [](LoneHost& host) {
             host.Give(MakeTransfer(C2H, {0, 0, 0, 8}), {}, 8, [](auto& octets) {
                 octets[3] = 26;
             });
         }},
        {"DATAL that is not that of the data",
         Fes::INVALID_HEADER_FIELD,
         4,
         [](LoneHost& host) {
             host.Give(MakeTransfer(C2H, {0, 0, 0, 12}), {}, 8);
         }},
        {"data in a response",
         Fes::INVALID_HEADER_FIELD,
         4,
         [](LoneHost& host) {
             host.Give(MakeResponse(0), {}, 0, [](auto& octets) {
                 octets.resize(40);
                 octets[4] = 40;
             });
         }},
        {"a header that has changed",
         Fes::HEADER_DIGEST,
         0,
         [](LoneHost& host) {
             host.Give(MakeResponse(0), {true, true, 4}, 0, [](auto& octets) {
                 octets[9] ^= 1;
                 std::fill(octets.begin() + 24, octets.end(), 0);
             });
         },
         true},
        {"a digest that has changed",
         Fes::HEADER_DIGEST,
         0x04030201,
         [](LoneHost& host) {
             host.Give(MakeResponse(0), {true, true, 4}, 0, [](auto& octets) {
                 boost::endian::store_little_u32(&octets[24], 0x04030201);
             });
         },
         true},
        {"data of an unknown command",
         Fes::INVALID_HEADER_FIELD,
         8,
         [](LoneHost& host) {
             host.Give(MakeTransfer(C2H, {30, 0, 0, 8}), {}, 8);
         }},
        {"data of a CID beyond the queue",
         Fes::INVALID_HEADER_FIELD,
         8,
         [](LoneHost& host) {
             host.Give(MakeTransfer(C2H, {0xFFFF, 0, 0, 8}), {}, 8);
         }},
        {"DATAO of no dword",
         Fes::INVALID_HEADER_FIELD,
         12,
         [](LoneHost& host) {
             host.Give(MakeTransfer(C2H, {0, 0, 2, 8}), {}, 8);
         }},
        {"DATAL of no dwords",
         Fes::INVALID_HEADER_FIELD,
         16,
         [](LoneHost& host) {
             host.Give(MakeTransfer(C2H, {0, 0, 0, 6}), {}, 6);
         }},
        {"data of a write",
         Fes::SEQUENCE,
         0,
         [](LoneHost& host) {
             host.Give(MakeTransfer(C2H, {1, 0, 0, 8}), {}, 8);
         }},
        {"data of a command without",
         Fes::SEQUENCE,
         0,
         [](LoneHost& host) {
             host.Give(MakeTransfer(C2H, {2, 0, 0, 8}), {}, 8);
         }},
        {"a gap",
         Fes::SEQUENCE,
         0,
         [](LoneHost& host) {
             host.Give(MakeTransfer(C2H, {0, 0, 8, 8}), {}, 8);
         }},
        {"data twice",
         Fes::SEQUENCE,
         0,
         [](LoneHost& host) {
             host.Give(MakeTransfer(C2H, {0, 0, 0, 8}), {}, 8);
             host.Give(MakeTransfer(C2H, {0, 0, 0, 8}), {}, 8);
         }},
        {"data behind the last",
         Fes::SEQUENCE,
         0,
         [](LoneHost& host) {
             host.Give(MakeTransfer(C2H, {0, 0, 0, 8}, 4), {}, 8);
             host.Give(MakeTransfer(C2H, {0, 0, 8, 8}, 4), {}, 8);
         }},
        {"SUCCESS without all",
         Fes::SEQUENCE,
         0,
         [](LoneHost& host) {
             host.Give(MakeTransfer(C2H, {0, 0, 0, 8}, 12), {}, 8);
         }},
        {"success without data",
         Fes::SEQUENCE,
         0,
         [](LoneHost& host) { host.Give(MakeResponse(0)); }},
        {"success of a write without its data",
         Fes::SEQUENCE,
         0,
         [](LoneHost& host) { host.Give(MakeResponse(1)); }},
        {"success of a write whose data have not been sent",
         Fes::SEQUENCE,
         0,
         [](LoneHost& host) {
             host.Give(MakeTransfer(R2T, {1, 0, 0, 8192}));
             host.Give(MakeResponse(1));
         }},
        {"data outside the buffer",
         Fes::OUT_OF_RANGE,
         0,
         [](LoneHost& host) {
             host.Give(MakeTransfer(C2H, {0, 0, 0, 8000}), {}, 8000);
             host.Give(MakeTransfer(C2H, {0, 0, 8000, 196}), {}, 196);
         }},
        {"data at 2^32",
         Fes::OUT_OF_RANGE,
         0,
         [](LoneHost& host) {
             host.Give(MakeTransfer(C2H, {0, 0, 0xFFFFFFFC, 8}), {}, 8);
         }},
        {"more data than any command has, by the common header",
         Fes::OUT_OF_RANGE,
         0,
         [](LoneHost& host) {
             host.GiveOctets({7, 0, 24, 24, 0, 0, 0, 0xF0});
         }},
        {"a response of an unknown command",
         Fes::INVALID_HEADER_FIELD,
         20,
         [](LoneHost& host) { host.Give(MakeResponse(30)); }},
        {"an R2T of an unknown command",
         Fes::INVALID_HEADER_FIELD,
         8,
         [](LoneHost& host) {
             host.Give(MakeTransfer(R2T, {30, 0, 0, 8}));
         }},
        {"R2TO of no dword",
         Fes::INVALID_HEADER_FIELD,
         12,
         [](LoneHost& host) {
             host.Give(MakeTransfer(R2T, {1, 0, 2, 8}));
         }},
        {"R2TL of no dwords",
         Fes::INVALID_HEADER_FIELD,
         16,
         [](LoneHost& host) {
             host.Give(MakeTransfer(R2T, {1, 0, 0, 6}));
         }},
        {"R2TL of nothing",
         Fes::INVALID_HEADER_FIELD,
         16,
         [](LoneHost& host) {
             host.Give(MakeTransfer(R2T, {1, 0, 0, 0}));
         }},
        {"an R2T of a read",
         Fes::SEQUENCE,
         0,
         [](LoneHost& host) {
             host.Give(MakeTransfer(R2T, {0, 0, 0, 8}));
         }},
        {"an R2T ahead of its turn",
         Fes::SEQUENCE,
         0,
         [](LoneHost& host) {
             host.Give(MakeTransfer(R2T, {1, 0, 8, 8}));
         }},
        {"an R2T of the same again",
         Fes::SEQUENCE,
         0,
         [](LoneHost& host) {
             host.Give(MakeTransfer(R2T, {1, 0, 0, 8}));
             host.Take();
             host.Give(MakeTransfer(R2T, {1, 0, 0, 8}));
         }},
        {"an R2T of more than there is",
         Fes::OUT_OF_RANGE,
         0,
         [](LoneHost& host) {
             host.Give(MakeTransfer(R2T, {1, 0, 0, 8196}));
         }},
        {"one R2T too many",
         Fes::LIMIT_EXCEEDED,
         0,
         [](LoneHost& host) {
             host.Give(MakeTransfer(R2T, {1, 0, 0, 8}));
             host.Give(MakeTransfer(R2T, {1, 1, 8, 8}));
             host.Give(MakeTransfer(R2T, {1, 2, 16, 8}));
         }},
    };
    for (const auto& row : rows)
    {
        NvmeHostSettings settings;
        settings.headerDigest = settings.dataDigest = row.digests;
        settings.maxR2t = 2;
        LoneHost host(settings);
        if (row.fresh)
        {
            host.Take();
        }
        else
        {
            host.Connect(row.digests);
            host.machine.Submit(IoCommand(NvmeOpcode::READ), 8192);
            host.machine.Submit(IoCommand(NvmeOpcode::WRITE), 8192);
            host.machine.Submit(IoCommand(NvmeOpcode::FLUSH), 0);
            host.Take();
        }
        CheckRow(row, host, NvmePduType::H2C_TERM_REQ);
        host.Give(MakeResponse(2), {row.digests, row.digests, 4});
        NS_TEST_EXPECT_MSG_EQ(host.completions.size(), 0, row.name << ": nothing is taken");
    }
}

/// @brief Every error that a host can find, with the FES and the FEI of the specification.
IWARP_TEST(nvmeMachine, "fatal errors that a host finds", NvmeErrorTest)
{
    CheckHosts();
    IWARP_COVERS("NVT-3.1-05 NVT-3.1-06 NVT-3.3-08 NVT-3.3-09 NVT-3.3.1-03 NVT-3.3.1.1-11 "
                 "NVT-3.3.2.1-02 NVT-3.3.2.1-03 NVT-3.3.2.1-04 NVT-3.3.2.1-10 NVT-3.3.2.1-11 "
                 "NVT-3.3.2.2-08 NVT-3.3.2.2-18 NVT-3.5-05 NVT-3.5-09 NVT-3.5-10 NVT-3.5-14 "
                 "NVT-3.6.2.3-02 NVT-3.6.2.3-03 NVT-3.6.2.4-02 NVT-3.6.2.6-02 NVT-3.6.2.9-02 "
                 "NVT-3.6.2.10-02");
}

void
NvmeErrorTest::CheckControllers()
{
    constexpr auto H2C = NvmePduType::H2C_DATA;
    using Fes = NvmeFes;
    const auto icReq = [](const NvmeIcReq& req) {
        return [req](LoneController& one) { one.Give(NvmePdu::Make(NvmePduType::IC_REQ, req)); };
    };
    // CID 0 writes 8192 octets, for R2Ts of 4096 octets with TTAG 0 and 1; CID 1 reads 8192
    const std::vector<NvmeErrorRow<LoneController>> rows{
        {"PFV", Fes::UNSUPPORTED_PARAMETER, 8, icReq({7, 0, 0, 0}), false, true},
        {"HPDA", Fes::INVALID_HEADER_FIELD, 10, icReq({0, 32, 0, 0}), false, true},
        {"a command ahead of ICReq",
         Fes::SEQUENCE,
         0,
         [](LoneController& one) { one.Give(MakeCommand(NvmeOpcode::READ, 0, 4)); },
         false,
         true},
        {"a second ICReq", Fes::SEQUENCE, 0, icReq({0, 0, 0, 0})},
        {"a response",
         Fes::INVALID_HEADER_FIELD,
         0,
         [](LoneController& one) { one.Give(MakeResponse(0)); }},
        {"an R2T",
         Fes::INVALID_HEADER_FIELD,
         0,
         [](LoneController& one) {
             one.Give(MakeTransfer(NvmePduType::R2T, {0, 0, 0, 8}));
         }},
        {"a digest that is not in use",
         Fes::INVALID_HEADER_FIELD,
         1,
         [](LoneController& one) {
             one.Give(MakeCommand(NvmeOpcode::READ, 7, 4), {true, false, 4});
         }},
        {"no digest though it is in use",
         Fes::INVALID_HEADER_FIELD,
         1,
         [](LoneController& one) { one.Give(MakeCommand(NvmeOpcode::READ, 7, 4)); },
         true},
        {"HLEN",
         Fes::INVALID_HEADER_FIELD,
         2,
         [](LoneController& one) {
             one.Give(MakeCommand(NvmeOpcode::READ, 7, 4), {}, 0, [](auto& octets) {
                 octets[2] = 71;
             });
         }},
        {"data that are not aligned",
         Fes::INVALID_HEADER_FIELD,
         3,
         [](LoneController& one) {
             one.Give(MakeTransfer(H2C, {0, 0, 0, 8}), {false, false, 4}, 8);
         }},
        {"more data than a capsule may have",
         Fes::INVALID_HEADER_FIELD,
         4,
         [](LoneController& one) {
             const NvmePduFormat aligned{false, false, 16};
             one.Give(MakeCommand(NvmeOpcode::WRITE, 7, 8196, 1), aligned, 8196);
         }},
        {"a capsule of 4 GB, by the common header",
         Fes::INVALID_HEADER_FIELD,
         4,
         [](LoneController& one) {
             one.GiveOctets({4, 0, 72, 80, 0, 0, 0, 0xFF});
         }},
        {"a header that has changed",
         Fes::HEADER_DIGEST,
         0x11223344,
         [](LoneController& one) {
             one.Give(MakeCommand(NvmeOpcode::READ, 7, 4), {true, true, 16}, 0, [](auto& octets) {
                 boost::endian::store_little_u32(&octets[72], 0x11223344);
             });
         },
         true},
        {"data of an unknown command",
         Fes::INVALID_HEADER_FIELD,
         8,
         [](LoneController& one) {
             one.Give(MakeTransfer(H2C, {9, 0, 0, 8}), {false, false, 16}, 8);
         }},
        {"data of an unknown TTAG",
         Fes::INVALID_HEADER_FIELD,
         10,
         [](LoneController& one) {
             one.Give(MakeTransfer(H2C, {0, 9, 0, 8}), {false, false, 16}, 8);
         }},
        {"data of another command's TTAG",
         Fes::INVALID_HEADER_FIELD,
         10,
         [](LoneController& one) {
             one.Give(MakeTransfer(H2C, {1, 0, 0, 8}), {false, false, 16}, 8);
         }},
        {"DATAO of no dword",
         Fes::INVALID_HEADER_FIELD,
         12,
         [](LoneController& one) {
             one.Give(MakeTransfer(H2C, {0, 0, 2, 8}), {false, false, 16}, 8);
         }},
        {"DATAL of no dwords",
         Fes::INVALID_HEADER_FIELD,
         16,
         [](LoneController& one) {
             one.Give(MakeTransfer(H2C, {0, 0, 0, 6}), {false, false, 16}, 6);
         }},
        {"DATAL that is not that of the data",
         Fes::INVALID_HEADER_FIELD,
         4,
         [](LoneController& one) {
             one.Give(MakeTransfer(H2C, {0, 0, 0, 8}), {false, false, 16}, 12);
         }},
        {"the end of an R2T without LAST_PDU",
         Fes::INVALID_HEADER_FIELD,
         1,
         [](LoneController& one) {
             one.Give(MakeTransfer(H2C, {0, 0, 0, 4096}), {false, false, 16}, 4096);
         }},
        {"a gap",
         Fes::SEQUENCE,
         0,
         [](LoneController& one) {
             one.Give(MakeTransfer(H2C, {0, 0, 8, 8}), {false, false, 16}, 8);
         }},
        {"the second R2T first",
         Fes::SEQUENCE,
         0,
         [](LoneController& one) {
             one.Give(MakeTransfer(H2C, {0, 1, 4096, 8}), {false, false, 16}, 8);
         }},
        {"LAST_PDU ahead of the end",
         Fes::SEQUENCE,
         0,
         [](LoneController& one) {
             one.Give(MakeTransfer(H2C, {0, 0, 0, 8}, 4), {false, false, 16}, 8);
         }},
        {"data behind the last, whose TTAG is over",
         Fes::INVALID_HEADER_FIELD,
         10,
         [](LoneController& one) {
             one.Give(MakeTransfer(H2C, {0, 0, 0, 4096}, 4), {false, false, 16}, 4096);
             one.Give(MakeTransfer(H2C, {0, 0, 0, 8}), {false, false, 16}, 8);
         }},
        {"data ahead of the R2T's",
         Fes::OUT_OF_RANGE,
         0,
         [](LoneController& one) {
             one.Give(MakeTransfer(H2C, {0, 1, 0, 8}), {false, false, 16}, 8);
         }},
        {"more than the R2T is for",
         Fes::OUT_OF_RANGE,
         0,
         [](LoneController& one) {
             one.Give(MakeTransfer(H2C, {0, 0, 0, 4100}, 4), {false, false, 16}, 4100);
         }},
        {"more than MAXH2CDATA",
         Fes::LIMIT_EXCEEDED,
         0,
         [](LoneController& one) {
             one.Give(MakeTransfer(H2C, {0, 0, 0, 6004}, 4), {false, false, 16}, 6004);
         }},
        {"an H2CData of 4 GB, by the common header",
         Fes::LIMIT_EXCEEDED,
         0,
         [](LoneController& one) {
             one.GiveOctets({6, 0, 24, 32, 0, 0, 0, 0xFF});
         }},
        {"more commands than the queue has room for",
         Fes::SEQUENCE,
         0,
         [](LoneController& one) {
             for (uint16_t cid = 2; cid < 9; cid++)
             {
                 one.Give(MakeCommand(NvmeOpcode::READ, cid, 4));
             }
         }},
        {"more commands than the Connect asked for entries",
         Fes::SEQUENCE,
         0,
         [](LoneController& one) {
             one.machine.SetQueueSize(3);
             for (uint16_t cid = 2; cid < 5; cid++)
             {
                 one.Give(MakeCommand(NvmeOpcode::READ, cid, 4));
             }
         }},
        {"more CIDs in use than that",
         Fes::SEQUENCE,
         0,
         [](LoneController& one) {
             for (uint32_t i = 0; i < 7; i++)
             {
                 one.Give(MakeCommand(NvmeOpcode::READ, 1, 4));
             }
         }},
    };
    for (const auto& row : rows)
    {
        NvmeControllerSettings settings;
        settings.alignment = 16;
        settings.maxH2cData = 6000;
        settings.maxR2t = 2;
        settings.r2tLength = 4096;
        settings.queueSize = 8;
        LoneController controller(settings);
        std::size_t executed = 0;
        if (!row.fresh)
        {
            const NvmePduFormat format{row.digests, row.digests, 16};
            controller.Connect(row.digests);
            controller.Give(MakeCommand(NvmeOpcode::WRITE, 0, 8192), format);
            controller.Give(MakeCommand(NvmeOpcode::READ, 1, 8192), format);
            NS_TEST_ASSERT_MSG_EQ(controller.Take().size(), 2, "two R2Ts");
        }
        CheckRow(row, controller, NvmePduType::C2H_TERM_REQ);
        executed = controller.commands.size();
        controller.Give(MakeCommand(NvmeOpcode::READ, 77, 4), {row.digests, row.digests, 16});
        NS_TEST_EXPECT_MSG_EQ(controller.commands.size(), executed, row.name << ": nothing more");
    }
}

/// @brief Every error that a controller can find, with the FES and the FEI of the specification.
IWARP_TEST(nvmeMachine, "fatal errors that a controller finds", NvmeErrorTest)
{
    CheckControllers();
    IWARP_COVERS("NVT-3.1-03 NVT-3.1-04 NVT-3.3.2.2-02 NVT-3.3.2.2-09 NVT-3.3.2.2-10 "
                 "NVT-3.3.2.2-13 NVT-3.3.2.2-14 NVT-3.5-01 NVT-3.5-02 NVT-3.5-15 NVT-3.6.2.5-02 "
                 "NVT-3.6.2.8-02");
}

// ---- ends ---------------------------------------------------------------------------------------

/// @brief A Terminate Connection Request ends the connection at once; one of a wrong length is
/// ignored, and does so as well.
IWARP_TEST(nvmeMachine, "Terminate Connection Requests")
{
    const auto check = [this](auto& lone, NvmePduType type) {
        const NvmePdu term = NvmePdu::Make(type, NvmeTermReq{4, 0});
        lone.Connect();
        lone.Give(term, {}, 24);
        NS_TEST_ASSERT_MSG_EQ(lone.ends.size(), 1, "it ends");
        NS_TEST_EXPECT_MSG_EQ((lone.ends[0].kind == NvmeEnd::Kind::PEER_ERROR),
                              true,
                              "by the peer");
        NS_TEST_EXPECT_MSG_EQ((lone.ends[0].error.fes == NvmeFes::OUT_OF_RANGE), true, "FES");
        NS_TEST_EXPECT_MSG_EQ((lone.machine.GetState() == NvmeMachine::State::OVER), true, "over");
        NS_TEST_EXPECT_MSG_EQ(lone.Take().size(), 0, "nothing is sent");
    };
    LoneHost host{NvmeHostSettings()};
    check(host, NvmePduType::C2H_TERM_REQ);
    IWARP_COVERS("NVT-3.5-03");
    LoneController controller{NvmeControllerSettings()};
    check(controller, NvmePduType::H2C_TERM_REQ);
    IWARP_COVERS("NVT-3.5-11");
    for (const uint8_t plen : {23, 0, 153, 255})
    {
        LoneHost other{NvmeHostSettings()};
        other.Connect();
        other.GiveOctets({3, 0, 24, 0, plen, 0, 0, 0});
        NS_TEST_ASSERT_MSG_EQ(other.ends.size(), 1, "it ends");
        NS_TEST_EXPECT_MSG_EQ((other.ends[0].kind == NvmeEnd::Kind::BAD_TERM), true, "ignored");
        NS_TEST_EXPECT_MSG_EQ((other.machine.GetState() == NvmeMachine::State::OVER), true, "over");
        LoneController another{NvmeControllerSettings()};
        another.Connect();
        another.GiveOctets({2, 0, 24, 0, plen, 0, 0, 0});
        NS_TEST_EXPECT_MSG_EQ((another.ends.at(0).kind == NvmeEnd::Kind::BAD_TERM), true, "too");
        NS_TEST_EXPECT_MSG_EQ(another.Take().size(), 0, "nothing is sent");
    }
    IWARP_COVERS("NVT-3.5-06 NVT-3.5-07");
    LoneController peer{NvmeControllerSettings()};
    peer.Connect();
    NvmePdu longest = NvmePdu::Make(NvmePduType::H2C_TERM_REQ, NvmeTermReq{1, 2});
    peer.Give(longest, {}, 128);
    NS_TEST_EXPECT_MSG_EQ((peer.ends.at(0).kind == NvmeEnd::Kind::PEER_ERROR), true, "152 octets");
}

/// @brief States and what they make of events.
IWARP_TEST(nvmeMachine, "states and events")
{
    using State = NvmeMachine::State;

    enum Event
    {
        TIMEOUT,
        CLOSED,
        TRUNCATED,
        CLOSE
    };

    struct Row
    {
        State state;
        Event event;
        State next;
        int end; // kind of the end that is told, -1 for none
    };

    const auto kind = [](NvmeEnd::Kind one) { return static_cast<int>(one); };
    const int closed = kind(NvmeEnd::Kind::CLOSED);
    const int lost = kind(NvmeEnd::Kind::LOST);
    const std::vector<Row> rows{
        {State::STARTING, TIMEOUT, State::OVER, kind(NvmeEnd::Kind::TIMEOUT)},
        {State::STARTING, CLOSED, State::OVER, closed},
        {State::STARTING, TRUNCATED, State::OVER, lost},
        {State::STARTING, CLOSE, State::OVER, -1},
        {State::READY, TIMEOUT, State::READY, -1},
        {State::READY, CLOSED, State::OVER, closed},
        {State::READY, TRUNCATED, State::OVER, lost},
        {State::READY, CLOSE, State::OVER, -1},
        {State::TERMINATING, TIMEOUT, State::OVER, -1},
        {State::TERMINATING, CLOSED, State::OVER, -1},
        {State::TERMINATING, TRUNCATED, State::OVER, -1},
        {State::TERMINATING, CLOSE, State::OVER, -1},
        {State::OVER, TIMEOUT, State::OVER, -1},
        {State::OVER, CLOSED, State::OVER, -1},
        {State::OVER, CLOSE, State::OVER, -1},
    };
    for (const auto& row : rows)
    {
        const auto run = [this, &row](auto& lone) {
            if (row.state != State::STARTING)
            {
                lone.Connect();
            }
            if (row.state == State::TERMINATING)
            {
                lone.GiveOctets({8, 0, 24, 0, 24, 0, 0, 0});
            }
            if (row.state == State::OVER)
            {
                lone.machine.Close();
            }
            NS_TEST_ASSERT_MSG_EQ((lone.machine.GetState() == row.state), true, "the row's state");
            lone.ends.clear();
            if (row.event == TIMEOUT)
            {
                lone.machine.HandleTimeout();
            }
            else if (row.event == CLOSE)
            {
                lone.machine.Close();
            }
            else
            {
                lone.machine.HandleClosed(row.event == CLOSED);
            }
            const std::string name =
                std::to_string(int(row.state)) + " and " + std::to_string(int(row.event));
            NS_TEST_EXPECT_MSG_EQ((lone.machine.GetState() == row.next), true, name);
            NS_TEST_EXPECT_MSG_EQ(lone.ends.size(), (row.end < 0 ? 0 : 1), name);
            NS_TEST_EXPECT_MSG_EQ((row.end < 0 || int(lone.ends.at(0).kind) == row.end),
                                  true,
                                  name);
            if (row.next == State::OVER)
            {
                NS_TEST_EXPECT_MSG_EQ(lone.Take().size(), 0, name << ": nothing is sent");
            }
        };
        LoneHost host{NvmeHostSettings()};
        run(host);
        LoneController controller{NvmeControllerSettings()};
        run(controller);
    }
    IWARP_COVERS("NVT-3.5-04 NVT-3.5-12");
}
