/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_MEMORY_STAGE_H
#define RNIC_MEMORY_STAGE_H

#include "ns3/rnic-part.h"

#include <string>

namespace ns3
{

class RnicReassemblyMemory;

/**
 * @ingroup iwarp-rnic
 * @brief The way of a flow-through receiver through its reassembly memory: only parts of FPDUs are
 * stored, and read again when the rest is there.
 */
class RnicMemoryStage : public RnicStage
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    RnicMemoryStage();
    ~RnicMemoryStage() override;

    std::string Check() const override;
    bool IsIdeal() const override;
    void Bind(const RnicDatapath& path) override;
    void Serve(RnicSegment& segment) override;

  protected:
    Ptr<RnicReassemblyMemory> m_memory; //!< reassembly memory
};

/**
 * @ingroup iwarp-rnic
 * @brief The same of a store-and-forward receiver: every segment goes in whole, and what is placed
 * comes out again.
 */
class RnicStoreAndForwardStage : public RnicMemoryStage
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    void Serve(RnicSegment& segment) override;
};

} // namespace ns3

#endif // RNIC_MEMORY_STAGE_H
