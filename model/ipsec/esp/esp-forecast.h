/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ESP_FORECAST_H
#define ESP_FORECAST_H

#include "esp-work.h"

#include "ns3/ipsec-selector.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <functional>

namespace ns3
{

/**
 * @ingroup iwarp-ipsec
 * @brief What a node's IPsec tells hardware above it that does ESP itself, as an RNIC does: what
 * will be done to the segments that it sends, and what was done to those that it gets.
 *
 * So the hardware takes the time and the sizes on its own way of segments, while IPsec below makes
 * and opens the packets and takes no time. IPsec aggregates it to the node.
 */
class EspForecast : public Object
{
  public:
    /// As long as it lives, datagrams handed up had the protection that it names. It stands where
    /// IPsec hands a datagram up that it has opened.
    class Arrival
    {
      public:
        /// @param forecast of the node @param work what the datagram needed, which outlives this
        Arrival(EspForecast& forecast, const EspWork& work)
            : m_forecast(forecast),
              m_before(forecast.m_arrival)
        {
            forecast.m_arrival = &work;
        }

        ~Arrival()
        {
            m_forecast.m_arrival = m_before;
        }

        Arrival(const Arrival&) = delete;
        Arrival& operator=(const Arrival&) = delete;

      private:
        EspForecast& m_forecast; //!< of the node
        const EspWork* m_before; //!< of a datagram in which this one was
    };

    /// Signature of AssociationGone. @param direction of its packets @param association its number
    typedef void (*AssociationTracedCallback)(EspDirection direction, uint64_t association);

    /// Signature of Forged. @param work what the packet needed
    typedef void (*ForgedTracedCallback)(const EspWork& work);

    /// Foresees how a datagram will be protected that TCP sends now. Parameters: its addresses,
    /// protocol and ports; octets of it without ESP; octets of its IP header; receives what it
    /// needs. Returns true if it will be protected.
    using Function = std::function<
        bool(const IpsecFlow& flow, uint32_t datagram, uint32_t header, EspWork& work)>;

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

    /// Say who knows. @param foresee called for each segment that hardware sends; without one
    /// nothing will be protected
    void SetFunction(Function foresee);

    /**
     * @brief Foresee how a datagram will be protected that TCP sends now.
     * @param flow its addresses, protocol and ports
     * @param datagram octets of it without ESP
     * @param header octets of its IP header
     * @param[out] work what it needs, if it will be protected
     * @return true if it will be protected
     */
    bool Predict(const IpsecFlow& flow, uint32_t datagram, uint32_t header, EspWork& work) const;

    /// Tell what protected the datagram that is handed up now.
    /// @return what it needed; nullptr if it came without ESP
    const EspWork* GetArrival() const
    {
        return m_arrival;
    }

    /// Tell that an association is gone. @param direction of its packets
    /// @param association its number
    void NotifyGone(EspDirection direction, uint64_t association);

    /// Tell that a packet came whose ICV was wrong, and which is dropped. @param work what it
    /// needed until that was known
    void NotifyForged(const EspWork& work);

  private:
    Function m_foresee;                //!< see SetFunction()
    const EspWork* m_arrival{nullptr}; //!< of the datagram that is handed up now
    TracedCallback<EspDirection, uint64_t> m_goneCallback; //!< see AssociationGone
    TracedCallback<const EspWork&> m_forgedCallback;       //!< see Forged
};

} // namespace ns3

#endif // ESP_FORECAST_H
