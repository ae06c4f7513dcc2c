/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DECODE_FPDUS_H
#define DECODE_FPDUS_H

#include "decode-framing.h"
#include "decode-messages.h"
#include "decode-reassembly.h"
#include "decode-reporter.h"

#include "ns3/mpa-receiver.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/// @ingroup iwarp-decode
/// @brief Whether FPDUs have CRCs though their format says so; the first FPDU tells.
enum class DecodeCrcDoubt : uint8_t
{
    NONE,    //!< they have
    ONE_END, //!< only one end wanted them, and peers differ in what follows: zeros stand for none
    LOST,    //!< what one end wanted is not in the capture, the other wanted none
};

/**
 * @ingroup iwarp-decode
 * @brief The FPDUs of one direction: octets in order become FPDUs, checked, and messages.
 *
 * FPDUs go through MpaReceiver, as those of a simulated connection do. It is told to check neither
 * CRCs nor Markers, since it would end the stream on a fault; they are checked here. Where FPDUs
 * begin is told by Begin(), or searched for.
 */
class DecodeFpdus : public DecodeFraming, private MpaReceiver::Listener
{
  public:
    /**
     * @brief Begin with an unknown place and format.
     * @param mpaOnly ULPDUs are not DDP segments
     * @param reporter takes what is found; outlives this
     * @param stats figures to count in; outlives this
     */
    DecodeFpdus(bool mpaOnly, DecodeReporter& reporter, DecodeStats& stats);

    DecodeFpdus(const DecodeFpdus&) = delete;
    DecodeFpdus& operator=(const DecodeFpdus&) = delete;

    /// FPDUs will begin at an octet, if they begin. @param offset of the octet
    void SetStart(uint64_t offset);

    /**
     * @brief FPDUs begin, at the octet of SetStart().
     * @param format Markers and CRC
     * @param doubt about the CRC
     */
    void Begin(const mpa::FpduFormat& format, DecodeCrcDoubt doubt);

    /// FPDUs begin there, and their first octets tell about Markers. @param doubt about the CRC
    void BeginAsSeen(DecodeCrcDoubt doubt);

    /// See DecodeMessages. @param version DV and RV
    void SetVersion(uint8_t version);

    void Process(const DecodePiece& piece) override;
    void Skip(uint64_t from, uint64_t to) override;
    bool IsInSync() const override;
    bool WasEverInSync() const override;
    uint64_t GetUnfinished(uint64_t edge) const override;
    /// Get the format of the FPDUs. @return Markers and CRC
    const mpa::FpduFormat& GetFormat() const;

  private:
    /// Octets that were not captured and stand as zeros.
    struct Hole
    {
        uint64_t from; //!< first one
        uint64_t to;   //!< behind the last one
    };

    // MpaReceiver::Listener
    void Pass(const MpaUlpdu& ulpdu) override;
    void Deliver(uint32_t count) override;
    void Error(MpaError error, uint32_t seq) override;
    void Classified(uint32_t seq, uint32_t size, bool headerAligned, bool fpduAligned) override;

    /// Look for FPDUs, and go on with them. @param piece next octets
    void Search(const DecodePiece& piece);
    /// Let FPDUs begin. @param offset where
    void MakeReceiver(uint64_t offset);
    void LoseSync(); //!< where the next FPDU begins is not known
    /// Hand octets to the receiver. @param offset of the first @param data octets @param size how
    /// many
    void Feed(uint64_t offset, const uint8_t* data, uint32_t size);
    /// Hand octets to the receiver that others follow which were not captured, and zeros for as
    /// many of those as the FPDU at hand has: it is shown at once, and nothing has to be kept for
    /// it. @param offset of the first @param data octets @param size how many @param to end of
    /// those that were not captured
    void FeedCut(uint64_t offset, const uint8_t* data, uint32_t size, uint64_t to);
    /// Find the end of the FPDU that is not whole with some octets. @param offset of the first
    /// @param data octets @param size how many @return its end; 0 if its length is not among them
    uint64_t FindEnd(uint64_t offset, const uint8_t* data, uint32_t size) const;
    /// Describe the FPDU at hand. @param ulpdu it @param offset its first octet
    void Describe(const MpaUlpdu& ulpdu, uint64_t offset);
    /// Count what is missing of the FPDU at hand. @param ulpdu it @param offset its first octet
    /// @return octets of the ULPDU that were captured, from its first on
    uint32_t CountMissing(const MpaUlpdu& ulpdu, uint64_t offset);
    /// Check Markers and CRC of the FPDU at hand. @param ulpdu it @param offset its first octet
    /// @return what is wrong; "" if nothing is
    std::string Verify(const MpaUlpdu& ulpdu, uint64_t offset);
    /// @return false if the FPDU at hand shows that FPDUs were found where there are none
    bool Confirm();
    void Count(); //!< count the FPDU at hand

    const bool m_mpaOnly;                         //!< ULPDUs are not DDP segments
    DecodeReporter& m_reporter;                   //!< takes what is found
    DecodeStats& m_stats;                         //!< figures
    bool m_everInSync{false};                     //!< see WasEverInSync()
    bool m_formatKnown{false};                    //!< @ref m_format is right
    uint8_t m_version{ddp::VERSION};              //!< DV and RV
    bool m_asSeen{false};                         //!< see BeginAsSeen()
    DecodeCrcDoubt m_doubt{DecodeCrcDoubt::NONE}; //!< until the first FPDU
    bool m_proved{false};                         //!< that there are no Markers has shown
    bool m_marked{false};                         //!< that there are has shown
    mpa::FpduFormat m_format;                     //!< Markers and CRC
    std::unique_ptr<MpaReceiver> m_receiver;      //!< makes FPDUs of octets, while in sync
    uint64_t m_base{0};                           //!< offset whose position is 0, modulo 2^32
    uint64_t m_next{0};                           //!< offset of the next FPDU; see FeedCut()
    bool m_desync{false};                         //!< that is a guess of the receiver's
    Hole m_hole{};                                //!< octets not captured
    std::array<uint8_t, mpa::MARKER_SIZE + mpa::LENGTH_SIZE> m_head; //!< first octets of the FPDU
    std::vector<uint32_t> m_made; //!< sequence numbers of what was no segment like this
    DecodeFpdu m_fpdu;            //!< FPDU at hand
    DecodeMessages m_messages;    //!< DDP and RDMAP
};

} // namespace ns3

#endif // DECODE_FPDUS_H
