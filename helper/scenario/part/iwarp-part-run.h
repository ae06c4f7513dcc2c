/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_PART_RUN_H
#define IWARP_PART_RUN_H

#include "ns3/iwarp-scenario-part.h"
#include "ns3/iwarp-workload.h"
#include "ns3/nstime.h"

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief What the flows of a scenario carry, how long, and what is drawn and written meanwhile.
 */
class IwarpRunPart : public IwarpScenarioPart
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpRunPart();
    ~IwarpRunPart() override;

    bool IsIdle() const override;
    std::vector<std::string> ListNames(const std::string& attribute) const override;
    std::string CheckName(const std::string& attribute, const std::string& value) const override;
    std::string Check() const override;
    std::string CheckWith(const iwarp::ScenarioParts& parts) const override;
    std::string CheckRanks(const iwarp::ScenarioParts& parts) const override;
    void SetDefaults(iwarp::ScenarioParts& parts) const override;

    /// Use a workload in place of what Workload names. @param workload it, or nullptr
    void SetWorkload(Ptr<IwarpWorkload> workload);
    /// Make what Workload names. @return it, or that of SetWorkload()
    Ptr<IwarpWorkload> MakeWorkload() const;

    Time GetDuration() const;    //!< Get the longest time to send. @return it; 0: no limit
    Time GetStartSpread() const; //!< Get the time within which flows start. @return it
    /// Ask whether that is at least what lets runs differ in how flows meet. @return whether
    bool HasSpreadStarts() const;
    /// Get how often a run looks whether all octets have come. @return it; 0: with each message
    Time GetCheckInterval() const;
    Time GetTimeLimit() const;          //!< Get the longest simulated time. @return it
    bool HasPlainTcp() const;           //!< Tell whether plain TCP is run too. @return so
    uint32_t GetSeed() const;           //!< Get the seed of random numbers. @return it
    uint64_t GetRun() const;            //!< Get the run number. @return it
    const std::string& GetPcap() const; //!< Get the prefix of pcap files. @return it, or ""
    bool ToleratesLost() const;         //!< Tell whether connections may end early. @return so

  private:
    std::string m_workloadName;       //!< class of IwarpWorkload
    Time m_duration;                  //!< longest time to send
    Time m_checkInterval;             //!< see GetCheckInterval()
    Time m_startSpread;               //!< flows start within this time
    bool m_spreadStarts;              //!< see HasSpreadStarts()
    bool m_plainTcp;                  //!< compare with plain TCP
    uint32_t m_seed;                  //!< seed of all random numbers
    uint64_t m_run;                   //!< run number
    Time m_timeLimit;                 //!< longest simulated time
    std::string m_pcap;               //!< prefix of pcap files
    bool m_tolerateLost;              //!< connections may end early
    Ptr<IwarpWorkload> m_ownWorkload; //!< of the user's, or nullptr
};

} // namespace ns3

#endif // IWARP_PART_RUN_H
