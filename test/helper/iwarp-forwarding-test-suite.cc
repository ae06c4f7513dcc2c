/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "../iwarp-test.h"

#include "ns3/iwarp-network.h"
#include "ns3/simulator.h"
#include "ns3/util-ip-traits.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/// Where routers of an IwarpNetwork send what is for its hosts.
IWARP_TEST_SUITE(iwarpForwarding, "iwarp-forwarding");

constexpr uint32_t FORWARDING_ROUTERS = 9; //!< routers of a random network
constexpr uint32_t FORWARDING_HOSTS = 12;  //!< its hosts
constexpr uint32_t FORWARDING_FLOWS = 64;  //!< datagrams of different sources, to each host

/**
 * Random networks, with several links between two routers, against the costs of all paths by Floyd
 * and Warshall's algorithm: the next hops of a router are those links that lead to a router that is
 * nearer by just the link, no others, and all of them are taken.
 */
struct ForwardingTest : TestCase
{
    using TestCase::TestCase;
    using Cost = std::pair<uint64_t, uint32_t>; //!< microseconds and links

    static constexpr uint64_t FAR = 1000000; //!< no path

    /// A link between routers
    struct Edge
    {
        uint32_t a;      //!< router
        uint32_t b;      //!< router
        uint64_t delay;  //!< microseconds
        uint32_t number; //!< of the network
    };

    /// @param edges links @return cost between routers
    static std::vector<std::vector<Cost>> FindCosts(const std::vector<Edge>& edges)
    {
        const uint32_t n = FORWARDING_ROUTERS;
        std::vector<std::vector<Cost>> cost(n, std::vector<Cost>(n, Cost(FAR, 0)));
        for (uint32_t i = 0; i < n; i++)
        {
            cost[i][i] = {0, 0};
        }
        for (const auto& edge : edges)
        {
            cost[edge.a][edge.b] = std::min(cost[edge.a][edge.b], Cost(edge.delay, 1));
            cost[edge.b][edge.a] = cost[edge.a][edge.b];
        }
        for (uint32_t via = 0; via < n; via++)
        {
            for (uint32_t a = 0; a < n; a++)
            {
                for (uint32_t b = 0; b < n; b++)
                {
                    const Cost path(cost[a][via].first + cost[via][b].first,
                                    cost[a][via].second + cost[via][b].second);
                    cost[a][b] = path.first < FAR ? std::min(cost[a][b], path) : cost[a][b];
                }
            }
        }
        return cost;
    }

    /// @tparam V version of IP @param router where @param destination of datagrams @return devices
    /// that they leave by
    template <typename V>
    static std::set<Ptr<NetDevice>> ListDevices(const Ptr<Node>& router,
                                                const typename V::Address& destination)
    {
        std::set<Ptr<NetDevice>> devices;
        for (uint32_t i = 0; i < FORWARDING_FLOWS; i++)
        {
            typename V::Header header;
            header.SetDestination(destination);
            V::SetPayload(header, static_cast<uint8_t>(i), 0); // protocols make flows
            Socket::SocketErrno error;
            const auto route =
                router->GetObject<typename V::Ip>()->GetRoutingProtocol()->RouteOutput(nullptr,
                                                                                       header,
                                                                                       nullptr,
                                                                                       error);
            devices.insert(route ? route->GetOutputDevice() : nullptr);
        }
        return devices;
    }

    /// Build a network and look at each router. @tparam V version of IP @param random draws it
    template <typename V>
    void Compare(std::mt19937& random)
    {
        IwarpNetwork network(std::is_same_v<V, Ipv6Traits>);
        std::vector<Edge> edges;
        std::vector<uint32_t> at; // router of each host
        for (uint32_t i = 0; i < FORWARDING_ROUTERS; i++)
        {
            network.AddRouter();
        }
        for (uint32_t i = 0; i < 2 * FORWARDING_ROUTERS; i++)
        {
            const auto a = static_cast<uint32_t>(random() % FORWARDING_ROUTERS);
            const auto b = static_cast<uint32_t>((a + 1 + random() % (FORWARDING_ROUTERS - 1)) %
                                                 FORWARDING_ROUTERS);
            const uint64_t delay = random() % 3;
            const uint32_t number =
                network.AddLink(a, b, {DataRate("10Gbps"), MicroSeconds(delay)});
            edges.push_back({a, b, delay, number});
        }
        for (uint32_t i = 0; i < FORWARDING_HOSTS; i++)
        {
            at.push_back(static_cast<uint32_t>(random() % FORWARDING_ROUTERS));
            network.AddHost(at.back(), {});
        }
        network.InstallRoutes();
        const auto cost = FindCosts(edges);
        for (uint32_t router = 0; router < FORWARDING_ROUTERS; router++)
        {
            for (uint32_t host = 0; host < FORWARDING_HOSTS; host++)
            {
                std::set<Ptr<NetDevice>> wanted;
                for (const auto& [a, b, delay, number] : edges)
                {
                    const bool forth = a == router;
                    const Cost& next = cost[forth ? b : a][at[host]];
                    if ((forth || b == router) && router != at[host] && next.first < FAR &&
                        cost[router][at[host]] == Cost(next.first + delay, next.second + 1))
                    {
                        wanted.insert(network.GetLinkDevices(number).Get(forth ? 0 : 1));
                    }
                }
                if (router == at[host])
                {
                    wanted.insert(network.GetLinkDevices(network.GetHostLink(host)).Get(0));
                }
                wanted = wanted.empty() ? std::set<Ptr<NetDevice>>{nullptr} : wanted;
                const auto found =
                    ListDevices<V>(network.GetRouter(router),
                                   V::Address::ConvertFrom(network.GetHostAddress(host)));
                NS_TEST_EXPECT_MSG_EQ((found == wanted), true, router << " to " << host);
            }
        }
        Simulator::Destroy();
    }
};

IWARP_TEST(iwarpForwarding, "next hops of random networks", ForwardingTest)
{
    std::mt19937 random(11);
    for (int round = 0; round < 20; round++)
    {
        Compare<Ipv4Traits>(random);
        Compare<Ipv6Traits>(random);
    }
}

} // namespace
