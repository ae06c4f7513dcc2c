/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_ICRC_H
#define ROCE_ICRC_H

#include <cstddef>
#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-roce
 * @brief The invariant CRC of a RoCEv2 packet (InfiniBand Architecture Specification volume
 * 1, 7.8.1, and its annex A17.3.3).
 *
 * The CRC-32 of Ethernet over eight octets of ones, which stand for the link's header, and the IP
 * datagram up to the ICRC itself, where ones stand for all that routers may change: IPv4's type of
 * service, time to live and header checksum, or IPv6's traffic class, flow label and hop limit;
 * UDP's checksum; and the octet of the BTH that has FECN and BECN.
 */
struct RoceIcrc
{
    /**
     * @brief Compute it.
     * @param datagram octets from the IP header, without options or extension headers, to the last
     * before the ICRC
     * @param size of them, at least those of IP, UDP and a BTH
     * @return the ICRC, whose least significant octet goes first
     */
    static uint32_t Compute(const uint8_t* datagram, std::size_t size);

    /// Write it as it goes on the wire. @param icrc of Compute() @param [out] octets four
    static void Write(uint32_t icrc, uint8_t* octets);
};

} // namespace ns3

#endif // ROCE_ICRC_H
