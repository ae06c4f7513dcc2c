/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-profile.h"

#include "ns3/abort.h"
#include "ns3/string.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

using Figures = std::vector<RnicFigure>;
using Sure = RnicFigure::Sure;

const char* const IRN = "so that 64-octet RDMA Writes of one queue pair take 2.89 us and 3.24 "
                        "million go a second, as remembered of R. Mittal et al., Revisiting "
                        "Network Support for RDMA, SIGCOMM 2018, table 1: not checked";
const char* const CSRNA = "DMA delays of csRNA, github.com/ncsg-group/csRNA, src/dev/rdma/Rnic.py";
const char* const FASST = "as remembered of A. Kalia et al., FaSST, OSDI 2016: not checked";
const char* const IRDMA = "README of Intel's irdma driver: inline data up to 96 octets";
const char* const IRDMA_LIMIT =
    "README of Intel's irdma driver, limits_sel: 3, the default, is for up "
    "to 4092 QPs";
const char* const CXGB4 = "T4_MAX_NUM_QP of an older iw_cxgb4 driver of Linux: not checked for T5";
const char* const SIW_LIMIT = "SIW_MAX_QP of Linux's siw driver";
const char* const INTEL =
    "so that one queue pair gets 49 Gb/s, as Intel says of an E810-CQDA2 with "
    "iWARP: www.intel.com, support article 000059783";
const char* const PCIE3 = "8 lanes of PCI Express 3.0 less acknowledgements and flow control: "
                          "pcie_bw.py of github.com/pcie-bench/pcie-model";
const char* const PCIE4 = "16 lanes of PCI Express 4.0 less acknowledgements and flow control: "
                          "pcie_bw.py of github.com/pcie-bench/pcie-model; the slot as of "
                          "servethehome.com/intel-e810-cqda2-dual-port-100gbe-nic-review";
const char* const PCIE3_16 = "16 lanes of PCI Express 3.0: twice what 8 carry";
const char* const AS_T5 = "that of t5-like: of a T6 the vendor says no more than below a microsecond";
const char* const SIW = "github.com/zrlio/softiwarp: a driver of the Linux kernel over its sockets";
const char* const TLP =
    "a memory write's 4 and 12 octets of header, its address of 8 among them, and 8 of framing, "
    "sequence number and CRC: model/pcie.py of github.com/pcie-bench/pcie-model";
const char* const NO_FIGURE = "no figure of this stage is public";
const char* const PIPE =
    "one transmit pipe over all queue pairs: how adapters choose among these is not published";
const char* const FETCHES =
    "no figure of this is public: at some 550 ns a fetch, 14.5 million misses "
    "a second";
const char* const MEMORY = "no figure of this is public: an entry of some 32 octets is written";
const char* const PAGE_LIST = "no figure of this is public: 8 octets are written";
const char* const PAGES = "drivers irdma and cxgb4 of Linux: the smallest page of a memory region";
const char* const COMMON = "a usual setting of servers";
const char* const OFFLOADS =
    "autonomous offloads: Linux, Documentation/networking/tls-offload.rst, and the patches for "
    "NVMe/TCP of a ConnectX-7 (A. Aptel, nvme-tcp receive offloads, netdev list)";
const char* const NVME_COPY =
    "so that 8 jobs that read 64 KiB get 84 Gbit/s without an offload and 111 with it, no data "
    "digest: nvme-tcp receive offloads (netdev list), Xeon 8380";
const char* const NVME_CRC = "so that with data digests they get 53 Gbit/s and 111: same source";
const char* const NVME_REST =
    "so that they get 111 Gbit/s with all octets left to hardware: same source, MTU not told";
const char* const NVME_QUEUES = "MAX_NVMEOTCP_QUEUES of the mlx5 driver's patches for NVMe/TCP";
const char* const TLS_RX =
    "so that an offload spares a core 0.67 ns an octet, as where one connection gets 18.5 Gbit/s "
    "in place of 7.26: commit 0419d8c of Linux, ConnectX-6 Dx, Xeon E5-2687W v4 at 3 GHz";
const char* const SEGMENTATION =
    "adapters segment for TCP: Linux, Documentation/networking/segmentation-offloads.rst";
const char* const RESYNC = "no figure of this is public: a command to the adapter, and a fetch";
const char* const CPU = "the order of magnitude for a server's core of 3 GHz";

// What both hardware profiles have in common
Figures
Adapter()
{
    return {
        {"Receiver", "FlowThrough", Sure::ASSUMED, "RFC 5044 section B.2"},
        {"TxSchedule.Discipline", "Fifo", Sure::ASSUMED, PIPE},
        {"RxCrc.Parallel", "true", Sure::ASSUMED, "RFC 5044 section B.2.1 allows it"},
        {"RxTcp.TimePerPacket", "100ns", Sure::ASSUMED, NO_FIGURE},
        {"RxClassify.TimePerPacket", "20ns", Sure::ASSUMED, NO_FIGURE},
        {"RxMpa.TimePerPacket", "10ns", Sure::ASSUMED, NO_FIGURE},
        {"RxMpa.TimePerUnit", "10ns", Sure::ASSUMED, NO_FIGURE},
        {"RxCrc.TimePerUnit", "10ns", Sure::ASSUMED, NO_FIGURE},
        {"RxPlace.TimePerUnit", "20ns", Sure::ASSUMED, NO_FIGURE},
        {"RxMpa.SlowPathTime", "100ns", Sure::ASSUMED, NO_FIGURE},
        {"RxMpa.StateFetchTime", "50ns", Sure::ASSUMED, NO_FIGURE},
        {"RxMpa.PartialCrcTime", "50ns", Sure::ASSUMED, NO_FIGURE},
        {"RxMpa.MarkerSearchTime", "20ns", Sure::ASSUMED, NO_FIGURE},
        {"HostInterface.Header", "24", Sure::CITED, TLP},
        {"HostInterface.MaxPayload", "256", Sure::ASSUMED, COMMON},
        {"HostInterface.MaxReadRequest", "512", Sure::ASSUMED, COMMON},
        {"HostInterface.ReadLatency", "500ns", Sure::CITED, CSRNA},
        {"HostInterface.WriteLatency", "250ns", Sure::CITED, CSRNA},
        {"QueuePairs.Prefetch", "8", Sure::ASSUMED, "a read request of 512 octets"},
        {"QueuePairs.TimePerMemoryChange", "100ns", Sure::ASSUMED, MEMORY},
        {"QueuePairs.TimePerPage", "2ns", Sure::ASSUMED, PAGE_LIST},
        {"HostInterface.DoorbellLatency",
         "150ns",
         Sure::ASSUMED,
         "about a posted write across the root complex"},
        {"HostInterface.PollTime", "50ns", Sure::ASSUMED, "a cache miss of the polling core"},
        {"HostInterface.InterruptTime", "4us", Sure::ASSUMED, CPU},
        {"ContextCache.EntrySize", "375", Sure::ASSUMED, FASST},
        {"ContextCache.Fetches", "8", Sure::ASSUMED, FETCHES},
        {"TranslationCache.EntrySize", "64", Sure::ASSUMED, "a cache line"},
        {"TranslationCache.Fetches", "8", Sure::ASSUMED, FETCHES},
        {"TranslationCache.PageSize", "4096", Sure::CITED, PAGES},
    };
}

Figures
T5Like()
{
    Figures figures = Adapter();
    const Figures own{
        {"QueuePairs.Max", "65536", Sure::ASSUMED, CXGB4},
        {"QueuePairs.TimePerMessage", "100ns", Sure::ASSUMED, NO_FIGURE},
        {"QueuePairs.Latency", "209ns", Sure::FITTED, IRN},
        {"TxSchedule.TimePerPacket", "100ns", Sure::ASSUMED, NO_FIGURE},
        {"TxBuild.Latency", "890ns", Sure::FITTED, IRN},
        {"RxTcp.Latency", "890ns", Sure::FITTED, IRN},
        {"TxCrc.Rate", "80Gbps", Sure::ASSUMED, "twice the link's rate"},
        {"RxCrc.Rate", "80Gbps", Sure::ASSUMED, "twice the link's rate"},
        {"HostInterface.WriteRate", "57.88Gbps", Sure::CITED, PCIE3},
        {"HostInterface.ReadRate", "57.88Gbps", Sure::CITED, PCIE3},
        {"HostInterface.ReadTags", "64", Sure::ASSUMED, "enough for the bus at 500 ns"},
        {"HostInterface.InlineLimit",
         "64",
         Sure::ASSUMED,
         "a cache line written with the doorbell"},
        {"ContextCache.Entries", "1024", Sure::ASSUMED, "some hundred kilooctets on chip"},
        {"TranslationCache.Entries", "8192", Sure::ASSUMED, "half a megaoctet on chip"},
        {"ReassemblyMemory.Capacity",
         "262144",
         Sure::ASSUMED,
         "RFC 5044 section B.2: some 100s of KB"},
        {"PacketBuffer.Capacity", "262144", Sure::ASSUMED, "RFC 5044 section B.2: some 100s of KB"},
    };
    figures.insert(figures.end(), own.begin(), own.end());
    return figures;
}

// A T6 is a T5 with a faster link and bus, as far as is known
Figures
T6Adapter()
{
    const Figures own{
        {"TxBuild.Latency", "890ns", Sure::ASSUMED, AS_T5},
        {"RxTcp.Latency", "890ns", Sure::ASSUMED, AS_T5},
        {"QueuePairs.Latency", "209ns", Sure::ASSUMED, AS_T5},
        {"TxCrc.Rate", "200Gbps", Sure::ASSUMED, "twice the link's rate"},
        {"RxCrc.Rate", "200Gbps", Sure::ASSUMED, "twice the link's rate"},
        {"HostInterface.WriteRate", "115.76Gbps", Sure::ASSUMED, PCIE3_16},
        {"HostInterface.ReadRate", "115.76Gbps", Sure::ASSUMED, PCIE3_16},
        {"HostInterface.ReadTags", "256", Sure::ASSUMED, "enough for the bus at 500 ns"},
        {"ReassemblyMemory.Capacity",
         "524288",
         Sure::ASSUMED,
         "RFC 5044 section B.2: some 100s of KB"},
        {"PacketBuffer.Capacity", "524288", Sure::ASSUMED, "RFC 5044 section B.2: some 100s of KB"},
    };
    Figures figures = T5Like();
    for (const RnicFigure& figure : own)
    {
        std::replace_if(
            figures.begin(),
            figures.end(),
            [&figure](const RnicFigure& other) { return other.path == figure.path; },
            figure);
    }
    return figures;
}

Figures
E810Like()
{
    Figures figures = Adapter();
    const Figures own{
        {"QueuePairs.Max", "4092", Sure::CITED, IRDMA_LIMIT},
        {"QueuePairs.TimePerMessage", "50ns", Sure::ASSUMED, NO_FIGURE},
        {"QueuePairs.Latency", "150ns", Sure::ASSUMED, NO_FIGURE},
        {"TxSchedule.TimePerPacket", "100ns", Sure::ASSUMED, NO_FIGURE},
        {"TxPace.Interval", "234ns", Sure::FITTED, INTEL},
        {"TxBuild.Latency", "400ns", Sure::ASSUMED, NO_FIGURE},
        {"RxTcp.Latency", "600ns", Sure::ASSUMED, NO_FIGURE},
        {"RxTcp.Engines", "4", Sure::ASSUMED, NO_FIGURE},
        {"TxCrc.Rate", "200Gbps", Sure::ASSUMED, "twice the link's rate"},
        {"RxCrc.Rate", "200Gbps", Sure::ASSUMED, "twice the link's rate"},
        {"HostInterface.WriteRate", "227.4Gbps", Sure::CITED, PCIE4},
        {"HostInterface.ReadRate", "227.4Gbps", Sure::CITED, PCIE4},
        {"HostInterface.ReadTags", "256", Sure::ASSUMED, "enough for the bus at 500 ns"},
        {"HostInterface.InlineLimit", "96", Sure::CITED, IRDMA},
        {"ContextCache.Entries", "2048", Sure::ASSUMED, "half of the 4092 queue pairs it has"},
        {"TranslationCache.Entries", "16384", Sure::ASSUMED, "a megaoctet on chip"},
        {"ReassemblyMemory.Capacity",
         "524288",
         Sure::ASSUMED,
         "RFC 5044 section B.2: some 100s of KB"},
        {"PacketBuffer.Capacity", "524288", Sure::ASSUMED, "RFC 5044 section B.2: some 100s of KB"},
    };
    figures.insert(figures.end(), own.begin(), own.end());
    return figures;
}

// What adapters have in common whose drivers are part of the kernel's network stack
Figures
PlainAdapter()
{
    return {
        {"HostInterface.Header", "24", Sure::CITED, TLP},
        {"HostInterface.MaxPayload", "256", Sure::ASSUMED, COMMON},
        {"HostInterface.MaxReadRequest", "512", Sure::ASSUMED, COMMON},
        {"HostInterface.ReadLatency", "500ns", Sure::CITED, CSRNA},
        {"HostInterface.WriteLatency", "250ns", Sure::CITED, CSRNA},
        {"HostInterface.Notify",
         "Interrupt",
         Sure::ASSUMED,
         "what the kernel's network stack is driven by"},
        {"HostInterface.InterruptTime", "4us", Sure::ASSUMED, CPU},
        {"HostInterface.InterruptModeration", "20us", Sure::ASSUMED, COMMON},
    };
}

Figures
SiwLike()
{
    Figures figures = PlainAdapter();
    const Figures own{
        {"Receiver", "HostSoftware", Sure::CITED, SIW},
        {"QueuePairs.Max", "102400", Sure::CITED, SIW_LIMIT},
        {"Cpu.Cores", "1", Sure::ASSUMED, "one core has the interrupts of one connection"},
        {"Cpu.TimePerPacket", "800ns", Sure::ASSUMED, CPU},
        {"Cpu.CopyRate", "80Gbps", Sure::ASSUMED, CPU},
        {"Cpu.CrcRate",
         "64Gbps",
         Sure::ASSUMED,
         "8 octets in 3 cycles at 3 GHz, the crc32 "
         "instruction without interleaving"},
        {"HostInterface.WriteRate", "57.88Gbps", Sure::CITED, PCIE3},
        {"HostInterface.ReadRate", "57.88Gbps", Sure::CITED, PCIE3},
    };
    figures.insert(figures.end(), own.begin(), own.end());
    return figures;
}

Figures
ConnectX7Like()
{
    Figures figures = PlainAdapter();
    const Figures own{
        {"Receiver", "Autonomous", Sure::CITED, OFFLOADS},
        {"Cpu.Cores", "8", Sure::CITED, "the 8 jobs of the source"},
        {"Cpu.TimePerPacket", "530ns", Sure::FITTED, NVME_REST},
        {"Cpu.LargeSendOffload", "65536", Sure::CITED, SEGMENTATION},
        {"Cpu.CopyRate", "43Gbps", Sure::FITTED, NVME_COPY},
        {"Cpu.CrcRate", "18Gbps", Sure::FITTED, NVME_CRC},
        {"Cpu.CipherRate", "11.95Gbps", Sure::FITTED, TLS_RX},
        {"RxRecords.Rate", "200Gbps", Sure::ASSUMED, "the fastest link of the adapter"},
        {"RxRecords.AnswerTime", "10us", Sure::ASSUMED, RESYNC},
        {"RxRecords.Connections", "512", Sure::CITED, NVME_QUEUES},
        {"TxRecords.Rate", "200Gbps", Sure::ASSUMED, "the fastest link of the adapter"},
        {"HostInterface.WriteRate", "227.4Gbps", Sure::CITED, PCIE4},
        {"HostInterface.ReadRate", "227.4Gbps", Sure::CITED, PCIE4},
        {"HostInterface.ReadTags", "256", Sure::ASSUMED, "enough for the bus at 500 ns"},
    };
    figures.insert(figures.end(), own.begin(), own.end());
    return figures;
}

// a profile by its name
using NamedProfile = std::pair<std::string, Figures (*)()>;

const std::vector<NamedProfile>&
GetProfiles()
{
    static const std::vector<NamedProfile> entries{
        {"ideal", [] { return Figures(); }},
        {"t5-like", &T5Like},
        {"t6-like", &T6Adapter},
        {"e810-like", &E810Like},
        {"siw-like", &SiwLike},
        {"connectx7-like", &ConnectX7Like},
    };
    return entries;
}

} // namespace

std::vector<std::string>
RnicProfile::GetNames()
{
    std::vector<std::string> names;
    for (const auto& entry : GetProfiles())
    {
        names.push_back(entry.first);
    }
    return names;
}

bool
RnicProfile::Has(const std::string& name)
{
    const auto names = GetNames();
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<RnicFigure>
RnicProfile::Get(const std::string& name)
{
    for (const auto& entry : GetProfiles())
    {
        if (entry.first == name)
        {
            return entry.second();
        }
    }
    return {};
}

RnicDesign
RnicProfile::GetDesign(const std::string& name)
{
    NS_ABORT_MSG_UNLESS(Has(name),
                        "there is no RNIC profile \"" << name
                                                      << "\"; RnicProfile::GetNames() tells");
    RnicDesign design;
    for (const auto& figure : Get(name))
    {
        const std::string problem = design.Set(figure.path, StringValue(figure.value));
        NS_ABORT_MSG_UNLESS(problem.empty(), "RNIC profile " << name << ": " << problem);
    }
    return design;
}

std::string
RnicProfile::ToString(RnicFigure::Sure sure)
{
    switch (sure)
    {
    case Sure::CITED:
        return "cited";
    case Sure::FITTED:
        return "fitted";
    case Sure::ASSUMED:
        break;
    }
    return "assumed";
}

} // namespace ns3
