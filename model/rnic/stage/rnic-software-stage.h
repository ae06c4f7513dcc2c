/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_SOFTWARE_STAGE_H
#define RNIC_SOFTWARE_STAGE_H

#include "ns3/rnic-part.h"

#include <cstdint>
#include <string>

namespace ns3
{

class RnicCpu;
class RnicHostInterface;
class RnicPacketBuffer;

/// @ingroup iwarp-rnic
/// @brief A stage of an RNIC whose work the host's CPUs do, over a plain adapter.
class RnicSoftwareStage : public RnicStage
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    RnicSoftwareStage();
    ~RnicSoftwareStage() override;

    std::string Check() const override;
    bool IsIdeal() const override;
    void Bind(const RnicDatapath& path) override;

  protected:
    /**
     * @brief Tell whether the adapter takes a packet and those before it for one.
     *
     * It does while the CPU has not got to the first of them, and cannot if they are protected.
     * @param segment the packet
     * @param octets of it
     * @param limit octets that it takes for one
     * @return true if the packet costs no CPU time of its own
     */
    bool Joins(const RnicSegment& segment, uint64_t octets, uint64_t limit);

    Ptr<RnicCpu> m_cpu;            //!< CPUs
    Ptr<RnicHostInterface> m_host; //!< host interface
    RnicTime m_begin{-1};          //!< ps, when the CPU gets to the packets gathered

  private:
    uint64_t m_connection{UINT64_MAX}; //!< whose packets the adapter gathers
    uint64_t m_octets{0};              //!< of these packets
};

/// @ingroup iwarp-rnic
/// @brief The host's TCP sends: a CPU copies, computes the CRC and makes a packet, and the adapter
/// reads whole frames.
class RnicSoftwareSendStage : public RnicSoftwareStage
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    void Serve(RnicSegment& segment) override;
};

/// @ingroup iwarp-rnic
/// @brief The adapter writes a frame to the host and tells it, and a CPU takes the frame to TCP.
class RnicSoftwareReceiveStage : public RnicSoftwareStage
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    RnicSoftwareReceiveStage();
    ~RnicSoftwareReceiveStage() override;
    void Bind(const RnicDatapath& path) override;
    void Serve(RnicSegment& segment) override;

  private:
    Ptr<RnicPacketBuffer> m_buffer; //!< where the frame was
};

/// @ingroup iwarp-rnic
/// @brief A CPU checks CRCs and copies payload to where it belongs.
class RnicSoftwarePlaceStage : public RnicSoftwareStage
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    void Serve(RnicSegment& segment) override;
};

} // namespace ns3

#endif // RNIC_SOFTWARE_STAGE_H
