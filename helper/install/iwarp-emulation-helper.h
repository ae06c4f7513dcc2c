/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_EMULATION_HELPER_H
#define IWARP_EMULATION_HELPER_H

#include "ns3/mac48-address.h"
#include "ns3/node.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief Joins a simulation to real machines: it runs in real time, with checksums in its packets,
 * and a node has a device whose frames go through a file descriptor.
 *
 * @code
 * IwarpEmulationHelper::UseRealTime(); // before anything else
 * std::string problem;
 * const int descriptor = IwarpEmulationHelper::OpenUdp(20002, 20001, problem);
 * NS_ABORT_MSG_IF(descriptor < 0, problem);
 * Ptr<FdNetDevice> wire = IwarpEmulationHelper().Install<FdNetDevice>(node, descriptor);
 * @endcode
 *
 * The device is of ns-3's module fd-net-device, which a program of this kind includes and links;
 * the library does not need it. Addresses and routes are given as with any other device.
 */
class IwarpEmulationHelper
{
  public:
    /**
     * @brief Let simulated time pass with the clock, and packets have checksums: ns-3's
     * RealtimeSimulatorImpl, ChecksumEnabled. Before the simulator is used for the first time.
     *
     * A machine that is too slow for the simulation makes it late, and never changes it otherwise.
     */
    static void UseRealTime();

    /**
     * @brief Open a socket on which each UDP datagram is an Ethernet frame, as QEMU's
     * `-netdev dgram` has it; needs no privilege.
     * @param local port of this side, on 127.0.0.1
     * @param remote port of the other side, on 127.0.0.1
     * @param [out] problem in a line, if there is one
     * @return file descriptor, or -1
     */
    static int OpenUdp(uint16_t local, uint16_t remote, std::string& problem);

    /**
     * @brief Open a TAP device of Linux, which exists or is made; needs CAP_NET_ADMIN, or a device
     * that belongs to the user.
     * @param name of the device, 1 to 15 characters
     * @param [out] problem in a line, if there is one
     * @return file descriptor, or -1
     */
    static int OpenTap(const std::string& name, std::string& problem);

    /**
     * @brief Open a network interface of this machine, as libpcap does: frames of its network come
     * to the simulation, whosever they are, and the simulation's go out there; needs CAP_NET_RAW.
     *
     * The machine's own stack sees what comes as well, and leaves alone what is for other addresses
     * than its own. Adapters that merge segments have to be told not to: ethtool -K NAME gro off
     * lro off; where the peer is a virtual machine or namespace of this one, there tx off tso off
     * gso off.
     * @param name of the interface
     * @param [out] problem in a line, if there is one
     * @return file descriptor, or -1
     */
    static int OpenInterface(const std::string& name, std::string& problem);

    /// Set the MTU of devices. @param mtu octets of an IP packet, by default 1500
    void SetMtu(uint16_t mtu);

    /**
     * @brief Give a node a device, with an address that ns-3 allocates.
     * @tparam Device FdNetDevice
     * @param node node
     * @param descriptor of what carries frames without a header before them; the device has it from
     *        here on
     * @return the device
     */
    template <class Device>
    Ptr<Device> Install(Ptr<Node> node, int descriptor) const;

  private:
    uint16_t m_mtu{1500}; //!< of devices, octets
};

template <class Device>
Ptr<Device>
IwarpEmulationHelper::Install(Ptr<Node> node, int descriptor) const
{
    Ptr<Device> device = CreateObject<Device>();
    device->SetEncapsulationMode(Device::DIX);
    device->SetAddress(Mac48Address::Allocate());
    device->SetMtu(m_mtu);
    device->SetIsBroadcast(true);
    device->SetIsMulticast(true); // without it there is no IPv6
    device->SetFileDescriptor(descriptor);
    node->AddDevice(device);
    return device;
}

} // namespace ns3

#endif // IWARP_EMULATION_HELPER_H
