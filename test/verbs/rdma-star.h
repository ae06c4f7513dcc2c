/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_STAR_H
#define RDMA_STAR_H

#include "ns3/iwarp-network.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"

#include <algorithm>
#include <vector>

/**
 * @ingroup iwarp-tests
 * Hosts around one router, with links of 5 us; and what messages without Markers take there.
 */
class RdmaStar
{
  public:
    static constexpr uint32_t EMSS = 1448;         //!< MTU 1500, IPv4, TCP timestamps
    static constexpr uint32_t LOWER = 20 + 32 + 2; //!< IPv4, TCP with timestamps, PPP

    /// @param hosts how many @param rate of their links
    explicit RdmaStar(uint32_t hosts, const char* rate = "1Gbps")
    {
        m_network.AddRouter();
        for (uint32_t i = 0; i < hosts; i++)
        {
            m_hosts.Add(m_network.GetHost(m_network.AddHost(0,
                                                            {ns3::DataRate(rate),
                                                             ns3::MicroSeconds(5),
                                                             ns3::QueueSize("1000p"),
                                                             1500,
                                                             ns3::PathFraming::PPP})));
        }
        m_network.InstallRoutes();
    }

    /// @return hosts
    const ns3::NodeContainer& GetHosts() const
    {
        return m_hosts;
    }

    /// @param host index @return its device
    ns3::Ptr<ns3::NetDevice> GetDevice(uint32_t host) const
    {
        return m_network.GetHostDevice(host);
    }

    /// @param ulpdu octets of a ULPDU @return octets of its FPDU
    static uint32_t FpduOf(uint32_t ulpdu)
    {
        return (2 + ulpdu + 3) / 4 * 4 + 4;
    }

    /// Octets on the link of a message whose segments are as long as they can be. @param size
    /// payload @param header octets of the DDP header @return octets of its frames
    static std::vector<uint32_t> FramesOf(uint32_t size, uint32_t header)
    {
        std::vector<uint32_t> frames;
        const uint32_t most = EMSS - 4 - 2 - header;
        for (uint32_t left = size; left > 0;)
        {
            const uint32_t payload = std::min(left, most);
            frames.push_back(FpduOf(header + payload) + LOWER);
            left -= payload;
        }
        return frames;
    }

    /**
     * From the first octet sent to the last received at 1 Gbit/s: the last frame crosses the first
     * link behind all others and the second behind the one before it.
     * @param frames octets of frames, all alike but the last, which may be shorter
     * @return time
     */
    static ns3::Time OneWay(const std::vector<uint32_t>& frames)
    {
        uint64_t octets = frames.size() > 1 ? frames[0] : frames.back();
        for (const uint32_t frame : frames)
        {
            octets += frame;
        }
        return ns3::NanoSeconds(8 * octets) + ns3::MicroSeconds(10);
    }

  private:
    ns3::IwarpNetwork m_network; //!< network
    ns3::NodeContainer m_hosts;  //!< hosts
};

#endif // RDMA_STAR_H
