/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nvme-target.h"

#include "ns3/abort.h"
#include "ns3/app-message-sizes.h"
#include "ns3/boolean.h"
#include "ns3/log.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <map>
#include <utility>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("NvmeTarget");
NS_OBJECT_ENSURE_REGISTERED(NvmeTarget);

/// A queue, and what is known of it.
class NvmeTarget::Connection final : public std::enable_shared_from_this<Connection>,
                                     private NvmeControllerQueueUser
{
  public:
    /// @param target whose @param queue of it
    Connection(NvmeTarget& target, Ptr<NvmeControllerQueue> queue)
        : m_target(target),
          m_queue(queue)
    {
    }

    /// Begin. @param socket connected
    void Open(const Ptr<Socket>& socket)
    {
        m_queue->SetUser(this);
        m_target.Open(m_queue, socket);
    }

    /// Have nothing to do with it any more. @param close the queue is to be closed @return it,
    /// which may have to send the end of its stream yet
    const Ptr<NvmeControllerQueue>& Leave(bool close)
    {
        m_over = true;
        m_queue->SetUser(nullptr);
        if (m_controller)
        {
            m_controller->RemoveQueue(m_qid);
        }
        if (close)
        {
            m_queue->Close();
        }
        return m_queue;
    }

    /// @return of which it is; nullptr if it is not connected
    const std::shared_ptr<NvmeController>& GetController() const
    {
        return m_controller;
    }

    /// @return it is an admin queue
    bool IsAdmin() const
    {
        return m_controller && !m_io;
    }

  private:
    // NvmeControllerQueueUser
    void HandleReady(NvmeQueue& queue) override;
    void HandleData(NvmeQueue& queue,
                    uint16_t cid,
                    uint32_t offset,
                    const Ptr<Packet>& octets) override;
    void HandleCommand(NvmeControllerQueue& queue, const NvmeSqe& sqe, uint32_t length) override;
    void HandleEnd(NvmeQueue& queue, const NvmeEnd& end) override;

    /// @param sqe Connect @param data of it @return answer
    NvmeAnswer Connect(const NvmeSqe& sqe, const std::vector<uint8_t>& data);
    /// @param sqe command of an I/O queue @param length of its data
    void ExecuteIo(const NvmeSqe& sqe, uint32_t length);
    /// The storage has done its work. @param sqe command @param length of its data
    void Answer(const NvmeSqe& sqe, uint32_t length);
    /// @param cid of a command @return data of it that have come, which are not kept any more
    std::vector<uint8_t> TakeData(uint16_t cid);

    NvmeTarget& m_target;                            //!< whose
    Ptr<NvmeControllerQueue> m_queue;                //!< the queue
    std::shared_ptr<NvmeController> m_controller;    //!< of which it is, once connected
    uint16_t m_qid{0};                               //!< its QID, once connected
    bool m_io{false};                                //!< it is an I/O queue
    bool m_over{false};                              //!< nobody waits for answers
    std::map<uint16_t, std::vector<uint8_t>> m_data; //!< of commands under way, by CID
};

TypeId
NvmeTarget::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::NvmeTarget")
            .SetParent<NvmeApplication>()
            .SetGroupName("Iwarp")
            .AddConstructor<NvmeTarget>()
            .AddAttribute("Local",
                          "Address and port to listen at, IPv4 or IPv6",
                          AddressValue(),
                          MakeAddressAccessor(&NvmeTarget::m_local),
                          MakeAddressChecker())
            .AddAttribute("Nqn",
                          "Name of the subsystem (NQN), 255 octets at most",
                          StringValue("nqn.2014-08.org.nvmexpress:uuid:iwarp"),
                          MakeStringAccessor(&NvmeTarget::m_nqn),
                          MakeStringChecker())
            .AddAttribute("Blocks",
                          "Logical blocks of the namespace",
                          UintegerValue(2097152),
                          MakeUintegerAccessor(&NvmeTarget::m_blocks),
                          MakeUintegerChecker<uint64_t>(1, uint64_t{1} << 40))
            .AddAttribute("BlockSize",
                          "Octets of a logical block, a power of 2",
                          UintegerValue(512),
                          MakeUintegerAccessor(&NvmeTarget::m_blockSize),
                          MakeUintegerChecker<uint32_t>(512, 65536))
            .AddAttribute("IoQueues",
                          "I/O queues of a controller at most",
                          UintegerValue(128),
                          MakeUintegerAccessor(&NvmeTarget::m_ioQueues),
                          MakeUintegerChecker<uint32_t>(1, 65535))
            .AddAttribute("RequireConnect",
                          "A queue begins with Connect, as the specification asks for; off, it is "
                          "an I/O queue that may do without",
                          BooleanValue(true),
                          MakeBooleanAccessor(&NvmeTarget::m_requireConnect),
                          MakeBooleanChecker())
            .AddAttribute("ServiceTime",
                          "Distribution of the time that the storage takes for a command, in "
                          "seconds: between the arrival of a write's data and the response, before "
                          "a read's data are sent",
                          StringValue("ns3::ConstantRandomVariable[Constant=0]"),
                          MakePointerAccessor(&NvmeTarget::m_serviceTime),
                          MakePointerChecker<RandomVariableStream>())
            .AddTraceSource("RequestServed",
                            "A read or a write was answered with success",
                            MakeTraceSourceAccessor(&NvmeTarget::m_servedTrace),
                            "ns3::NvmeTarget::ServedTracedCallback");
    return tid;
}

NvmeTarget::NvmeTarget()
    : NvmeApplication(NvmeControllerQueue::GetTypeId())
{
}

NvmeTarget::~NvmeTarget() = default;

void
NvmeTarget::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_listener = nullptr;
    for (const auto& connection : m_connections)
    {
        connection->Leave(false);
    }
    m_connections.clear();
    m_left.clear();
    NvmeApplication::DoDispose();
}

int64_t
NvmeTarget::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    return iwarp::AssignStreams({m_serviceTime}, stream);
}

uint64_t
NvmeTarget::GetRequests() const
{
    return m_requests;
}

uint64_t
NvmeTarget::GetOctets() const
{
    return m_octets;
}

std::size_t
NvmeTarget::GetNQueues() const
{
    return m_connections.size();
}

const NvmeStorage&
NvmeTarget::GetStorage() const
{
    NS_ABORT_MSG_UNLESS(m_storage, "NvmeTarget::GetStorage: it has not started");
    return *m_storage;
}

// ---- connections --------------------------------------------------------------------------------

void
NvmeTarget::StartApplication()
{
    NS_LOG_FUNCTION(this);
    CheckAddress(m_local, "Local");
    NS_ABORT_MSG_IF((m_blockSize & (m_blockSize - 1)) != 0,
                    "NvmeTarget: BlockSize has to be a power of 2");
    m_storage = std::make_unique<NvmeStorage>(m_blockSize);
    const auto queue = MakeQueue<NvmeControllerQueue>();
    m_subsystem =
        {m_nqn, m_blocks, m_blockSize, queue->GetInCapsule(), queue->GetQueueSize(), m_ioQueues};
    m_listener = MakeSocket();
    NS_ABORT_MSG_IF(m_listener->Bind(m_local) < 0, "NvmeTarget: Local cannot be bound to");
    m_listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                  MakeCallback(&NvmeTarget::HandleAccept, this));
    m_listener->Listen();
}

void
NvmeTarget::StopApplication()
{
    NS_LOG_FUNCTION(this);
    if (m_listener)
    {
        m_listener->Close();
        m_listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                      MakeNullCallback<void, Ptr<Socket>, const Address&>());
    }
    for (const auto& connection : m_connections)
    {
        m_left.push_back(connection->Leave(true));
    }
    m_connections.clear();
}

void
NvmeTarget::HandleAccept(Ptr<Socket> socket, const Address& from)
{
    NS_LOG_FUNCTION(this << from);
    m_connections.push_back(std::make_shared<Connection>(*this, MakeQueue<NvmeControllerQueue>()));
    const auto connection = m_connections.back(); // which may be over at once
    connection->Open(socket);
}

void
NvmeTarget::HandleEnd(const std::shared_ptr<Connection>& connection, const NvmeEnd& end)
{
    NS_LOG_FUNCTION(this << static_cast<int>(end.kind));
    if (end.kind != NvmeEnd::Kind::CLOSED)
    {
        Fail(NvmeEndName(end, false));
    }
    // with the admin queue its controller ends, and so do the controller's other queues
    const auto goes = [&connection](const std::shared_ptr<Connection>& other) {
        return other == connection ||
               (connection->IsAdmin() && other->GetController() == connection->GetController());
    };
    const auto all = m_connections;
    m_connections.erase(std::remove_if(m_connections.begin(), m_connections.end(), goes),
                        m_connections.end());
    for (const auto& other : all)
    {
        if (goes(other))
        {
            m_left.push_back(other->Leave(other != connection));
        }
    }
}

std::shared_ptr<NvmeController>
NvmeTarget::FindController(const NvmeSqe& sqe, const std::vector<uint8_t>& data)
{
    if (sqe.GetQueueId() == 0)
    {
        m_controllers = static_cast<uint16_t>(m_controllers % 0xFFEF + 1);
        return std::make_shared<NvmeController>(m_subsystem, m_controllers);
    }
    NvmeConnectData connect;
    if (connect.Read(data))
    {
        for (const auto& other : m_connections)
        {
            if (other->IsAdmin() && other->GetController()->GetCntlid() == connect.cntlid)
            {
                return other->GetController();
            }
        }
    }
    return std::make_shared<NvmeController>(m_subsystem, 0);
}

NvmeData
NvmeTarget::Serve(const NvmeSqe& sqe, uint32_t length, const std::vector<uint8_t>& written)
{
    const auto opcode = static_cast<NvmeOpcode>(sqe.opcode);
    if (opcode == NvmeOpcode::FLUSH)
    {
        return {};
    }
    m_requests++;
    m_octets += length;
    const bool read = opcode == NvmeOpcode::READ;
    m_servedTrace(read ? iwarp::RequestKind::READ : iwarp::RequestKind::WRITE, length);
    if (read)
    {
        return IsBacked() ? NvmeData(m_storage->Read(sqe.GetSlba(), sqe.GetBlocks()))
                          : NvmeData::MakeZeros(length);
    }
    if (IsBacked())
    {
        const uint64_t at = sqe.GetSlba() * m_blockSize;
        CountContentErrors(NvmeStorage::Compare(at, written.data(), written.size()));
        m_storage->Write(sqe.GetSlba(), written);
    }
    return {};
}

// ---- a connection -------------------------------------------------------------------------------

void
NvmeTarget::Connection::HandleReady(NvmeQueue& /* queue */)
{
    if (!m_target.m_requireConnect)
    {
        m_io = true;
        m_target.NotifyReady(m_queue);
    }
}

void
NvmeTarget::Connection::HandleEnd(NvmeQueue& /* queue */, const NvmeEnd& end)
{
    m_target.HandleEnd(shared_from_this(), end);
}

void
NvmeTarget::Connection::HandleData(NvmeQueue& /* queue */,
                                   uint16_t cid,
                                   uint32_t offset,
                                   const Ptr<Packet>& octets)
{
    if (m_io && !m_target.IsBacked())
    {
        return; // zeros
    }
    auto& data = m_data[cid];
    data.resize(offset + octets->GetSize());
    octets->CopyData(&data[offset], octets->GetSize());
}

std::vector<uint8_t>
NvmeTarget::Connection::TakeData(uint16_t cid)
{
    const auto found = m_data.find(cid);
    if (found == m_data.end())
    {
        return {};
    }
    std::vector<uint8_t> data = std::move(found->second);
    m_data.erase(found);
    return data;
}

void
NvmeTarget::Connection::HandleCommand(NvmeControllerQueue& /* queue */,
                                      const NvmeSqe& sqe,
                                      uint32_t length)
{
    NS_LOG_FUNCTION(this << sqe.cid << uint32_t{sqe.opcode} << length);
    if (m_io)
    {
        ExecuteIo(sqe, length);
        return;
    }
    const auto data = TakeData(sqe.cid);
    NvmeAnswer answer;
    if (m_controller)
    {
        answer = m_controller->ExecuteAdmin(sqe);
    }
    else if (sqe.IsFabrics() && sqe.GetFctype() == NvmeFctype::CONNECT)
    {
        answer = Connect(sqe, data);
    }
    else
    {
        answer.status = NvmeStatus::COMMAND_SEQUENCE_ERROR;
    }
    if (answer.later)
    {
        return;
    }
    answer.data.resize(std::min<std::size_t>(answer.data.size(), length));
    m_queue->Complete(sqe.cid, answer.status, answer.result, NvmeData(answer.data));
    if (m_io)
    {
        m_target.NotifyReady(m_queue);
    }
}

NvmeAnswer
NvmeTarget::Connection::Connect(const NvmeSqe& sqe, const std::vector<uint8_t>& data)
{
    const auto controller = m_target.FindController(sqe, data);
    const NvmeAnswer answer = controller->Connect(sqe, data);
    if (answer.status == NvmeStatus::SUCCESS)
    {
        m_controller = controller;
        m_qid = sqe.GetQueueId();
        m_io = m_qid > 0;
        m_queue->SetQueueSize(sqe.GetQueueSize());
        if (!m_io)
        {
            m_queue->SetAdmin();
        }
    }
    return answer;
}

void
NvmeTarget::Connection::ExecuteIo(const NvmeSqe& sqe, uint32_t length)
{
    // without Connect there is no controller that could be disabled
    const NvmeController alone(m_target.m_subsystem, 0);
    const NvmeController& controller = m_controller ? *m_controller : alone;
    const bool stopped = m_controller && !controller.IsReady();
    const NvmeStatus status = sqe.IsFabrics() || stopped ? NvmeStatus::COMMAND_SEQUENCE_ERROR
                                                         : controller.CheckIo(sqe, length);
    const Time service =
        status == NvmeStatus::SUCCESS ? iwarp::DrawInterval(m_target.m_serviceTime) : Time();
    if (status != NvmeStatus::SUCCESS)
    {
        TakeData(sqe.cid);
        m_queue->Complete(sqe.cid, status);
    }
    else if (service.IsZero())
    {
        Answer(sqe, length);
    }
    else
    {
        // the target lives as long as its connections have something to do
        Simulator::Schedule(
            service,
            [self = shared_from_this(), target = Ptr<NvmeTarget>(&m_target), sqe, length] {
                self->Answer(sqe, length);
            });
    }
}

void
NvmeTarget::Connection::Answer(const NvmeSqe& sqe, uint32_t length)
{
    const auto written = TakeData(sqe.cid);
    if (!m_over)
    {
        m_queue->Complete(sqe.cid, NvmeStatus::SUCCESS, 0, m_target.Serve(sqe, length, written));
    }
}

} // namespace ns3
