/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DECODE_TEST_H
#define DECODE_TEST_H

#include "ns3/decode-event.h"
#include "ns3/iwarp-decoder.h"
#include "ns3/mpa-fpdu.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

using DecodeOctets = std::vector<uint8_t>; //!< a run of octets

/// An Ethernet frame of a capture.
struct DecodeTestFrame
{
    uint64_t time;       //!< us
    DecodeOctets octets; //!< all of it
};

/// Something that the decoder found.
struct DecodeSeen
{
    ns3::DecodeEvent::Kind kind; //!< which kind
    ns3::DecodeLayer layer;      //!< of an error
    uint32_t stream;             //!< connection
    unsigned side;               //!< direction
    uint64_t seq;                //!< where
    uint64_t frame;              //!< when
    std::string text;            //!< of an error or note
    DecodeOctets octets;         //!< of a startup frame, encoded again, or of a ULPDU
    DecodeOctets fpdu;           //!< the FPDU as it came
    DecodeOctets again;          //!< the FPDU, decoded and encoded again
    ns3::DecodeCrc crc;          //!< verdict
    uint32_t missing;            //!< octets not captured
    bool hasSegment;             //!< a DDP segment
    ns3::DdpHeader ddp;          //!< its header
    bool hasMessage;             //!< it completes a message
    ns3::DecodeMessage message;  //!< the message
};

/// Everything that the decoder found.
struct DecodeResult
{
    bool opened;                  //!< the file is a capture
    std::string error;            //!< why not
    std::vector<DecodeSeen> seen; //!< events
    uint64_t malformed;           //!< errors
    uint32_t streams;             //!< connections with MPA
    std::string text;             //!< all text

    /// @param side direction @return ULPDUs of it, those of all connections
    std::vector<DecodeOctets> Ulpdus(unsigned side) const;
    /// @return errors
    std::vector<std::string> Errors() const;
    /// @return what Errors() has, in a line
    std::string ErrorLine() const;
};

/**
 * @param file octets of a capture file
 * @param set settings to make before
 * @return what is found
 */
DecodeResult Decode(const DecodeOctets& file,
                    const std::function<void(ns3::IwarpDecoder&)>& set = nullptr);

/// @param name a file of the captures that come with the module @return its octets
DecodeOctets ReadCaptureOctets(const std::string& name);

/// @param file octets of a little-endian pcap file @return its frames
std::vector<DecodeTestFrame> SplitPcap(const DecodeOctets& file);

/// How a capture file is written.
struct DecodeTestFormat
{
    bool pcapng{false};      //!< pcapng rather than pcap
    bool big{false};         //!< most significant octet first
    bool nanoseconds{false}; //!< resolution
    uint32_t linkType{1};    //!< LINKTYPE_ value
    uint32_t snap{262144};   //!< octets of a frame at most
};

/// @param frames frames @param format how to write them @return octets of a capture file
DecodeOctets WriteCapture(const std::vector<DecodeTestFrame>& frames,
                          const DecodeTestFormat& format = {});

/// @param frames Ethernet frames @param change gives other octets for those of a frame @return them
std::vector<DecodeTestFrame> ChangeFrames(
    const std::vector<DecodeTestFrame>& frames,
    const std::function<DecodeOctets(const DecodeOctets&)>& change);

/// @param frame Ethernet with IPv4 without options @param cuts places in what IPv4 carries
/// @return fragments of it, cut there
std::vector<DecodeOctets> FragmentIpv4(const DecodeOctets& frame, std::vector<std::size_t> cuts);

/// A connection made up of octets.
class DecodeTestConnection
{
  public:
    /// @param handshake begin with SYNs
    explicit DecodeTestConnection(bool handshake = true);
    /// Send octets in segments. @param side who @param octets what @param size octets of a segment
    void Send(unsigned side, const DecodeOctets& octets, uint32_t size = 1448);
    /// Send an FPDU, as one segment if it fits. @param side who @param ulpdu its ULPDU
    void SendFpdu(unsigned side, const DecodeOctets& ulpdu);
    void Close(unsigned side); //!< Send a FIN. @param side who
    /// @param side who @param frame settings; both decide how FPDUs look
    void Startup(unsigned side, const ns3::MpaStartupFrame& frame);

    std::vector<DecodeTestFrame> frames; //!< what was sent
    ns3::mpa::FpduFormat format[2];      //!< how each side's FPDUs look
    uint64_t sent[2]{1, 1};              //!< next octet of each side
    uint64_t start[2]{1, 1};             //!< first octet of each side's FPDUs

  private:
    /// @param side who @param flags TCP's @param data payload @param size of it
    void Frame(unsigned side, uint8_t flags, const uint8_t* data, uint32_t size);
};

/// @param size octets of payload @param msn its number @return a ULPDU with a Send in it
DecodeOctets MakeSend(uint32_t size, uint32_t msn);

/**
 * A connection with FPDUs both ways, by turns.
 * @param markers both want them @param crc both want them @param count FPDUs each way
 * @param size octets of the Sends of side 0; 0 for any up to 1300, as those of side 1
 */
DecodeTestConnection DecodeTalk(bool markers, bool crc, uint32_t count, uint32_t size = 0);

#endif // DECODE_TEST_H
