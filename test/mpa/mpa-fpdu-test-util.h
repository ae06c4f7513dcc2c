/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_FPDU_TEST_UTIL_H
#define MPA_FPDU_TEST_UTIL_H

#include "mpa-test-util.h"

#include "ns3/mpa-fpdu.h"
#include "ns3/util-crc32c.h"

#include <algorithm>

namespace mpatest
{

using namespace ns3;
using namespace ns3::mpa;

inline const FpduFormat MARKED{true, true}; //!< Markers and CRC
inline const FpduFormat PLAIN{false, true}; //!< CRC only

/// @param ulpdu ULPDU @param position of the FPDU @param format framing @return the FPDU's octets
inline Octets
Encode(const Octets& ulpdu, uint32_t position, const FpduFormat& format)
{
    const auto size = static_cast<uint32_t>(ulpdu.size());
    Octets out(WireSize(size, position, format.markers) + 8, 0xEE);
    const uint32_t head = size / 3;
    const std::size_t wrote = EncodeFpdu(out.data(),
                                         ulpdu.data(),
                                         head,
                                         ulpdu.data() + head,
                                         size - head,
                                         position,
                                         format);
    // what lies behind must not have been touched
    const bool clean = std::all_of(out.end() - 8, out.end(), [](uint8_t o) { return o == 0xEE; });
    out.resize(clean ? wrote : 0);
    return out;
}

/// @param fpdu octets whose CRC field, the last four, is made to fit the rest
inline void
FixCrc(Octets& fpdu)
{
    iwarp::Crc32c crc;
    crc.Update(fpdu.data(), fpdu.size() - 4);
    crc.Write(fpdu.data() + fpdu.size() - 4);
}

/// @param fpdu octets @param position of the first @param check Markers to compare
/// @return the fault found in a marked FPDU
inline int
Fault(const Octets& fpdu, uint32_t position, CheckMarkers check = CheckMarkers::ALL)
{
    return static_cast<int>(ParseFpdu(fpdu.data(), fpdu.size(), position, MARKED, check).fault);
}

inline const int GOOD = static_cast<int>(FpduFault::NONE);         //!< as Fault() gives it
inline const int BAD_CRC = static_cast<int>(FpduFault::CRC);       //!< as Fault() gives it
inline const int BAD_MARKER = static_cast<int>(FpduFault::MARKER); //!< as Fault() gives it

} // namespace mpatest

#endif // MPA_FPDU_TEST_UTIL_H
