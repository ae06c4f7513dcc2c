/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-emulation-helper.h"

#include "ns3/boolean.h"
#include "ns3/global-value.h"
#include "ns3/string.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace ns3
{

namespace
{

/// Have a burst not overrun a socket. @param descriptor it
void
EnlargeBuffers(int descriptor)
{
    const int octets = 4 << 20;
    for (const int option : {SO_RCVBUF, SO_SNDBUF})
    {
        setsockopt(descriptor, SOL_SOCKET, option, &octets, sizeof(octets));
    }
}

/// Close a descriptor, and say what was wrong with it. @param descriptor it @param what did not
/// work
/// @param [out] problem in a line @return -1
int
GiveUp(int descriptor, const std::string& what, std::string& problem)
{
    problem = what + ": " + std::strerror(errno);
    if (descriptor >= 0)
    {
        close(descriptor);
    }
    return -1;
}

} // namespace

void
IwarpEmulationHelper::UseRealTime()
{
    GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::RealtimeSimulatorImpl"));
    GlobalValue::Bind("ChecksumEnabled", BooleanValue(true));
}

int
IwarpEmulationHelper::OpenUdp(uint16_t local, uint16_t remote, std::string& problem)
{
    const int descriptor = socket(AF_INET, SOCK_DGRAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(local);
    const auto* generic = reinterpret_cast<const sockaddr*>(&address);
    if (descriptor < 0 || bind(descriptor, generic, sizeof(address)) < 0)
    {
        return GiveUp(descriptor, "UDP port " + std::to_string(local), problem);
    }
    address.sin_port = htons(remote);
    if (connect(descriptor, generic, sizeof(address)) < 0)
    {
        return GiveUp(descriptor, "UDP port " + std::to_string(remote), problem);
    }
    EnlargeBuffers(descriptor);
    return descriptor;
}

int
IwarpEmulationHelper::OpenTap(const std::string& name, std::string& problem)
{
    if (name.empty() || name.size() >= IFNAMSIZ)
    {
        problem = '"' + name + "\" is no name of a TAP device: it has 1 to 15 characters";
        return -1;
    }
    const int descriptor = open("/dev/net/tun", O_RDWR);
    ifreq request{};
    request.ifr_flags = IFF_TAP | IFF_NO_PI;
    name.copy(request.ifr_name, name.size());
    if (descriptor < 0 || ioctl(descriptor, TUNSETIFF, &request) < 0)
    {
        return GiveUp(descriptor, "TAP device " + name, problem);
    }
    return descriptor;
}

int
IwarpEmulationHelper::OpenInterface(const std::string& name, std::string& problem)
{
    const unsigned index = name.size() < IFNAMSIZ ? if_nametoindex(name.c_str()) : 0;
    if (index == 0)
    {
        problem = '"' + name + "\" is no network interface of this machine: `ip link` lists them";
        return -1;
    }
    // of protocol 0 it receives nothing before it is bound
    const int descriptor = socket(AF_PACKET, SOCK_RAW, 0);
    const int on = 1;
    packet_mreq everything{};
    everything.mr_ifindex = static_cast<int>(index);
    everything.mr_type = PACKET_MR_PROMISC;
    sockaddr_ll address{};
    address.sll_family = AF_PACKET;
    address.sll_protocol = htons(ETH_P_ALL);
    address.sll_ifindex = static_cast<int>(index);
    if (descriptor < 0 ||
        setsockopt(descriptor, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on)) < 0 ||
        setsockopt(descriptor, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &everything, sizeof(everything)) <
            0 ||
        bind(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof(address)) < 0)
    {
        return GiveUp(descriptor, "network interface " + name, problem);
    }
    EnlargeBuffers(descriptor);
    return descriptor;
}

void
IwarpEmulationHelper::SetMtu(uint16_t mtu)
{
    m_mtu = mtu;
}

} // namespace ns3
