/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_DECODER_H
#define IWARP_DECODER_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace ns3
{

class DecodeListener;

/**
 * @ingroup iwarp-helper
 * @brief Decodes the iWARP in a capture file: pcap or pcapng in, lines of text or JSON out.
 *
 * The streams go through the module's own receive path. Each connection that begins with an MPA
 * startup frame is decoded, and each that is joined midway and looks like MPA.
 */
class IwarpDecoder
{
  public:
    /// What Read() returns.
    enum Format
    {
        TEXT, //!< a line an item, for people
        JSON, //!< a JSON object a line
        NONE, //!< nothing but the summary as text
        ROWS, //!< what came when, and what became of it, as DecodeTimeline writes it, at the end;
              //!< then the summary as JSON
    };

    IwarpDecoder();
    ~IwarpDecoder();
    IwarpDecoder(const IwarpDecoder&) = delete;
    IwarpDecoder& operator=(const IwarpDecoder&) = delete;

    void SetFormat(Format format); //!< Choose what Read() returns. @param format text or JSON
    /// Decode connections of this port, and of others so given, whatever they look like, and no
    /// others. @param port TCP port
    void AddPort(uint16_t port);
    void SetMpaOnly(); //!< ULPDUs are not DDP segments.
    /**
     * @brief Open ESP with the keys of a file, Wireshark's table esp_sa of either form.
     * @param file its name
     * @return false if it is none, or cannot be read; GetError() says why, and where
     */
    bool ReadEspKeys(const std::string& file);
    /**
     * @brief Open records of TLS with the secrets of a file, a key log as Wireshark reads it.
     * @param file its name
     * @return false if it is none, or cannot be read; GetError() says why, and where
     */
    bool ReadTlsKeys(const std::string& file);
    /// Have someone else take what is found, besides Read(). @param listener it; nullptr for none
    void SetListener(DecodeListener* listener);

    /**
     * @brief Open a capture, when all has been set. Without ReadEspKeys() the keys of a file
     * PREFIX-esp_sa beside PREFIX-NODE.pcap open its ESP, which IpsecHelper::WriteKeys() writes;
     * without ReadTlsKeys() the secrets of a file PREFIX-keys open its TLS, which a run writes.
     * @param file its name
     * @return false if it is none, or cannot be read; GetError() says why
     */
    bool Open(const std::string& file);

    /**
     * @brief Decode a capture in memory.
     * @param data octets of a capture file; they outlive the decoder
     * @param size how many
     * @return as Open()
     */
    bool Attach(const uint8_t* data, std::size_t size);

    /**
     * @brief Decode on.
     * @param size octets of text that are enough for now
     * @return whole lines; nothing at the end, the summary comes last
     */
    std::string Read(std::size_t size = 1 << 16);

    /// Tell why Open() failed. @return words; "" if it did not
    const std::string& GetError() const;
    uint64_t GetMalformed() const; //!< Count what was malformed so far. @return errors
    uint32_t GetStreams() const;   //!< Count the connections with MPA so far. @return connections

  private:
    class Writer; //!< decodes, and writes what is found

    std::unique_ptr<Writer> m_writer; //!< does all of it
};

} // namespace ns3

#endif // IWARP_DECODER_H
