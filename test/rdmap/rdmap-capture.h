/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMAP_CAPTURE_H
#define RDMAP_CAPTURE_H

#include <array>
#include <cstdint>
#include <string>
#include <vector>

/// A ULPDU found in a capture.
struct CapturedUlpdu
{
    uint32_t frame;              //!< number of the frame that made it complete in order, from 0
    std::vector<uint8_t> octets; //!< its octets
};

/// A connection found in a capture: side 0 is the MPA Initiator, side 1 the Responder.
struct CapturedConnection
{
    std::array<std::vector<CapturedUlpdu>, 2> ulpdus; //!< what each side sent, in its order
    std::array<bool, 2> startup{};                    //!< the side sent a valid startup frame
    std::array<std::vector<uint8_t>, 2> octets;       //!< what each side's TCP sent, in order
};

/// What both sides of a connection sent, in order: that of who connected first.
using CapturedStreams = std::array<std::vector<uint8_t>, 2>;

/**
 * Read a capture of TCP over IPv4 over Ethernet, as ReadCapture().
 *
 * @param file name of a pcap file
 * @return the connections whose SYN is there
 */
std::vector<CapturedStreams> ReadStreams(const std::string& file);

/**
 * Read a capture of iWARP over TCP over IPv4 over Ethernet, without Markers. TCP is put together
 * from sequence numbers and FPDUs are found by their length fields, with nothing of the module.
 *
 * @param file name of a pcap file
 * @return the connections that carry MPA
 */
std::vector<CapturedConnection> ReadCapture(const std::string& file);

/**
 * @return folder of the captures that come with the module
 */
std::string CaptureFolder();

/// A line of the list of captures: what an independent reader found.
struct CaptureManifestRow
{
    std::string file;       //!< name of the file
    int side;               //!< 0 for the Initiator, 1 for the Responder
    uint32_t ulpdus;        //!< number of ULPDUs
    uint64_t octets;        //!< their octets
    std::string operations; //!< "name:count" of segments, a star for those without L
};

/**
 * @return the list of captures
 */
std::vector<CaptureManifestRow> ReadCaptureManifest();

/**
 * @param text pairs of hexadecimal digits, blanks anywhere
 * @return the octets
 */
std::vector<uint8_t> Hex(const std::string& text);

#endif // RDMAP_CAPTURE_H
