/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RANDOM_TEST_H
#define RDMA_RANDOM_TEST_H

#include "../mpa/mpa-stream-fixture.h"
#include "rdma-random-program.h"

#include "ns3/rdma-connection.h"
#include "ns3/test.h"

#include <cstdint>
#include <memory>
#include <vector>

/**
 * @ingroup iwarp-tests
 * Random programs of verbs over TCP, on several queue pairs between two hosts, while the path loses
 * and reorders, against a sequential model of memory and completions. Programs with windows have
 * work, too, that is refused when it is posted, and end with work that breaks the connection.
 */
class RdmaRandomTest : public ns3::TestCase
{
  public:
    /// @param first first seed @param count number of seeds @param windows with memory windows
    RdmaRandomTest(uint32_t first, uint32_t count, bool windows = false);

  private:
    using End = RdmaRandomProgram::End;       //!< one end of a queue pair
    using Host = RdmaRandomProgram::Host;     //!< a host
    using Item = RdmaRandomProgram::Item;     //!< work to be posted
    using Move = RdmaRandomProgram::Move;     //!< octets that some work moves
    using Octets = RdmaRandomProgram::Octets; //!< octets
    using Report = RdmaRandomProgram::Report; //!< something to be reported

    static constexpr uint64_t SPARE_ID = uint64_t(1) << 40; //!< of receives that no message takes
    static constexpr uint64_t FAULT_ID = uint64_t(1) << 41; //!< of work that fails

    void DoRun() override;

    /// @param below bound @return a random number below it
    uint32_t Random(uint32_t below);
    void Run(); //!< one seed
    /// Connect all queue pairs. @param hosts hosts @param pairs how many
    void Connect(MpaLinkedHosts& hosts, uint32_t pairs);
    /// Something happens to a connection. @param connection which @param event what
    void HandleEvent(ns3::Ptr<ns3::RdmaConnection> connection,
                     const ns3::RdmaConnectionEvent& event);
    void Step(); //!< Now and then: post what can be, take completions.
    /// @return whether all Writes that no message came behind are in place
    bool IsAllThere() const;
    void Post(End& end); //!< Post what can be. @param end where
    /// Take a completion. @param host whose @param completion completion
    void Take(Host& host, const ns3::RdmaCompletion& completion);

    void FillReceives(); //!< Post receives until queues are full, behind those that messages take.
    /// Post what cannot be: it is refused, and changes nothing. @param end where
    void PostRefused(End& end);
    /// @param end who has bound it @param same by this queue pair, or by another @param bound one
    /// that is bound, or one that was the last of its window and no longer is
    /// @return such a binding; nullptr if there is none
    const RdmaRandomProgram::Binding* FindBinding(const End& end, bool same, bool bound);
    /// @param i a binding @return whether its window was not bound again
    bool IsLast(std::size_t i) const;
    /// Post work that fails when its turn comes, here or at the peer, and ends the connection.
    /// @param end where @param peer its other end
    void PostFault(End& end, End& peer);
    void PostBehindFault(); //!< What is posted on a queue pair that has failed is flushed.

    void JudgeWindows(); //!< Windows are bound as the model has it.
    /// At the end: everything was reported, and the memories are as the model has them.
    void Validate();

    const uint32_t m_first;                                   //!< first seed
    const uint32_t m_count;                                   //!< number of seeds
    const bool m_windows;                                     //!< with memory windows and bad posts
    uint32_t m_seed{0};                                       //!< seed
    bool m_ending{false};                                     //!< work that fails is posted
    std::unique_ptr<RdmaRandomProgram> m_program;             //!< the program
    ns3::Ptr<ns3::RdmaConnection> m_listener;                 //!< at the second host
    std::vector<ns3::Ptr<ns3::RdmaConnection>> m_connections; //!< and all others
};

#endif // RDMA_RANDOM_TEST_H
