/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DECODE_ESP_H
#define DECODE_ESP_H

#include "decode-packet.h"

#include "ns3/esp-codec.h"
#include "ns3/ipsec-wireshark.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-decode
 * @brief Opens ESP packets (RFC 4303) with the keys of Wireshark's table esp_sa.
 *
 * The first line of the table that fits a packet's addresses and SPI, and whose key verifies it,
 * opens it; lines that name the SPI go before those of any. There is no anti-replay service: a
 * capture may hold a packet twice.
 */
class DecodeEsp
{
  public:
    /// What became of a packet.
    enum class Result : uint8_t
    {
        OPENED,  //!< it is as it was sent
        NO_KEY,  //!< no line is for its addresses and SPI
        DAMAGED, //!< no key verifies it: changed, captured in part, or of other keys
    };

    /**
     * @brief Read a table; its lines come behind those that are there.
     * @param file its name
     * @return what is wrong with it and where; empty if nothing is
     */
    std::string Read(const std::string& file);

    /// Add a line. @param keys as ReadWiresharkLine() says; nothing else may be in them
    void Add(const WiresharkKeys& keys);

    std::size_t GetN() const; //!< Count the lines. @return how many there are

    /**
     * @brief Open a packet.
     * @param packet ESP, from its SPI on
     * @param[out] octets receives a copy of it, opened
     * @param[out] opened where in there its payload is, and which protocol it is of
     * @return what became of it; the rest counts only if it was opened
     */
    Result Open(const DecodeFragment& packet,
                std::vector<uint8_t>& octets,
                EspOpened& opened) const;

  private:
    using Lines = std::vector<std::size_t>; //!< some lines

    /// A line of the table.
    struct Line
    {
        WiresharkKeys keys; //!< what it says
        EspCodec codec;     //!< with its keys
    };

    std::vector<Line> m_lines;                   //!< as in the table
    std::unordered_map<uint32_t, Lines> m_named; //!< lines by SPI
    Lines m_any;                                 //!< lines of any SPI
};

} // namespace ns3

#endif // DECODE_ESP_H
