/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-short-names.h"

#include "iwarp-qualified-name.h"

#include "ns3/util-text.h"

#include <algorithm>

namespace ns3
{
namespace iwarp
{

namespace
{

/// A row of the table, as ShortName has it
struct NameRow
{
    const char* name;    //!< short name
    const char* target;  //!< qualified name
    const char* initial; //!< default, or ""
};

constexpr NameRow ROWS[] = {
    {"LinkRate", "IwarpTopology.LinkRate", ""},
    {"AccessRate", "IwarpTopology.AccessRate", ""},
    {"Delay", "IwarpTopology.Delay", ""},
    {"Receivers", "IwarpDumbbellTopology.Receivers", ""},
    {"AccessDelay", "IwarpTopology.AccessDelay", ""},
    {"Mtu", "IwarpTopology.Mtu", ""},
    {"QueueSize", "IwarpTopology.QueueSize", ""},
    {"QueueDisc", "IwarpTopology.QueueDisc", ""},
    {"MarkingThreshold", "IwarpTopology.MarkingThreshold", ""},
    {"MarkingCeiling", "IwarpTopology.MarkingCeiling", ""},
    {"MarkingProbability", "IwarpTopology.MarkingProbability", ""},
    {"MarkAtDequeue", "IwarpTopology.MarkAtDequeue", ""},
    {"EcnMarking", "IwarpTopology.EcnMarking", ""},
    {"Framing", "IwarpTopology.Framing", ""},
    {"PfcXoff", "IwarpTopology.PfcXoff", ""},
    {"PfcXon", "IwarpTopology.PfcXon", ""},
    {"Priorities", "IwarpTopology.Priorities", ""},
    {"DscpPriorities", "IwarpTopology.DscpPriorities", ""},
    {"PriorityWeights", "IwarpTopology.PriorityWeights", ""},
    {"PfcPriorities", "IwarpTopology.PfcPriorities", ""},
    {"PfcHeadroom", "IwarpTopology.PfcHeadroom", ""},
    {"PfcResponse", "IwarpTopology.PfcResponse", ""},
    {"PfcXonOffset", "IwarpTopology.PfcXonOffset", ""},
    {"BufferSize", "IwarpTopology.BufferSize", ""},
    {"BufferAlpha", "IwarpTopology.BufferAlpha", ""},
    {"BufferReserve", "IwarpTopology.BufferReserve", ""},
    {"InputBuffer", "IwarpTopology.InputBuffer", ""},
    {"Dscp", "IwarpWorkload.Dscp", ""},
    {"AbilenePairs", "IwarpAbileneTopology.Pairs", ""},
    {"Bottlenecks", "IwarpParkingLotTopology.Bottlenecks", ""},
    {"Leaves", "IwarpLeafSpineTopology.Leaves", ""},
    {"Spines", "IwarpLeafSpineTopology.Spines", ""},
    {"HostsPerLeaf", "IwarpLeafSpineTopology.HostsPerLeaf", ""},
    {"FatTreeK", "IwarpFatTreeTopology.K", ""},
    {"Distance", "IwarpWanTopology.Distance", ""},
    {"SatelliteHops", "IwarpWanTopology.SatelliteHops", ""},
    {"Loss", "PathRandomImpairment.Loss", ""},
    {"Reordering", "PathRandomImpairment.Reordering", ""},
    {"Duplication", "PathRandomImpairment.Duplication", ""},
    {"Sack", "TcpSocketBase.Sack", "true"},
    {"Rack", "MpaTcpSocket.Rack", ""},
    {"Dsack", "MpaTcpSocket.Dsack", ""},
    {"Ecn", "TcpSocketBase.UseEcn", ""},
    {"Timestamps", "TcpSocketBase.Timestamp", "true"},
    {"SendBuffer", "TcpSocket.SndBufSize", "4194304"},
    {"ReceiveBuffer", "TcpSocket.RcvBufSize", "4194304"},
    {"ReceiveWindow", "MpaTcpSocket.ReceiveWindow", ""},
    {"MinRto", "TcpSocketBase.MinRto", "200ms"},
    {"DataRetries", "TcpSocket.DataRetries", "15"},
    {"DelayedAck", "TcpSocket.DelAckTimeout", "40ms"},
    {"NoDelay", "TcpSocket.TcpNoDelay", "true"},
    {"DontFragment", "TcpEndPointTable.DontFragment", ""},
    {"TunnelDontFragment", "IpsecStack.DontFragment", ""},
    {"TunnelFragments", "IpsecStack.Fragments", ""},
    {"MtuProbing", "MpaTcpSocketFactory.MtuProbing", ""},
    {"Alignment", "MpaTcpSocket.Alignment", ""},
    {"Packing", "MpaTcpSocket.Packing", ""},
    {"Markers", "MpaStream.Markers", ""},
    {"Crc", "MpaStream.Crc", ""},
    {"OutOfOrder", "MpaStream.OutOfOrder", ""},
    {"ReassemblyMemory", "MpaStream.ReassemblyMemory", ""},
    {"DynamicMulpdu", "MpaStream.DynamicMulpdu", ""},
    {"MessageSizes", "IwarpMessageWorkload.MessageSizes", ""},
    {"Intervals", "IwarpMessageWorkload.Intervals", ""},
    {"Load", "IwarpMessageWorkload.Load", ""},
    {"Octets", "IwarpMessageWorkload.Octets", ""},
    {"WarmUp", "IwarpMessageWorkload.WarmUp", ""},
    {"Arrivals", "IwarpOpenLoopWorkload.Arrivals", ""},
    {"ArrivalSigma", "IwarpOpenLoopWorkload.ArrivalSigma", ""},
    {"Bursts", "IwarpOpenLoopWorkload.Bursts", ""},
    {"Pauses", "IwarpOpenLoopWorkload.Pauses", ""},
    {"ArrivalSource", "IwarpOpenLoopWorkload.ArrivalSource", ""},
    {"LoadBasis", "IwarpOpenLoopWorkload.LoadBasis", ""},
    {"Connections", "IwarpOpenLoopWorkload.Connections", ""},
    {"PoolGrows", "IwarpOpenLoopWorkload.PoolGrows", ""},
    {"ConnectOnDemand", "IwarpOpenLoopWorkload.ConnectOnDemand", ""},
    {"MessageLimit", "IwarpOpenLoopWorkload.MessageLimit", ""},
    {"ArrivalWarmUp", "IwarpOpenLoopWorkload.ArrivalWarmUp", ""},
    {"ArrivalWindow", "IwarpOpenLoopWorkload.ArrivalWindow", ""},
    {"DrainLimit", "IwarpOpenLoopWorkload.DrainLimit", ""},
    {"IdealTime", "IwarpOpenLoopWorkload.IdealTime", ""},
    {"SizeBins", "IwarpOpenLoopWorkload.SizeBins", ""},
    {"MessageLog", "IwarpOpenLoopWorkload.MessageLog", ""},
    {"Backed", "IwarpWorkload.Backed", ""},
    {"QueueDepth", "IwarpWorkload.QueueDepth", ""},
    {"RoceCongestion", "IwarpRoceWorkload.Congestion", ""},
    {"StorageReadShare", "IwarpStorageWorkload.ReadShare", ""},
    {"StorageInlineThreshold", "IwarpStorageWorkload.InlineThreshold", ""},
    {"TlsReal", "TlsStream.Real", ""},
    {"TlsCipherSuites", "TlsStream.CipherSuites", ""},
    {"TlsRecordSizing", "TlsStream.RecordSizing", ""},
    {"TlsMaxRecord", "TlsStream.MaxRecord", ""},
    {"TlsPadding", "TlsStream.Padding", ""},
    {"TlsResume", "TlsStream.Resume", ""},
    {"TlsProtocol", "IwarpTlsWorkload.Protocol", ""},
    {"TlsWriteSize", "IwarpTlsWorkload.WriteSize", ""},
    {"NvmeReadShare", "IwarpNvmeTcpWorkload.ReadShare", ""},
    {"NvmeInCapsuleSize", "IwarpNvmeTcpWorkload.InCapsuleSize", ""},
    {"NvmeHeaderDigest", "IwarpNvmeTcpWorkload.HeaderDigest", ""},
    {"NvmeDataDigest", "IwarpNvmeTcpWorkload.DataDigest", ""},
    {"NvmeQueues", "IwarpNvmeTcpWorkload.Queues", ""},
    {"NvmeAdminQueue", "IwarpNvmeTcpWorkload.AdminQueue", ""},
    {"NvmeProtocol", "IwarpNvmeTcpWorkload.Protocol", ""},
    {"PerfTest", "IwarpPerfWorkload.Test", ""},
    {"PerfSize", "IwarpPerfWorkload.Size", ""},
    {"PerfAll", "IwarpPerfWorkload.All", ""},
    {"PerfIterations", "IwarpPerfWorkload.Iterations", ""},
    {"PerfWarmUp", "IwarpPerfWorkload.WarmUp", ""},
    {"PerfTxDepth", "IwarpPerfWorkload.TxDepth", ""},
    {"PerfInlineSize", "IwarpPerfWorkload.InlineSize", ""},
    {"PerfQp", "IwarpPerfWorkload.Qp", ""},
    {"PerfOrder", "IwarpPerfWorkload.Order", ""},
};

} // namespace

const std::vector<ShortName>&
GetShortNames()
{
    static const std::vector<ShortName> names = [] {
        std::vector<ShortName> all;
        for (const NameRow& row : ROWS)
        {
            all.push_back({row.name, row.target, row.initial});
        }
        return all;
    }();
    return names;
}

const ShortName*
FindShortName(const std::string& name)
{
    const auto& names = GetShortNames();
    const auto found = std::find_if(names.begin(), names.end(), [&name](const ShortName& entry) {
        return entry.name == name;
    });
    return found == names.end() ? nullptr : &*found;
}

const ShortName*
FindShortNameOf(const std::string& target)
{
    const auto& names = GetShortNames();
    const auto found = std::find_if(names.begin(), names.end(), [&target](const ShortName& entry) {
        return entry.target == target;
    });
    return found == names.end() ? nullptr : &*found;
}

std::string
NameParameters(TypeId type, const std::string& problem)
{
    const auto colon = std::min(problem.find(':'), problem.size());
    std::vector<std::string> names = Split(problem.substr(0, colon), ',');
    for (auto& name : names)
    {
        for (TypeId base = type; base.HasParent(); base = base.GetParent())
        {
            QualifiedAttribute attribute;
            const std::string qualified = base.GetName() + "." + name;
            if (FindAttribute(qualified, attribute).empty())
            {
                const ShortName* shortName = FindShortNameOf(attribute.GetName());
                name = shortName ? shortName->name : attribute.GetName();
                break;
            }
        }
    }
    return Join(names) + problem.substr(colon);
}

} // namespace iwarp
} // namespace ns3
