/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DECODE_DIRECTION_H
#define DECODE_DIRECTION_H

#include "decode-event.h"
#include "decode-fpdus.h"
#include "decode-framing.h"
#include "decode-reassembly.h"
#include "decode-reporter.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

class DecodeEsp;

/// @ingroup iwarp-decode
/// @brief What a user wants of a decoder.
struct DecodeConfig
{
    std::vector<uint16_t> ports; //!< connections of these ports carry MPA; all others are passed
                                 //!< over. Without, those do that look like it
    bool mpaOnly{false};         //!< ULPDUs are not DDP's
    std::shared_ptr<const DecodeEsp> esp; //!< opens ESP; none: it stays closed
};

/**
 * @ingroup iwarp-decode
 * @brief One direction of a connection: TCP in order, startup frame, FPDUs; or the PDUs of another
 * framing, if it begins as one of DecodeFramer.
 */
class DecodeDirection : private DecodeReassembly::Listener
{
  public:
    /// What the stream has come to.
    enum class State : uint8_t
    {
        STARTUP,   //!< nothing, or part of a startup frame, was seen
        WAITING,   //!< the frame is complete, the peer's is not
        FPDUS,     //!< FPDUs, or PDUs of another framing, follow each other
        SEARCHING, //!< FPDUs are there, but where they begin is not known
        OVER,      //!< no FPDUs come any more, or ever
        NOT_MPA,   //!< something else than MPA
    };

    /// The connection.
    class Owner
    {
      public:
        virtual ~Owner() = default;
        /// A startup frame is complete. @param direction whose
        virtual void StartupSeen(DecodeDirection& direction) = 0;
        /// Get the opposite direction. @param direction who asks @return the other one
        virtual const DecodeDirection& GetOther(const DecodeDirection& direction) const = 0;
        /// Something is found. @param direction where @param event what; time and place are filled
        /// in by the owner
        virtual void Found(const DecodeDirection& direction, DecodeEvent& event) = 0;
    };

    /**
     * @brief Begin a direction of which nothing was seen.
     * @param config what the user wants; outlives this
     * @param owner the connection; outlives this
     */
    DecodeDirection(const DecodeConfig& config, Owner& owner);

    DecodeDirection(const DecodeDirection&) = delete;
    DecodeDirection& operator=(const DecodeDirection&) = delete;

    DecodeReassembly& GetReassembly();             //!< Get the TCP of the direction. @return it
    const DecodeReassembly& GetReassembly() const; //!< Get the TCP of the direction. @return it
    const DecodeStats& GetStats() const; //!< Get the figures of the direction. @return figures
    State GetState() const;              //!< Get what the stream has come to. @return state
    /// Get the startup frame. @return it; nullptr if there is none
    const MpaStartupFrame* GetStartup() const;
    /// Get the format of the FPDUs. @return Markers and CRC
    const mpa::FpduFormat& GetFormat() const;
    /**
     * @brief FPDUs follow from the edge on.
     * @param format Markers and CRC
     * @param doubt about the CRC
     * @param version DV and RV, see DecodeMessages
     */
    void Begin(const mpa::FpduFormat& format, DecodeCrcDoubt doubt, uint8_t version);

    /**
     * @brief The startup frame is not in the capture: FPDUs follow where it ended.
     * @param peer startup frame of the opposite direction
     * @param end offset behind the frame
     * @param at segment by which this is known
     */
    void PassOverStartup(const MpaStartupFrame& peer, uint64_t end, const DecodeFrame& at);

    /// FPDUs follow, but what the peer's startup frame asked for is not known: their first octets
    /// tell
    void BeginAsSeen();
    void Leave();  //!< The startup was rejected: what follows is no MPA (RFC 5044 section 7.1.2).
    void Search(); //!< How FPDUs are framed will not be known, if there are any: look at them.
    void Resume(); //!< Go on with what had to wait.
    void Finish(); //!< The capture ends.

  private:
    // DecodeReassembly::Listener
    uint32_t InOrder(const DecodePiece& piece) override;
    void Gap(uint64_t from, uint64_t to, const DecodePiece& next) override;
    void End(uint64_t frame, int64_t time) override;

    /// @param piece next @return octets before what may be a startup frame
    uint32_t ReadStreaming(const DecodePiece& piece);
    uint32_t ReadStartup(const DecodePiece& piece); //!< @param piece next @return octets taken
    /// What might have been a startup frame is none. @param seq its first octet @param before its
    /// octets that came earlier @param piece next @return octets taken
    uint32_t ReadBadKey(uint64_t seq, std::size_t before, const DecodePiece& piece);
    /// The startup frame is whole. @param seq its first octet @param end behind its last
    void HandleStartup(uint64_t seq, uint64_t end);
    void CheckStartup(uint64_t seq); //!< report what is wrong with it @param seq its first octet
    /// @param seq first octet of a startup frame @param text what is wrong with it
    void RejectStartup(uint64_t seq, const std::string& text);
    /// @param piece the stream's first @return whether it begins a framing besides MPA's, which is
    /// decoded from here on
    bool FindFraming(const DecodePiece& piece);
    void ReadFrames(const DecodePiece& piece); //!< @param piece next
    bool IsForced() const;                     //!< @return the user says that it is MPA

    const DecodeConfig& m_config;           //!< what the user wants
    Owner& m_owner;                         //!< the connection
    DecodeStats m_stats;                    //!< figures
    DecodeReassembly m_reassembly;          //!< TCP
    DecodeReporter m_reporter;              //!< passes on what is found
    DecodeFpdus m_fpdus;                    //!< FPDUs and messages
    std::unique_ptr<DecodeFraming> m_other; //!< another framing
    DecodeFraming* m_framing{&m_fpdus};     //!< the one in use
    State m_state{State::STARTUP};          //!< what it has come to
    bool m_mpa{false};                      //!< it has shown to be MPA
    std::vector<uint8_t> m_partial;         //!< octets of a startup frame
    MpaStartupFrame m_startup;              //!< the frame
    bool m_hasStartup{false};               //!< there is one
    bool m_left{false};                     //!< octets that follow belong to the layer above
    unsigned m_tries{0};                    //!< segments looked at in vain
};

} // namespace ns3

#endif // DECODE_DIRECTION_H
