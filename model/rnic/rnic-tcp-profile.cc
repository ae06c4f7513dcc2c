/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rnic-tcp-profile.h"

#include <algorithm>
#include <utility>

namespace ns3
{

namespace
{

using TcpFigures = std::vector<RnicFigure>;
using TcpSure = RnicFigure::Sure;

const char* const CXGB3 = "drivers/net/ethernet/chelsio/cxgb3/t3_hw.c of Linux: TP_RTO_MIN 250, "
                          "TP_DACK_TIMER 50, in milliseconds; TP_TMR_RES 50, in microseconds";
const char* const CXGB3_PACE = "cxgb3/t3_hw.c of Linux sets F_TXPACEAUTO; how that spaces segments "
                               "is not told: by ns-3's rule here";
const char* const IW_CXGB3 = "iwch_cm.c of Linux's iw_cxgb3: rcv_win 256 KiB, snd_win 32 KiB";
const char* const IW_CXGB4 =
    "drivers/infiniband/hw/cxgb4/cm.c of Linux: enable_tcp_sack 0, enable_tcp_timestamps 0, "
    "enable_ecn 0, rcv_win 256 KiB, snd_win 128 KiB";
const char* const IW_CXGB4_DACK =
    "cm.c of Linux's iw_cxgb4: dack_mode 0; 1 in older releases, which delays ACKs";
const char* const CHIP_RTO =
    "the firmware's, not published; FreeBSD's cxgbe takes another in microseconds "
    "(hw.cxgbe.toe.rexmt_min), so that it can be below a millisecond";
const char* const CHIP_TICK = "that of a T3: TP_TMR_RES of cxgb3/t3_hw.c";
const char* const TAHOE =
    "both drivers ask for flavor 1, CONG_ALG_TAHOE in cm.c of iw_cxgb4; ns-3 has no Tahoe, so the "
    "nearest that it has";
const char* const IRDMA_README =
    "README of Intel's irdma driver: iWARP TCP New Reno plus ECN is the default of the 800 Series";
const char* const IRDMA_DCTCP =
    "README of Intel's irdma driver: iw_dctcp_enable=1, off by default, takes the place of ECN's";
const char* const IRDMA_OPTIONS =
    "cm.c of irdma knows the options MSS and window scale, and passes over all others";
const char* const IRDMA_WINDOW =
    "IRDMA_CM_DEFAULT_RCV_WND_SCALED of irdma: 0x3FFFC, with a scale of 2";
const char* const IRDMA_RTO = "irdma has iwarp_rtomin 5 and does not tell its unit: milliseconds";
const char* const NOT_TOLD = "no figure of this is public: RFC 1122 allows it";
const char* const AS_RECEIVED = "no figure of this is public: as the window of the other end";

// ACKs that are not delayed
TcpFigures
AtOnce()
{
    return {{"TcpSocket.DelAckCount", "1", TcpSure::CITED, IW_CXGB4_DACK},
            {"TcpSocket.DelAckTimeout", "0ns", TcpSure::CITED, IW_CXGB4_DACK}};
}

TcpFigures
T3LikeTcp()
{
    return {{"TcpL4Protocol.SocketType", "ns3::TcpNewReno", TcpSure::ASSUMED, TAHOE},
            {"TcpSocketBase.MinRto", "250ms", TcpSure::CITED, CXGB3},
            {"TcpSocketBase.ClockGranularity", "50us", TcpSure::CITED, CXGB3},
            {"TcpSocket.DelAckTimeout", "50ms", TcpSure::CITED, CXGB3},
            {"TcpSocketState.EnablePacing", "true", TcpSure::CITED, CXGB3_PACE},
            {"TcpSocket.RcvBufSize", "262144", TcpSure::CITED, IW_CXGB3},
            {"TcpSocket.SndBufSize", "32768", TcpSure::CITED, IW_CXGB3}};
}

TcpFigures
T5LikeTcp()
{
    TcpFigures figures{{"TcpL4Protocol.SocketType", "ns3::TcpNewReno", TcpSure::ASSUMED, TAHOE},
                       {"TcpSocketBase.MinRto", "500us", TcpSure::ASSUMED, CHIP_RTO},
                       {"TcpSocketBase.ClockGranularity", "50us", TcpSure::ASSUMED, CHIP_TICK},
                       {"TcpSocketBase.Sack", "false", TcpSure::CITED, IW_CXGB4},
                       {"TcpSocketBase.Timestamp", "false", TcpSure::CITED, IW_CXGB4},
                       {"TcpSocketBase.UseEcn", "Off", TcpSure::CITED, IW_CXGB4},
                       {"TcpSocket.RcvBufSize", "262144", TcpSure::CITED, IW_CXGB4},
                       {"TcpSocket.SndBufSize", "131072", TcpSure::CITED, IW_CXGB4}};
    const TcpFigures acks = AtOnce();
    figures.insert(figures.end(), acks.begin(), acks.end());
    return figures;
}

// What an E810 has whatever its congestion control
TcpFigures
E810Tcp()
{
    return {{"TcpSocketBase.MinRto", "5ms", TcpSure::ASSUMED, IRDMA_RTO},
            {"TcpSocketBase.ClockGranularity", "50us", TcpSure::ASSUMED, CHIP_TICK},
            {"TcpSocketBase.Sack", "false", TcpSure::CITED, IRDMA_OPTIONS},
            {"TcpSocketBase.Timestamp", "false", TcpSure::CITED, IRDMA_OPTIONS},
            {"TcpSocket.DelAckTimeout", "1ms", TcpSure::ASSUMED, NOT_TOLD},
            {"TcpSocket.RcvBufSize", "262140", TcpSure::CITED, IRDMA_WINDOW},
            {"TcpSocket.SndBufSize", "262140", TcpSure::ASSUMED, AS_RECEIVED}};
}

TcpFigures
E810LikeTcp()
{
    TcpFigures figures = E810Tcp();
    figures.push_back(
        {"TcpL4Protocol.SocketType", "ns3::TcpNewReno", TcpSure::CITED, IRDMA_README});
    figures.push_back({"TcpSocketBase.UseEcn", "On", TcpSure::CITED, IRDMA_README});
    return figures;
}

TcpFigures
E810DctcpLikeTcp()
{
    TcpFigures figures = E810Tcp();
    figures.push_back({"TcpL4Protocol.SocketType", "ns3::TcpDctcp", TcpSure::CITED, IRDMA_DCTCP});
    return figures;
}

// a profile by its name
using NamedTcpProfile = std::pair<std::string, TcpFigures (*)()>;

const std::vector<NamedTcpProfile>&
GetTcpProfiles()
{
    static const std::vector<NamedTcpProfile> entries{
        {"t3-like", &T3LikeTcp},
        {"t5-like", &T5LikeTcp},
        {"e810-like", &E810LikeTcp},
        {"e810-dctcp-like", &E810DctcpLikeTcp},
    };
    return entries;
}

} // namespace

std::vector<std::string>
RnicTcpProfile::GetNames()
{
    std::vector<std::string> names;
    for (const auto& entry : GetTcpProfiles())
    {
        names.push_back(entry.first);
    }
    return names;
}

bool
RnicTcpProfile::Has(const std::string& name)
{
    const auto names = GetNames();
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<RnicFigure>
RnicTcpProfile::Get(const std::string& name)
{
    for (const auto& entry : GetTcpProfiles())
    {
        if (entry.first == name)
        {
            return entry.second();
        }
    }
    return {};
}

} // namespace ns3
