/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_SINK_CONNECTION_H
#define MPA_SINK_CONNECTION_H

#include "ns3/app-message.h"
#include "ns3/mpa-stream.h"
#include "ns3/record-host-view.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-app
 * @brief One connection of an MpaSink: streaming hello, startup, messages, end.
 */
class MpaSinkConnection : public SimpleRefCount<MpaSinkConnection>, private MpaStreamUser
{
  public:
    /// What all connections of a sink have in common.
    struct Config
    {
        bool initiator{false};              //!< start MPA as Initiator
        bool reject{false};                 //!< answer a Request with R=1
        bool backed{false};                 //!< compare the payload
        std::vector<uint8_t> privateData{}; //!< for the Reply, or the Request of an Initiator
        std::vector<uint8_t> hello{};       //!< streaming data expected first, and sent back
    };

    /// A message is complete. @param connection where @param message number @param size octets
    using MessageFunction =
        std::function<void(MpaSinkConnection& connection, uint32_t message, uint64_t size)>;

    /// The connection ended early. @param reason why, for people
    using FailureFunction = std::function<void(const std::string& reason)>;

    /**
     * @brief Take a connection that TCP has accepted.
     * @param stream a stream with a connected socket, not started
     * @param config what to do
     * @param message called for each message
     * @param failure called once if the connection ends early
     */
    MpaSinkConnection(Ptr<MpaStream> stream,
                      const Config& config,
                      MessageFunction message,
                      FailureFunction failure);

    ~MpaSinkConnection() override; //!< takes no more events

    void Start(); //!< Wait for the hello or start MPA
    void Close(); //!< Close the connection and take no more events

    Ptr<MpaStream> GetStream() const; //!< Get the MPA stream. @return it
    /// Get the counters of messages and octets. @return they
    const iwarp::MessageAssembler& GetAssembler() const;
    /// Count the ULPDUs that are not an MpaBulkSender's. @return ULPDUs
    uint64_t GetBadUlpdus() const;
    /// Tell why the connection ended early. @return words; "" if it did not
    const std::string& GetError() const;

  private:
    void Fail(const std::string& reason);      //!< the connection ends early @param reason why
    void Release();                            //!< take no more events
    void StartMpa();                           //!< hand the socket to the stream
    void HandleHello(Ptr<Socket> socket);      //!< streaming data came
    void HandleHelloClose(Ptr<Socket> socket); //!< the peer closed before its hello was whole
    void AnswerFrame();                        //!< accept or reject the peer
    void SendFirst();                          //!< send what a Responder waits for
    // MpaStreamUser
    void HandleEvent(MpaStream& stream, const MpaConnectionEvent& event) override;
    void HandleUlpdu(MpaStream& stream,
                     const MpaUlpdu& ulpdu,
                     RecordPlacementList* placements) override;
    void HandleDeliver(MpaStream& stream, uint32_t count) override;

    Ptr<MpaStream> m_stream;             //!< stream
    Config m_config;                     //!< what to do
    iwarp::MessageAssembler m_assembler; //!< puts messages together
    RecordHostView m_hostView;           //!< when a program sees messages in its memory
    FailureFunction m_failure;           //!< called if the connection ends early
    std::vector<uint8_t> m_hello;        //!< hello received so far
    bool m_waitsForHello{false};         //!< the hello is not whole yet
    uint64_t m_badUlpdus{0};             //!< see GetBadUlpdus()
    std::string m_error;                 //!< see GetError()
};

} // namespace ns3

#endif // MPA_SINK_CONNECTION_H
