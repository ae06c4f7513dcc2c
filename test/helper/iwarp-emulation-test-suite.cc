/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/iwarp-emulation-helper.h"

#include <cstdint>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

using namespace ns3;

namespace
{

/// The suite.
IWARP_TEST_SUITE(iwarpEmulation, "iwarp-emulation");

/// @return a UDP port that nobody has
uint16_t
FindUdpPort()
{
    const int descriptor = socket(AF_INET, SOCK_DGRAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address);
    bind(descriptor, reinterpret_cast<sockaddr*>(&address), length);
    getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &length);
    close(descriptor);
    return ntohs(address.sin_port);
}

IWARP_TEST(iwarpEmulation, "A datagram is a frame, both ways")
{
    const uint16_t here = FindUdpPort();
    const uint16_t there = FindUdpPort();
    std::string problem;
    const int ours = IwarpEmulationHelper::OpenUdp(here, there, problem);
    const int theirs = IwarpEmulationHelper::OpenUdp(there, here, problem);
    NS_TEST_ASSERT_MSG_EQ(problem, "", "two sockets");
    for (const auto& [from, to] : {std::pair{ours, theirs}, std::pair{theirs, ours}})
    {
        const std::string frame(9014, 'x'); // Ethernet's header and 9000 octets
        NS_TEST_EXPECT_MSG_EQ(write(from, frame.data(), frame.size()), 9014, "sent at once");
        std::string got(10000, ' ');
        NS_TEST_EXPECT_MSG_EQ(read(to, got.data(), got.size()), 9014, "and received");
        NS_TEST_EXPECT_MSG_EQ(got.compare(0, frame.size(), frame), 0, "as it was");
    }
    NS_TEST_EXPECT_MSG_EQ(IwarpEmulationHelper::OpenUdp(here, there, problem), -1, "taken");
    const std::string what = "UDP port " + std::to_string(here) + ": ";
    NS_TEST_EXPECT_MSG_EQ(problem.compare(0, what.size(), what), 0, problem);
    close(ours);
    close(theirs);
}

IWARP_TEST(iwarpEmulation, "A TAP device has a name that Linux takes")
{
    for (const char* name : {"", "sixteen-letters!"})
    {
        std::string problem;
        NS_TEST_EXPECT_MSG_EQ(IwarpEmulationHelper::OpenTap(name, problem), -1, name);
        NS_TEST_EXPECT_MSG_EQ(problem,
                              '"' + std::string(name) +
                                  "\" is no name of a TAP device: it has 1 to 15 characters",
                              name);
    }
}

IWARP_TEST(iwarpEmulation, "A network interface is one that there is")
{
    for (const char* name : {"", "no-such-one", "a-name-of-more-than-sixteen"})
    {
        std::string problem;
        NS_TEST_EXPECT_MSG_EQ(IwarpEmulationHelper::OpenInterface(name, problem), -1, name);
        NS_TEST_EXPECT_MSG_EQ(
            problem,
            '"' + std::string(name) +
                "\" is no network interface of this machine: `ip link` lists them",
            name);
    }
}

} // namespace
