/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-trace-words.h"

#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"

#include <sstream>
#include <vector>

namespace ns3
{
namespace iwarp
{
namespace
{

/// @param words of values, from one on @param value of an enum @param first value with a word
/// @return its word, or its number
std::string
Word(const std::vector<const char*>& words, int value, int first = 0)
{
    const auto at = static_cast<std::size_t>(value - first);
    return value >= first && at < words.size() ? words[at] : std::to_string(value);
}

} // namespace

std::string
NameTraced(TcpSocket::TcpStates_t value)
{
    return Word({"closed",
                 "listen",
                 "syn_sent",
                 "syn_rcvd",
                 "established",
                 "close_wait",
                 "last_ack",
                 "fin_wait_1",
                 "fin_wait_2",
                 "closing",
                 "time_wait"},
                value);
}

std::string
NameTraced(TcpSocketState::TcpCongState_t value)
{
    return Word({"open", "disorder", "cwr", "recovery", "loss"}, value);
}

std::string
NameTraced(TcpSocketState::EcnState_t value)
{
    return Word({"disabled", "idle", "ce_rcvd", "sending_ece", "ece_rcvd", "cwr_sent"}, value);
}

std::string
NameTraced(Ipv4L3Protocol::DropReason value)
{
    return Word({"ttl_expired",
                 "no_route",
                 "bad_checksum",
                 "interface_down",
                 "route_error",
                 "fragment_timeout",
                 "duplicate"},
                value,
                1);
}

std::string
NameTraced(Ipv6L3Protocol::DropReason value)
{
    return Word({"ttl_expired",
                 "no_route",
                 "interface_down",
                 "route_error",
                 "unknown_protocol",
                 "unknown_option",
                 "malformed_header",
                 "fragment_timeout"},
                value,
                1);
}

std::string
NameTraced(RecordTcpSocket::CutReason value)
{
    return Word({"emss", "window", "probe", "retransmit"}, static_cast<int>(value));
}

std::string
NameTraced(MpaDropReason value)
{
    return Word({"fault", "memory_full"}, static_cast<int>(value));
}

std::string
NameTraced(MpaError value)
{
    return Word({"none",
                 "connection_lost",
                 "crc",
                 "marker",
                 "invalid_startup",
                 "local_catastrophic",
                 "insufficient_ird",
                 "no_rtr"},
                static_cast<int>(value));
}

std::string
NameTraced(MpaStartup::State value)
{
    return Word({"stream", "wait_frame", "ulp_decides", "full_rx_only", "full", "closed"},
                static_cast<int>(value));
}

std::string
NameTraced(RdmapOpcode value)
{
    return Word({"write",
                 "read_request",
                 "read_response",
                 "send",
                 "send_invalidate",
                 "send_se",
                 "send_se_invalidate",
                 "terminate",
                 "immediate",
                 "immediate_se",
                 "atomic_request",
                 "atomic_response"},
                static_cast<int>(value));
}

std::string
NameTraced(RdmaResource value)
{
    return Word({"protection_domain",
                 "completion_queue",
                 "memory_region",
                 "memory_window",
                 "queue_pair",
                 "shared_receive_queue"},
                static_cast<int>(value));
}

std::string
NameTraced(RdmaQpState value)
{
    return Word({"reset", "init", "rts", "sqd", "err"}, static_cast<int>(value));
}

std::string
NameTraced(RdmaCompletionOpcode value)
{
    return Word({"send",
                 "rdma_write",
                 "rdma_read",
                 "compare_swap",
                 "fetch_add",
                 "local_invalidate",
                 "bind_window",
                 "reg_mr",
                 "receive",
                 "receive_rdma_with_imm"},
                static_cast<int>(value));
}

std::string
NameTraced(RequestKind value)
{
    return Word({"read", "write"}, static_cast<int>(value));
}

std::string
NameTraced(Rnic::DropReason value)
{
    return Word({"packet_buffer", "memory_full", "memory_per_connection", "memory_too_small"},
                static_cast<int>(value));
}

std::string
NameTraced(Rnic::Cache value)
{
    return Word({"context", "translation"}, static_cast<int>(value));
}

std::string
NameTraced(EspDirection value)
{
    return Word({"outbound", "inbound"}, static_cast<int>(value));
}

std::string
NameTraced(IpsecDrop value)
{
    return ToString(value);
}

std::string
NameTraced(TcpSplitConnection::End value)
{
    return Word({"closed", "reset"}, static_cast<int>(value));
}

std::string
NameTraced(TlsAlert value)
{
    return GetTlsAlertName(value);
}

std::string
NameTraced(TlsContentType value)
{
    return Word({"change_cipher_spec", "alert", "handshake", "application_data"},
                static_cast<int>(value),
                static_cast<int>(TlsContentType::CHANGE_CIPHER_SPEC));
}

std::string
NameTraced(NvmeEnd::Kind value)
{
    return Word({"closed", "error", "peer_error", "bad_term", "refused", "timeout", "lost"},
                static_cast<int>(value));
}

std::string
NameTraced(RoceDropReason value)
{
    return Word({"malformed", "no_queue_pair", "unexpected"}, static_cast<int>(value));
}

std::string
NameTraced(PathAdversaryMiddlebox::Act value)
{
    return Word({"icmp_too_big",
                 "icmp_unreachable",
                 "repeat",
                 "mix_fragments",
                 "reset_outside",
                 "reset_inside",
                 "reset_exact",
                 "forge_data",
                 "change",
                 "repeat_ike",
                 "withhold_ike",
                 "repeat_old_esp"},
                static_cast<int>(value));
}

std::string
NameAddress(const Address& address)
{
    std::ostringstream text;
    if (InetSocketAddress::IsMatchingType(address))
    {
        const auto inet = InetSocketAddress::ConvertFrom(address);
        text << inet.GetIpv4() << ':' << inet.GetPort();
    }
    else if (Inet6SocketAddress::IsMatchingType(address))
    {
        const auto inet = Inet6SocketAddress::ConvertFrom(address);
        text << '[' << inet.GetIpv6() << "]:" << inet.GetPort();
    }
    return text.str();
}

} // namespace iwarp
} // namespace ns3
