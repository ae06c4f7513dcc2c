/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DECODE_CAPTURE_H
#define DECODE_CAPTURE_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-decode
/// @brief A frame of a capture file.
struct DecodeFrame
{
    uint64_t number{0};   //!< 1 for the first frame of the file
    int64_t time{0};      //!< ns since the epoch, DecodeCapture::MAX_TIME at most either way
    uint32_t linkType{0}; //!< LINKTYPE_ value of its interface
    const uint8_t* data{nullptr}; //!< octets captured
    uint32_t size{0};             //!< how many
    uint32_t original{0};         //!< octets that the frame had on the link
};

/**
 * @ingroup iwarp-decode
 * @brief Reads the frames of a pcap or pcapng file, either octet order.
 *
 * The file is mapped into memory: frames are not copied, and stay valid as long as the reader.
 * Nothing in a file can make it read elsewhere or go on for ever.
 */
class DecodeCapture
{
  public:
    DecodeCapture();
    ~DecodeCapture();
    DecodeCapture(const DecodeCapture&) = delete;
    DecodeCapture& operator=(const DecodeCapture&) = delete;

    /**
     * @brief Open a file.
     * @param name its name
     * @return false if it cannot be read or is no capture; GetError() says why
     */
    bool Open(const std::string& name);

    /**
     * @brief Read from memory.
     * @param data octets of a file, which outlive the reader
     * @param size how many
     * @return false if they are no capture; GetError() says why
     */
    bool Attach(const uint8_t* data, std::size_t size);

    /// Go back to the first frame. @return as Attach()
    bool Rewind();

    /**
     * @brief Read the next frame.
     * @param[out] frame the next frame
     * @return false at the end; GetError() is empty if the file ends as it should
     */
    bool Next(DecodeFrame& frame);

    /// Tell what is wrong with the file. @return words; "" if nothing is
    const std::string& GetError() const;

    static constexpr uint32_t MAX_FRAME = 1 << 28; //!< octets of the largest frame believed
    /// ns; times in 1823 or 2116 and beyond stand there, so that any two have a difference
    static constexpr int64_t MAX_TIME = (INT64_C(1) << 62) - 1;

  private:
    struct Mapping; //!< the file in memory

    /// An interface of a pcapng section.
    struct Interface
    {
        uint32_t linkType; //!< LINKTYPE_ value
        uint32_t snap;     //!< octets captured of a frame at most, 0: all
        uint64_t ticks;    //!< ticks a second
        int64_t offset;    //!< seconds to add to each time
    };

    uint16_t Get16(std::size_t at) const; //!< @param at offset @return 16 bits there
    uint32_t Get32(std::size_t at) const; //!< @param at offset @return 32 bits there
    bool Fail(const std::string& text);   //!< @param text what is wrong @return false
    bool NextPcap(DecodeFrame& frame);    //!< see Next()
    bool NextBlock(DecodeFrame& frame);   //!< see Next()
    /// Read a pcapng section header. @return false if it is none
    bool ReadSection();
    /// @param at body of an interface description @param end behind it
    void ReadInterface(std::size_t at, std::size_t end);
    /// Fill in a frame of pcapng. @param type of its block @param at body @param end behind it
    /// @param[out] frame the frame @return false if the block is too short
    bool ReadPacket(uint32_t type, std::size_t at, std::size_t end, DecodeFrame& frame);

    std::unique_ptr<Mapping> m_mapping;  //!< the file
    const uint8_t* m_data{nullptr};      //!< its octets
    std::size_t m_size{0};               //!< how many
    std::size_t m_at{0};                 //!< next record or block
    bool m_next{false};                  //!< pcapng
    bool m_big{false};                   //!< most significant octet first
    bool m_nanoseconds{false};           //!< pcap: fractions of seconds are ns, not us
    uint32_t m_linkType{0};              //!< pcap: of all frames
    uint64_t m_frames{0};                //!< frames read
    std::vector<Interface> m_interfaces; //!< pcapng: of the section
    std::string m_error;                 //!< what is wrong
};

} // namespace ns3

#endif // DECODE_CAPTURE_H
