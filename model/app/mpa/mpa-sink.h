/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_SINK_H
#define MPA_SINK_H

#include "mpa-sink-connection.h"

#include "ns3/address.h"
#include "ns3/application.h"
#include "ns3/mpa-stream.h"
#include "ns3/object-factory.h"
#include "ns3/tcp-socket-settings.h"
#include "ns3/traced-callback.h"

#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-app
 * @brief Takes the messages of any number of MpaBulkSenders.
 *
 * It listens, answers MPA startup, places each ULPDU as soon as it is passed, in any order, and
 * reports each message when all of it is there and all before it is. With Backed it holds the
 * payload and compares it with what an MpaBulkSender with Backed sends. A connection ends when the
 * sender ends it, or at the first ULPDU that is not an MpaBulkSender's.
 */
class MpaSink : public Application
{
  public:
    /// Signature of the StreamCreated trace. @param stream the stream
    typedef void (*StreamTracedCallback)(Ptr<MpaStream> stream);
    /// Signature of the MessageReceived trace. @param stream connection @param message number, from
    /// 0 @param size octets
    typedef void (*MessageTracedCallback)(Ptr<MpaStream> stream, uint32_t message, uint64_t size);

    /// Signature of the Failed trace. @param stream connection @param reason why, for people
    typedef void (*FailedTracedCallback)(Ptr<MpaStream> stream, const std::string& reason);

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    MpaSink();
    ~MpaSink() override;

    /**
     * @brief Set an attribute of the TCP sockets, before the application starts.
     * @param name attribute of MpaTcpSocket
     * @param value its value
     */
    void SetSocketAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @brief Set an attribute of the MPA streams, before the application starts.
     * @param name attribute of MpaStream
     * @param value its value
     */
    void SetStreamAttribute(const std::string& name, const AttributeValue& value);

    /// Count the connections accepted so far. @return connections
    std::size_t GetNConnections() const;
    /// Get a connection. @param i 0 to GetNConnections() - 1, in the order of acceptance @return it
    Ptr<const MpaSinkConnection> GetConnection(std::size_t i) const;

    /// Count the messages received on all connections. @return messages
    uint64_t GetMessages() const;
    uint64_t GetMessageOctets() const; //!< Count the payload of these messages. @return octets
    uint64_t GetOctets() const; //!< Count the payload placed on all connections. @return octets
    /// Count the octets that are not as they were sent. @return octets
    uint64_t GetContentErrors() const;
    /// Count the ULPDUs that are not an MpaBulkSender's. @return ULPDUs
    uint64_t GetBadUlpdus() const;
    /// Tell why the first connection that failed did. @return words; "" if none has
    std::string GetError() const;

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;

    /// A connection is there. @param socket its socket @param from the sender's address
    void HandleAccept(Ptr<Socket> socket, const Address& from);
    /// A message is complete. @param connection where @param message number @param size octets
    void HandleMessage(MpaSinkConnection& connection, uint32_t message, uint64_t size);

    Address m_local;                        //!< where to listen
    bool m_initiator;                       //!< MPA role
    bool m_reject;                          //!< reject every Request
    bool m_backed;                          //!< compare the payload
    std::string m_privateData;              //!< Private Data of the Reply
    std::string m_hello;                    //!< streaming data expected first
    ObjectFactory m_streamFactory;          //!< makes the streams
    iwarp::SocketSettings m_socketSettings; //!< attributes of the sockets

    Ptr<Socket> m_listener;                            //!< listening socket
    std::vector<Ptr<MpaSinkConnection>> m_connections; //!< connections in the order of acceptance

    TracedCallback<Ptr<MpaStream>> m_createdTrace;                     //!< StreamCreated
    TracedCallback<Ptr<MpaStream>, const std::string&> m_failedTrace;  //!< Failed
    TracedCallback<Ptr<MpaStream>, uint32_t, uint64_t> m_messageTrace; //!< MessageReceived
};

} // namespace ns3

#endif // MPA_SINK_H
