/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "nvme-host.h"

#include "nvme-storage.h"

#include "ns3/abort.h"
#include "ns3/app-message-sizes.h"
#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/log.h"
#include "ns3/nvme-controller.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("NvmeHost");
NS_OBJECT_ENSURE_REGISTERED(NvmeHost);

namespace
{

constexpr uint32_t MAX_BLOCKS = 65536;          // of a command: NLB has 16 bits
constexpr uint32_t MAX_RETRIES = 5;             // times that a command is sent again, as Linux does
constexpr const char* IN_CAPSULE = "a capsule"; // where data may be

} // namespace

TypeId
NvmeHost::GetTypeId()
{
    static TypeId tid = iwarp::MessageSource::AddAttributes(
        TypeId("ns3::NvmeHost")
            .SetParent<NvmeApplication>()
            .SetGroupName("Iwarp")
            .AddConstructor<NvmeHost>()
            .AddAttribute("Remote",
                          "Address and port of the target, IPv4 or IPv6",
                          AddressValue(),
                          MakeAddressAccessor(&NvmeHost::m_remote),
                          MakeAddressChecker())
            .AddAttribute("Nqn",
                          "Name of the subsystem (NQN) to connect to",
                          StringValue("nqn.2014-08.org.nvmexpress:uuid:iwarp"),
                          MakeStringAccessor(&NvmeHost::m_nqn),
                          MakeStringChecker())
            .AddAttribute("HostNqn",
                          "Name of this host (NQN)",
                          StringValue("nqn.2014-08.org.nvmexpress:uuid:iwarp-host"),
                          MakeStringAccessor(&NvmeHost::m_hostNqn),
                          MakeStringChecker())
            .AddAttribute("AdminQueue",
                          "Start a controller on an admin queue, connect I/O queues to it, and ask "
                          "it for the namespace; off, I/O queues begin with their first command, "
                          "Blocks and BlockSize say what the namespace is like, and the target has "
                          "to have RequireConnect off",
                          BooleanValue(true),
                          MakeBooleanAccessor(&NvmeHost::m_admin),
                          MakeBooleanChecker())
            .AddAttribute("Queues",
                          "I/O queues, a connection each",
                          UintegerValue(1),
                          MakeUintegerAccessor(&NvmeHost::m_queues),
                          MakeUintegerChecker<uint32_t>(1, 65535))
            .AddAttribute("ReadShare",
                          "Share of requests that read; the others write",
                          DoubleValue(0.5),
                          MakeDoubleAccessor(&NvmeHost::m_readShare),
                          MakeDoubleChecker<double>(0, 1))
            .AddAttribute("MaxTransfer",
                          "Data of a command at most; a longer request is several. The default is "
                          "that of Linux's block layer [octets]",
                          UintegerValue(1310720),
                          MakeUintegerAccessor(&NvmeHost::m_maxTransfer),
                          MakeUintegerChecker<uint32_t>(65536))
            .AddAttribute("Blocks",
                          "Logical blocks of the namespace, without AdminQueue",
                          UintegerValue(2097152),
                          MakeUintegerAccessor(&NvmeHost::m_blocks),
                          MakeUintegerChecker<uint64_t>(1, uint64_t{1} << 40))
            .AddAttribute("BlockSize",
                          "Octets of a logical block, a power of 2, without AdminQueue",
                          UintegerValue(512),
                          MakeUintegerAccessor(&NvmeHost::m_blockSize),
                          MakeUintegerChecker<uint32_t>(512, 65536))
            .AddTraceSource("RequestPosted",
                            "A request was made; its commands go as soon as there is room",
                            MakeTraceSourceAccessor(&NvmeHost::m_postedTrace),
                            "ns3::NvmeHost::PostedTracedCallback")
            .AddTraceSource("RequestCompleted",
                            "All commands of a request are complete",
                            MakeTraceSourceAccessor(&NvmeHost::m_completedTrace),
                            "ns3::NvmeHost::CompletedTracedCallback")
            .AddTraceSource("Finished",
                            "All requests have been completed",
                            MakeTraceSourceAccessor(&NvmeHost::m_finishedTrace),
                            "ns3::NvmeHost::FinishedTracedCallback"),
        &NvmeHost::m_source,
        {"Requests under way at any time, and commands of a queue at most; with Intervals more of "
         "them wait at the host",
         "MaxRequests",
         1024});
    return tid;
}

NvmeHost::NvmeHost()
    : NvmeApplication(NvmeHostQueue::GetTypeId()),
      m_source(*this),
      m_kinds(CreateObject<UniformRandomVariable>()),
      m_places(CreateObject<UniformRandomVariable>()),
      m_totals(IN_CAPSULE)
{
}

NvmeHost::~NvmeHost() = default;

void
NvmeHost::DoDispose()
{
    NS_LOG_FUNCTION(this);
    m_source.Stop();
    for (const auto& [socket, queue] : m_connecting)
    {
        Forget(socket);
    }
    m_connecting.clear();
    if (m_adminQueue)
    {
        m_adminQueue->SetUser(nullptr);
        m_adminQueue = nullptr;
    }
    for (const auto& io : m_io)
    {
        io.queue->SetUser(nullptr);
    }
    m_io.clear();
    NvmeApplication::DoDispose();
}

std::string
NvmeHost::SetMessageSizes(const std::string& description)
{
    NS_LOG_FUNCTION(this << description);
    return m_source.SetSizes(description);
}

int64_t
NvmeHost::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    return iwarp::AssignStreams({m_source.GetSizes(), m_kinds, m_source.GetIntervals(), m_places},
                                stream);
}

// ---- connections --------------------------------------------------------------------------------

void
NvmeHost::StartApplication()
{
    NS_LOG_FUNCTION(this);
    CheckAddress(m_remote, "Remote");
    NS_ABORT_MSG_IF((m_blockSize & (m_blockSize - 1)) != 0,
                    "NvmeHost: BlockSize has to be a power of 2");
    SetQueueAttribute("QueueDepth", UintegerValue(m_source.GetQueueDepth()));
    if (!m_admin)
    {
        OpenQueues();
        return;
    }
    NvmeHostWishes wishes;
    wishes.subNqn = m_nqn;
    wishes.hostNqn = m_hostNqn;
    wishes.entries = std::max(2U, m_source.GetQueueDepth());
    wishes.ioQueues = m_queues;
    m_start = std::make_unique<NvmeHostStart>(wishes);
    m_adminQueue = Connect();
}

void
NvmeHost::StopApplication()
{
    NS_LOG_FUNCTION(this);
    End("");
}

Ptr<NvmeHostQueue>
NvmeHost::Connect()
{
    const Ptr<NvmeHostQueue> queue = MakeQueue<NvmeHostQueue>();
    queue->SetUser(this);
    const Ptr<Socket> socket = MakeSocket();
    m_connecting[socket] = queue;
    socket->SetConnectCallback(MakeCallback(&NvmeHost::HandleTcp, this),
                               MakeCallback(&NvmeHost::HandleNoTcp, this));
    const bool ipv6 = Inet6SocketAddress::IsMatchingType(m_remote);
    const bool bound = (ipv6 ? socket->Bind6() : socket->Bind()) == 0;
    if (!bound || socket->Connect(m_remote) < 0)
    {
        Fail("there is no route to the target");
    }
    return queue;
}

void
NvmeHost::HandleTcp(Ptr<Socket> socket)
{
    const Ptr<NvmeHostQueue> queue = m_connecting.at(socket);
    Forget(socket);
    m_connecting.erase(socket);
    Open(queue, socket);
}

void
NvmeHost::HandleNoTcp(Ptr<Socket> /* socket */)
{
    End("TCP did not connect");
}

void
NvmeHost::Forget(const Ptr<Socket>& socket)
{
    socket->SetConnectCallback(MakeNullCallback<void, Ptr<Socket>>(),
                               MakeNullCallback<void, Ptr<Socket>>());
}

void
NvmeHost::OpenQueues()
{
    m_io.resize(m_queues);
    for (auto& io : m_io)
    {
        io.commands.resize(m_source.GetQueueDepth());
        io.queue = Connect();
    }
}

NvmeHost::IoQueue*
NvmeHost::Find(const NvmeQueue& queue)
{
    const auto found = std::find_if(m_io.begin(), m_io.end(), [&queue](const IoQueue& io) {
        return PeekPointer(io.queue) == &queue;
    });
    return found == m_io.end() ? nullptr : &*found;
}

Ptr<NvmeHostQueue>
NvmeHost::GetQueue(uint32_t i) const
{
    return i < m_io.size() ? m_io[i].queue : nullptr;
}

void
NvmeHost::End(const std::string& reason, const NvmeQueue* ended)
{
    NS_LOG_FUNCTION(this << reason);
    m_source.Stop();
    m_running = false;
    m_waiting.clear();
    if (!reason.empty())
    {
        Fail(reason);
    }
    for (const auto& [socket, queue] : m_connecting)
    {
        Forget(socket);
        socket->Close();
    }
    m_connecting.clear();
    std::vector<Ptr<NvmeHostQueue>> queues{m_adminQueue};
    std::transform(m_io.begin(), m_io.end(), std::back_inserter(queues), [](const IoQueue& io) {
        return io.queue;
    });
    for (const auto& queue : queues)
    {
        if (queue)
        {
            queue->SetUser(nullptr);
        }
        if (queue && PeekPointer(queue) != ended)
        {
            queue->Close();
        }
    }
}

void
NvmeHost::HandleEnd(NvmeQueue& queue, const NvmeEnd& end)
{
    const Ptr<NvmeHost> self(this);
    End(NvmeEndName(end, true), &queue);
}

// ---- start --------------------------------------------------------------------------------------

void
NvmeHost::HandleReady(NvmeQueue& queue)
{
    IoQueue* const io = Find(queue);
    if (!io)
    {
        m_adminQueue->SetAdmin();
        SubmitStep();
    }
    else if (m_admin)
    {
        const auto number = static_cast<uint16_t>(io - m_io.data() + 1);
        const auto step = m_start->MakeConnect(number);
        io->queue->SetInCapsule(
            std::min(io->queue->GetInCapsule(), m_start->GetController().inCapsule));
        io->queue->Submit(step.sqe, NvmeData(step.data));
    }
    else
    {
        HandleConnected(*io);
    }
}

void
NvmeHost::SubmitStep()
{
    if (const auto step = m_start->GetStep())
    {
        m_adminData.clear();
        m_adminQueue->Submit(step->sqe, NvmeData(step->data));
    }
    else if (m_start->WantsQueues())
    {
        OpenQueues();
    }
    else
    {
        m_blocks = m_start->GetNamespace().blocks;
        m_blockSize = m_start->GetNamespace().blockSize;
        Begin();
    }
}

void
NvmeHost::HandleStep(const NvmeCqe& cqe)
{
    const std::string problem = m_start->Complete(cqe, m_adminData);
    if (problem.empty())
    {
        SubmitStep();
    }
    else
    {
        End(problem);
    }
}

void
NvmeHost::HandleConnected(IoQueue& io)
{
    io.ready = true;
    m_connected++;
    NotifyReady(io.queue);
    if (m_connected < m_io.size())
    {
        return;
    }
    if (m_admin)
    {
        m_start->HandleConnected();
        SubmitStep();
    }
    else
    {
        Begin();
    }
}

void
NvmeHost::Begin()
{
    m_running = true;
    m_source.Start();
    m_source.Fill();
}

// ---- requests -----------------------------------------------------------------------------------

bool
NvmeHost::HasRoom() const
{
    return m_running && (m_source.IsOpen() || m_requests.size() < m_source.GetQueueDepth());
}

void
NvmeHost::PostMessage(uint32_t number, uint64_t size)
{
    NS_LOG_FUNCTION(this << size);
    m_totals.Begin();
    const bool read = m_kinds->GetValue() < m_readShare;
    const auto kind = read ? iwarp::RequestKind::READ : iwarp::RequestKind::WRITE;
    // whole blocks, no more than there are, and no more than 2^32 octets
    const uint64_t most = std::min<uint64_t>(m_blocks, UINT32_MAX / m_blockSize);
    const uint64_t blocks = std::min((size + m_blockSize - 1) / m_blockSize, most);
    const auto octets = static_cast<uint32_t>(blocks * m_blockSize);
    const uint64_t places = m_blocks - blocks + 1;
    const auto slba = std::min<uint64_t>(
        static_cast<uint64_t>(std::floor(m_places->GetValue(0, static_cast<double>(places)))),
        places - 1);
    const uint64_t each = std::min<uint64_t>(MAX_BLOCKS, m_maxTransfer / m_blockSize);
    Request& request = m_requests[number];
    request = {kind, octets, Simulator::Now(), 0, !read};
    for (uint64_t done = 0; done < blocks; done += each)
    {
        const auto count = static_cast<uint32_t>(std::min(each, blocks - done));
        m_waiting.push_back({number, slba + done, count, 0});
        request.left++;
    }
    m_postedTrace(kind, octets);
    SendWaiting();
}

void
NvmeHost::SendWaiting()
{
    while (m_running && !m_waiting.empty())
    {
        IoQueue* best = nullptr;
        for (std::size_t i = 0; i < m_io.size(); i++)
        {
            IoQueue& io = m_io[(m_turn + i) % m_io.size()];
            const bool fewer = !best || io.queue->CountCommands() < best->queue->CountCommands();
            best = io.queue->HasRoom() && fewer ? &io : best;
        }
        if (!best)
        {
            return;
        }
        m_turn = static_cast<uint32_t>(best - m_io.data() + 1);
        const Command command = m_waiting.front();
        m_waiting.pop_front();
        Send(*best, command);
    }
}

void
NvmeHost::Send(IoQueue& io, const Command& command)
{
    Request& request = m_requests.at(command.request);
    const bool write = request.kind == iwarp::RequestKind::WRITE;
    const uint32_t size = command.blocks * m_blockSize;
    const NvmeSqe sqe = NvmeSqe::MakeIo(write ? NvmeOpcode::WRITE : NvmeOpcode::READ,
                                        NvmeController::NSID,
                                        command.slba,
                                        command.blocks);
    const bool content = write && IsBacked();
    const NvmeData data = content
                              ? NvmeData(NvmeStorage::MakePattern(command.slba * m_blockSize, size))
                              : NvmeData::MakeZeros(size);
    request.inlined = request.inlined && size <= io.queue->GetInCapsule();
    io.commands[io.queue->Submit(sqe, data)] = command;
}

void
NvmeHost::HandleData(NvmeQueue& queue, uint16_t cid, uint32_t offset, const Ptr<Packet>& octets)
{
    IoQueue* const io = Find(queue);
    if (io && !IsBacked())
    {
        return; // zeros
    }
    std::vector<uint8_t> data(octets->GetSize());
    octets->CopyData(data.data(), octets->GetSize());
    if (!io)
    {
        m_adminData.insert(m_adminData.end(), data.begin(), data.end());
        return;
    }
    const uint64_t at = io->commands[cid].slba * m_blockSize + offset;
    CountContentErrors(NvmeStorage::Compare(at, data.data(), data.size()));
}

void
NvmeHost::HandleCompletion(NvmeHostQueue& queue, uint16_t cid, const NvmeCqe& cqe)
{
    NS_LOG_FUNCTION(this << cid);
    const Ptr<NvmeHost> self(this);
    IoQueue* const io = Find(queue);
    if (!io)
    {
        HandleStep(cqe);
    }
    else if (io->ready)
    {
        HandleIo(*io, cid, cqe);
    }
    else if (cqe.GetStatus() == NvmeStatus::SUCCESS)
    {
        HandleConnected(*io);
    }
    else
    {
        End(std::string("an I/O queue is refused: ") + NvmeStatusName(cqe.GetStatus()));
    }
}

void
NvmeHost::HandleIo(IoQueue& io, uint16_t cid, const NvmeCqe& cqe)
{
    Command command = io.commands[cid];
    const NvmeStatus status = cqe.GetStatus();
    if (status == NvmeStatus::TRANSIENT_TRANSPORT_ERROR && command.tries < MAX_RETRIES)
    {
        command.tries++;
        m_retries++;
        m_waiting.push_front(command);
    }
    else if (status != NvmeStatus::SUCCESS)
    {
        End(std::string("a command failed: ") + NvmeStatusName(status));
        return;
    }
    else if (--m_requests.at(command.request).left == 0)
    {
        Complete(command.request);
    }
    SendWaiting();
    if (m_running)
    {
        m_source.Fill();
    }
}

void
NvmeHost::Complete(uint64_t number)
{
    const Request request = m_requests.at(number);
    const Time latency = Simulator::Now() - request.made;
    m_requests.erase(number);
    m_totals.Complete(request.kind, request.size, request.inlined, latency);
    m_completedTrace(request.kind, request.size, latency);
    if (!m_source.HasMore() && m_requests.empty())
    {
        m_finished = true;
        m_finishedTrace(m_source.GetPosted());
        End("");
    }
}

// ---- results ------------------------------------------------------------------------------------

bool
NvmeHost::IsFinished() const
{
    return m_finished;
}

void
NvmeHost::RestartTotals()
{
    m_totals.Restart();
}

const iwarp::RequestTotals&
NvmeHost::GetTotals() const
{
    return m_totals;
}

uint64_t
NvmeHost::GetRetries() const
{
    return m_retries;
}

std::vector<AppMetric>
NvmeHost::GetMetrics() const
{
    return m_totals.GetMetrics();
}

std::vector<AppMetric>
NvmeHost::ListMetrics()
{
    return iwarp::RequestTotals(IN_CAPSULE).GetMetrics();
}

} // namespace ns3
