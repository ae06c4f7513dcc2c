/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_SCRIPT_H
#define TCP_SCRIPT_H

#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/socket.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-socket-base.h"

#include <cstdint>
#include <deque>
#include <sstream>
#include <string>
#include <vector>

/**
 * @file
 * @ingroup iwarp-test
 * What a TCP socket does, told by scripts in the manner of packetdrill: segments that a peer made
 * by hand sends, segments that the host must send and when, and calls of the socket.
 *
 * A script has a step a line. Times are milliseconds behind the step before.
 * - `[+T] < FLAGS SEQ:END [ack N] [OPTION ...]`: the peer sends a segment. FLAGS are of FSRP.UEC,
 *   where `.` is ACK, or `0` for none. Numbers count from the sender's SYN, which is 0.
 * - `[+T | +A-B] > FLAGS SEQ:END [ack N] [OPTION ...]`: the host's next segment, at the time given
 *   (2 ms and 1 % more or less), or in that range, or at once. What is not written may be anything.
 * - OPTION is `win N`, `mss N`, `sackok`, `ws N`, `ts VALUE:ECHO`, `nots`, `sack A:B,C:D` or
 *   `nosack`. In a SYN of the peer MSS is 1000 unless it says `nomss`, its windows are 30000 unless
 *   it says otherwise.
 * - `[+T] CALL`: `listen`, `connect`, `write N`, `read N`, `close`, `shutdown`; `set NAME VALUE`
 *   and `noread` come before. `close` is the listener's until a connection is accepted.
 * - `control NAME`, `recovery NAME`: ns-3's congestion control and recovery, set before as well.
 * - `passive [OPTION ...]`, `active [OPTION ...]`: a handshake whole, with options in the peer's
 * SYN.
 * - `on error close`, `on close close`: the application closes when it is told of that.
 * - `quiet T`: the host sends nothing so long. `ignore T`: it may.
 * - `state NAME`, `octets N`, `heard EVENT`, `unheard EVENT`: the state that the application's
 *   socket is in, what it has been given, and what it has been told of, or has not: connected,
 *   refused, accepted, closed, error.
 * - `ends`: once timers have run out, TIME_WAIT's too, nothing is left to happen.
 * - `isn N`: the peer's initial sequence number, 10000 otherwise.
 */

/// A segment that the host must send, or one that the peer sends.
struct TcpScriptSegment
{
    std::string flags;                               //!< letters
    int64_t seq{0};                                  //!< first octet
    int64_t end{0};                                  //!< behind the last octet
    int64_t ack{-1};                                 //!< acknowledgment number, or -1
    int64_t window{-1};                              //!< window field, or -1
    int64_t mss{-1};                                 //!< option, or -1
    int64_t scale{-1};                               //!< option, or -1
    int64_t timestamp{-1};                           //!< TSval, or -1
    int64_t echo{-1};                                //!< TSecr, or -1
    bool timestamps{false};                          //!< it has the option
    bool noTimestamps{false};                        //!< it must not
    bool sackPermitted{false};                       //!< option
    bool noSack{false};                              //!< it must not have SACK blocks
    std::vector<std::pair<int64_t, int64_t>> blocks; //!< SACK blocks
    ns3::Time at;                                    //!< when it came

    /// Read it from a script. @param rest of a line behind `<` or `>` @return segment
    static TcpScriptSegment Parse(std::istringstream& rest);
    std::string Describe() const; //!< Write it as in a script. @return text
};

/**
 * @ingroup iwarp-test
 * Runs a script: against a host 10.0.0.2 with the sockets that are tested, from a peer 10.0.0.1
 * that has no stack.
 */
class TcpScript
{
  public:
    explicit TcpScript(ns3::TypeId factory); //!< @param factory of the sockets that are tested
    ~TcpScript();
    TcpScript(const TcpScript&) = delete;
    TcpScript& operator=(const TcpScript&) = delete;

    /// Run a script. @param script it @return what goes wrong; empty if nothing does
    std::string Run(const std::string& script);

    /// Run a script in a process of its own, which sockets may end. @param factory see
    /// TcpScript() @param script it @return what goes wrong; empty if nothing does
    static std::string RunApart(ns3::TypeId factory, const std::string& script);

    static constexpr uint16_t PEER_PORT = 2000; //!< the peer's port

  private:
    /// When a segment is expected, behind the step before.
    struct When
    {
        ns3::Time first; //!< earliest
        ns3::Time last;  //!< latest
        ns3::Time exact; //!< it
    };

    std::string Perform(const std::string& line);
    std::string Call(const std::string& verb, std::istringstream& rest);
    std::string Check(const std::string& verb, std::istringstream& rest);
    std::string Shake(bool active, const std::string& options);
    std::string Expect(const When& when, const TcpScriptSegment& wanted);
    std::string Compare(const TcpScriptSegment& wanted, const TcpScriptSegment& came) const;
    void SendSegment(const TcpScriptSegment& segment);
    void Pass(ns3::Time time, bool untilSegment);
    void Watch(ns3::Ptr<ns3::Socket> socket);
    void Hear(const std::string& event, bool& closes);
    void HearOfFailure(ns3::Ptr<ns3::Socket> socket);
    void HearOfConnection(ns3::Ptr<ns3::Socket> socket);
    void HearOfClose(ns3::Ptr<ns3::Socket> socket);
    void HearOfError(ns3::Ptr<ns3::Socket> socket);
    void Accept(ns3::Ptr<ns3::Socket> socket, const ns3::Address& from);
    void Read(ns3::Ptr<ns3::Socket> socket);
    void NoteState(ns3::TcpSocket::TcpStates_t before, ns3::TcpSocket::TcpStates_t now);
    void Receive(ns3::Ptr<ns3::NetDevice> device,
                 ns3::Ptr<const ns3::Packet> packet,
                 uint16_t protocol,
                 const ns3::Address& from,
                 const ns3::Address& to,
                 ns3::NetDevice::PacketType type);

    ns3::Ptr<ns3::NetDevice> m_device;   //!< the peer's
    ns3::Ptr<ns3::Socket> m_first;       //!< the socket made first
    ns3::Ptr<ns3::Socket> m_socket;      //!< the connection's
    std::deque<TcpScriptSegment> m_seen; //!< segments of the host that no step was about yet
    std::string m_heard;                 //!< what the application was told of
    ns3::TcpSocket::TcpStates_t m_state; //!< the connection's
    uint64_t m_octets{0};                //!< that the application has read
    uint32_t m_isn{10000};               //!< the peer's
    uint16_t m_hostPort{4000};           //!< the host's port
    bool m_reads{true};                  //!< the application reads at once
    bool m_closesOnError{false};         //!< it closes in the error callback
    bool m_closesOnClose{false};         //!< it closes in the close callback
    bool m_waiting{false};               //!< a segment ends Pass()
};

#endif // TCP_SCRIPT_H
