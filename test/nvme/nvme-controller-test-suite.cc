/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"
#include "nvme-test-util.h"

#include "ns3/nvme-controller.h"
#include "ns3/nvme-host-start.h"
#include "ns3/nvme-pdu.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

using namespace ns3;

namespace
{

IWARP_TEST_SUITE(nvmeController, "nvme-controller");

/// A command of a capture, and how it was answered.
struct CapturedCommand
{
    NvmeSqe sqe;                 //!< it
    std::vector<uint8_t> data;   //!< of it, in its capsule
    NvmeCqe cqe;                 //!< completion
    std::vector<uint8_t> answer; //!< data for the host
};

/// @param connection of a capture @return its commands in their order, those that were answered
/// completely
std::vector<CapturedCommand>
ReadCommands(const CapturedStreams& connection)
{
    std::vector<CapturedCommand> commands;
    for (const auto& octets : SplitPdus(connection[0]))
    {
        NvmePdu pdu;
        pdu.Read(octets.data(), static_cast<uint32_t>(octets.size()));
        if (const auto* sqe = std::get_if<NvmeSqe>(&pdu.psh))
        {
            const auto from = octets.begin() + pdu.ch.GetDataOffset();
            commands.push_back({*sqe, {from, from + pdu.ch.GetDataSize()}, {}, {}});
        }
    }
    // a CID is used again once it was answered: answers are in the order of their commands' CIDs
    std::map<uint16_t, std::vector<std::size_t>> byCid;
    for (std::size_t i = 0; i < commands.size(); i++)
    {
        byCid[commands[i].sqe.cid].push_back(i);
    }
    for (const auto& octets : SplitPdus(connection[1]))
    {
        NvmePdu pdu;
        pdu.Read(octets.data(), static_cast<uint32_t>(octets.size()));
        if (const auto* cqe = std::get_if<NvmeCqe>(&pdu.psh))
        {
            auto& waiting = byCid[cqe->cid];
            commands[waiting.front()].cqe = *cqe;
            waiting.erase(waiting.begin());
        }
        else if (pdu.ch.type == NvmePduType::C2H_DATA)
        {
            const auto cid = std::get<NvmeTransfer>(pdu.psh).cccid;
            auto& answer = commands[byCid[cid].front()].answer;
            const auto from = octets.begin() + pdu.ch.GetDataOffset();
            answer.insert(answer.end(), from, from + pdu.ch.GetDataSize());
        }
    }
    return commands;
}

/// @return commands of the admin queue of a capture of Linux
std::vector<CapturedCommand>
ReadAdminCommands()
{
    return ReadCommands(ReadStreams(NvmeCaptureFolder() + "digests_mtu1500.pcap").at(0));
}

/// @return commands of each connection of a capture of Linux's target, at which a program connects
/// in ways that are refused, and sets and gets features
std::vector<std::vector<CapturedCommand>>
ReadMadeCommands()
{
    std::vector<std::vector<CapturedCommand>> connections;
    for (const auto& connection :
         ReadStreams(NvmeCaptureFolder() + "plain_connects_tso_mtu1500.pcap"))
    {
        connections.push_back(ReadCommands(connection));
    }
    return connections;
}

/// @return a subsystem as that of the captures
NvmeSubsystem
MakeSubsystem()
{
    return {"t", 131072, 512, 16384, 1024, 128};
}

/// @param value of two halves @return lower 16 bits
uint32_t
LowHalf(uint64_t value)
{
    return static_cast<uint32_t>(value & 0xFFFF);
}

} // namespace

/// @brief What Linux's target says of itself is read, and has the values that the machine of the
/// captures was set up with.
IWARP_TEST(nvmeController, "Identify of Linux")
{
    bool controllers = false;
    bool namespaces = false;
    for (const auto& command : ReadAdminCommands())
    {
        if (command.sqe.IsFabrics() && command.sqe.GetFctype() == NvmeFctype::CONNECT)
        {
            NvmeConnectData connect;
            NS_TEST_EXPECT_MSG_EQ(connect.Read(command.data), true, "Connect");
            NS_TEST_EXPECT_MSG_EQ(connect.subNqn, "t", "SUBNQN");
            NS_TEST_EXPECT_MSG_EQ(
                connect.hostNqn,
                "nqn.2014-08.org.nvmexpress:uuid:11111111-2222-3333-4444-555555555555",
                "HOSTNQN");
            NS_TEST_EXPECT_MSG_EQ((connect.Write() == command.data), true, "written again");
        }
        else if (command.sqe.opcode == 0x06 && command.sqe.GetCns() == nvme::CNS_CONTROLLER)
        {
            NvmeIdentifyController identify;
            NS_TEST_EXPECT_MSG_EQ(identify.Read(command.answer), true, "Identify Controller");
            NS_TEST_EXPECT_MSG_EQ(identify.inCapsule, 16384, "inline_data_size=16384");
            NS_TEST_EXPECT_MSG_EQ(identify.subNqn, "t", "SUBNQN");
            NS_TEST_EXPECT_MSG_EQ(identify.cntlid, 1, "as Connect was answered");
            NS_TEST_EXPECT_MSG_EQ(identify.dataOffset, 0, "ICDOFF");
            controllers = true;
        }
        else if (command.sqe.opcode == 0x06 && command.sqe.GetCns() == nvme::CNS_NAMESPACE)
        {
            NvmeIdentifyNamespace identify;
            NS_TEST_EXPECT_MSG_EQ(identify.Read(command.answer), true, "Identify Namespace");
            NS_TEST_EXPECT_MSG_EQ(identify.blocks * identify.blockSize, 65536 << 10, "a RAM disk");
            NS_TEST_EXPECT_MSG_EQ(identify.blockSize, 512, "of usual blocks");
            namespaces = true;
        }
    }
    NS_TEST_EXPECT_MSG_EQ((controllers && namespaces), true, "both are there");
}

/// @brief The commands of Linux's host are answered as Linux's target does, where that is not its
/// own affair.
IWARP_TEST(nvmeController, "Linux's start of a controller")
{
    const NvmeSubsystem subsystem = MakeSubsystem();
    NvmeController controller(subsystem, 1);
    std::map<std::string, uint32_t> compared;
    for (const auto& command : ReadAdminCommands())
    {
        const NvmeSqe& sqe = command.sqe;
        const bool connects = sqe.IsFabrics() && sqe.GetFctype() == NvmeFctype::CONNECT;
        const NvmeAnswer answer =
            connects ? controller.Connect(sqe, command.data) : controller.ExecuteAdmin(sqe);
        if (answer.later)
        {
            compared["event"]++;
            continue;
        }
        const bool asked =
            !sqe.IsFabrics() && (sqe.opcode == 0x02 || (sqe.opcode == 0x06 && sqe.GetCns() > 3));
        if (asked)
        {
            continue; // logs and more, of which Identify Controller of Linux's has told
        }
        NS_TEST_EXPECT_MSG_EQ((answer.status == NvmeStatus::SUCCESS),
                              true,
                              "opcode " << uint32_t{sqe.opcode});
        NS_TEST_EXPECT_MSG_EQ(answer.data.size(), command.answer.size(), "octets of data");
        if (sqe.IsFabrics() && sqe.GetProperty() == nvme::PROPERTY_CAP && !connects)
        {
            NS_TEST_EXPECT_MSG_EQ(LowHalf(answer.result), LowHalf(command.cqe.result), "CAP.MQES");
            NS_TEST_EXPECT_MSG_EQ((answer.result >> 24 & 255),
                                  (command.cqe.result >> 24 & 255),
                                  "CAP.TO");
        }
        else if (!(sqe.opcode == 0x09 && sqe.GetFeature() == nvme::FEATURE_EVENTS))
        {
            // features of Linux's own aside
            const bool queues = sqe.opcode == 0x09;
            NS_TEST_EXPECT_MSG_EQ(answer.result,
                                  (queues ? (127 | 127 << 16) : command.cqe.result),
                                  "result of opcode " << uint32_t{sqe.opcode});
        }
        compared[connects ? "connect" : sqe.IsFabrics() ? "property" : "admin"]++;
    }
    const std::map<std::string, uint32_t> all{{"connect", 1},
                                              {"property", 9},
                                              {"admin", 7},
                                              {"event", 1}};
    NS_TEST_EXPECT_MSG_EQ((compared == all), true, "all were there");
    NS_TEST_EXPECT_MSG_EQ(controller.IsReady(), false, "it was shut down in the end");
}

/// @brief Connects are taken, and refused, as Linux's target does, with the place of the parameter
/// that is at fault.
IWARP_TEST(nvmeController, "Connects at Linux's target")
{
    const NvmeSubsystem subsystem{"nqn.2024-01.live:target", 262144, 512, 16384, 1024, 128};
    NvmeController controller(subsystem, 1);
    const auto connections = ReadMadeCommands();
    std::map<std::string, uint32_t> compared;
    for (const auto& commands : connections)
    {
        const NvmeSqe& sqe = commands.at(0).sqe;
        NvmeConnectData data;
        data.Read(commands.at(0).data);
        if (&commands == &connections.back())
        {
            controller.RemoveQueue(1); // whose connection has ended there
        }
        NvmeController unknown(subsystem, 1);
        const bool known = sqe.GetQueueId() == 0 ? commands.size() > 1 : data.cntlid == 1;
        const NvmeAnswer answer = (known ? controller : unknown).Connect(sqe, commands.at(0).data);
        const NvmeCqe& cqe = commands.at(0).cqe;
        NS_TEST_EXPECT_MSG_EQ(NvmeStatusName(answer.status),
                              std::string(NvmeStatusName(cqe.GetStatus())),
                              "connection " << compared["taken"] + compared["refused"]);
        NS_TEST_EXPECT_MSG_EQ(answer.result,
                              cqe.result,
                              "result, connection " << compared["taken"] + compared["refused"]);
        compared[cqe.GetStatus() == NvmeStatus::SUCCESS ? "taken" : "refused"]++;
        for (std::size_t i = 1; i < commands.size(); i++)
        {
            controller.ExecuteAdmin(commands[i].sqe);
        }
    }
    const std::map<std::string, uint32_t> all{{"taken", 4}, {"refused", 16}};
    NS_TEST_EXPECT_MSG_EQ((compared == all), true, "all were there");
}

/// @brief Features have the values that a host has set, as with Linux's target. What Linux tells in
/// answer to Set Features is its own affair but for queues.
IWARP_TEST(nvmeController, "features at Linux's target")
{
    const NvmeSubsystem subsystem{"nqn.2024-01.live:target", 262144, 512, 16384, 1024, 128};
    NvmeController controller(subsystem, 1);
    std::map<std::string, uint32_t> compared;
    for (const auto& commands : ReadMadeCommands())
    {
        if (commands.size() == 1)
        {
            continue; // which sets no features
        }
        controller.Connect(commands[0].sqe, commands[0].data);
        for (const auto& command : commands)
        {
            const auto opcode = static_cast<NvmeOpcode>(command.sqe.opcode);
            if (opcode == NvmeOpcode::FABRICS)
            {
                controller.ExecuteAdmin(command.sqe);
                continue;
            }
            const NvmeAnswer answer = controller.ExecuteAdmin(command.sqe);
            NS_TEST_EXPECT_MSG_EQ(NvmeStatusName(answer.status),
                                  std::string(NvmeStatusName(command.cqe.GetStatus())),
                                  "command " << command.sqe.cid);
            const bool queues = command.sqe.GetFeature() == nvme::FEATURE_QUEUES;
            if (opcode == NvmeOpcode::GET_FEATURES ||
                (opcode == NvmeOpcode::SET_FEATURES && queues))
            {
                NS_TEST_EXPECT_MSG_EQ(answer.result,
                                      command.cqe.result,
                                      "command " << command.sqe.cid);
                compared[opcode == NvmeOpcode::GET_FEATURES ? "get" : "set"]++;
            }
        }
    }
    const std::map<std::string, uint32_t> all{{"get", 6}, {"set", 3}};
    NS_TEST_EXPECT_MSG_EQ((compared == all), true, "all were there");
}

/// @brief A subsystem tells, as Linux's, that it may have several controllers, which share its
/// namespace; and namespaces of different subsystems are not taken for the same one.
IWARP_TEST(nvmeController, "controllers of a subsystem")
{
    const auto identify = [](const std::string& nqn, uint8_t cns) {
        const NvmeSubsystem subsystem{nqn, 262144, 512, 16384, 1024, 128};
        NvmeController controller(subsystem, 1);
        controller.ExecuteAdmin(NvmeSqe::MakePropertySet(nvme::PROPERTY_CC, nvme::CC_EN));
        return controller.ExecuteAdmin(NvmeSqe::MakeIdentify(cns, 1)).data;
    };
    const std::string name = "nqn.2024-01.live:target";
    std::map<uint8_t, std::vector<uint8_t>> theirs;
    for (const auto& commands : ReadMadeCommands())
    {
        for (const auto& command : commands)
        {
            if (command.sqe.opcode == static_cast<uint8_t>(NvmeOpcode::IDENTIFY))
            {
                theirs[command.sqe.GetCns()] = command.answer;
            }
        }
    }
    NS_TEST_EXPECT_MSG_EQ((identify(name, nvme::CNS_CONTROLLER).at(76) & 2),
                          (theirs.at(nvme::CNS_CONTROLLER).at(76) & 2),
                          "CMIC: two controllers or more");
    NS_TEST_EXPECT_MSG_EQ((identify(name, nvme::CNS_NAMESPACE).at(30) & 1),
                          (theirs.at(nvme::CNS_NAMESPACE).at(30) & 1),
                          "NMIC: attached to them");
    const auto uuid = [this, &identify](const std::string& nqn) {
        const auto octets = identify(nqn, nvme::CNS_DESCRIPTORS);
        NS_TEST_EXPECT_MSG_EQ(+octets[0], 3, "NIDT");
        NS_TEST_EXPECT_MSG_EQ(+octets[1], 16, "NIDL");
        NS_TEST_EXPECT_MSG_EQ((octets[4 + 6] >> 4), 8, "a UUID of version 8");
        NS_TEST_EXPECT_MSG_EQ((octets[4 + 8] >> 6), 2, "of RFC 9562's variant");
        return std::vector<uint8_t>(octets.begin() + 4, octets.begin() + 20);
    };
    NS_TEST_EXPECT_MSG_EQ((uuid(name) == uuid(name)), true, "the same namespace");
    NS_TEST_EXPECT_MSG_EQ((uuid(name) == uuid("nqn.2024-01.live:other")), false, "another's");
}

/// @param start a host's, which has a step @param controller that takes it @return what is wrong
/// with the answer; "" for nothing
static std::string
TakeStep(NvmeHostStart& start, NvmeController& controller)
{
    const auto step = start.GetStep();
    const bool connects = step->sqe.IsFabrics() && step->sqe.GetFctype() == NvmeFctype::CONNECT;
    const NvmeAnswer answer =
        connects ? controller.Connect(step->sqe, step->data) : controller.ExecuteAdmin(step->sqe);
    NvmeCqe cqe;
    cqe.result = answer.result;
    cqe.SetStatus(answer.status);
    return start.Complete(cqe, answer.data);
}

/// @brief The host's steps are those of Linux, with the same commands, as far as they go.
IWARP_TEST(nvmeController, "a host's start of a controller")
{
    const NvmeSubsystem subsystem = MakeSubsystem();
    NvmeController controller(subsystem, 5);
    NvmeHostWishes wishes;
    wishes.subNqn = "t";
    wishes.hostNqn = "host";
    wishes.ioQueues = 1;
    NvmeHostStart start(wishes);
    const auto captured = ReadAdminCommands();
    auto next = captured.begin();
    uint32_t steps = 0;
    while (!start.IsDone())
    {
        const auto step = start.GetStep();
        if (!step)
        {
            NS_TEST_ASSERT_MSG_EQ(start.WantsQueues(), true, "queues connect");
            const auto connect = start.MakeConnect(1);
            NS_TEST_EXPECT_MSG_EQ(connect.sqe.GetQueueId(), 1, "QID");
            const NvmeAnswer answer = controller.Connect(connect.sqe, connect.data);
            NS_TEST_EXPECT_MSG_EQ((answer.status == NvmeStatus::SUCCESS),
                                  true,
                                  "to the controller");
            NS_TEST_EXPECT_MSG_EQ(answer.result, 5, "by its number");
            start.HandleConnected();
            continue;
        }
        // the next command of Linux that is alike
        next = std::find_if(next, captured.end(), [&step](const CapturedCommand& command) {
            return command.sqe.opcode == step->sqe.opcode &&
                   (!command.sqe.IsFabrics() || command.sqe.GetFctype() == step->sqe.GetFctype()) &&
                   command.sqe.cdw[0] == step->sqe.cdw[0] && command.sqe.cdw[1] == step->sqe.cdw[1];
        });
        NS_TEST_ASSERT_MSG_EQ((next != captured.end()), true, "step " << steps << " is Linux's");
        ++next;
        NS_TEST_ASSERT_MSG_EQ(TakeStep(start, controller), "", "step " << steps);
        steps++;
    }
    NS_TEST_EXPECT_MSG_EQ(steps, 10, "all of them");
    NS_TEST_EXPECT_MSG_EQ(start.GetController().inCapsule, 16384, "as the controller has told");
    NS_TEST_EXPECT_MSG_EQ(start.GetNamespace().blocks, 131072, "as the controller has told");
    NS_TEST_EXPECT_MSG_EQ(start.GetNamespace().blockSize, 512, "as the controller has told");
    NS_TEST_EXPECT_MSG_EQ(controller.IsReady(), true, "it is ready");
    NS_TEST_EXPECT_MSG_EQ(start.GetController().dataOffset, 0, "ICDOFF");
    IWARP_COVERS("NVT-3.3.1-04");
}

/// @brief Queues from 1 to as many as there are (NVMe over Fabrics 1.1, section 3.3).
IWARP_TEST(nvmeController, "the last queue, and one more")
{
    NvmeSubsystem subsystem = MakeSubsystem();
    subsystem.ioQueues = 3;
    NvmeController controller(subsystem, 5);
    NvmeHostWishes wishes;
    wishes.subNqn = "t";
    wishes.hostNqn = "host";
    wishes.ioQueues = 3;
    NvmeHostStart start(wishes);
    while (!start.WantsQueues())
    {
        NS_TEST_ASSERT_MSG_EQ(TakeStep(start, controller), "", "a step");
    }
    for (const uint16_t queue : {3, 1, 2, 4})
    {
        const auto connect = start.MakeConnect(queue);
        const NvmeStatus status = controller.Connect(connect.sqe, connect.data).status;
        NS_TEST_EXPECT_MSG_EQ((status == NvmeStatus::SUCCESS), (queue < 4), "queue " << queue);
    }
}

/// @brief What a host takes for a controller that it cannot use.
IWARP_TEST(nvmeController, "controllers that a host does without")
{
    NvmeHostWishes wishes;
    wishes.subNqn = "t";
    wishes.entries = 128;
    wishes.ioQueues = 4;
    const auto run = [&wishes](const NvmeSubsystem& subsystem) {
        NvmeController controller(subsystem, 9);
        NvmeHostStart start(wishes);
        std::string problem;
        while (problem.empty() && !start.IsDone())
        {
            if (start.WantsQueues())
            {
                start.HandleConnected();
            }
            problem = TakeStep(start, controller);
        }
        return problem;
    };
    NS_TEST_EXPECT_MSG_EQ(run({"t", 8, 512, 0, 128, 4}), "", "one that does");
    const std::string refused = "the controller refuses to start: ";
    NS_TEST_EXPECT_MSG_EQ(run({"u", 8, 512, 0, 128, 4}),
                          refused + "Connect Invalid Parameters",
                          "another's name");
    NS_TEST_EXPECT_MSG_EQ(run({"t", 8, 512, 0, 127, 4}),
                          refused + "Connect Invalid Parameters",
                          "queues that are too short");
    NS_TEST_EXPECT_MSG_EQ(run({"t", 8, 512, 0, 128, 3}),
                          "the controller has fewer I/O queues",
                          "too few queues");
}

/// @brief Statuses of commands that are wrong.
IWARP_TEST(nvmeController, "commands that are refused")
{
    const NvmeSubsystem subsystem{"t", 1000, 4096, 0, 128, 2};
    NvmeController controller(subsystem, 1);
    const auto check = [this](NvmeStatus status, NvmeStatus wanted, const char* name) {
        NS_TEST_EXPECT_MSG_EQ(NvmeStatusName(status), std::string(NvmeStatusName(wanted)), name);
    };
    const auto admin = [&controller](const NvmeSqe& sqe) {
        return controller.ExecuteAdmin(sqe).status;
    };
    using Status = NvmeStatus;
    NvmeConnectData data;
    data.subNqn = "t";
    const auto connect = [&controller, &data](uint16_t queue, uint16_t cntlid) {
        data.cntlid = cntlid;
        return controller.Connect(NvmeSqe::MakeConnect(queue, 32, 0), data.Write()).status;
    };
    check(admin(NvmeSqe::MakeIdentify(1, 0)), Status::COMMAND_SEQUENCE_ERROR, "not enabled");
    check(connect(1, 1), Status::CONNECT_INVALID_PARAMETERS, "an I/O queue of nobody's controller");
    check(connect(0, nvme::ANY_CONTROLLER), Status::SUCCESS, "an admin queue");
    check(connect(1, 1), Status::COMMAND_SEQUENCE_ERROR, "an I/O queue ahead of CC.EN");
    check(admin(NvmeSqe::MakePropertySet(nvme::PROPERTY_CC, nvme::CC_EN)),
          Status::SUCCESS,
          "CC.EN");
    check(connect(1, 1), Status::SUCCESS, "an I/O queue");
    check(connect(1, 1), Status::COMMAND_SEQUENCE_ERROR, "the same again");
    controller.RemoveQueue(1);
    check(connect(1, 1), Status::SUCCESS, "behind its end");
    check(connect(1, 2), Status::CONNECT_INVALID_PARAMETERS, "of another controller");
    check(connect(0, 1), Status::CONNECT_INVALID_PARAMETERS, "an admin queue of this one");
    check(connect(3, 1), Status::CONNECT_INVALID_PARAMETERS, "a queue too many");
    check(controller.Connect(NvmeSqe::MakeConnect(1, 32, 0), {1, 2, 3}).status,
          Status::SGL_LENGTH_INVALID,
          "data of three octets");
    NvmeSqe newer = NvmeSqe::MakeConnect(1, 32, 0);
    newer.cdw[0] |= 1; // RECFMT
    check(controller.Connect(newer, data.Write()).status,
          Status::CONNECT_INCOMPATIBLE_FORMAT,
          "a format of Connect that is not known");
    check(admin(NvmeSqe::MakeIdentify(0x1C, 0)), Status::INVALID_FIELD, "another CNS");
    check(admin(NvmeSqe::MakeIdentify(0, 2)), Status::INVALID_NAMESPACE, "another namespace");
    check(admin(NvmeSqe::MakePropertyGet(0x20, false)), Status::INVALID_FIELD, "another property");
    check(admin(NvmeSqe::MakePropertyGet(nvme::PROPERTY_CAP, false)),
          Status::INVALID_FIELD,
          "half of a property");
    check(admin(NvmeSqe::MakePropertySet(nvme::PROPERTY_VS, 1)), Status::INVALID_FIELD, "VS");
    check(admin(NvmeSqe::MakeSetFeatures(0x80, 1)), Status::INVALID_FIELD, "another feature");
    check(admin(NvmeSqe::MakeConnect(0, 32, 0)), Status::COMMAND_SEQUENCE_ERROR, "Connect again");
    IWARP_COVERS("NVT-3.2-01");
    NvmeSqe event;
    event.opcode = static_cast<uint8_t>(NvmeOpcode::ASYNC_EVENT_REQUEST);
    for (uint32_t i = 0; i < 4; i++)
    {
        NS_TEST_EXPECT_MSG_EQ(controller.ExecuteAdmin(event).later, true, "waits");
    }
    check(admin(event), Status::ASYNC_LIMIT_EXCEEDED, "a fifth does not");
    NS_TEST_EXPECT_MSG_EQ(controller.ExecuteAdmin(event).later, false, "and is told so at once");
    NvmeSqe other;
    other.opcode = 0x80;
    check(admin(other), Status::INVALID_OPCODE, "another command");

    const auto io =
        [&controller](NvmeOpcode opcode, uint64_t slba, uint32_t blocks, uint32_t size) {
            return controller.CheckIo(NvmeSqe::MakeIo(opcode, 1, slba, blocks), size);
        };
    check(io(NvmeOpcode::READ, 999, 1, 4096), Status::SUCCESS, "the last block");
    check(io(NvmeOpcode::READ, 999, 2, 8192), Status::LBA_OUT_OF_RANGE, "one behind it");
    check(io(NvmeOpcode::WRITE, 1000, 1, 4096), Status::LBA_OUT_OF_RANGE, "behind it");
    check(io(NvmeOpcode::WRITE, UINT64_MAX, 1, 4096), Status::LBA_OUT_OF_RANGE, "far behind it");
    check(io(NvmeOpcode::WRITE, 0, 2, 4096), Status::SGL_LENGTH_INVALID, "half of the data");
    check(io(NvmeOpcode::FLUSH, 0, 1, 0), Status::SUCCESS, "Flush");
    check(controller.CheckIo(NvmeSqe::MakeIo(NvmeOpcode::READ, 2, 0, 1), 4096),
          Status::INVALID_NAMESPACE,
          "another namespace");
    check(io(static_cast<NvmeOpcode>(9), 0, 1, 0), Status::INVALID_OPCODE, "another command");
}
