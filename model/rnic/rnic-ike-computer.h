/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_IKE_COMPUTER_H
#define RNIC_IKE_COMPUTER_H

#include "rnic-profile.h"
#include "rnic-server.h"

#include "ns3/ike-computer.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-rnic
 * @brief Computes for key exchange on CPUs of its own, first come, first served.
 *
 * So n exchanges that begin at once, of t each, are done after n t / Cores. By default nothing
 * takes time; GetFigures() lists times of a CPU.
 */
class RnicIkeComputer : public IkeComputer
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

    /// Read times of a CPU, with their sources. @return figures; their paths are names of
    /// attributes
    static std::vector<RnicFigure> GetFigures();

    /// Time the work for an exchange. @param computation what @return time of one CPU
    Time GetWork(const IkeComputation& computation) const;

    Time Compute(const IkeComputation& computation) override;

    /// Look into the queue. @return it, with its statistics
    const RnicServer& GetServer() const;

  protected:
    void DoInitialize() override;

  private:
    /// @param computation what @return ps that it takes one CPU
    RnicTime Sum(const IkeComputation& computation) const;

    RnicTime m_keyPair{0};      //!< see KeyPairTime
    RnicTime m_sharedSecret{0}; //!< see SharedSecretTime
    RnicTime m_sign{0};         //!< see SignTime
    RnicTime m_verify{0};       //!< see VerifyTime
    RnicTime m_derive{0};       //!< see DeriveTime
    uint32_t m_cores{1};        //!< see Cores
    RnicServer m_server;        //!< CPUs
};

} // namespace ns3

#endif // RNIC_IKE_COMPUTER_H
