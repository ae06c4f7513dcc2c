/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DECODE_ESP_WRAPPER_H
#define DECODE_ESP_WRAPPER_H

#include "../ipsec/esp-test-util.h"
#include "decode-test.h"

#include "ns3/ipsec-association.h"

#include <cstdint>
#include <string>

namespace ns3
{

/// How a test protects frames.
struct EspWrapping
{
    std::string transform;                //!< cipher and integrity
    IpsecMode mode{IpsecMode::TRANSPORT}; //!< what is protected
    bool ipv6{false};                     //!< of the tunnel's ends
    bool udp{false};                      //!< ESP goes in UDP
    bool extended{false};                 //!< sequence numbers have 64 bits
    uint32_t tfc{0};                      //!< octets of padding that hides lengths, in tunnels
};

/// Protects the frames of a connection, as two hosts or two gateways do.
class EspWrapper
{
  public:
    static constexpr uint32_t SPI = 0x1001;        //!< of side 0; side 1 has the next
    static constexpr uint32_t DATAGRAM_AT = 14;    //!< where IPv4 begins in frames
    static constexpr uint32_t CARRIED_AT = 34;     //!< what it carries
    static constexpr uint64_t UPPER = 0x700000000; //!< upper half of extended sequence numbers

    /// @param wrapping how @param spi of side 0
    explicit EspWrapper(const EspWrapping& wrapping, uint32_t spi = SPI)
        : m_wrapping(wrapping),
          m_spi(spi)
    {
    }

    /// @param frame of DecodeTestConnection, or one protected before @return it, protected
    DecodeOctets Protect(const DecodeOctets& frame)
    {
        const bool tunnel = m_wrapping.mode == IpsecMode::TUNNEL;
        const uint32_t at = tunnel ? DATAGRAM_AT : CARRIED_AT;
        const unsigned side = frame[DATAGRAM_AT + 15] % 2; // by the last octet of its sender
        const auto config = MakeConfig(side, frame);
        const EspCodec codec(*config.transform, config.keys, config.codec, config.extended);
        const EspFields fields{config.spi,
                               (m_wrapping.extended ? UPPER : 0) + ++m_sequence,
                               tunnel ? uint8_t{4} : frame[DATAGRAM_AT + 9]};
        const auto esp = SealReal(codec,
                                  fields,
                                  {},
                                  DecodeOctets(frame.begin() + at, frame.end()),
                                  m_wrapping.tfc);
        DecodeOctets carried;
        if (m_wrapping.udp)
        {
            carried = {0x11, 0x94, 0x11, 0x94}; // 4500
            Put16(carried, 8 + esp.size());
            Put16(carried, 0);
        }
        carried.insert(carried.end(), esp.begin(), esp.end());
        return WithHeader(frame, config, carried);
    }

    /// @param side that sends @param frame of it @return its association
    IpsecAssociationConfig MakeConfig(unsigned side, const DecodeOctets& frame) const
    {
        IpsecAssociationConfig config;
        config.spi = m_spi + side;
        config.transform = FindEspTransform(m_wrapping.transform);
        config.keys = TestKeys(*config.transform);
        config.codec = EspCodec::Mode::REAL;
        config.extended = m_wrapping.extended;
        config.sequence = m_wrapping.extended ? UPPER : 0;
        if (m_wrapping.mode == IpsecMode::TUNNEL)
        {
            config.source = m_wrapping.ipv6 ? "2001:db8::1" : "192.0.2.1";
            config.destination = m_wrapping.ipv6 ? "2001:db8::2" : "192.0.2.2";
        }
        else
        {
            config.source = Ipv4Address::Deserialize(&frame[DATAGRAM_AT + 12]);
            config.destination = Ipv4Address::Deserialize(&frame[DATAGRAM_AT + 16]);
        }
        return config;
    }

  private:
    /// @param out octets @param value to append
    static void Put16(DecodeOctets& out, std::size_t value)
    {
        out.push_back(static_cast<uint8_t>(value >> 8));
        out.push_back(static_cast<uint8_t>(value));
    }

    /// @param frame in clear @param config association @param carried octets @return a frame
    DecodeOctets WithHeader(const DecodeOctets& frame,
                            const IpsecAssociationConfig& config,
                            const DecodeOctets& carried) const
    {
        DecodeOctets made(frame.begin(), frame.begin() + 12);
        const uint8_t protocol = m_wrapping.udp ? 17 : ESP_PROTOCOL;
        const auto& from = config.source.GetOctets();
        const auto& to = config.destination.GetOctets();
        if (config.source.IsIpv6())
        {
            made.insert(made.end(), {0x86, 0xDD, 0x60, 0, 0, 0});
            Put16(made, carried.size());
            made.insert(made.end(), {protocol, 64});
            made.insert(made.end(), from.begin(), from.end());
            made.insert(made.end(), to.begin(), to.end());
        }
        else
        {
            made.insert(made.end(), {8, 0, 0x45, 0});
            Put16(made, 20 + carried.size());
            made.insert(made.end(), {0, 0, 0, 0, 64, protocol, 0, 0});
            made.insert(made.end(), from.begin(), from.begin() + 4);
            made.insert(made.end(), to.begin(), to.begin() + 4);
        }
        made.insert(made.end(), carried.begin(), carried.end());
        return made;
    }

    EspWrapping m_wrapping; //!< how
    uint32_t m_spi;         //!< of side 0
    uint64_t m_sequence{0}; //!< last number used
};

} // namespace ns3

#endif // DECODE_ESP_WRAPPER_H
