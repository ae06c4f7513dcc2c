/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DECODE_SESSION_H
#define DECODE_SESSION_H

#include "decode-direction.h"
#include "decode-event.h"
#include "decode-fragments.h"
#include "decode-order.h"

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-decode
/// @brief A TCP connection of a capture.
class DecodeConnection : private DecodeDirection::Owner
{
  public:
    /**
     * @brief Begin with the first segment that was captured of a connection.
     * @param config what the user wants; outlives this
     * @param listener takes what is found; outlives this
     * @param from one end: direction 0 is what it sends
     * @param to the other end
     * @param streams counter of the connections that carry MPA, which gives this one its number;
     *        outlives this
     */
    DecodeConnection(const DecodeConfig& config,
                     DecodeListener& listener,
                     const DecodeEndpoint& from,
                     const DecodeEndpoint& to,
                     uint32_t& streams);

    /**
     * @brief A segment of it, as it was captured.
     * @param side direction, 0 or 1
     * @param captured the segment
     * @param ahead segments that follow, of any connection
     */
    void Take(unsigned side, const DecodeCaptured& captured, const DecodeOrder::Ahead& ahead);

    /**
     * @brief Tell a new connection from this one.
     * @param side direction
     * @param segment a segment of it
     * @return true if the segment opens another connection of the same addresses and ports
     */
    bool IsReopened(unsigned side, const DecodeSegment& segment) const;

    void Finish(); //!< The capture ends.

    bool IsMpa() const;         //!< Tell whether it carries MPA. @return true then
    uint32_t GetStream() const; //!< Get its number among those that do. @return number, from 0
    /// Get the direction of the Request Frame. @return 0 or 1; -1 if none was seen
    int GetInitiator() const;
    /// Get an end. @param side direction @return its sender
    const DecodeEndpoint& GetEnd(unsigned side) const;
    /// Get a direction. @param side which @return what is known of it
    const DecodeDirection& GetDirection(unsigned side) const;

  private:
    using State = DecodeDirection::State;

    // DecodeDirection::Owner
    void StartupSeen(DecodeDirection& direction) override;
    const DecodeDirection& GetOther(const DecodeDirection& direction) const override;
    void Found(const DecodeDirection& direction, DecodeEvent& event) override;

    /// The next segment, behind what it acknowledges. @param side direction, 0 or 1 @param segment
    /// the segment @param frame the frame that holds it
    void Segment(unsigned side, const DecodeSegment& segment, const DecodeFrame& frame);
    /// Go on without a startup frame that is not in the capture, if that is certain. @param
    /// direction waits for it @param ack what its sender acknowledges; nullptr if it does not
    /// @param frame the frame that tells @return false if it may come yet
    bool PassOverStartup(DecodeDirection& direction, const uint32_t* ack, const DecodeFrame& frame);
    /// Let a direction go on whose peer's startup frame will not come. @param direction which
    static void GiveUpWaiting(DecodeDirection& direction);
    /// Get the opposite direction. @param direction which @return the other one
    DecodeDirection& Opposite(const DecodeDirection& direction);

    DecodeListener& m_listener;                  //!< takes what is found
    uint32_t& m_streams;                         //!< connections that carry MPA
    uint32_t m_stream{0};                        //!< which of them this is
    bool m_numbered{false};                      //!< @ref m_stream is set
    std::array<DecodeEndpoint, 2> m_ends;        //!< senders
    std::array<DecodeDirection, 2> m_directions; //!< by side
    DecodeOrder m_order;                         //!< acknowledgments behind what they acknowledge
};

/**
 * @ingroup iwarp-decode
 * @brief Decodes the iWARP in a capture: frames in, events out.
 */
class DecodeSession
{
  public:
    /// Figures of the whole capture.
    struct Totals
    {
        uint64_t frames{0};      //!< frames
        uint64_t tcp{0};         //!< of these, TCP segments
        uint64_t fragments{0};   //!< of these, IP fragments that were not put together
        uint64_t unsupported{0}; //!< of these, of a link type that is not known
        uint64_t espOpened{0};   //!< ESP packets that were opened
        uint64_t espLocked{0};   //!< ESP packets for which there is no key
        uint64_t espDamaged{0};  //!< ESP packets that no key verifies, or captured in part
        int64_t start{0};        //!< time of the first, ns since the epoch
        int64_t end{0};          //!< time of the last
        uint64_t connections{0}; //!< TCP connections of whatever kind
    };

    /**
     * @brief Begin with an empty capture.
     * @param config what the user wants
     * @param listener takes what is found; outlives this
     */
    DecodeSession(const DecodeConfig& config, DecodeListener& listener);
    ~DecodeSession();

    void Frame(const DecodeFrame&
                   frame); //!< Decode a frame. @param frame next one; its octets outlive this
    void Finish();         //!< There are no more frames.

    static constexpr std::size_t LOOK_AHEAD = 4096; //!< segments by which the order may be wrong

    const Totals& GetTotals() const; //!< Get the figures of the capture. @return figures
    /// Get the connections that carry MPA. @return these, in the order of their numbers
    std::vector<const DecodeConnection*> GetConnections() const;

  private:
    /// Both ends of a connection.
    struct Key
    {
        std::array<DecodeEndpoint, 2> ends; //!< in the order of their octets

        /// Compare two. @param other another @return true if they are the same
        bool operator==(const Key& other) const;
    };

    /// Hash of a Key
    struct Hash
    {
        std::size_t operator()(const Key& key) const; //!< @param key of what @return hash
    };

    /// Take what is in a frame out of fragments and ESP. @param kind what it holds @param[in,out]
    /// segment it, or what comes out @param[in,out] fragment it @param time of the frame @return
    /// what comes out
    DecodePacketKind Unpack(DecodePacketKind kind,
                            DecodeSegment& segment,
                            DecodeFragment& fragment,
                            int64_t time);
    /// Put a datagram together. Parameters as Unpack() has them.
    DecodePacketKind Assemble(DecodeSegment& segment, DecodeFragment& fragment, int64_t time);
    /// Open ESP. Parameters as Unpack() has them.
    DecodePacketKind Open(DecodeSegment& segment, DecodeFragment& fragment);
    /// @param segment a segment @return whether it has one of the ports that the user wants
    bool IsWanted(const DecodeSegment& segment) const;
    void TakeNext(); //!< Give the first of @ref m_ahead to its connection.

    const DecodeConfig m_config;                                //!< what the user wants
    DecodeListener& m_listener;                                 //!< takes what is found
    Totals m_totals;                                            //!< figures
    DecodeFragments m_fragments;                                //!< puts datagrams together
    std::deque<std::vector<uint8_t>> m_opened;                  //!< what was in ESP
    DecodeOrder::Ahead m_ahead;                                 //!< segments to be decoded
    uint32_t m_streams{0};                                      //!< connections that carry MPA
    std::vector<std::unique_ptr<DecodeConnection>> m_all;       //!< by first frame
    std::unordered_map<Key, DecodeConnection*, Hash> m_current; //!< those not opened anew since
};

} // namespace ns3

#endif // DECODE_SESSION_H
