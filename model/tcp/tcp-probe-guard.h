/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_PROBE_GUARD_H
#define TCP_PROBE_GUARD_H

#include "ns3/tcp-congestion-ops.h"
#include "ns3/tcp-tx-buffer.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup iwarp-tcp
 * @brief Stands for a congestion control while an ACK is heeded that may tell of a lost probe
 * alone. That is about the MTU, and not about congestion (RFC 4821 section 3), so that the
 * congestion control does not hear of it. A copy from before the ACK would not do: that of ns-3's
 * TcpCubic lacks what it counts.
 */
class TcpProbeGuard : public TcpCongestionOps
{
  public:
    /// Take a place. @param control congestion control, which this stands for from here on
    /// @param state of TCP @param sent what is on its way @param probe octets of the probe
    TcpProbeGuard(Ptr<TcpCongestionOps>& control,
                  const TcpSocketState& state,
                  Ptr<const TcpTxBuffer> sent,
                  uint32_t probe);
    /// Give it back. @param control receives the congestion control
    /// @param state of TCP, which is to send again what is lost, as behind ICMP messages
    /// @return the probe was lost, and nothing else
    bool End(Ptr<TcpCongestionOps>& control, TcpSocketState& state) const;

    /// Tell what the ACK means. @return the probe is lost, and nothing else
    bool IsLost() const
    {
        return m_lost;
    }

    std::string GetName() const override;
    uint32_t GetSsThresh(Ptr<const TcpSocketState> state, uint32_t inFlight) override;
    void IncreaseWindow(Ptr<TcpSocketState> state, uint32_t segments) override;
    void PktsAcked(Ptr<TcpSocketState> state, uint32_t segments, const Time& rtt) override;
    void CongestionStateSet(Ptr<TcpSocketState> state,
                            const TcpSocketState::TcpCongState_t next) override;
    void CwndEvent(Ptr<TcpSocketState> state, const TcpSocketState::TcpCAEvent_t event) override;
    bool HasCongControl() const override;
    void CongControl(Ptr<TcpSocketState> state,
                     const TcpRateOps::TcpRateConnection& connection,
                     const TcpRateOps::TcpRateSample& sample) override;
    Ptr<TcpCongestionOps> Fork() override;

  private:
    const Ptr<TcpCongestionOps> m_control; //!< it
    const Ptr<const TcpTxBuffer> m_sent;   //!< what is on its way
    const uint32_t m_probe;                //!< octets of the probe
    const uint32_t m_threshold;            //!< slow start threshold before
    const uint32_t m_window;               //!< congestion window before
    const uint32_t m_inflated;             //!< the same with what recovery adds
    bool m_lost{false};                    //!< the probe is lost, and nothing else
};

} // namespace ns3

#endif // TCP_PROBE_GUARD_H
