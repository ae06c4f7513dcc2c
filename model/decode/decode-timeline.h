/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DECODE_TIMELINE_H
#define DECODE_TIMELINE_H

#include "decode-copies.h"
#include "decode-event.h"
#include "decode-replay.h"
#include "decode-session.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-decode
 * @brief Keeps what came when in a capture, and writes what became of it: a row a TCP segment, and
 * a row an FPDU, or PDU of another framing.
 *
 * Rows are JSON objects, one a line. Times are ns since the epoch. Octets of a stream are known by
 * their offset, 1 for the first of a direction. Of the capture about 150 octets a segment and an
 * FPDU are kept until Write().
 */
class DecodeTimeline : public DecodeListener
{
  public:
    void Found(const DecodeEvent& event) override;
    void Seen(const DecodeConnection& connection,
              unsigned side,
              const DecodeSegment& segment,
              const DecodeFrame& frame) override;

    /// Write the rows of all connections that carry MPA or another framing. @param session what
    /// was decoded, and is finished @param[in,out] out rows are appended to it
    void Write(const DecodeSession& session, std::string& out) const;

  private:
    /// A segment, as it came.
    struct Segment
    {
        unsigned side;         //!< direction
        DecodeSegment segment; //!< it
        uint64_t frame;        //!< number of its frame
        int64_t time;          //!< ns since the epoch
    };

    /// A segment, with what is known in the end.
    struct Row
    {
        uint64_t begin{0};            //!< first octet
        uint64_t ack{0};              //!< it acknowledges what comes before; 0: nothing
        int64_t window{-1};           //!< octets of its window; -1: the scale is not known
        bool again{false};            //!< octets of it had been sent before
        DecodeCopies::Fate fate{};    //!< what became of it
        uint64_t kept{0};             //!< octets that the receiver kept of it
        DecodeSegmentOutcome outcome; //!< what it meant
        std::vector<std::array<uint64_t, 2>> sack; //!< octets that it says have come
    };

    /// A frame of MPA or another framing, as the decoder found it.
    struct Frame
    {
        DecodeFpduPlace place;    //!< where it is
        uint64_t frame{0};        //!< number of the frame of the capture that completed it
        std::string name;         //!< what it carries
        uint32_t ulpduLength{0};  //!< ULPDU_Length field
        uint32_t markers{0};      //!< Markers inside
        bool aligned{false};      //!< came whole within one segment
        bool hasSegment{false};   //!< the ULPDU is a DDP segment
        DdpHeader ddp;            //!< its header
        uint32_t payload{0};      //!< octets of payload
        bool hasMessage{false};   //!< it completes a message
        uint64_t message{0};      //!< octets of that
        uint32_t messageParts{0}; //!< its DDP segments
    };

    /// @param segments of a connection @param connection it @return rows without fates
    static std::vector<Row> Place(const std::vector<Segment>& segments,
                                  const DecodeConnection& connection);
    /// @param segments of a connection @param rows of these @return number of the end near which
    /// they were captured: 0 or 1
    static unsigned FindNear(const std::vector<Segment>& segments, const std::vector<Row>& rows);
    /// Find out what became of a direction. @param side it @param near see FindNear() @param
    /// segments of the connection @param frames of the direction @param[in,out] rows of the
    /// segments @return what became of the frames
    static std::vector<DecodeFpduOutcome> Judge(unsigned side,
                                                unsigned near,
                                                const std::vector<Segment>& segments,
                                                const std::vector<Frame>& frames,
                                                std::vector<Row>& rows);
    /// @param connection it @param near see FindNear() @param[in,out] out its row
    static void WriteConnection(const DecodeConnection& connection,
                                unsigned near,
                                std::string& out);
    /// @param segment it @param row what is known of it @param stream its connection's number
    /// @param[in,out] out its row
    static void WriteSegment(const Segment& segment,
                             const Row& row,
                             uint32_t stream,
                             std::string& out);
    /// @param frame it @param outcome what became of it @param stream its connection's number
    /// @param side its direction @param[in,out] out its row
    static void WriteFrame(const Frame& frame,
                           const DecodeFpduOutcome& outcome,
                           uint32_t stream,
                           unsigned side,
                           std::string& out);

    std::unordered_map<const DecodeConnection*, std::vector<Segment>> m_segments; //!< by connection
    std::map<uint32_t, std::array<std::vector<Frame>, 2>> m_frames; //!< by stream and side
    std::string m_notes;                                            //!< rows of errors and notes
};

} // namespace ns3

#endif // DECODE_TIMELINE_H
