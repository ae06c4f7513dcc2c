/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "decode-capture.h"

#include <algorithm>
#include <boost/endian/conversion.hpp>
#include <boost/interprocess/file_mapping.hpp>
#include <boost/interprocess/mapped_region.hpp>
#include <cerrno>
#include <cstring>
#include <sys/stat.h>

namespace ns3
{

namespace
{

constexpr std::size_t PCAP_HEADER = 24;   // octets of a pcap file's header
constexpr std::size_t RECORD_HEADER = 16; // octets before each frame of it
constexpr std::size_t BLOCK_MIN = 12;     // octets of the shortest pcapng block
constexpr uint32_t MAGIC_MICRO = 0xA1B2C3D4;
constexpr uint32_t MAGIC_NANO = 0xA1B23C4D;
constexpr uint32_t MAGIC_SECTION = 0x1A2B3C4D;
constexpr uint32_t BLOCK_SECTION = 0x0A0D0D0A;
constexpr uint32_t BLOCK_INTERFACE = 1;
constexpr uint32_t BLOCK_PACKET = 2; // obsolete
constexpr uint32_t BLOCK_SIMPLE = 3;
constexpr uint32_t BLOCK_ENHANCED = 6;
constexpr uint16_t OPTION_TICKS = 9;
constexpr uint16_t OPTION_OFFSET = 14;
constexpr uint64_t NS_PER_SECOND = 1000000000;

/// @param ticks time @param rate ticks a second @param offset seconds to add @return ns since the
/// epoch
int64_t
ToNanoseconds(uint64_t ticks, uint64_t rate, int64_t offset)
{
    constexpr auto second = static_cast<int64_t>(NS_PER_SECOND);
    constexpr int64_t most = DecodeCapture::MAX_TIME / second;
    const uint64_t whole = ticks / rate;
    const uint64_t sum = whole + static_cast<uint64_t>(offset); // modulo 2^64
    const bool negative = offset < 0 && whole < 0 - static_cast<uint64_t>(offset);
    const auto seconds = static_cast<int64_t>(sum);
    if (negative && seconds < -most)
    {
        return -DecodeCapture::MAX_TIME;
    }
    if (!negative && (sum >= static_cast<uint64_t>(most) || (offset > 0 && sum < whole)))
    {
        return DecodeCapture::MAX_TIME;
    }
    const uint64_t rest = ticks % rate;
    const uint64_t fraction =
        rate <= NS_PER_SECOND
            ? rest * NS_PER_SECOND / rate
            : static_cast<uint64_t>(static_cast<double>(rest) / static_cast<double>(rate) * 1e9);
    return seconds * second + static_cast<int64_t>(fraction);
}

} // namespace

/// The file in memory
struct DecodeCapture::Mapping
{
    boost::interprocess::file_mapping file;    //!< the file
    boost::interprocess::mapped_region region; //!< all of it
};

DecodeCapture::DecodeCapture() = default;
DecodeCapture::~DecodeCapture() = default;

bool
DecodeCapture::Open(const std::string& name)
{
    struct stat status;
    if (stat(name.c_str(), &status) != 0)
    {
        return Fail(name + ": " + std::strerror(errno));
    }
    if (!S_ISREG(status.st_mode))
    {
        return Fail(name + ": not a file");
    }
    if (status.st_size == 0)
    {
        return Fail(name + ": the file is empty");
    }
    auto mapping = std::make_unique<Mapping>();
    try
    {
        using namespace boost::interprocess;
        mapping->file = file_mapping(name.c_str(), read_only);
        mapping->region = mapped_region(mapping->file, read_only);
        mapping->region.advise(mapped_region::advice_sequential);
    }
    catch (const boost::interprocess::interprocess_exception& e)
    {
        return Fail(name + ": " + e.what());
    }
    m_mapping = std::move(mapping);
    if (!Attach(static_cast<const uint8_t*>(m_mapping->region.get_address()),
                m_mapping->region.get_size()))
    {
        m_error = name + ": " + m_error;
        return false;
    }
    return true;
}

bool
DecodeCapture::Attach(const uint8_t* data, std::size_t size)
{
    m_data = data;
    m_size = size;
    return Rewind();
}

bool
DecodeCapture::Rewind()
{
    m_at = 0;
    m_frames = 0;
    m_interfaces.clear();
    m_error.clear();
    m_next = m_size >= 4 && Get32(0) == BLOCK_SECTION;
    if (m_next)
    {
        return ReadSection() || Fail("its pcapng section header is damaged");
    }
    if (m_size >= 2 && m_data[0] == 0x1F && m_data[1] == 0x8B)
    {
        return Fail("compressed: unpack it with gunzip first");
    }
    for (bool big : {false, true})
    {
        m_big = big;
        const uint32_t magic = m_size >= PCAP_HEADER ? Get32(0) : 0;
        if (magic == MAGIC_MICRO || magic == MAGIC_NANO)
        {
            m_nanoseconds = magic == MAGIC_NANO;
            m_linkType = Get32(20) & 0xFFFF;
            m_at = PCAP_HEADER;
            return true;
        }
    }
    return Fail("neither a pcap nor a pcapng file");
}

uint16_t
DecodeCapture::Get16(std::size_t at) const
{
    uint16_t value;
    std::memcpy(&value, m_data + at, sizeof(value));
    return m_big ? boost::endian::big_to_native(value) : boost::endian::little_to_native(value);
}

uint32_t
DecodeCapture::Get32(std::size_t at) const
{
    uint32_t value;
    std::memcpy(&value, m_data + at, sizeof(value));
    return m_big ? boost::endian::big_to_native(value) : boost::endian::little_to_native(value);
}

bool
DecodeCapture::Fail(const std::string& text)
{
    m_error = text;
    m_at = m_size;
    return false;
}

const std::string&
DecodeCapture::GetError() const
{
    return m_error;
}

bool
DecodeCapture::Next(DecodeFrame& frame)
{
    if (m_at >= m_size)
    {
        return false;
    }
    const bool found = m_next ? NextBlock(frame) : NextPcap(frame);
    if (found)
    {
        frame.number = ++m_frames;
    }
    return found;
}

bool
DecodeCapture::NextPcap(DecodeFrame& frame)
{
    const auto where = [this] {
        return " frame " + std::to_string(m_frames + 1) + ", which starts at octet " +
               std::to_string(m_at) + " of the file";
    };
    if (m_size - m_at < RECORD_HEADER)
    {
        return Fail("the file ends in the header of" + where());
    }
    const uint32_t fraction = Get32(m_at + 4);
    frame.time = static_cast<int64_t>(Get32(m_at)) * static_cast<int64_t>(NS_PER_SECOND) +
                 static_cast<int64_t>(fraction) * (m_nanoseconds ? 1 : 1000);
    frame.size = Get32(m_at + 8);
    frame.original = Get32(m_at + 12);
    frame.linkType = m_linkType;
    if (frame.size > MAX_FRAME)
    {
        return Fail("a length of " + std::to_string(frame.size) +
                    " octets cannot be right:" + where());
    }
    if (m_size - m_at - RECORD_HEADER < frame.size)
    {
        return Fail("the file ends within" + where());
    }
    frame.data = m_data + m_at + RECORD_HEADER;
    m_at += RECORD_HEADER + frame.size;
    return true;
}

bool
DecodeCapture::ReadSection()
{
    if (m_size - m_at < 28)
    {
        return false;
    }
    m_big = m_data[m_at + 8] == 0x1A;
    if (Get32(m_at + 8) != MAGIC_SECTION)
    {
        return false;
    }
    m_interfaces.clear();
    return true;
}

bool
DecodeCapture::NextBlock(DecodeFrame& frame)
{
    while (m_at < m_size)
    {
        const auto where = [at = m_at] {
            return " the block at octet " + std::to_string(at) + " of the file";
        };
        const std::size_t left = m_size - m_at;
        if (left < BLOCK_MIN)
        {
            return Fail("the file ends in the header of" + where());
        }
        // the type of a section header reads the same in both octet orders
        if (Get32(m_at) == BLOCK_SECTION && !ReadSection())
        {
            return Fail("the section header is damaged:" + where());
        }
        const uint32_t type = Get32(m_at);
        const uint32_t size = Get32(m_at + 4);
        if (size < BLOCK_MIN || size % 4 != 0)
        {
            return Fail("a length of " + std::to_string(size) +
                        " octets cannot be right:" + where());
        }
        if (size > left)
        {
            return Fail("the file ends within" + where());
        }
        const std::size_t body = m_at + 8;
        const std::size_t end = m_at + size - 4;
        m_at += size;
        if (type == BLOCK_INTERFACE)
        {
            ReadInterface(body, end);
        }
        else if (type == BLOCK_ENHANCED || type == BLOCK_SIMPLE || type == BLOCK_PACKET)
        {
            return ReadPacket(type, body, end, frame) ||
                   Fail("it does not hold the frame that it announces:" + where());
        }
    }
    return false;
}

void
DecodeCapture::ReadInterface(std::size_t at, std::size_t end)
{
    Interface interface {
        0, 0, 1000000, 0
    };
    if (end - at >= 8)
    {
        interface.linkType = Get16(at);
        interface.snap = Get32(at + 4);
        at += 8;
    }
    while (end - at >= 4)
    {
        const uint16_t code = Get16(at);
        const uint16_t size = Get16(at + 2);
        at += 4;
        const std::size_t padded = (size + 3U) / 4 * 4;
        if (code == 0 || end - at < padded)
        {
            break;
        }
        if (code == OPTION_TICKS && size >= 1)
        {
            const unsigned exponent = m_data[at] & 0x7F;
            interface.ticks = 1;
            const bool binary = (m_data[at] & 0x80) != 0;
            for (unsigned i = 0; i < std::min(exponent, binary ? 62U : 18U); ++i)
            {
                interface.ticks *= binary ? 2 : 10;
            }
        }
        else if (code == OPTION_OFFSET && size == 8)
        {
            const uint64_t high = Get32(at + (m_big ? 0 : 4));
            interface.offset = static_cast<int64_t>(high << 32 | Get32(at + (m_big ? 4 : 0)));
        }
        at += padded;
    }
    m_interfaces.push_back(interface);
}

bool
DecodeCapture::ReadPacket(uint32_t type, std::size_t at, std::size_t end, DecodeFrame& frame)
{
    const std::size_t header = type == BLOCK_SIMPLE ? 4 : 20;
    if (end - at < header)
    {
        return false;
    }
    const uint32_t which = type == BLOCK_ENHANCED ? Get32(at)
                           : type == BLOCK_PACKET ? Get16(at)
                                                  : 0;
    if (which >= m_interfaces.size())
    {
        return false;
    }
    const Interface& interface = m_interfaces[which];
    frame.linkType = interface.linkType;
    frame.time = 0;
    if (type == BLOCK_SIMPLE)
    {
        frame.original = Get32(at);
        frame.size = interface.snap > 0 ? std::min(frame.original, interface.snap) : frame.original;
        frame.size = static_cast<uint32_t>(std::min<std::size_t>(frame.size, end - at - header));
    }
    else
    {
        const uint64_t ticks = static_cast<uint64_t>(Get32(at + 4)) << 32 | Get32(at + 8);
        frame.time = ToNanoseconds(ticks, interface.ticks, interface.offset);
        frame.size = Get32(at + 12);
        frame.original = Get32(at + 16);
    }
    frame.data = m_data + at + header;
    return frame.size <= end - at - header;
}

} // namespace ns3
