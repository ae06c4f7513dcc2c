/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_CPU_H
#define RNIC_CPU_H

#include "rnic-link.h"

#include "ns3/rnic-part.h"

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
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

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

    /// Time a copy, for Use(). @param octets to be copied @return ps that it takes
    RnicTime ServeCopy(uint64_t octets);
    /// Time a CRC, for Use(). @param octets that it covers @return ps that it takes
    RnicTime ServeCrc(uint64_t octets);
    /// Time a cipher with its authentication, for Use(). @param octets that pass @return ps that it
    /// takes
    RnicTime ServeCipher(uint64_t octets);
    /// Tell the fixed work of a packet. @return ps for each, sent or received
    RnicTime GetTimePerPacket() const;
    /// Tell how far large send offload goes. @return octets sent for one packet's time; 0 for off
    uint32_t GetSendOffload() const;
    /// Tell how far large receive offload goes.
    /// @return octets received for one packet's time; 0 for off
    uint32_t GetReceiveOffload() const;
    /// Count the CPUs. @return see Cores
    uint32_t GetCores() const;
    /// Sum up the work done or booked. @return ps, all CPUs together
    RnicTime GetBusy() const;

  protected:
    void DoInitialize() override;

  private:
    uint32_t m_count{1};           //!< see Cores
    RnicTime m_timePerPacket{0};   //!< see TimePerPacket
    uint64_t m_copyBitRate{0};     //!< see CopyRate
    uint64_t m_cipherBitRate{0};   //!< see CipherRate
    uint64_t m_crcBitRate{0};      //!< see CrcRate
    uint32_t m_sendOffload{0};     //!< see LargeSendOffload
    uint32_t m_receiveOffload{0};  //!< see LargeReceiveOffload
    std::vector<RnicLink> m_cores; //!< CPUs
    RnicRate m_copyRate;           //!< of a CPU
    RnicRate m_crcRate;            //!< of a CPU
    RnicRate m_cipherRate;         //!< of a CPU
};

} // namespace ns3

#endif // RNIC_CPU_H
