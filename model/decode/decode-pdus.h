/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DECODE_PDUS_H
#define DECODE_PDUS_H

#include "decode-framer.h"
#include "decode-framing.h"
#include "decode-reporter.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-decode
 * @brief The PDUs of one direction, of a framing that a DecodeFramer describes.
 *
 * Behind octets that are not in the capture, or begin no PDU, it goes on with a segment that holds
 * whole PDUs and nothing else.
 */
class DecodePdus : public DecodeFraming
{
  public:
    static constexpr uint32_t MAX_PDU = 1 << 24; //!< octets of the longest that is decoded

    /**
     * @brief Begin with a PDU.
     * @param framer describes them
     * @param reporter takes what is found; outlives this
     * @param stats figures to count in; outlives this
     */
    DecodePdus(std::unique_ptr<DecodeFramer> framer, DecodeReporter& reporter, DecodeStats& stats);

    void Process(const DecodePiece& piece) override;
    void Skip(uint64_t from, uint64_t to) override;
    bool IsInSync() const override;
    bool WasEverInSync() const override;
    uint64_t GetUnfinished(uint64_t edge) const override;

  private:
    /// @param octets octets @param size how many @return they are whole PDUs and nothing else
    bool IsChain(const uint8_t* octets, uint32_t size) const;
    /// @param octets that begin a PDU @param have how many @return octets of it; those of its head
    /// while these are not there; 0 if it is none
    uint32_t FindSize(const uint8_t* octets, uint32_t have) const;
    void Complete(bool aligned); //!< the PDU at hand is whole @param aligned came in one segment
    void LoseSync();             //!< where the next PDU begins is not known

    std::unique_ptr<DecodeFramer> m_framer; //!< describes them
    DecodeReporter& m_reporter;             //!< takes what is found
    DecodeStats& m_stats;                   //!< figures
    bool m_inSync{true};                    //!< see IsInSync()
    uint64_t m_next{1};                     //!< first octet of the PDU at hand
    std::vector<uint8_t> m_octets;          //!< what is there of it
    uint32_t m_missing{0};                  //!< of these, zeros for what was not captured
};

} // namespace ns3

#endif // DECODE_PDUS_H
