/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TLS_BULK_SENDER_H
#define TLS_BULK_SENDER_H

#include "ns3/address.h"
#include "ns3/app-message-source.h"
#include "ns3/application.h"
#include "ns3/object-factory.h"
#include "ns3/tcp-socket-settings.h"
#include "ns3/tls-stream.h"
#include "ns3/traced-callback.h"
#include "ns3/type-id.h"

#include <deque>
#include <string>

namespace ns3
{

/**
 * @ingroup iwarp-app
 * @brief Sends messages over TLS 1.3, to a TlsSink.
 *
 * It connects as the client, and posts messages of sizes drawn from MessageSizes: in a closed loop,
 * so that QueueDepth messages are always posted, or, with Intervals set, at random times. Each goes
 * out in writes of WriteSize octets, which the stream divides among records; a header of
 * TLS_MESSAGE_HEADER octets is before it. It ends after MaxMessages or MaxOctets, or when the
 * application stops.
 */
class TlsBulkSender : public Application,
                      private TlsStream::User,
                      private iwarp::MessageSource::User
{
  public:
    /// Signature of the StreamCreated and Established traces. @param stream the stream
    typedef void (*StreamTracedCallback)(Ptr<TlsStream> stream);
    /// Signature of the MessagePosted and MessageSent traces. @param message number, from 0
    /// @param size octets
    typedef void (*MessageTracedCallback)(uint32_t message, uint64_t size);
    /// Signature of the Failed trace. @param reason why, for people
    typedef void (*FailedTracedCallback)(const std::string& reason);

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    TlsBulkSender();
    ~TlsBulkSender() override;

    /// Describe the message sizes in text, see iwarp::MakeDistribution(). @param description such
    /// as "cdf:alistorage2019" @return "", or what is wrong
    std::string SetMessageSizes(const std::string& description);
    /// Set an attribute of the TCP socket, before the application starts. @param name attribute of
    /// the sockets that Protocol makes @param value its value
    void SetSocketAttribute(const std::string& name, const AttributeValue& value);
    /// Set an attribute of the stream, before the application starts. @param name attribute of
    /// TlsStream @param value its value
    void SetStreamAttribute(const std::string& name, const AttributeValue& value);

    Ptr<TlsStream> GetStream() const; //!< Get the stream. @return it; nullptr before StreamCreated
    uint64_t GetMessagesPosted() const; //!< Count the messages posted. @return messages
    uint64_t GetMessagesSent()
        const; //!< Count those given to the stream as a whole. @return messages
    /// Count the messages that found QueueDepth messages posted. @return messages
    uint64_t GetMessagesRefused() const;
    uint64_t GetOctetsSent() const; //!< Count the payload given to the stream. @return octets
    bool IsFinished() const;        //!< Tell whether all that was to be sent was. @return true then
    /// Tell why the stream ended early. @return words; "" if it did not
    const std::string& GetError() const;

    /**
     * @brief Fix the random streams. Overrides Application's since ns-3.41, which has it.
     * @param stream first stream number
     * @return number of streams used, 3
     */
    int64_t AssignStreams(int64_t stream);

  protected:
    void DoDispose() override;

  private:
    /// A message posted and not sent.
    struct Message
    {
        uint32_t number; //!< number, from 0
        uint64_t size;   //!< octets
        uint64_t sent;   //!< octets given to the stream
        bool begun;      //!< its header was
    };

    void StartApplication() override;
    void StopApplication() override;
    void HandleConnected(Ptr<Socket> socket); //!< @param socket that is connected
    void HandleLost(Ptr<Socket> socket);      //!< @param socket that did not connect
    // TlsStream::User
    void HandleEstablished(TlsStream& stream) override;
    void HandleData(TlsStream& stream, const Ptr<Packet>& content) override;
    void HandleRoom(TlsStream& stream) override;
    void HandleEnd(TlsStream& stream, TlsEnd end) override;
    // iwarp::MessageSource::User
    bool HasRoom() const override;
    void PostMessage(uint32_t number, uint64_t size) override;

    void Fill();                          //!< give the stream what it takes
    void SendFront();                     //!< a write of the oldest message
    void Fail(const std::string& reason); //!< end early @param reason why

    Address m_remote;                       //!< where the sink listens
    Address m_local;                        //!< where to bind
    TypeId m_protocol;                      //!< makes the socket
    uint32_t m_writeSize;                   //!< octets of a write
    iwarp::MessageSource m_source;          //!< messages
    bool m_backed;                          //!< payload with a pattern
    bool m_closeWhenDone;                   //!< close_notify after the last message
    ObjectFactory m_streamFactory;          //!< makes the stream
    iwarp::SocketSettings m_socketSettings; //!< attributes of the socket
    int64_t m_randomStream{-1};             //!< of the TlsStream; -1: any

    Ptr<Socket> m_socket;        //!< transport
    Ptr<TlsStream> m_stream;     //!< stream
    std::deque<Message> m_queue; //!< messages posted and not sent
    uint64_t m_sent{0};          //!< messages sent
    uint64_t m_sentOctets{0};    //!< octets sent
    bool m_filling{false};       //!< Fill() runs
    bool m_finished{false};      //!< all was sent
    std::string m_error;         //!< why the stream ended early

    TracedCallback<Ptr<TlsStream>> m_createdTrace;     //!< StreamCreated
    TracedCallback<Ptr<TlsStream>> m_establishedTrace; //!< Established
    TracedCallback<uint32_t, uint64_t> m_postedTrace;  //!< MessagePosted
    TracedCallback<uint32_t, uint64_t> m_sentTrace;    //!< MessageSent
    TracedCallback<const std::string&> m_failedTrace;  //!< Failed
};

} // namespace ns3

#endif // TLS_BULK_SENDER_H
