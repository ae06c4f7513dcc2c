/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "decode-search.h"

#include "ns3/ddp-octets.h"
#include "ns3/rdmap-validate.h"

namespace ns3
{

using namespace mpa;

namespace
{

constexpr unsigned MAX_CRCS = 64; // CRCs computed for a segment, whatever it holds

/// A run of octets that may hold FPDUs.
struct Run
{
    const uint8_t* data;     //!< octets
    uint32_t size;           //!< how many were captured
    uint32_t length;         //!< how many there were
    const FpduFormat format; //!< how FPDUs would be framed
    uint8_t version;         //!< DV and RV that they would have
};

/**
 * @brief Copy octets, Markers left out.
 * @param run where from
 * @param at first one
 * @param position its position
 * @param out receives them
 * @param count how many are wanted
 * @return how many there were
 */
uint32_t
Gather(const Run& run, uint32_t at, uint32_t position, uint8_t* out, uint32_t count)
{
    uint32_t have = 0;
    while (have < count)
    {
        if (run.format.markers && position % MARKER_INTERVAL == 0)
        {
            at += MARKER_SIZE;
            position += MARKER_SIZE;
        }
        if (at >= run.size)
        {
            break;
        }
        out[have++] = run.data[at++];
        ++position;
    }
    return have;
}

/**
 * @brief Find out whether octets look like an FPDU of RDMAP that is whole.
 * @param run where
 * @param at its first octet
 * @param position position of that
 * @return its octets in the stream; 0 if they do not
 */
uint32_t
LooksLike(const Run& run, uint32_t at, uint32_t position)
{
    uint8_t head[LENGTH_SIZE + ddp::MAX_HEADER_SIZE];
    const uint32_t have = Gather(run, at, position, head, sizeof(head));
    if (have <= LENGTH_SIZE)
    {
        return 0;
    }
    const uint32_t length = ddp::LoadBig<uint16_t>(head);
    const uint32_t wireSize = WireSize(length, position, run.format.markers);
    DdpHeader header;
    const uint32_t size = header.Read(head + LENGTH_SIZE, have - LENGTH_SIZE);
    const bool looks = size > 0 && length >= size && wireSize <= run.length - at &&
                       header.version == run.version && header.reserved == 0 &&
                       RdmapControl::Decode(header.ulpControl).reserved == 0 &&
                       RdmapValidate(header, length - size, true, run.version) == RdmapError::NONE;
    return looks ? wireSize : 0;
}

/// @param run where @param at first octet of an FPDU @param position of that @return its CRC and
/// Markers are right
bool
IsProved(const Run& run, uint32_t at, uint32_t position)
{
    const FpduView view =
        ParseFpdu(run.data + at, run.size - at, position, run.format, CheckMarkers::ALL);
    return view.complete && view.fault == FpduFault::NONE;
}

/// @param run octets @param position of the first @param zero CRC fields have to be zero @return
/// they are whole FPDUs of RDMAP and nothing else
bool
IsChain(const Run& run, uint32_t position, bool zero)
{
    uint32_t at = 0;
    while (at < run.size)
    {
        const uint32_t wireSize = LooksLike(run, at, position + at);
        at += wireSize;
        if (wireSize == 0 || (zero && ddp::LoadBig<uint32_t>(run.data + at - CRC_SIZE) != 0))
        {
            return false;
        }
    }
    return at > 0;
}

} // namespace

DecodeSync
DecodeResume(const uint8_t* data,
             uint32_t size,
             uint32_t length,
             uint32_t position,
             const FpduFormat& format,
             uint8_t version)
{
    DecodeSync sync;
    sync.format = format;
    sync.version = version;
    sync.position = position;
    const Run run{data, size, length, format, version};
    if (size < length)
    {
        sync.found = position % 4 == 0 && LooksLike(run, 0, position) == length;
        return sync;
    }
    if (!format.crc)
    {
        sync.found = position % 4 == 0 && IsChain(run, position, false);
        return sync;
    }
    unsigned crcs = 0;
    for (uint32_t at = (4 - position % 4) % 4; at < size && crcs < MAX_CRCS; at += 4)
    {
        if (LooksLike(run, at, position + at) > 0)
        {
            ++crcs;
            if (IsProved(run, at, position + at))
            {
                sync.found = true;
                sync.at = at;
                sync.position = position + at;
                return sync;
            }
        }
    }
    return sync;
}

DecodeSync
DecodeGuess(const uint8_t* data, uint32_t size, bool markers)
{
    DecodeSync sync;
    const Run plain{data, size, size, FpduFormat{false, true}, ddp::VERSION};
    const uint32_t wireSize = markers ? 0 : LooksLike(plain, 0, 0);
    if (wireSize > 0)
    {
        sync.format = plain.format;
        sync.proved = wireSize >= MARKER_INTERVAL;
        sync.found = IsProved(plain, 0, 0);
        if (!sync.found && IsChain(plain, 0, true))
        {
            sync.found = true;
            sync.format.crc = false;
        }
        if (sync.found)
        {
            return sync;
        }
    }
    sync.format = FpduFormat{true, true};
    sync.proved = true;
    for (const uint8_t version : {ddp::VERSION, ddp::VERSION_RDMAC})
    {
        const Run marked{data, size, size, sync.format, version};
        for (uint32_t position = 0; position < MARKER_INTERVAL; position += 4)
        {
            // an FPDU without a Marker could be at several positions
            const uint32_t marker = DistanceToMarker(position);
            const uint32_t found = LooksLike(marked, 0, position);
            if (found > marker && IsProved(marked, 0, position))
            {
                sync.found = true;
                sync.position = position;
                sync.version = version;
                return sync;
            }
        }
    }
    return sync;
}

} // namespace ns3
