/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_DMA_STAGE_H
#define RNIC_DMA_STAGE_H

#include "ns3/rnic-part.h"

#include <string>

namespace ns3
{

class RnicHostInterface;
class RnicQueuePairs;

/// @ingroup iwarp-rnic
/// @brief A stage that uses the host interface and nothing else.
class RnicDmaStage : public RnicStage
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    RnicDmaStage();
    ~RnicDmaStage() override;

    std::string Check() const override;
    bool IsIdeal() const override;
    void Bind(const RnicDatapath& path) override;

  protected:
    Ptr<RnicHostInterface> m_host; //!< host interface
};

/// @ingroup iwarp-rnic
/// @brief Payload on its way out is read from host memory, unless it came with a doorbell.
class RnicReadStage : public RnicDmaStage
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    void Serve(RnicSegment& segment) override;
};

/// @ingroup iwarp-rnic
/// @brief Messages that take posted receives need their work queue elements.
class RnicReceiveStage : public RnicDmaStage
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    RnicReceiveStage();
    ~RnicReceiveStage() override;

    void Bind(const RnicDatapath& path) override;
    void Serve(RnicSegment& segment) override;

  private:
    Ptr<RnicQueuePairs> m_queuePairs; //!< what fetches them
};

/// @ingroup iwarp-rnic
/// @brief What is placed is written to host memory.
class RnicWriteStage : public RnicDmaStage
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    void Serve(RnicSegment& segment) override;
};

} // namespace ns3

#endif // RNIC_DMA_STAGE_H
