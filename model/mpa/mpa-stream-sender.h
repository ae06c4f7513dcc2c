/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_STREAM_SENDER_H
#define MPA_STREAM_SENDER_H

#include "mpa-sender.h"
#include "mpa-stream-traces.h"

#include "ns3/record-placement.h"
#include "ns3/socket.h"

#include <cstdint>

namespace ns3
{

class MpaTcpSocket;

/**
 * @ingroup iwarp-mpa
 * @brief Sending half of an MpaStream: what MpaSender makes of ULPDUs goes to the socket, a record
 * each.
 */
class MpaStreamSender
{
  public:
    /// Make the sending half of a stream. @param traces of the stream, which outlive this
    explicit MpaStreamSender(MpaStreamTraces& traces);

    /// The next octet that is sent is the first of FPDUs, unless that was so before.
    /// @param socket transport @param format Markers and CRC of what is sent
    void Open(const MpaTcpSocket& socket, const mpa::FpduFormat& format);
    /// Frame as late as TCP can use it. @param octets unsent, from which on no FPDU is framed; 0 to
    /// frame what the send buffer takes
    void SetFramingAhead(uint32_t octets);
    bool IsOpen() const;  //!< Tell whether FPDUs may go out. @return true from Open() on
    bool MaySend() const; //!< Tell whether ULPDUs are taken. @return IsOpen(), and no Shutdown()

    /**
     * @brief Send a ULPDU, see MpaStream::Send().
     * @param socket transport; nullptr if the stream has none
     * @param head first part of the ULPDU
     * @param headSize octets of it
     * @param tail the rest; nullptr means that many zero octets
     * @param tailSize octets of the rest
     * @param source where its octets come from
     * @param most octets of the longest ULPDU that is allowed; 0 for any
     * @param accepted the peer's frame was accepted, so that ULPDUs may wait
     * @return octets of the ULPDU; -1 if it was not taken, see GetErrno()
     */
    int Send(MpaTcpSocket* socket,
             const uint8_t* head,
             uint32_t headSize,
             const uint8_t* tail,
             uint32_t tailSize,
             const RecordSource& source,
             uint32_t most,
             bool accepted);
    /// Tell the reasons of a refusal apart. @return why the last Send() returned -1
    Socket::SocketErrno GetErrno() const;

    /// Send what waits, and FIN behind it after Shutdown(). @param socket transport
    /// @return nothing waits any more
    bool SendQueued(MpaTcpSocket& socket);

    /// Take nothing more; FIN follows what was accepted. @param socket transport
    void Shutdown(MpaTcpSocket& socket);
    void Stop(); //!< Take nothing more; the caller closes TCP

    /// Find the largest ULPDU to post now. @param socket transport, nullptr if there is none
    /// @param dynamic it is to fit the segment being filled @return octets
    uint32_t GetMulpdu(const MpaTcpSocket* socket, bool dynamic) const;
    /// TCP's segments take another number of octets. @param emss so many @return MULPDU has changed
    bool UpdateMulpdu(uint32_t emss);
    /// Find the room for more FPDUs. @param socket transport, nullptr if there is none
    /// @return octets of FPDUs that the send buffer takes now
    uint32_t GetTxAvailable(const MpaTcpSocket* socket) const;

  private:
    /// Ask for an FPDU's room. @param socket transport @return octets that the send buffer takes,
    /// none if enough waits there
    uint32_t FindRoom(const MpaTcpSocket& socket) const;
    /// Frame a ULPDU and give it to the socket. Parameters as for Send(). @return false if the
    /// socket has no room
    bool SendFpdu(MpaTcpSocket& socket,
                  const uint8_t* head,
                  uint32_t headSize,
                  const uint8_t* tail,
                  uint32_t tailSize,
                  const RecordSource& source);

    MpaStreamTraces& m_traces;                           //!< of the stream
    uint32_t m_ahead{0};                                 //!< see SetFramingAhead()
    MpaSender m_sender;                                  //!< decides, and writes FPDUs
    Socket::SocketErrno m_errno{Socket::ERROR_NOTERROR}; //!< why the last Send() failed
};

} // namespace ns3

#endif // MPA_STREAM_SENDER_H
