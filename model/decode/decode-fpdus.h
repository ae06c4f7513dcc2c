/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DECODE_FPDUS_H
#define DECODE_FPDUS_H

#include "decode-messages.h"
#include "decode-reassembly.h"
#include "decode-reporter.h"

#include "ns3/mpa-receiver.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-decode
 * @brief The FPDUs of one direction: octets in order become FPDUs, checked, and messages.
 *
 * FPDUs go through MpaReceiver, as those of a simulated connection do. It is told to check neither
 * CRCs nor Markers, since it would end the stream on a fault; they are checked here. Where FPDUs
 * begin is told by Begin(), or searched for.
 */
class DecodeFpdus : private MpaReceiver::Listener
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
     * @param disputed only one end wanted CRCs, and peers differ in what follows
     */
    void Begin(const mpa::FpduFormat& format, bool disputed);

    /// The next octets in order. @param piece them
    void Take(const DecodePiece& piece);

    /**
     * @brief Octets are not in the capture.
     * @param from first
     * @param to behind the last
     */
    void Skip(uint64_t from, uint64_t to);

    bool IsInSync() const;      //!< Tell whether it is known where FPDUs begin. @return true then
    bool WasEverInSync() const; //!< Tell whether that is or was known. @return true then
    /// Get the format of the FPDUs. @return Markers and CRC
    const mpa::FpduFormat& GetFormat() const;
    /// Count the octets of an FPDU that is not whole. @param edge end of the stream @return octets
    /// before it that begin an FPDU
    uint64_t GetUnfinished(uint64_t edge) const;

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
    /// @param offset of an FPDU @param size its octets @return octets captured before any that were
    /// not, from its first on
    uint64_t GetCaptured(uint64_t offset, uint32_t size) const;
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

    const bool m_mpaOnly;                    //!< ULPDUs are not DDP segments
    DecodeReporter& m_reporter;              //!< takes what is found
    DecodeStats& m_stats;                    //!< figures
    bool m_everInSync{false};                //!< see WasEverInSync()
    bool m_formatKnown{false};               //!< @ref m_format is right
    bool m_disputed{false};                  //!< whether there are CRCs is seen from the first FPDU
    bool m_proved{false};                    //!< that there are no Markers has shown
    bool m_marked{false};                    //!< that there are has shown
    mpa::FpduFormat m_format;                //!< Markers and CRC
    std::unique_ptr<MpaReceiver> m_receiver; //!< makes FPDUs of octets, while in sync
    uint64_t m_base{0};                      //!< offset whose position is 0, modulo 2^32
    uint64_t m_next{0};                      //!< offset of the next FPDU
    bool m_desync{false};                    //!< that is a guess of the receiver's
    std::vector<Hole> m_holes;               //!< octets not captured of the FPDU at hand and on
    std::vector<uint32_t> m_made;            //!< segments made up of such, by sequence number
    std::vector<uint8_t> m_padded;           //!< a segment captured in part
    DecodeFpdu m_fpdu;                       //!< FPDU at hand
    DecodeMessages m_messages;               //!< DDP and RDMAP
};

} // namespace ns3

#endif // DECODE_FPDUS_H
