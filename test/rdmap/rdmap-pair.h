/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMAP_PAIR_H
#define RDMAP_PAIR_H

#include "../ddp/ddp-counted-stags.h"

#include "ns3/random-variable-stream.h"
#include "ns3/rdmap-endpoint.h"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

/// An RDMAP endpoint with a record of what it tells.
struct RdmapTestNode : ns3::RdmapEndpoint::Listener
{
    /// A work request that ended.
    struct Completion
    {
        uint64_t id;             //!< its id
        ns3::RdmapStatus status; //!< how
        uint32_t octets;         //!< octets moved
    };

    CountedStagTable table;                                     //!< STags of the node
    std::unique_ptr<ns3::RdmapEndpoint> endpoint;               //!< endpoint tried
    std::vector<Completion> completions;                        //!< work requests that ended
    std::vector<ns3::RdmapReceived> received;                   //!< receive buffers used
    std::vector<ns3::RdmapOpcode> delivered;                    //!< messages delivered
    std::optional<ns3::RdmapTerminate> failure;                 //!< what ended the stream
    bool failedByPeer{false};                                   //!< the peer said so
    std::function<void()> onFailed{[] {}};                      //!< done when the stream fails
    std::function<void(uint64_t)> onCompleted{[](uint64_t) {}}; //!< done at each completion

    /// @param config how the endpoint works
    explicit RdmapTestNode(const ns3::RdmapConfig& config);

    void WorkCompleted(const ns3::RdmapWork& work,
                       ns3::RdmapStatus status,
                       uint32_t octets) override;
    void Received(const ns3::RdmapReceived& message) override;
    void MessageDelivered(ns3::RdmapOpcode opcode, const ns3::DdpDelivery& delivery) override;
    void Failed(const ns3::RdmapTerminate& terminate, bool byPeer) override;
    void OutputReady() override;

    /// Register memory for all uses. @param memory what @param base TO of its first octet
    /// @return STag
    uint32_t Register(ns3::Ptr<ns3::DdpMemory> memory, uint64_t base = 0);

    /// Post a receive buffer. @param id context @param stag where @param to TO @param length octets
    void PostReceive(uint64_t id, uint32_t stag, uint64_t to, uint32_t length);

    /// @param mulpdu MULPDU @return next ULPDU, taken; empty if there is none
    std::vector<uint8_t> Output(uint32_t mulpdu = 1442);

    /// A ULPDU arrives and is in order. @param ulpdu its octets
    void Input(const std::vector<uint8_t>& ulpdu);

  private:
    uint32_t m_order{0}; //!< order of the next Input()
};

/// Two endpoints joined by an ideal transport, in order or with placement out of order.
struct RdmapTestPair
{
    RdmapTestNode a; //!< one end
    RdmapTestNode b; //!< the other

    /// @param config how both work, unless @param configB is given for b
    explicit RdmapTestPair(const ns3::RdmapConfig& config,
                           const std::optional<ns3::RdmapConfig>& configB = std::nullopt);

    /// Move ULPDUs until nothing moves. @param mulpdu MULPDU
    void Pump(uint32_t mulpdu = 1442);

    /// Move ULPDUs with random delays, and random order of placement within a window.
    /// @param random source of randomness @param each done after every step
    void Shuffle(
        ns3::Ptr<ns3::UniformRandomVariable> random,
        const std::function<void()>& each = [] {});

  private:
    /// ULPDUs under way in one direction.
    struct Channel
    {
        std::deque<std::pair<std::vector<uint8_t>, bool>> ulpdus; //!< octets, and placed already
        uint32_t first{0xFFFFFFF0};                               //!< order of the first
    };
};

/// @param id id @param kind kind @param pieces local octets @return a work request
ns3::RdmapWork MakeWork(uint64_t id, ns3::RdmapWorkKind kind, const ns3::DdpSgeList& pieces = {});

#endif // RDMAP_PAIR_H
