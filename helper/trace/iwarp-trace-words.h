/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_TRACE_WORDS_H
#define IWARP_TRACE_WORDS_H

#include "iwarp-trace-cells.h"

#include "ns3/address.h"
#include "ns3/app-request-totals.h"
#include "ns3/esp-work.h"
#include "ns3/ipsec-association.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/mpa-error.h"
#include "ns3/mpa-startup.h"
#include "ns3/mpa-stream-traces.h"
#include "ns3/nvme-machine.h"
#include "ns3/path-adversary-middlebox.h"
#include "ns3/rdma-device.h"
#include "ns3/rdma-types.h"
#include "ns3/rdmap-header.h"
#include "ns3/record-tcp-socket.h"
#include "ns3/rnic.h"
#include "ns3/roce-host.h"
#include "ns3/tcp-socket-state.h"
#include "ns3/tcp-socket.h"
#include "ns3/tcp-split-connection.h"
#include "ns3/tls-alert.h"
#include "ns3/tls-record.h"

#include <string>

namespace ns3
{
namespace iwarp
{

/// @name Words for values of enums in tables, in lower case
/// @param value of the enum @return its word, or its number where it has none
/// @{
std::string NameTraced(TcpSocket::TcpStates_t value);
std::string NameTraced(TcpSocketState::TcpCongState_t value);
std::string NameTraced(TcpSocketState::EcnState_t value);
std::string NameTraced(Ipv4L3Protocol::DropReason value);
std::string NameTraced(Ipv6L3Protocol::DropReason value);
std::string NameTraced(RecordTcpSocket::CutReason value);
std::string NameTraced(MpaDropReason value);
std::string NameTraced(MpaError value);
std::string NameTraced(MpaStartup::State value);
std::string NameTraced(RdmapOpcode value);
std::string NameTraced(RdmaResource value);
std::string NameTraced(RdmaQpState value);
std::string NameTraced(RdmaCompletionOpcode value);
std::string NameTraced(RequestKind value);
std::string NameTraced(Rnic::DropReason value);
std::string NameTraced(Rnic::Cache value);
std::string NameTraced(EspDirection value);
std::string NameTraced(IpsecDrop value);
std::string NameTraced(TcpSplitConnection::End value);
std::string NameTraced(TlsAlert value);
std::string NameTraced(TlsContentType value);
std::string NameTraced(NvmeEnd::Kind value);
std::string NameTraced(RoceDropReason value);
std::string NameTraced(PathAdversaryMiddlebox::Act value);
/// @}

/// @ingroup iwarp-helper
/// @brief Write an address. @param address of a host, with or without a port @return it as people
/// write it; "" for one of another kind
std::string NameAddress(const Address& address);

} // namespace iwarp
} // namespace ns3

#endif // IWARP_TRACE_WORDS_H
