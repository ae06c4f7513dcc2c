/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_SCENARIO_PARAMETERS_H
#define IWARP_SCENARIO_PARAMETERS_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

namespace ns3
{

class IwarpNetwork;
class IwarpTopology;
class IwarpWorkload;

namespace iwarp
{
enum class PathPlace : uint8_t;
enum class TrafficPattern : uint8_t;
} // namespace iwarp

enum class IpsecSharing : uint8_t;
enum class PathSpreading : uint8_t;

/**
 * @ingroup iwarp-helper
 * @brief Values of the attributes of IwarpScenario, which documents and checks them, and what it
 * sets elsewhere.
 */
struct IwarpScenarioParameters
{
    /// Whose packets meet impairments
    enum class Direction : uint8_t
    {
        DATA, //!< from the sending hosts to the receiving ones
        ACKS, //!< the other way
        BOTH, //!< both ways
    };

    /// Where there is IPsec
    enum class Ipsec : uint8_t
    {
        NONE,      //!< nowhere
        TRANSPORT, //!< at the hosts, transport mode
        TUNNEL,    //!< at the hosts, tunnel mode
        GATEWAY,   //!< at the routers next to them, tunnel mode
        NESTED,    //!< transport mode at the hosts, and tunnels of these routers around it
    };

    // network
    std::string topology;            //!< class of IwarpTopology, or file: and a file
    PathSpreading ecmp;              //!< what equal paths are picked by
    bool ipv6{false};                //!< IPv6 rather than IPv4
    iwarp::TrafficPattern pattern;   //!< who sends to whom
    uint32_t incastSenders{0};       //!< hosts of an incast that send; 0: all but one
    uint32_t flows{1};               //!< connections, of each sender and receiver but for pairs
    uint32_t hostPairs{0};           //!< pairs of hosts that share them; 0: one each
    std::string impairment;          //!< classes of PathImpairment, joined by +
    iwarp::PathPlace impairedPlace;  //!< which links have it
    Direction impairedDirection{};   //!< in which direction
    Time reorderingDelay;            //!< longest hold
    std::string middlebox;           //!< class of PathMiddlebox, or "none"
    iwarp::PathPlace middleboxPlace; //!< which links have it
    bool splitProxy{false};          //!< TCP ends at the routers next to hosts, and begins anew
    std::string linkSchedule;        //!< changes of links, see ParseLinkSchedule()
    iwarp::PathPlace schedulePlace;  //!< which links change
    std::string crossTraffic;        //!< "none", "udp" or "tcp"
    uint32_t crossFlows{1};          //!< flows of it
    DataRate crossRate;              //!< payload of each flow of UDP
    Direction crossDirection{};      //!< where its payload goes
    std::string crossControl;        //!< class of TcpCongestionOps, of TCP

    // hosts
    std::string congestionControl; //!< class of TcpCongestionOps
    DataRate windowRate;           //!< that the receive window allows; 0: TCP's buffer size
    Time windowRtt;                //!< round trip for that
    std::string rnic;              //!< profile, or "none"
    std::string espEngine;         //!< profile of ESP, or "none"

    // IPsec
    Ipsec ipsec{Ipsec::NONE};     //!< where it is
    std::string cipher;           //!< transform of ESP
    bool ipsecReal{false};        //!< octets are enciphered
    IpsecSharing ipsecSharing{};  //!< how much shares an association
    uint32_t replayWindow{64};    //!< packets
    bool extendedSequence{false}; //!< sequence numbers of 64 bits
    bool ipsecUdp{false};         //!< ESP in UDP
    bool keyExchange{false};      //!< keys come by messages
    uint64_t ipsecOctets{0};      //!< hard lifetime of associations; 0: none
    uint64_t ipsecPackets{0};     //!< hard lifetime of associations; 0: none
    Time ipsecTime;               //!< hard lifetime of associations; 0: none

    // flows
    std::string workload; //!< class of IwarpWorkload
    Time duration;        //!< longest time to send
    Time startSpread;     //!< flows start within this time
    bool plainTcp{false}; //!< compare with plain TCP

    // run
    uint32_t seed{1}; //!< seed of all random numbers
    uint64_t run{1};  //!< run number
    Time timeLimit;   //!< longest simulated time
    std::string pcap; //!< prefix of pcap files

    // besides attributes
    Ptr<IwarpTopology> ownTopology; //!< object of the user's in place of topology, or nullptr
    Ptr<IwarpWorkload> ownWorkload; //!< object of the user's in place of workload, or nullptr
    std::function<void(IwarpNetwork&)> observer; //!< called before the simulation, or empty
    std::map<std::string, std::string> settings; //!< attributes of other classes, by qualified name
    std::set<std::string> given;                 //!< attributes of the scenario that were set

    /// Tell how many pairs of hosts the topology is asked for. @return how many
    uint32_t GetPairs() const;

    /// Count the pairs of hosts of the cross traffic. @return how many there are besides
    uint32_t GetCrossPairs() const
    {
        return crossTraffic == "none" ? 0 : crossFlows;
    }
};

} // namespace ns3

#endif // IWARP_SCENARIO_PARAMETERS_H
