/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RFC9293_TCP_SOCKET_FACTORY_H
#define RFC9293_TCP_SOCKET_FACTORY_H

#include "rfc9293-tcp-socket.h"
#include "tcp-challenge-limit.h"
#include "tcp-mtu-search.h"

#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/socket-factory.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/traced-callback.h"
#include "ns3/traced-value.h"

#include <cstdint>
#include <map>

namespace ns3
{

/**
 * @ingroup iwarp-tcp
 * @brief Creates Rfc9293TcpSocket on a node, beside the node's plain TCP sockets, and has the
 * settings that all of these share.
 *
 * Install() it on a node that has an internet stack. With its first socket the node gets a
 * TcpEndPointTable. An application gets such sockets if its attribute `Protocol` is
 * `ns3::Rfc9293TcpSocketFactory`, a program if it calls
 * Socket::CreateSocket(node, Rfc9293TcpSocketFactory::GetTypeId()).
 */
class Rfc9293TcpSocketFactory : public SocketFactory
{
  public:
    /// Signature of SynBacklog. @param port listened on @param waiting its connections in SYN_RCVD
    typedef void (*SynBacklogTracedCallback)(uint16_t port, uint32_t waiting);

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

    /// Add the attributes and trace sources; as Rfc9293TcpSocket::AddAttributes(). @param tid type
    /// of a factory @return the same
    static TypeId AddAttributes(TypeId tid);

    /**
     * @brief Give a node the factory, unless it has it.
     * @param node a node with an internet stack
     * @return the node's factory
     */
    static Ptr<Rfc9293TcpSocketFactory> Install(Ptr<Node> node);

    /// Make a socket with the node's settings. @return a socket with the congestion control and
    /// recovery of the node's TcpL4Protocol
    Ptr<Socket> CreateSocket() override;

    /**
     * @brief Make a socket with a congestion control of its own.
     * @param congestion TypeId of a TcpCongestionOps; in place of TcpDctcp it is TcpDctcpMinCwnd
     * @return a socket with this congestion control and the recovery of the node's TcpL4Protocol
     */
    Ptr<Rfc9293TcpSocket> CreateSocket(TypeId congestion);

    /**
     * @brief Make a socket with a congestion control and a recovery of its own.
     * @param congestion TypeId of a TcpCongestionOps; in place of TcpDctcp it is TcpDctcpMinCwnd
     * @param recovery TypeId of a TcpRecoveryOps; in place of TcpPrrRecovery it is TcpPrrCwr
     * @return a socket with these
     */
    Ptr<Rfc9293TcpSocket> CreateSocket(TypeId congestion, TypeId recovery);

    /// Find how the node's sockets look for the MTU of a path. @return settings, as they are now
    TcpMtuSettings GetMtuSettings() const;

    /// Count the connections that the handshake has not made yet. @param port listened on @return
    /// those in SYN_RCVD, at most attribute SynBacklog
    uint32_t GetSynBacklog(uint16_t port) const;

    /// Ask whether a port takes no more SYNs. @param port listened on @return true if its backlog
    /// is full
    bool IsSynBacklogFull(uint16_t port) const;

    /// Note that a connection enters SYN_RCVD, or leaves it. @param port listened on @param more it
    /// enters
    void CountSyn(uint16_t port, bool more);

    /**
     * @brief Ask whether a connection may send a challenge ACK, and count it.
     * @param limit of the connection
     * @return false if it has sent one less than attribute ChallengeInterval ago
     */
    bool AllowChallenge(TcpChallengeLimit& limit);

  protected:
    /// Make a socket of the factory's kind. @return it, without anything
    virtual Ptr<Rfc9293TcpSocket> MakeSocket() const;

    /// Give a node a factory, unless it has one of that class. @tparam T class @param node node
    /// @return the node's factory
    template <typename T>
    static Ptr<T> InstallAs(Ptr<Node> node)
    {
        Ptr<T> factory = node->GetObject<T>();
        if (!factory)
        {
            GetTcp(node);
            factory = CreateObject<T>();
            node->AggregateObject(factory);
        }
        return factory;
    }

    /// Find the TCP of an object's node. @param object object @return it; the program ends if there
    /// is none
    static Ptr<TcpL4Protocol> GetTcp(Ptr<const Object> object);

  private:
    static TypeId AddMtuAttributes(TypeId tid); //!< @param tid type of a factory @return the same
    static TypeId AddLimits(TypeId tid);        //!< @param tid type of a factory @return the same

    TcpMtuSettings::Probing m_probing{}; //!< see MtuProbing
    uint32_t m_baseMss{};                //!< see BaseMss
    uint32_t m_mtuTimeouts{};            //!< see MtuTimeouts
    Time m_probeInterval;                //!< see ProbeInterval
    bool m_ignoreIcmp{};                 //!< see IgnoreIcmp

    uint32_t m_maxSynBacklog{};                           //!< see SynBacklog
    std::map<uint16_t, uint32_t> m_synBacklog;            //!< connections in SYN_RCVD, by port
    TracedCallback<uint16_t, uint32_t> m_synBacklogTrace; //!< SynBacklog

    Time m_challengeInterval;                      //!< see ChallengeInterval
    TracedValue<uint32_t> m_challenges{0};         //!< see Challenges
    TracedValue<uint32_t> m_challengesHeldBack{0}; //!< see ChallengesHeldBack
};

} // namespace ns3

#endif // RFC9293_TCP_SOCKET_FACTORY_H
