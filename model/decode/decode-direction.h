/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DECODE_DIRECTION_H
#define DECODE_DIRECTION_H

#include "decode-event.h"
#include "decode-messages.h"
#include "decode-reassembly.h"

#include "ns3/mpa-receiver.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-decode
/// @brief What a user wants of a decoder.
struct DecodeConfig
{
    std::vector<uint16_t> ports; //!< connections of these ports carry MPA; all others are passed
                                 //!< over. Without, those do that look like it
    bool mpaOnly{false};         //!< ULPDUs are not DDP's
};

/**
 * @ingroup iwarp-decode
 * @brief One direction of a connection: TCP in order, startup frame, FPDUs, messages.
 *
 * FPDUs go through MpaReceiver, as those of a simulated connection do. It is told to check neither
 * CRCs nor Markers, since it would end the stream on a fault; they are checked here.
 */
class DecodeDirection : private DecodeReassembly::Listener, private MpaReceiver::Listener
{
  public:
    /// What the stream has come to.
    enum class State : uint8_t
    {
        STARTUP,   //!< nothing, or part of a startup frame, was seen
        WAITING,   //!< the frame is complete, the peer's is not
        FPDUS,     //!< FPDUs follow each other
        SEARCHING, //!< FPDUs are there, but where they begin is not known
        OVER,      //!< no FPDUs come any more, or ever
        FOREIGN,   //!< not MPA
    };

    /// The connection.
    class Owner
    {
      public:
        virtual ~Owner() = default;
        /// A startup frame is complete. @param direction whose
        virtual void StartupSeen(DecodeDirection& direction) = 0;
        /// @param direction who asks @return the other direction
        virtual const DecodeDirection& GetOther(const DecodeDirection& direction) const = 0;
        /// Something is found. @param direction where @param event what; time and place are filled
        /// in by the owner
        virtual void Found(const DecodeDirection& direction, DecodeEvent& event) = 0;
    };

    /**
     * @param config what the user wants; outlives this
     * @param owner the connection; outlives this
     */
    DecodeDirection(const DecodeConfig& config, Owner& owner);

    DecodeDirection(const DecodeDirection&) = delete;
    DecodeDirection& operator=(const DecodeDirection&) = delete;

    DecodeReassembly& GetReassembly();             //!< @return TCP
    const DecodeReassembly& GetReassembly() const; //!< @return TCP
    const DecodeStats& GetStats() const;           //!< @return figures
    State GetState() const;                        //!< @return what has become of it
    bool IsMpa() const;                            //!< @return it has shown to be MPA
    const MpaStartupFrame* GetStartup() const;     //!< @return its frame, or nullptr
    const mpa::FpduFormat& GetFormat() const;      //!< @return Markers and CRC of its FPDUs
    /**
     * @brief FPDUs follow from the edge on.
     * @param format Markers and CRC
     * @param disputed only one end wanted CRCs, and peers differ in what follows
     */
    void Begin(const mpa::FpduFormat& format, bool disputed);

    void Guess();  //!< How FPDUs are framed will not be known, if there are any: look at them.
    void Resume(); //!< Go on with what had to wait.
    void Finish(); //!< The capture ends.

  private:
    /// Octets that were not captured and stand as zeros.
    struct Fill
    {
        uint64_t from; //!< first one
        uint64_t to;   //!< behind the last one
    };

    // DecodeReassembly::Listener
    uint32_t InOrder(const DecodePiece& piece) override;
    void Gap(uint64_t from, uint64_t to, const DecodePiece& next) override;
    void End(uint64_t frame, int64_t time) override;
    // MpaReceiver::Listener
    void Pass(const MpaUlpdu& ulpdu) override;
    void Deliver(uint32_t count) override;
    void Error(MpaError error, uint32_t seq) override;
    void Classified(uint32_t seq, uint32_t size, bool headerAligned, bool fpduAligned) override;

    uint32_t TakeStreaming(const DecodePiece& piece); //!< @param piece next @return octets before
                                                      //!< what may be a startup frame
    uint32_t TakeStartup(const DecodePiece& piece);   //!< @param piece next @return octets taken
    /// @param seq first octet of a startup frame @param text what is wrong with it
    void RejectStartup(uint64_t seq, const std::string& text);
    void TakeFpdus(const DecodePiece& piece); //!< @param piece next
    void Search(const DecodePiece& piece);    //!< @param piece next
    /// Let FPDUs begin. @param offset where @param position of the first octet
    void MakeReceiver(uint64_t offset, uint32_t position);
    /// Hand octets to the receiver. @param offset of the first @param data octets @param size how
    /// many
    void Feed(uint64_t offset, const uint8_t* data, uint32_t size);
    /// @param offset of an FPDU @param size its octets @return octets captured before any that were
    /// not, from its first on
    uint64_t Captured(uint64_t offset, uint32_t size) const;
    /// @param ulpdu an FPDU @param offset its first octet; the CRC's and Markers' turn
    void Verify(const MpaUlpdu& ulpdu, uint64_t offset);
    /// @param layer where @param seq octet @param text what is malformed
    void Complain(DecodeLayer layer, uint64_t seq, const std::string& text);
    /// @param layer where @param seq octet @param text what to know
    void Remark(DecodeLayer layer, uint64_t seq, const std::string& text);
    bool IsForced() const; //!< @return the user says that it is MPA

    const DecodeConfig& m_config;            //!< what the user wants
    Owner& m_owner;                          //!< the connection
    DecodeStats m_stats;                     //!< figures
    DecodeReassembly m_reassembly;           //!< TCP
    State m_state{State::STARTUP};           //!< what it has come to
    bool m_mpa{false};                       //!< it has shown to be MPA
    std::vector<uint8_t> m_partial;          //!< octets of a startup frame
    MpaStartupFrame m_startup;               //!< the frame
    bool m_hasStartup{false};                //!< there is one
    bool m_formatKnown{false};               //!< @ref m_format is right
    bool m_disputed{false};                  //!< whether there are CRCs is seen from the first FPDU
    bool m_proved{false};                    //!< that there are no Markers has shown
    bool m_marked{false};                    //!< that there are has shown
    mpa::FpduFormat m_format;                //!< Markers and CRC
    std::unique_ptr<MpaReceiver> m_receiver; //!< makes FPDUs of octets
    uint64_t m_base{0};                      //!< offset whose position is 0, modulo 2^32
    uint64_t m_next{0};                      //!< offset of the next FPDU
    bool m_desync{false};                    //!< that is a guess of the receiver's
    unsigned m_tries{0};                     //!< segments searched in vain
    std::vector<Fill> m_fills;               //!< octets not captured of the FPDU at hand and on
    std::vector<uint32_t> m_fakes;           //!< segments made up of such, by sequence number
    std::vector<uint8_t> m_padded;           //!< a segment captured in part
    DecodePiece m_now;                       //!< segment at hand
    DecodeFpdu m_fpdu;                       //!< FPDU at hand
    std::string m_fault;                     //!< what MPA finds wrong with it
    DecodeMessages m_messages;               //!< DDP and RDMAP
};

} // namespace ns3

#endif // DECODE_DIRECTION_H
