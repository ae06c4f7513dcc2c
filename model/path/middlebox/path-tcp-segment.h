/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_TCP_SEGMENT_H
#define PATH_TCP_SEGMENT_H

#include "ns3/packet.h"

#include <array>
#include <cstdint>
#include <optional>

namespace ns3
{

/**
 * @ingroup iwarp-path
 * @brief An IP datagram that holds a whole TCP segment, as a box on the path sees it: octets of the
 * headers to read and change, and the payload.
 *
 * Headers are kept octet for octet, so that what nobody changes stays as it came: options of any
 * kind, reserved bits, flow labels. The payload is the packet that came, with its tags, and octets
 * that ns-3 only counts stay uncounted for.
 */
class PathTcpSegment
{
  public:
    static constexpr uint16_t IPV4 = 0x0800; //!< EtherType of IPv4
    static constexpr uint16_t IPV6 = 0x86DD; //!< EtherType of IPv6

    /// Flags of TCP (RFC 9293 section 3.1)
    enum Flag : uint8_t
    {
        FIN = 0x01, //!< no more octets
        SYN = 0x02, //!< first segment
        RST = 0x04, //!< reset
        PSH = 0x08, //!< pass on at once
        ACK = 0x10, //!< has an acknowledgment
        URG = 0x20, //!< has an urgent pointer
        ECE = 0x40, //!< ECN echo (RFC 3168)
        CWR = 0x80, //!< congestion window reduced
    };

    /// ECN field of IP (RFC 3168 section 5)
    enum Ecn : uint8_t
    {
        NOT_ECT = 0, //!< transport without ECN
        ECT1 = 1,    //!< ECN-capable
        ECT0 = 2,    //!< ECN-capable
        CE = 3,      //!< congestion experienced
    };

    /// Kinds of options
    enum Option : uint8_t
    {
        END = 0,        //!< end of the list
        NOP = 1,        //!< one octet of nothing
        MSS = 2,        //!< maximum segment size
        SACK_OK = 4,    //!< SACK permitted (RFC 2018)
        SACK = 5,       //!< SACK blocks
        TIMESTAMPS = 8, //!< timestamps (RFC 7323)
    };

    /// What tells a flow in one direction from others: version of IP, addresses, ports.
    using Flow = std::array<uint8_t, 37>;

    /**
     * @brief Read a datagram.
     *
     * Understood is an unfragmented datagram of IPv4 without options or IPv6 without extension
     * headers that holds a TCP segment with well-formed options.
     *
     * @param datagram the datagram, its IP header first; octets behind its length are left off
     * @param protocol EtherType
     * @param checksums checksums are in use: one that is wrong is not understood, and Write() makes
     * them right
     * @return the segment; nothing if this is not understood
     */
    static std::optional<PathTcpSegment> Read(const Ptr<const Packet>& datagram,
                                              uint16_t protocol,
                                              bool checksums);

    Ptr<Packet> Write() const; //!< Make a datagram of it. @return datagram, IP header first

    bool IsIpv6() const;              //!< Tell the version of IP. @return true for IPv6
    uint16_t GetProtocol() const;     //!< Get the EtherType. @return EtherType
    Flow GetFlow() const;             //!< Get the flow. @return flow, with its direction
    const uint8_t* GetSource() const; //!< Get the source address. @return its 4 or 16 octets
    /// Get the destination address. @return its 4 or 16 octets
    const uint8_t* GetDestination() const;
    uint16_t GetSourcePort() const;      //!< Get the source port. @return port
    uint16_t GetDestinationPort() const; //!< Get the destination port. @return port
    uint32_t GetSeq() const;             //!< Get the sequence number. @return of the first octet
    uint32_t GetAck() const;             //!< Get the acknowledgment number. @return number
    uint8_t GetFlags() const;            //!< Get the flags. @return of enum Flag
    Ecn GetEcn() const;                  //!< Get the ECN field. @return of enum Ecn
    uint32_t GetHeaderSize() const;      //!< Get the size of IP's and TCP's headers. @return octets
    uint32_t GetSize() const;            //!< Get the size of the payload. @return octets
    const Ptr<Packet>& GetPayload() const; //!< Get the payload. @return payload

    /// Tell whether the segment may be cut or merged. @return true if it has an acknowledgment and
    /// payload that is not urgent, and neither opens nor resets the connection
    bool IsPlainData() const;

    void SetFlags(uint8_t flags);        //!< Set the flags. @param flags of enum Flag
    void SetEcn(Ecn ecn);                //!< Set the ECN field. @param ecn field
    void SetIdentification(uint16_t id); //!< Set IPv4's identification, if it is IPv4. @param id it
    /// Set sequence number and payload. @param seq of the first octet @param payload payload
    void SetData(uint32_t seq, const Ptr<Packet>& payload);
    /// Take acknowledgment number, window and echoed timestamp from a later segment of the same
    /// flow. @param later the segment
    void MergeAck(const PathTcpSegment& later);

    /**
     * @brief Tell whether another segment's headers would do for the two together: same fields of
     * IP and options but for lengths, identification, checksums, ECN, timestamps.
     * @param other segment of the same flow
     * @return false if something would be lost; always if one has SACK blocks
     */
    bool HasHeadersOf(const PathTcpSegment& other) const;

    /// Overwrite options with NOPs, so that the header keeps its size. @param kind of option
    /// @return whether there was one
    bool StripOption(Option kind);
    /// Lower what an MSS option says. @param most octets that it may say
    /// @return whether it said more
    bool ClampMss(uint16_t most);

  private:
    /// Octets of the longest headers: IPv6's and TCP's with options
    static constexpr uint32_t LONGEST = 40 + 60;

    PathTcpSegment() = default;

    bool ReadIp(uint32_t available, uint32_t size); //!< @param available octets read of the headers
                                                    //!< @param size octets of the datagram
                                                    //!< @return whether IP's header is understood
    bool ReadOptions();            //!< @return whether TCP's options are well-formed
    bool HasGoodChecksums() const; //!< @return whether they are right
    void WriteLength();            //!< write the datagram's length into IP's header
    /// @param kind of option @return where it begins; 0 if there is none
    uint32_t FindOption(Option kind) const;
    /// @param at where an option begins or ends @return where the next begins, end of the header
    /// if none does; 0 if it is malformed
    uint32_t SkipOption(uint32_t at) const;
    uint16_t SumTcp() const;    //!< @return sum over pseudo-header and segment, checksum included
    uint16_t SumIp() const;     //!< @return sum over IPv4's header, checksum included
    const uint8_t* Tcp() const; //!< @return TCP's header
    uint8_t* Tcp();             //!< @return TCP's header

    std::array<uint8_t, LONGEST> m_header{}; //!< IP's and TCP's headers
    uint32_t m_ip{0};                        //!< octets of IP's header
    uint32_t m_end{0};                       //!< octets of both headers
    uint32_t m_length{0};                    //!< octets of the datagram that was read
    bool m_checksums{false};                 //!< checksums are in use
    Ptr<Packet> m_payload;                   //!< payload
};

} // namespace ns3

#endif // PATH_TCP_SEGMENT_H
