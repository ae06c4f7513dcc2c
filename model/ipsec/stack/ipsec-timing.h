/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPSEC_TIMING_H
#define IPSEC_TIMING_H

#include "ns3/esp-engine.h"
#include "ns3/esp-forecast.h"
#include "ns3/object.h"

#include <cstdint>
#include <functional>

namespace ns3
{

/**
 * @ingroup iwarp-ipsec
 * @brief The time that ESP of a node takes: an engine has each packet take it, or hardware that
 * does ESP itself is told by a forecast.
 */
class IpsecTiming
{
  public:
    /// Have ESP take no time. @param owner kept while a packet takes its time; nullptr: none
    explicit IpsecTiming(Object* owner);

    /// Set who tells hardware. @param forecast of the node
    void SetForecast(const Ptr<EspForecast>& forecast);
    /// Set what takes the time of ESP. @param engine of the node; nullptr: it takes none
    void SetEngine(const Ptr<EspEngine>& engine);
    bool HasEngine() const; //!< Tell whether ESP takes time. @return so
    /// Reach who tells hardware. @return the forecast that was set
    EspForecast& GetForecast() const;

    /// Do something once ESP has taken its time. @param direction of a packet @param work what it
    /// needs @param go what to do then
    void Process(EspDirection direction, const EspWork& work, std::function<void()> go);
    /// Have a packet take its time, of which nothing remains. @param work what it needed
    void Charge(const EspWork& work);
    /// An association is gone. @param direction of its packets @param number of it
    void NotifyGone(EspDirection direction, uint64_t number);
    void Clear(); //!< Have nothing done any more, that which takes its time neither.

  private:
    Object* m_owner;             //!< kept while events are scheduled
    Ptr<EspForecast> m_forecast; //!< for hardware that does ESP itself
    Ptr<EspEngine> m_engine;     //!< takes the time of ESP; nullptr if it takes none
};

} // namespace ns3

#endif // IPSEC_TIMING_H
