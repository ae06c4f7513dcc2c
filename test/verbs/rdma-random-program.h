/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RANDOM_PROGRAM_H
#define RDMA_RANDOM_PROGRAM_H

#include "ns3/node.h"
#include "ns3/rdma-connection.h"
#include "ns3/rdma-protection-domain.h"

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <utility>
#include <vector>

/**
 * @ingroup iwarp-tests
 * A random program of verbs for queue pairs between two hosts, and what a sequential model of
 * memory and completions says of it. The program is made as a whole before it runs; it has the
 * effect of doing all work in the order in which it was made, since work of different queue pairs
 * never uses the same octets, or waits for the other's.
 */
class RdmaRandomProgram
{
  public:
    using Octets = std::vector<uint8_t>; //!< octets

    static constexpr uint32_t LARGEST = 1 << 20;            //!< octets of the longest message
    static constexpr uint32_t SOURCE = LARGEST + (1 << 16); //!< octets only read, at the beginning
    static constexpr uint32_t COUNTERS = 64;                //!< octets behind them that Atomics use
    static constexpr uint32_t BUDGET = 3 << 20; //!< octets that a program moves, more or less
    static constexpr uint32_t MEMORY = SOURCE + 2 * BUDGET; //!< octets of a host's memory
    static constexpr uint64_t BASE = 0x7F0000000000;        //!< address of the first octet
    static constexpr uint32_t INLINE = 64;                  //!< most octets of inline data
    static constexpr uint32_t SHARED_SIZE = 5000;  //!< octets of buffers of a shared receive queue
    static constexpr uint32_t MAX_SEND_SGE = 3;    //!< pieces of a send
    static constexpr uint32_t MAX_RECEIVE_SGE = 2; //!< pieces of a receive
    static constexpr uint32_t MAX_RECEIVES = 100;  //!< receives posted
    static constexpr uint32_t MAX_SHARED = 1000;   //!< receives posted on a shared receive queue

    /// A host, and what the model says of it.
    struct Host
    {
        /// @param size octets @return place of so many that nothing else uses
        uint32_t Take(uint32_t size);
        /// @param octets memory of a host @param index a counter @return its value
        static uint64_t Count(const Octets& octets, uint32_t index);

        Octets memory = Octets(MEMORY);            //!< its memory
        Octets model;                              //!< what has to be there in the end
        uint32_t place{SOURCE + COUNTERS};         //!< next free octet
        ns3::Ptr<ns3::RdmaDevice> device;          //!< device
        ns3::Ptr<ns3::RdmaProtectionDomain> pd;    //!< protection domain
        ns3::Ptr<ns3::RdmaCompletionQueue> cq;     //!< all completions
        ns3::Ptr<ns3::RdmaMemoryRegion> region;    //!< all its memory
        ns3::Ptr<ns3::RdmaSharedReceiveQueue> srq; //!< shared receive queue
        std::vector<uint32_t> shared;              //!< places of the buffers of srq, by id
    };

    /// A run of octets that some work moves.
    struct Move
    {
        uint32_t place; //!< where it goes, SOURCE or more
        Octets octets;  //!< what has to be there
    };

    /// A memory window while it is bound once.
    struct Binding
    {
        ns3::Ptr<ns3::RdmaMemoryWindow> window; //!< the window
        uint32_t place{0};                      //!< first octet
        uint32_t size{0};                       //!< octets
        uint32_t key{0};                        //!< its key, once bound
        bool bound{false};                      //!< the bind is reported
        bool used{false};                       //!< the peer is through with it
        bool stays{false};                      //!< nothing ends it
    };

    /// Something that has to be reported.
    struct Report
    {
        /// What it says of a binding.
        enum class Effect : uint8_t
        {
            NONE,  //!< nothing
            BOUND, //!< it is bound
            USED,  //!< the peer is through with it
        };

        uint64_t id{0};                     //!< of the work request
        ns3::RdmaCompletionOpcode opcode{}; //!< what it is about
        uint32_t octets{0};                 //!< moved; 0 is any
        bool immediate{false};              //!< with Immediate Data
        uint32_t data{0};                   //!< Immediate Data, or key that is invalidated
        bool invalidate{false};             //!< it invalidates a key
        std::vector<Move> done{};           //!< what is in place then
        std::shared_ptr<Binding> binding{}; //!< binding that it is about
        Effect effect{Effect::NONE};        //!< what it says of it
        ns3::RdmapStatus status{ns3::RdmapStatus::SUCCESS}; //!< how it ends
    };

    /// Work to be posted in its turn.
    struct Item
    {
        /// What it waits for.
        enum class Gate : uint8_t
        {
            NONE,  //!< nothing
            BOUND, //!< a binding that is bound; the work uses its key
            USED,  //!< a binding that the peer is through with
        };

        bool IsReady() const; //!< @return whether what it waits for has come

        ns3::RdmaSendRequest request;       //!< the work request
        Gate gate{Gate::NONE};              //!< what it waits for
        std::shared_ptr<Binding> binding{}; //!< of which binding
    };

    /// One end of a queue pair.
    struct End
    {
        Host* host;                      //!< its host
        ns3::Ptr<ns3::RdmaQueuePair> qp; //!< queue pair
        uint32_t depth{0};               //!< slots of the send queue
        uint32_t unsignaled{0};          //!< work requests at the end that are not signaled
        bool established{false};         //!< work may be posted
        bool posted{false};              //!< some work has been posted
        std::deque<Item> program;        //!< not posted yet
        std::deque<Report> sends;        //!< signaled ones, not reported yet
        std::deque<Report> receives;     //!< not reported yet
        std::vector<Move> unseen;        //!< Writes to the other end since the last message to it
    };

    /// @param seed of all random numbers @param windows programs have memory windows
    RdmaRandomProgram(uint32_t seed, bool windows);

    /// @param below bound @return a random number below it
    uint32_t Random(uint32_t below);

    void MakeHost(uint32_t i, ns3::Ptr<ns3::Node> node); //!< @param i which @param node its node
    void Make(uint32_t pairs); //!< Make queue pairs and their programs. @param pairs how many

    std::array<std::unique_ptr<Host>, 2> hosts;          //!< hosts
    std::vector<End> ends;                               //!< ends, those of a pair together
    bool shared{false};                                  //!< shared receive queues
    std::vector<ns3::Ptr<ns3::RdmaMemoryRegion>> spares; //!< regions that are invalidated
    std::vector<std::pair<End*, std::shared_ptr<Binding>>> bindings; //!< by end that binds
    std::array<std::vector<uint32_t>, 2> common; //!< originals of each common counter

  private:
    void MakeEnd(End& end, Host& host); //!< @param end end to make @param host its host
    uint32_t Size();                    //!< @return octets of a message, from 0 to 1 MiB
    /// Cut a run of octets into pieces. @param host whose @param place first @param size octets
    /// @param most pieces @return the pieces
    std::vector<ns3::RdmaSge> Pieces(Host& host, uint32_t place, uint32_t size, uint32_t most);
    /// @param host whose @return key of a region that will be invalidated
    uint32_t Spare(Host& host);
    /// The model moves octets. @param from where they are @param at first @param to where they go
    /// @param place where there @param size how many @return what has to be there
    static Move Copy(const Host& from, uint32_t at, Host& to, uint32_t place, uint32_t size);
    /// A message comes behind all Writes before it. @param end sender @param peer receiver @param
    /// report what it has to report
    static void Message(End& end, End& peer, Report& report);

    /// Add work to a program, and its effect to the model. @param end who posts @param peer the
    /// other end @param remote it has to reach the peer
    void Plan(End& end, End& peer, bool remote);
    /// @param end who posts @param peer other end @param request to fill @param binding to end
    void PlanSend(End& end,
                  End& peer,
                  ns3::RdmaSendRequest& request,
                  const std::shared_ptr<Binding>& binding = nullptr);
    /// @param end who posts @param peer other end @param request to fill
    void PlanWrite(End& end, End& peer, ns3::RdmaSendRequest& request);
    /// @param end who posts @param peer other end @param request to fill @param report to fill
    void PlanRead(End& end, End& peer, ns3::RdmaSendRequest& request, Report& report);
    /// @param end who posts @param peer other end @param request to fill @param report to fill
    void PlanAtomic(End& end, End& peer, ns3::RdmaSendRequest& request, Report& report);
    /// A window is bound, used and taken away, some times. @param end who binds @param peer who
    /// uses it
    void PlanWindow(End& end, End& peer);
    /// The peer uses a window. @param end who has bound it @param peer who uses it @param binding
    /// which @param last nothing uses it behind that
    void PlanUses(End& end, End& peer, const std::shared_ptr<Binding>& binding, bool last);
    /// Append work. @param end who posts @param request it @param report its completion @param gate
    /// what it waits for @param binding of which binding
    void Append(End& end,
                ns3::RdmaSendRequest request,
                Report report,
                Item::Gate gate,
                const std::shared_ptr<Binding>& binding);
    void PostShared(); //!< post buffers for all messages

    std::mt19937 m_random;                             //!< makes the program
    const bool m_windows;                              //!< programs have memory windows
    uint64_t m_id{0};                                  //!< of the last work request
    uint32_t m_moved{0};                               //!< octets to be moved
    std::vector<std::pair<const End*, Move>> m_writes; //!< Writes
    std::vector<std::pair<const End*, Move>> m_reads;  //!< Reads
};

#endif // RDMA_RANDOM_PROGRAM_H
