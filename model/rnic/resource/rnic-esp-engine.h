/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_ESP_ENGINE_H
#define RNIC_ESP_ENGINE_H

#include "ns3/esp-engine.h"
#include "ns3/rnic-design.h"
#include "ns3/rnic-esp-stage.h"

#include <array>
#include <memory>
#include <string>

namespace ns3
{

/**
 * @ingroup iwarp-rnic
 * @brief What does ESP at a node without an RNIC, such as a gateway, aggregated to the node: the
 * stages TxEsp and RxEsp of a design, with its HostInterface, Cpu and AssociationCache.
 *
 * The rest of the design is not used. Without SetDesign() it is an inline engine that takes no
 * time.
 */
class RnicEspEngine : public EspEngine
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    RnicEspEngine();
    ~RnicEspEngine() override;

    /// Say what the engine is made of; NS_ABORT if it has started, or TxEsp or RxEsp is missing.
    /// @param design with stages by rnic::AddEsp()
    void SetDesign(const RnicDesign& design);

    /// Look for attributes that make no sense; a simulation does not start with such.
    /// @return what is wrong with them, for people; empty if nothing
    std::string Check();

    /// Give access to the parts, for their statistics. @return pipelines and resources
    RnicDatapath& GetDatapath();

    /// Fix the random stream that caches with random replacement draw from.
    /// @param stream its number @return number of streams used
    int64_t AssignStreams(int64_t stream);

    Time Serve(EspDirection direction, const EspWork& work) override;
    void Release(EspDirection direction, uint64_t association) override;

  private:
    void Start(); //!< begins with the attributes of the parts as they are

    std::unique_ptr<RnicDatapath> m_path;      //!< parts
    std::array<Ptr<RnicEspStage>, 2> m_stages; //!< by EspDirection
    RnicConnectionState m_connection;          //!< of all packets
    bool m_started{false};                     //!< the parts' attributes count as they were then
};

} // namespace ns3

#endif // RNIC_ESP_ENGINE_H
