/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "mpa-fpdu.h"

#include "ns3/util-crc32c.h"

#include <algorithm>
#include <cstring>

namespace ns3
{
namespace mpa
{

namespace
{

constexpr uint32_t RUN = MARKER_INTERVAL - MARKER_SIZE; //!< octets between two Markers

/// @param out two octets @param value written there, most significant octet first
void
WriteU16(uint8_t* out, uint32_t value)
{
    out[0] = static_cast<uint8_t>(value >> 8);
    out[1] = static_cast<uint8_t>(value);
}

/// @param in two octets @return their value, most significant octet first
uint16_t
ReadU16(const uint8_t* in)
{
    return static_cast<uint16_t>(in[0] << 8 | in[1]);
}

/// @param out receives octets @param in octets, or nullptr for zeros @param size how many
void
CopyOrZero(uint8_t* out, const uint8_t* in, uint32_t size)
{
    if (in)
    {
        std::memcpy(out, in, size);
    }
    else
    {
        std::memset(out, 0, size);
    }
}

/// Writes octets of one FPDU and puts Markers where they are due.
class MarkedWriter
{
  public:
    /// @param out where the FPDU goes @param position position of its first octet
    MarkedWriter(uint8_t* out, uint32_t position)
        : m_start(out),
          m_out(out),
          m_left(DistanceToMarker(position)),
          m_header(m_left == 0 ? MARKER_SIZE : 0)
    {
    }

    /// A Marker is written only when something follows it: one due at the end is the next FPDU's.
    void MarkerIfDue()
    {
        if (m_left == 0)
        {
            const auto offset = static_cast<uint32_t>(m_out - m_start);
            WriteU16(m_out, 0);
            WriteU16(m_out + 2, offset == 0 ? 0 : offset - m_header);
            m_out += MARKER_SIZE;
            m_left = RUN;
        }
    }

    /// @param in octets, or nullptr for zeros @param size how many
    void Put(const uint8_t* in, uint32_t size)
    {
        while (size > 0)
        {
            MarkerIfDue();
            const uint32_t run = std::min(size, m_left);
            CopyOrZero(m_out, in, run);
            in += in ? run : 0;
            m_out += run;
            m_left -= run;
            size -= run;
        }
    }

    /// @return first octet not yet written
    uint8_t* GetEnd() const
    {
        return m_out;
    }

  private:
    uint8_t* m_start;  //!< first octet of the FPDU
    uint8_t* m_out;    //!< next octet
    uint32_t m_left;   //!< octets until a Marker is due
    uint32_t m_header; //!< offset of the length field, which Markers point to
};

/**
 * @param data complete FPDU
 * @param position position of its first octet
 * @param count Markers to look at, from the first on
 * @return whether each points to the FPDU's length field
 */
bool
MarkersAgree(const uint8_t* data, uint32_t position, uint32_t count)
{
    const uint32_t d = DistanceToMarker(position);
    const uint32_t header = d == 0 ? MARKER_SIZE : 0;
    for (uint32_t k = 0; k < count; ++k)
    {
        const uint32_t offset = d + k * MARKER_INTERVAL;
        const uint32_t expected = offset == 0 ? 0 : offset - header;
        if (MaskFpduPtr(ReadU16(data + offset + 2)) != static_cast<uint16_t>(expected))
        {
            return false;
        }
    }
    return true;
}

} // namespace

std::size_t
EncodeFpdu(uint8_t* out,
           const uint8_t* head,
           uint32_t headSize,
           const uint8_t* tail,
           uint32_t tailSize,
           uint32_t position,
           const FpduFormat& format)
{
    const uint32_t length = headSize + tailSize;
    const uint32_t pad = PadSize(length);
    uint8_t lengthField[LENGTH_SIZE];
    WriteU16(lengthField, length);
    uint8_t* field; // of the CRC
    uint32_t zeros = 0;
    if (format.markers)
    {
        MarkedWriter writer(out, position);
        writer.Put(lengthField, LENGTH_SIZE);
        writer.Put(head, headSize);
        writer.Put(tail, tailSize);
        writer.Put(nullptr, pad);
        writer.MarkerIfDue();
        field = writer.GetEnd();
    }
    else
    {
        std::memcpy(out, lengthField, LENGTH_SIZE);
        field = out + LENGTH_SIZE;
        CopyOrZero(field, head, headSize);
        field += headSize;
        CopyOrZero(field, tail, tailSize);
        field += tailSize;
        std::memset(field, 0, pad);
        field += pad;
        zeros = tail ? 0 : tailSize + pad;
    }
    if (format.crc)
    {
        iwarp::Crc32c crc;
        crc.Update(out, field - out - zeros);
        crc.UpdateZeros(zeros);
        crc.Write(field);
    }
    else
    {
        std::memset(field, 0, CRC_SIZE);
    }
    return field + CRC_SIZE - out;
}

FpduView
ParseFpdu(const uint8_t* data,
          std::size_t size,
          uint32_t position,
          const FpduFormat& format,
          CheckMarkers check)
{
    FpduView view;
    const bool leading = format.markers && position % MARKER_INTERVAL == 0;
    const uint32_t header = leading ? MARKER_SIZE : 0;
    if (size < header + LENGTH_SIZE)
    {
        return view;
    }
    view.ulpduLength = ReadU16(data + header);
    const uint32_t base = BaseSize(view.ulpduLength);
    view.markers = format.markers ? MarkersInFpdu(position, base) : 0;
    view.wireSize = base + MARKER_SIZE * view.markers;
    if (size < view.wireSize)
    {
        return view;
    }
    view.complete = true;
    if (format.crc)
    {
        iwarp::Crc32c crc;
        const uint32_t covered = view.wireSize - CRC_SIZE;
        crc.Update(data, covered);
        if (!crc.Matches(data + covered))
        {
            view.fault = FpduFault::CRC;
            return view;
        }
    }
    const uint32_t looked = check == CheckMarkers::ALL     ? view.markers
                            : check == CheckMarkers::FIRST ? std::min(view.markers, 1U)
                                                           : 0;
    if (!MarkersAgree(data, position, looked))
    {
        view.fault = FpduFault::MARKER;
    }
    return view;
}

const uint8_t*
ExtractUlpdu(const uint8_t* data,
             const FpduView& view,
             uint32_t position,
             const FpduFormat& format,
             std::vector<uint8_t>& scratch)
{
    const uint32_t d = DistanceToMarker(position);
    const bool leading = format.markers && d == 0;
    const uint8_t* in = data + (leading ? MARKER_SIZE : 0) + LENGTH_SIZE;
    const uint8_t* marker = data + (leading ? MARKER_INTERVAL : d);
    uint32_t left = view.ulpduLength;
    if (!format.markers || in + left <= marker)
    {
        return in;
    }
    if (scratch.size() < left)
    {
        scratch.resize(left);
    }
    uint8_t* out = scratch.data();
    auto room = static_cast<uint32_t>(marker - in);
    while (left > 0)
    {
        const uint32_t run = std::min(left, room);
        std::memcpy(out, in, run);
        out += run;
        in += run + MARKER_SIZE;
        left -= run;
        room = RUN;
    }
    return scratch.data();
}

} // namespace mpa
} // namespace ns3
