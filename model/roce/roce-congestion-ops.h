/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_CONGESTION_OPS_H
#define ROCE_CONGESTION_OPS_H

#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>

namespace ns3
{

/**
 * @ingroup iwarp-roce
 * @brief Controls the rate of a RoceClient's connection, as TcpCongestionOps does that of a TCP
 * socket.
 *
 * An object is of one connection, and RoceClient's attribute Congestion names its class. This one
 * controls nothing: a client that names it has none, and keeps to its window alone. Rates count
 * frames as links do, with preamble and gap, in bit/s.
 */
class RoceCongestionOps : public Object
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    RoceCongestionOps();
    ~RoceCongestionOps() override;

    /// The connection begins. @param line rate of the host's link, more than 0 [bit/s]
    virtual void Start(double line);

    /// Tell how fast packets may go. @param now the clock, never less than before @return bit/s, at
    /// most the line's; that is no limit
    virtual double GetRate(Time now);

    /// Tell when to ask again while the connection waits. @return longest time for which the rate
    /// is sure not to rise unless a packet comes, at least; 0 if only packets change it
    virtual Time GetPeriod() const;

    /// Tell what goes at the line's rate before the connection waits. @return octets of frames; 0
    /// for a packet each
    virtual uint32_t GetBurst() const;

    /// Tell what the receiver tells of packets that queues have marked. @return shortest time
    /// between two CNPs of a connection; 0 for none
    virtual Time GetCnpInterval() const;

    /// Tell whether it wants round-trip times. @return so: one for each GetBurst() octets
    virtual bool WantsRoundTrips() const;

    /// A packet goes. @param now the clock @param octets of its frame
    virtual void NotifySent(Time now, uint32_t octets);

    /// A CNP has come. @param now the clock
    virtual void NotifyCnp(Time now);

    /// A burst is acknowledged. @param now the clock @param roundTrip since its last packet had
    /// gone
    virtual void NotifyRoundTrip(Time now, Time roundTrip);
};

} // namespace ns3

#endif // ROCE_CONGESTION_OPS_H
