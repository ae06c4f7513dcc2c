/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CONNECTION_H
#define RDMA_CONNECTION_H

#include "rdma-queue-pair.h"

#include "ns3/address.h"
#include "ns3/attribute.h"
#include "ns3/callback.h"
#include "ns3/mpa-stream.h"
#include "ns3/object.h"
#include "ns3/simple-ref-count.h"
#include "ns3/socket.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

class Node;
class RdmaConnection;

/// @ingroup iwarp-verbs
/// @brief What a connection asks for (rdma_conn_param).
struct RdmaConnectionParameters
{
    /// What the attributes of the connection say, as far as the device can.
    static constexpr uint16_t BY_ATTRIBUTE = 0xFFFF;

    std::vector<uint8_t> privateData; //!< octets for the peer: 512, with MPA revision 2 508
    uint16_t responderResources{BY_ATTRIBUTE}; //!< Reads and Atomics of the peer held: IRD. From
                                               //!< Accept(), the peer gets these and no more
    uint16_t initiatorDepth{BY_ATTRIBUTE};     //!< Reads and Atomics of this side under way: ORD
};

/// @ingroup iwarp-verbs
/// @brief What happened to a connection, as verbs call it (rdma_cm_event). An application gets all
/// kinds but CONNECT_RESPONSE and UNANSWERED. FAILED says why its queue pair is in error; the end
/// of the connection follows.
using RdmaConnectionEvent = MpaConnectionEvent;

/**
 * @ingroup iwarp-verbs
 * @brief Connects queue pairs (rdma_cm_id): resolve, connect; or listen, accept, reject.
 *
 * It makes the TCP connection with MpaTcpSocket, runs MPA startup with private data, IRD and ORD
 * (RFC 6581) over it and gives the stream to a queue pair. Events come through a callback, never
 * from within a call of the application but for those that the network causes.
 */
class RdmaConnection : public Object,
                       private RdmaQueuePair::ConnectionListener,
                       private MpaStreamUser
{
  public:
    /// Told of events. @param connection it; of CONNECT_REQUEST, which the listener's
    /// callback gets, the new one: Accept() or Reject() it; of a CONNECT_ERROR in its place, one
    /// that is over @param event what
    using EventCallback = Callback<void, Ptr<RdmaConnection>, const RdmaConnectionEvent&>;

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    RdmaConnection();
    ~RdmaConnection() override;

    /**
     * @brief Make a connection.
     * @param node node with an internet stack; MpaTcpSocketFactory is installed if it is not there
     * @return a connection
     */
    static Ptr<RdmaConnection> Create(Ptr<Node> node);

    /// Set who is told of events. @param callback called with each event; null for nobody
    void SetEventCallback(EventCallback callback);

    /**
     * @brief Set an attribute of the TCP socket, before Connect() or Listen(). TcpNoDelay is on
     * unless it is set here.
     * @param name attribute of MpaTcpSocket
     * @param value its value
     * @return 0; EINVAL if there is no such attribute, or it does not take the value
     */
    int SetSocketAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @brief Set an attribute of the MPA stream, before Connect() or Listen().
     * @param name attribute of MpaStream other than Revision
     * @param value its value
     * @return as SetSocketAttribute()
     */
    int SetStreamAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @brief Give it the queue pair that it is to connect, before Connect() or Accept().
     * @param pair a queue pair in state RESET or INIT
     * @return 0; EINVAL if it has one, or the connection is under way
     */
    int SetQp(Ptr<RdmaQueuePair> pair);

    /**
     * @brief Find a way to a peer (rdma_resolve_addr). ADDRESS_RESOLVED or ADDRESS_ERROR follows.
     * @param peer address and port of the peer
     * @return 0; EINVAL in the wrong state or for another kind of address
     */
    int ResolveAddress(const Address& peer);

    /**
     * @brief Find the route to it (rdma_resolve_route). ROUTE_RESOLVED follows.
     * @return 0; EINVAL before ADDRESS_RESOLVED
     */
    int ResolveRoute();

    /**
     * @brief Connect (rdma_connect). ESTABLISHED, REJECTED, UNREACHABLE or CONNECT_ERROR follows.
     * @param parameters what to ask for
     * @return 0; EINVAL before ROUTE_RESOLVED, without a queue pair, for too much private data, or
     *         for attributes that contradict each other; EMFILE for more reads than the device
     * takes
     */
    int Connect(const RdmaConnectionParameters& parameters);

    /**
     * @brief Wait for peers (rdma_bind_addr, rdma_listen). Each gives a CONNECT_REQUEST, or a
     * CONNECT_ERROR if its Request is not usable or never comes.
     * @param local address and port to listen at
     * @return 0; EINVAL in the wrong state or for attributes that contradict each other; EADDRINUSE
     *         if the port is taken
     */
    int Listen(const Address& local);

    /**
     * @brief Accept a request (rdma_accept). ESTABLISHED or CONNECT_ERROR follows.
     * @param parameters what to answer; with MPA revision 2 an IRD that is left to attribute Ird
     * follows the peer's ORD up to MaxIrd, and ORD stays within the peer's IRD; less than MinOrd
     * and more than MaxIrd contradict these attributes
     * @return as for Connect()
     */
    int Accept(const RdmaConnectionParameters& parameters);

    /**
     * @brief Reject a request (rdma_reject).
     * @param privateData octets for the peer
     * @return 0; EINVAL if there is no request, or for too much private data
     */
    int Reject(const std::vector<uint8_t>& privateData = {});

    /**
     * @brief End the connection gracefully, or stop listening (rdma_disconnect).
     * @return 0; EINVAL if there is nothing to end
     */
    int Disconnect();

    /// Tell how many connections of a listener may still be anything, at most attribute Backlog.
    /// @return those that TCP has accepted and whose MPA Request has not come
    uint16_t GetBacklog() const;
    /// Get the queue pair that SetQp() gave it. @return it, or nullptr
    Ptr<RdmaQueuePair> GetQp() const;
    /// Get what carries the connection. @return its MPA stream, once TCP is connected
    Ptr<MpaStream> GetMpa() const;

  protected:
    void DoDispose() override;

  private:
    /// States.
    enum class State : uint8_t
    {
        IDLE,
        RESOLVING,
        ADDRESS_RESOLVED,
        ROUTE_RESOLVED,
        LISTENING,
        CONNECTING,
        REQUESTED, //!< waits for Accept() or Reject()
        CONNECTED,
        OVER,
    };

    /// Attributes of the sockets and streams, shared by a listener and the connections it makes.
    struct Settings : public SimpleRefCount<Settings>
    {
        std::vector<std::pair<std::string, Ptr<AttributeValue>>> socket; //!< of MpaTcpSocket
        std::vector<std::pair<std::string, Ptr<AttributeValue>>> stream; //!< of MpaStream
    };

    class RtrAccessor; //!< sets and gets a kind of ready-to-receive indication
    /// Note an attribute. @param list where @param typeId whose @param name name @param value value
    /// @return 0 or EINVAL
    static int AddSetting(std::vector<std::pair<std::string, Ptr<AttributeValue>>>& list,
                          const TypeId& typeId,
                          const std::string& name,
                          const AttributeValue& value);
    /// Get the settings to change them. @return them, made if there were none
    Settings& GetSettings();
    /// Make a socket with the attributes set. @return a new socket of the node
    Ptr<MpaTcpSocket> MakeSocket();
    /// What MPA revision 2 is to negotiate. @param parameters what is asked for @param listens
    /// the side that listens @return configuration
    MpaEnhancedConfig MakeEnhanced(const RdmaConnectionParameters& parameters, bool listens) const;
    /// Judge what is asked for. @param parameters it @param listens the side that listens
    /// @return 0, EMFILE or EINVAL
    int Validate(const RdmaConnectionParameters& parameters, bool listens) const;
    /// Make the MPA stream. @param socket transport
    void MakeStream(Ptr<MpaTcpSocket> socket);
    /// Put attributes where parameters leave it to them. @param parameters what is asked for
    /// @return what is meant
    RdmaConnectionParameters Complete(const RdmaConnectionParameters& parameters) const;
    void OpenSocket(); //!< Connect TCP
    void Reconnect();  //!< Try once more, with MPA revision 1
    /// Judge the length of private data. @param privateData octets @return true if MPA takes as
    /// many
    bool Fits(const std::vector<uint8_t>& privateData) const;
    void KeepAlive(); //!< exist until Retire() or as long as the device does
    void Retire();    //!< no event comes any more
    void End();       //!< the connection is over
    void Resolved();  //!< look for a route to the peer
    /// Tell of it in an event of its own. @param event what
    void Later(const RdmaConnectionEvent& event);
    /// Call the application. @param event what it is told
    void Notify(const RdmaConnectionEvent& event);
    void HandleConnected(Ptr<Socket> socket);   //!< TCP is connected @param socket socket
    void HandleUnreachable(Ptr<Socket> socket); //!< TCP is not @param socket socket
    /// A peer's TCP connection. @param socket socket @param peer address
    void HandleAccept(Ptr<Socket> socket, const Address& peer);
    /// Count a connection whose Request has not come, at the listener. @param more one more, or
    /// one less
    void CountBacklog(bool more);
    void LeaveBacklog(); //!< No longer wait for a Request, in whose place this may be something
                         //!< else
    // MpaStreamUser, on the side that listens, until a queue pair takes the stream
    bool TakesUlpdus() const override;
    void HandleEvent(MpaStream& mpa, const MpaConnectionEvent& event) override;
    // RdmaQueuePair::ConnectionListener
    void HandleEvent(const MpaConnectionEvent& event) override;
    void ReleaseStartup(); //!< let go of what only startup needs

    uint8_t m_revision{2};                 //!< MPA revision
    bool m_peerToPeer{false};              //!< ask for the peer-to-peer model
    bool m_retryUnenhanced{true};          //!< connect again with revision 1
    MpaRtrSet m_rtr;                       //!< kinds of ready-to-receive indication
    uint16_t m_ird{0};                     //!< IRD
    uint16_t m_maxIrd{0};                  //!< most IRD when listening
    uint16_t m_ord{0};                     //!< ORD
    uint16_t m_minOrd{0};                  //!< least ORD that does
    bool m_strictIrd{false};               //!< fewer reads than wanted are an error
    bool m_unenhanced{false};              //!< this is the second try, with revision 1
    Ptr<Settings> m_settings;              //!< attributes of socket and stream, if any are set
    State m_state{State::IDLE};            //!< state
    bool m_negotiateReads{true};           //!< have IRD and ORD negotiated
    uint16_t m_maxBacklog{0};              //!< most connections without a Request, when listening
    uint16_t m_backlog{0};                 //!< connections without a Request
    Ptr<Node> m_node;                      //!< node
    Ptr<RdmaQueuePair> m_pair;             //!< queue pair
    Address m_peer;                        //!< address of the peer
    RdmaConnectionParameters m_parameters; //!< what to ask for
    Ptr<Socket> m_socket;                  //!< TCP, listening or connecting
    Ptr<MpaStream> m_mpa;                  //!< MPA, once TCP is connected
    Ptr<RdmaConnection> m_listener;        //!< who listened
    Ptr<RdmaConnection> m_self;            //!< itself, while events may come
    bool m_disconnected{false};            //!< DISCONNECTED was told of
    EventCallback m_callback;              //!< told of events
};

} // namespace ns3

#endif // RDMA_CONNECTION_H
