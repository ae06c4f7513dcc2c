/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TLS_SINK_H
#define TLS_SINK_H

#include "tls-message.h"

#include "ns3/address.h"
#include "ns3/application.h"
#include "ns3/object-factory.h"
#include "ns3/simple-ref-count.h"
#include "ns3/tcp-socket-settings.h"
#include "ns3/tls-stream.h"
#include "ns3/traced-callback.h"
#include "ns3/type-id.h"

#include <functional>
#include <string>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-app
/// @brief One connection of a TlsSink.
class TlsSinkConnection final : public SimpleRefCount<TlsSinkConnection>, private TlsStream::User
{
  public:
    /// Payload has come. @param octets of it
    using PayloadFunction = iwarp::TlsMessageReader::PayloadFunction;
    /// A message is complete. @param message number @param size octets
    using MessageFunction = iwarp::TlsMessageReader::MessageFunction;
    /// The connection ended early. @param reason why, for people
    using FailureFunction = std::function<void(const std::string& reason)>;

    /// Take a stream that is not open. @param stream it @param backed compare payload
    /// @param payload called for each piece of it @param message called for each message @param
    /// failure called once if it ends early
    TlsSinkConnection(Ptr<TlsStream> stream,
                      bool backed,
                      PayloadFunction payload,
                      MessageFunction message,
                      FailureFunction failure);
    ~TlsSinkConnection(); //!< takes no more events

    Ptr<TlsStream> GetStream() const; //!< Get the stream. @return it
    /// Get the counters of messages and octets. @return they
    const iwarp::TlsMessageReader& GetReader() const;
    /// Tell why the connection ended early. @return words; "" if it did not
    const std::string& GetError() const;

  private:
    void Fail(const std::string& reason); //!< it ends early @param reason why
    // TlsStream::User
    void HandleEstablished(TlsStream& stream) override;
    void HandleData(TlsStream& stream, const Ptr<Packet>& content) override;
    void HandleRoom(TlsStream& stream) override;
    void HandleEnd(TlsStream& stream, TlsEnd end) override;

    Ptr<TlsStream> m_stream;          //!< stream
    iwarp::TlsMessageReader m_reader; //!< messages
    FailureFunction m_failure;        //!< called if it ends early
    std::string m_error;              //!< see GetError()
};

/**
 * @ingroup iwarp-app
 * @brief Takes the messages of any number of TlsBulkSenders.
 *
 * It listens, answers handshakes as the server, and reports each message when all of it has come in
 * records that are whole. With Backed it compares the payload with what a TlsBulkSender with Backed
 * sends. A connection ends when the sender ends it, or where no message begins that has to.
 */
class TlsSink : public Application
{
  public:
    /// Signature of the StreamCreated trace. @param stream the stream
    typedef void (*StreamTracedCallback)(Ptr<TlsStream> stream);
    /// Signature of the MessageReceived trace. @param stream connection @param message number, from
    /// 0 @param size octets
    typedef void (*MessageTracedCallback)(Ptr<TlsStream> stream, uint32_t message, uint64_t size);
    /// Signature of the PayloadReceived trace. @param stream connection @param octets of payload
    typedef void (*PayloadTracedCallback)(Ptr<TlsStream> stream, uint64_t octets);
    /// Signature of the Failed trace. @param stream connection @param reason why, for people
    typedef void (*FailedTracedCallback)(Ptr<TlsStream> stream, const std::string& reason);

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    TlsSink();
    ~TlsSink() override;

    /// Set an attribute of the TCP sockets, before the application starts. @param name attribute of
    /// the sockets that Protocol makes @param value its value
    void SetSocketAttribute(const std::string& name, const AttributeValue& value);
    /// Set an attribute of the streams, before the application starts. @param name attribute of
    /// TlsStream @param value its value
    void SetStreamAttribute(const std::string& name, const AttributeValue& value);

    std::size_t GetNConnections()
        const; //!< Count the connections accepted so far. @return connections
    /// Get a connection. @param i 0 to GetNConnections() - 1, in the order of acceptance @return it
    Ptr<const TlsSinkConnection> GetConnection(std::size_t i) const;
    uint64_t GetMessages()
        const; //!< Count the messages received on all connections. @return messages
    uint64_t GetMessageOctets() const; //!< Count the payload of these messages. @return octets
    uint64_t GetOctets() const; //!< Count the payload received on all connections. @return octets
    /// Count the octets that are not as they were sent. @return octets
    uint64_t GetContentErrors() const;
    /// Tell why the first connection that failed did. @return words; "" if none has
    std::string GetError() const;

    /**
     * @brief Fix the random streams. Overrides Application's since ns-3.41, which has it.
     * @param stream first stream number; connections share it
     * @return number of streams used, 1
     */
    int64_t AssignStreams(int64_t stream);

  protected:
    void DoDispose() override;

  private:
    void StartApplication() override;
    void StopApplication() override;
    /// A connection is there. @param socket its socket @param from the sender's address
    void HandleAccept(Ptr<Socket> socket, const Address& from);
    /// @param value of a reader @return sum over connections
    uint64_t Sum(uint64_t (iwarp::TlsMessageReader::*value)() const) const;

    Address m_local;                        //!< where to listen
    TypeId m_protocol;                      //!< makes the sockets
    bool m_backed;                          //!< compare the payload
    ObjectFactory m_streamFactory;          //!< makes the streams
    iwarp::SocketSettings m_socketSettings; //!< attributes of the sockets
    int64_t m_randomStream{-1};             //!< of the TlsStreams; -1: any

    Ptr<Socket> m_listener;                            //!< listening socket
    std::vector<Ptr<TlsSinkConnection>> m_connections; //!< in the order of acceptance

    TracedCallback<Ptr<TlsStream>> m_createdTrace;                     //!< StreamCreated
    TracedCallback<Ptr<TlsStream>, uint64_t> m_payloadTrace;           //!< PayloadReceived
    TracedCallback<Ptr<TlsStream>, uint32_t, uint64_t> m_messageTrace; //!< MessageReceived
    TracedCallback<Ptr<TlsStream>, const std::string&> m_failedTrace;  //!< Failed
};

} // namespace ns3

#endif // TLS_SINK_H
