/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_CPU_H
#define RNIC_CPU_H

#include "rnic-link.h"
#include "rnic-part.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-rnic
 * @brief The host's CPUs, as far as they do an RNIC's work: TCP, CRC and copies of a receiver in
 * software. A connection stays on one of them.
 */
class RnicCpu : public RnicPart
{
  public:
    static TypeId GetTypeId(); //!< @return the object TypeId

    std::string Check() const override;
    bool IsIdeal() const override;

    /**
     * @brief Occupy the CPU of a connection.
     * @param now ps, the clock
     * @param at ps, when the work is there
     * @param connection key
     * @param work ps that it takes
     * @return ps, when it is done
     */
    RnicTime Use(RnicTime now, RnicTime at, uint64_t connection, RnicTime work);

    RnicTime TakeCopy(uint64_t octets); //!< @param octets to be copied @return ps that it takes
    RnicTime TakeCrc(uint64_t octets);  //!< @param octets of a CRC @return ps that it takes
    RnicTime GetTimePerPacket() const;  //!< @return ps for each packet, sent or received
    uint32_t GetSendOffload() const;    //!< @return octets that are sent for one packet's time
    uint32_t GetReceiveOffload() const; //!< @return octets received for one packet's time
    RnicTime GetBusy() const;           //!< @return ps of work, all CPUs together

  protected:
    void DoInitialize() override;

  private:
    uint32_t m_count{1};           //!< see Cores
    RnicTime m_timePerPacket{0};   //!< see TimePerPacket
    uint64_t m_copyBitRate{0};     //!< see CopyRate
    uint64_t m_crcBitRate{0};      //!< see CrcRate
    uint32_t m_sendOffload{0};     //!< see LargeSendOffload
    uint32_t m_receiveOffload{0};  //!< see LargeReceiveOffload
    std::vector<RnicLink> m_cores; //!< CPUs
    RnicRate m_copyRate;           //!< of a CPU
    RnicRate m_crcRate;            //!< of a CPU
};

} // namespace ns3

#endif // RNIC_CPU_H
