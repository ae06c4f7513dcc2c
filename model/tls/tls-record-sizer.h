/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TLS_RECORD_SIZER_H
#define TLS_RECORD_SIZER_H

#include "tls-record.h"

#include <cstdint>

namespace ns3
{

/// @ingroup iwarp-tls
/// @brief How a sender chooses the sizes of its records.
enum class TlsRecordSizing : uint8_t
{
    FIXED, //!< as large as may be, as OpenSSL does
    STEPS, //!< small, medium and then large records, each for so many, and small again behind a
           //!< pause, as the patch of nginx does that Cloudflare published
    GROWTH, //!< records of one, two, three … small segments, and large ones from so many octets on,
            //!< as Go's crypto/tls does
};

/// @ingroup iwarp-tls
/// @brief How records are padded (RFC 8446 section 5.4).
enum class TlsPadding : uint8_t
{
    NONE,    //!< not at all
    BLOCK,   //!< to a multiple of so many octets of content, type and padding, as OpenSSL does
    MAXIMUM, //!< each to the largest size that one may have
};

/**
 * @ingroup iwarp-tls
 * @brief Says what records become of what an application writes: pure, with its counts.
 */
class TlsRecordSizer
{
  public:
    /// What a user wants. All sizes are in octets of content.
    struct Settings
    {
        TlsRecordSizing sizing{TlsRecordSizing::FIXED}; //!< which way
        uint32_t maximum{tls::MAX_PLAINTEXT};           //!< of any record
        uint32_t small{1369};                           //!< of STEPS: the first ones
        uint32_t medium{4229};                          //!< of STEPS: those behind them
        uint32_t records{40}; //!< of STEPS: this and one more are small, as many less one medium
        int64_t pause{1000000000}; //!< of STEPS: time after which they are small again, ns
        uint32_t segment{1208};    //!< of GROWTH: payload of a TCP segment
        uint64_t boost{131072};    //!< of GROWTH: octets in the stream behind which all are large
        TlsPadding padding{TlsPadding::NONE}; //!< of records
        uint32_t block{512};                  //!< of BLOCK: content, type and padding are a
                                              //!< multiple of it
    };

    /// Begin a connection. @param settings what is wanted
    explicit TlsRecordSizer(const Settings& settings);

    /// Lower what any record may have. @param inner octets of content, type and padding that the
    /// peer takes (RFC 8449), 2 at least
    void Limit(uint32_t inner);

    /**
     * @brief Tell the size of the next record of application data, which is sent then.
     * @param left octets that are to be sent
     * @param now time in ns, which does not go back
     * @return octets of them that it holds; all of them, if they fit
     */
    uint32_t Next(uint64_t left, int64_t now);

    /// @return most octets of content that a record may have
    uint32_t GetMost() const;

    /// Tell how a record is padded, of whatever type. @param content octets of it @return zeros to
    /// add
    uint32_t GetPadding(uint32_t content) const;

  private:
    uint32_t GetMaximum(int64_t now); //!< @param now time in ns @return octets of the next record

    Settings m_settings;       //!< what is wanted
    uint32_t m_inner;          //!< content, type and padding of a record
    uint64_t m_records{0};     //!< sent; of STEPS: since the last pause
    uint64_t m_octets{0};      //!< sent, with what is around them
    int64_t m_last{INT64_MIN}; //!< when the last one was
};

} // namespace ns3

#endif // TLS_RECORD_SIZER_H
