/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_RECORD_STAGE_H
#define RNIC_RECORD_STAGE_H

#include "rnic-server-stage.h"

#include "ns3/rnic-record-tracker.h"

#include <cstdint>

namespace ns3
{

class RnicHostInterface;

/// @ingroup iwarp-rnic
/// @brief How an adapter finds its way back after it has lost the head of a record.
enum class RnicResync : uint8_t
{
    SCAN,     //!< it looks for what looks like a head, and asks software
    SOFTWARE, //!< software tells it, once it has seen records that the adapter did not work on
};

/**
 * @ingroup iwarp-rnic
 * @brief An engine beside TCP that works on received records, as far as the adapter can follow
 * them: CRC, decipherment, placement. Each octet of a segment passes it once.
 */
class RnicRxRecordStage : public RnicServerStage
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    RnicRxRecordStage();
    ~RnicRxRecordStage() override;

    bool IsIdeal() const override;

    /// Tell how heads are looked for. @return what trackers are made with
    RnicRecordTracker::Config GetConfig() const;
    /// Tell how long an answer of software takes to count. @return time
    Time GetAnswerTime() const;
    /// Ask for room for a connection. @return false if Connections are followed already
    bool Acquire();
    void Release(); //!< a connection is followed no more
    using RnicServerStage::Release;

  protected:
    Load GetLoad(const RnicSegment& segment) const override;

  private:
    RnicResync m_resync{};     //!< see Resync
    bool m_aligned{false};     //!< see AlignedHeads
    uint32_t m_patience{0};    //!< see Patience
    RnicTime m_answerTime{0};  //!< see AnswerTime
    uint32_t m_limit{0};       //!< see Connections
    uint32_t m_connections{0}; //!< that are followed
};

/**
 * @ingroup iwarp-rnic
 * @brief An engine below TCP that works on records on their way out. A segment that is not the next
 * one, such as one sent again, needs what is in front of it in its record, which is read from host
 * memory again.
 */
class RnicTxRecordStage : public RnicServerStage
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    RnicTxRecordStage();
    ~RnicTxRecordStage() override;

    bool IsIdeal() const override;
    void Bind(const RnicDatapath& path) override;
    void Serve(RnicSegment& segment) override;

  protected:
    Load GetLoad(const RnicSegment& segment) const override;

  private:
    Ptr<RnicHostInterface> m_host; //!< host interface
};

} // namespace ns3

#endif // RNIC_RECORD_STAGE_H
