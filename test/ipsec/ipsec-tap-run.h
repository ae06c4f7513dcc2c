/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPSEC_TAP_RUN_H
#define IPSEC_TAP_RUN_H

#include "ipsec-run.h"

#include "ns3/app-message.h"
#include "ns3/ipsec-tap.h"
#include "ns3/tcp-l4-protocol.h"

#include <string>

/**
 * @file
 * @ingroup iwarp-test
 * A run with IPsec whose links are tapped.
 */

/// Taps a run's network
class TappedRun
{
  public:
    /// @param setup of it
    explicit TappedRun(const IpsecSetup& setup)
        : run(setup),
          tap(ns3::Create<ns3::IpsecTap>())
    {
        if (setup.proposal.codec == ns3::EspCodec::Mode::REAL)
        {
            tap->AddContent(ns3::iwarp::MessagePattern(0, 0), ns3::iwarp::PATTERN_RUN);
        }
        for (uint32_t link = 0; link < run.network.GetNLinks(); link++)
        {
            const bool own =
                link == run.network.GetHostLink(0) || link == run.network.GetHostLink(1);
            if (own && setup.place == IpsecPlace::GATEWAY)
            {
                continue;
            }
            const auto devices = run.network.GetLinkDevices(link);
            Attach(devices.Get(0));
            Attach(devices.Get(1));
        }
        for (uint32_t port : {0, 1}) // those of the middlebox
        {
            Attach(run.box->GetObject<ns3::Node>()->GetDevice(port));
        }
    }

    /// @param flow of a datagram @return it is TCP between the hosts
    bool IsProtected(const ns3::IpsecFlow& flow) const
    {
        const auto isHost = [this](const ns3::IpsecAddress& address) {
            return address == run.GetHostAddress(0) || address == run.GetHostAddress(1);
        };
        return flow.protocol == ns3::TcpL4Protocol::PROT_NUMBER && isHost(flow.source) &&
               isHost(flow.destination);
    }

    IpsecRun run;                //!< it
    ns3::Ptr<ns3::IpsecTap> tap; //!< on all links where there is protection

  private:
    /// @param device of a link
    void Attach(const ns3::Ptr<ns3::NetDevice>& device)
    {
        tap->Attach(device, [this](const ns3::IpsecFlow& flow) { return IsProtected(flow); });
    }
};

/// @param tap of a run @return what was seen first, for messages
inline std::string
TellFirst(const ns3::Ptr<ns3::IpsecTap>& tap)
{
    return tap->GetFirst() ? tap->GetFirst()->ToString() : "nothing";
}

#endif // IPSEC_TAP_RUN_H
