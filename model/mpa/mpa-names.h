/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_NAMES_H
#define MPA_NAMES_H

/**
 * @file
 * @ingroup iwarp-mpa
 * Other names of what MPA has from rooms below it, for programs that use these.
 */

namespace ns3
{

class MpaReceiver;
class RecordSegmenter;
class RecordSegmentSink;
class TcpHeldOctets;
class TcpMtuSearch;
struct RecordPlacement;
struct RecordSegmentReport;
struct RecordSource;
struct TcpMtuSettings;
struct TcpPathMtu;
template <typename Receiver>
class RecordReceivePath;

namespace iwarp
{
class Crc32c;
} // namespace iwarp

using MpaCrc32c = iwarp::Crc32c;                       //!< what an FPDU ends with
using MpaHeldOctets = TcpHeldOctets;                   //!< octets out of order
using MpaMtuSearch = TcpMtuSearch;                     //!< the search for a path's MTU
using MpaMtuSettings = TcpMtuSettings;                 //!< how that goes
using MpaPathMtu = TcpPathMtu;                         //!< what an EMSS follows from
using MpaPlacement = RecordPlacement;                  //!< where payload lies in host memory
using MpaReceivePath = RecordReceivePath<MpaReceiver>; //!< which octets the receiver gets
using MpaSegmentReport = RecordSegmentReport;          //!< what a segment meant
using MpaSegmentSink = RecordSegmentSink;              //!< hardware that wants to know
using MpaSegmenter = RecordSegmenter;                  //!< where segments are cut
using MpaSource = RecordSource;                        //!< where outgoing payload lies

} // namespace ns3

#endif // MPA_NAMES_H
