/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_REASSEMBLY_MEMORY_H
#define RNIC_REASSEMBLY_MEMORY_H

#include "rnic-link.h"

#include "ns3/rnic-part.h"

#include <cstdint>
#include <string>
#include <unordered_map>

namespace ns3
{

/**
 * @ingroup iwarp-rnic
 * @brief The memory in which parts of FPDUs wait, shared by all connections of an RNIC.
 *
 * It counts octets and holds none. In a full memory one connection at least gets on (section
 * A.5.2): a reserve, the largest MTU of the links, is kept for segments in order, of one connection
 * at a time, which with it can complete its FPDU. It gives the reserve back with that FPDU, or as
 * soon as the rest of the memory has room for what it holds. A memory smaller than the reserve
 * makes no such promise.
 */
class RnicReassemblyMemory : public RnicPart
{
  public:
    /// Why octets were refused.
    enum class Refusal : uint8_t
    {
        FULL,           //!< others hold it all
        PER_CONNECTION, //!< the connection holds all that one may
        TOO_SMALL,      //!< not even an empty memory would do
    };

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

    std::string Check() const override;
    /// Tell whether the memory costs no time. Its limit does not count here: that is one to TCP.
    /// @return true if accesses take no time
    bool IsIdeal() const override;
    void Release(RnicTime now, uint64_t holder) override;
    void RestartStatistics(RnicTime now) override;

    /// Tell whether anything can be refused.
    /// @return true if the memory or a connection's share has a limit
    bool HasLimit() const;

    /**
     * @brief Keep a reserve for the FPDUs of a link, 140 octets at least.
     *
     * It never shrinks, as FPDUs of a larger MTU may still be on their way. In a memory that is too
     * full for it, it is complete as soon as others have left.
     * @param mtu of the link, octets
     */
    void KeepReserve(uint64_t mtu);

    /**
     * @brief What a connection may hold in all, as things stand.
     * @param holder connection
     * @param inOrder for a segment at the left edge of the window, which may use the reserve
     * @return octets, those that it holds among them
     */
    uint64_t GetLimit(uint64_t holder, bool inOrder) const;

    /**
     * @brief What a connection may hold in all without the reserve, as things stand.
     * @param holder connection
     * @return octets, those that it holds outside the reserve among them
     */
    uint64_t GetPoolLimit(uint64_t holder) const;

    /**
     * @brief A connection now holds this much.
     *
     * What is beyond GetLimit() does not count: it came before MPA did, and is in TCP's memory.
     * @param now ps, the clock
     * @param holder connection
     * @param octets that it holds
     */
    void SetHeld(RnicTime now, uint64_t holder, uint64_t octets);

    /**
     * @brief Count octets that were dropped since GetLimit() did not allow for them.
     * @param holder connection
     * @param octets of the segment
     * @return why
     */
    Refusal Refuse(uint64_t holder, uint64_t octets);

    /**
     * @brief Octets are written to the memory or read from it.
     * @param now ps, the clock
     * @param arrival ps, when it is wanted
     * @param octets how many
     * @return ps, when it is done
     */
    RnicTime Access(RnicTime now, RnicTime arrival, uint64_t octets);

    /// Get the way in and out. @return port that Access() takes
    const RnicLink& GetPort() const;
    uint64_t GetHeld() const; //!< Tell how full the memory is. @return octets held
    /// Tell what one connection holds. @param holder connection @return octets; 0 if unknown
    uint64_t GetHeld(uint64_t holder) const;
    uint64_t GetPeak() const; //!< Tell how full the memory got. @return most octets ever held
    /// Tell the most that one connection held. @param holder connection, until it is forgotten
    /// @return octets; 0 if unknown
    uint64_t GetPeakOf(uint64_t holder) const;
    uint64_t GetHolders() const; //!< Count connections that hold something now. @return connections
    /// Tell how many connections held something at once. @return most connections at a time
    uint64_t GetPeakHolders() const;
    /// Count octets that went in. @return octets, with those that were there at RestartStatistics()
    uint64_t GetTaken() const;
    /// Tell the longest that a connection held something without a break. @param now ps, the clock
    /// @return ps, since RestartStatistics() at most
    RnicTime GetLongest(RnicTime now) const;
    /// Tell how full the memory was on average. @param now ps, the clock
    /// @return octets held, the mean since time 0 or RestartStatistics()
    double GetMean(RnicTime now) const;
    /// Tell how long an octet stays on average, by Little's law. @param now ps, the clock
    /// @return ps, GetLongest() at most; 0 if nothing went in
    double GetMeanStay(RnicTime now) const;
    /// Count octets that Refuse() was told of. @param reason why @return octets refused for it
    uint64_t GetRefused(Refusal reason) const;

  protected:
    void DoInitialize() override;

  private:
    /// What a connection holds.
    struct Holding
    {
        uint64_t octets{0};  //!< in all
        uint64_t peak{0};    //!< most ever
        uint64_t reserve{0}; //!< of them, in the reserve
        RnicTime since{0};   //!< ps, when it began to hold something
    };

    void Integrate(RnicTime now); //!< @param now ps, the clock
    uint64_t GetPoolRoom() const; //!< @return free octets outside the reserve
    void FreeReserve(); //!< Count what is in the reserve outside, if all of it has room there.

    uint64_t m_capacity{0};                          //!< see Capacity
    uint64_t m_perConnection{0};                     //!< see PerConnection
    uint64_t m_rate{0};                              //!< see Rate
    RnicTime m_latency{0};                           //!< see Latency
    uint64_t m_room{UINT64_MAX};                     //!< octets that fit
    uint64_t m_reserve{0};                           //!< of these, the reserve
    uint64_t m_share{UINT64_MAX};                    //!< octets that one connection may hold
    RnicLink m_port;                                 //!< way in and out
    std::unordered_map<uint64_t, Holding> m_holders; //!< by connection
    uint64_t m_held{0};                              //!< octets
    uint64_t m_reserveUsed{0};                       //!< octets of the reserve in use
    uint64_t m_reserveOwner{0};                      //!< by this connection
    uint64_t m_peak{0};                              //!< octets
    uint64_t m_holding{0};                           //!< connections
    uint64_t m_peakHolding{0};                       //!< connections
    uint64_t m_taken{0};                             //!< octets
    RnicTime m_longest{0};                           //!< ps
    RnicTime m_start{0};                             //!< ps, from which on all is counted
    RnicTime m_last{0};                              //!< ps, up to which m_integral goes
    double m_integral{0};                            //!< octets times ps
    uint64_t m_refused[3]{};                         //!< octets, by reason
};

} // namespace ns3

#endif // RNIC_REASSEMBLY_MEMORY_H
