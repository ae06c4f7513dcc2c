/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_SERVER_STAGE_H
#define RNIC_SERVER_STAGE_H

#include "ns3/rnic-part.h"
#include "ns3/rnic-server.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup iwarp-rnic
 * @brief A stage that is a FIFO queue with one or several engines, and works on whole frames.
 *
 * Derived stages work on other things, as their GetLoad() says: FPDUs, CRC runs, copies.
 */
class RnicServerStage : public RnicStage
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

    std::string Check() const override;
    bool IsIdeal() const override;
    void Serve(RnicSegment& segment) override;
    bool KeepsOrder() const override;
    RnicTime Reserve(RnicSegment& segment) override;

    /// Look into the queue of the stage. @return the queue, with its statistics
    const RnicServer& GetServer() const;

  protected:
    /// What a segment is to the stage.
    struct Load
    {
        uint64_t octets;   //!< to work through
        uint64_t units;    //!< things in it
        RnicTime extra{0}; //!< ps for which it occupies an engine besides
    };

    void DoInitialize() override;

    /// Tell what a segment is to the stage. @param segment the segment @return a whole frame, if
    /// derived stages do not say otherwise
    virtual Load GetLoad(const RnicSegment& segment) const;

    RnicTime GetTimePerPacket() const; //!< @return ps, see TimePerPacket
    RnicTime GetLatency() const;       //!< @return ps, see Latency

  private:
    RnicServerConfig MakeConfig() const; //!< @return the attributes as the queue takes them

    RnicTime m_timePerPacket{0}; //!< see TimePerPacket
    RnicTime m_timePerUnit{0};   //!< see TimePerUnit
    uint64_t m_rate{0};          //!< see Rate
    RnicTime m_latency{0};       //!< see Latency
    uint32_t m_engines{1};       //!< see Engines
    RnicServer m_server;         //!< the queue
    RnicServer m_ahead;          //!< the same, if all that began to be sent were here at once
};

/**
 * @ingroup iwarp-rnic
 * @brief A stage of the RNIC's own that works on whole frames. Where the crypto engine stands
 * beside the pipeline, a frame with ESP passes such a stage again behind the engine (EspPasses).
 */
class RnicFrameStage : public RnicServerStage
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    void Serve(RnicSegment& segment) override;

  protected:
    Load GetLoad(const RnicSegment& segment) const override;

  private:
    /// @param segment the segment @return how often it passes the stage besides the first time
    uint32_t CountMorePasses(const RnicSegment& segment) const;

    uint32_t m_espPasses{1}; //!< see EspPasses
};

/**
 * @ingroup iwarp-rnic
 * @brief Checks of a received frame by link, IP or TCP. When the last of them is done the CRC of an
 * aligned segment may begin (RFC 5044 section B.2.1).
 */
class RnicCheckStage : public RnicFrameStage
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    void Serve(RnicSegment& segment) override;
};

} // namespace ns3

#endif // RNIC_SERVER_STAGE_H
