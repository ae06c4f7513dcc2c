/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_BULK_SENDER_H
#define MPA_BULK_SENDER_H

#include "ns3/address.h"
#include "ns3/app-message-source.h"
#include "ns3/application.h"
#include "ns3/mpa-stream.h"
#include "ns3/object-factory.h"
#include "ns3/tcp-socket-settings.h"
#include "ns3/traced-callback.h"

#include <deque>
#include <string>

namespace ns3
{

/**
 * @ingroup iwarp-app
 * @brief Sends messages over one MPA stream, to an MpaSink.
 *
 * It connects, starts MPA, and posts messages of sizes drawn from MessageSizes: in a closed loop,
 * so that QueueDepth messages are always posted, or, with Intervals set, at random times. Each
 * message goes out in ULPDUs of MULPDU octets, asked anew for each, with the header that
 * app-message.h describes. It ends after MaxMessages or MaxOctets, or when the application stops.
 */
class MpaBulkSender : public Application, private MpaStreamUser, private iwarp::MessageSource::User
{
  public:
    /// Signature of the StreamCreated and Established traces. @param stream the stream
    typedef void (*StreamTracedCallback)(Ptr<MpaStream> stream);
    /// Signature of the MessagePosted and MessageSent traces. @param message number, from 0
    /// @param size octets
    typedef void (*MessageTracedCallback)(uint32_t message, uint64_t size);
    /// Signature of the Failed trace. @param reason why, for people
    typedef void (*FailedTracedCallback)(const std::string& reason);

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    MpaBulkSender();
    ~MpaBulkSender() override;

    /**
     * @brief Describe the message sizes in text, see iwarp::MakeDistribution().
     * @param description such as "cdf:alistorage2019"
     * @return "", or what is wrong
     */
    std::string SetMessageSizes(const std::string& description);

    /**
     * @brief Set an attribute of the TCP socket, before the application starts.
     * @param name attribute of MpaTcpSocket
     * @param value its value
     */
    void SetSocketAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @brief Set an attribute of the MPA stream, before the application starts.
     * @param name attribute of MpaStream
     * @param value its value
     */
    void SetStreamAttribute(const std::string& name, const AttributeValue& value);

    /// Draw no more than so many messages, until another call allows more. @param messages from the
    /// first one on
    void Allow(uint64_t messages);

    /// Post a message as soon as QueueDepth allows, besides those that are drawn from MessageSizes
    /// and whatever their limits. @param size octets, 1 to 0xFFFFFFFF
    void Post(uint64_t size);

    /// Get the MPA stream. @return it; nullptr before StreamCreated
    Ptr<MpaStream> GetStream() const;
    uint64_t GetMessagesPosted() const; //!< Count the messages posted. @return messages
    /// Count the messages given to the stream as a whole. @return messages
    uint64_t GetMessagesSent() const;
    /// Count the messages that found QueueDepth messages posted. @return messages
    uint64_t GetMessagesRefused() const;
    uint64_t GetOctetsSent() const; //!< Count the payload given to the stream. @return octets
    bool IsFinished() const;        //!< Tell whether all that was to be sent was. @return true then
    /// Tell why the stream ended early. @return words; "" if it did not
    const std::string& GetError() const;

    /**
     * @brief Fix the random streams. Overrides Application's since ns-3.41, which has it.
     * @param stream first stream number
     * @return number of streams used, 2
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
    };

    void StartApplication() override;
    void StopApplication() override;

    void HandleConnected(Ptr<Socket> socket); //!< TCP is up
    void HandleLost(Ptr<Socket> socket);      //!< TCP did not come up, or ended before MPA
    void HandleHello(Ptr<Socket> socket);     //!< the peer answers the streaming hello
    void StartMpa();                          //!< hand the socket to the stream
    void Begin();                             //!< messages may be sent
    // MpaStreamUser
    void HandleEvent(MpaStream& stream, const MpaConnectionEvent& event) override;
    void HandleUlpdu(MpaStream& stream,
                     const MpaUlpdu& ulpdu,
                     RecordPlacementList* placements) override;
    void HandleRoom(MpaStream& stream, uint32_t room) override;

    // iwarp::MessageSource::User
    bool HasRoom() const override;
    void PostMessage(uint32_t number, uint64_t size) override;

    void Fill();      //!< give the stream what it takes
    bool SendFront(); //!< send the oldest message @return false if there is no room
    void Fail(const std::string& reason); //!< end early @param reason why

    Address m_remote;                       //!< where the sink listens
    Address m_local;                        //!< where to bind
    bool m_initiator;                       //!< MPA role
    iwarp::MessageSource m_source;          //!< messages
    std::string m_privateData;              //!< Private Data of the Request
    std::string m_hello;                    //!< streaming data first
    bool m_backed;                          //!< payload with a pattern
    bool m_closeWhenDone;                   //!< FIN after the last message
    ObjectFactory m_streamFactory;          //!< makes the stream
    iwarp::SocketSettings m_socketSettings; //!< attributes of the socket

    Ptr<Socket> m_socket;        //!< transport
    Ptr<MpaStream> m_stream;     //!< stream
    std::deque<Message> m_queue; //!< messages posted and not sent
    uint32_t m_helloLeft{0};     //!< octets of the hello's answer that are still to come
    uint64_t m_sent{0};          //!< messages sent
    uint64_t m_sentOctets{0};    //!< octets sent
    bool m_filling{false};       //!< Fill() runs
    bool m_finished{false};      //!< all was sent
    std::string m_error;         //!< why the stream ended early

    TracedCallback<Ptr<MpaStream>> m_createdTrace;     //!< StreamCreated
    TracedCallback<Ptr<MpaStream>> m_establishedTrace; //!< Established
    TracedCallback<uint32_t, uint64_t> m_postedTrace;  //!< MessagePosted
    TracedCallback<const std::string&> m_failedTrace;  //!< Failed
    TracedCallback<uint32_t, uint64_t> m_sentTrace;    //!< MessageSent
};

} // namespace ns3

#endif // MPA_BULK_SENDER_H
