/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_QUEUE_DISC_H
#define IWARP_QUEUE_DISC_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/queue-size.h"

#include <cstdint>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief How a link's queues choose the packets that they mark or drop.
 */
enum class QueueDiscKind : uint8_t
{
    NONE,      //!< none is marked; what finds the queue full is dropped
    RED,       //!< random early detection, by the mean length (RedQueueDisc)
    CODEL,     //!< by the time that packets wait (RFC 8289, CoDelQueueDisc)
    FQ_CODEL,  //!< CoDel for each flow, flows in turn (RFC 8290, FqCoDelQueueDisc)
    PIE,       //!< by the delay that it reckons (RFC 8033, PieQueueDisc)
    THRESHOLD, //!< by the present length, as switches do for DCTCP and DCQCN (PathMarkingQueueDisc)
};

/**
 * @ingroup iwarp-helper
 * @brief What a queue disc of ns-3 has to be told.
 */
struct QueueDiscSettings
{
    QueueDiscKind kind{QueueDiscKind::NONE}; //!< how packets are chosen
    QueueSize size{"1000p"};                 //!< how many may wait; FQ_CODEL counts packets only
    QueueSize threshold{"65p"};              //!< of THRESHOLD, in the unit of size, at least 2p
    bool marking{true};                      //!< mark what is ECN-capable in place of dropping it
    QueueSize ceiling{"0p"};  //!< of THRESHOLD, each is marked from here on; 0: threshold
    double probability{0.01}; //!< of THRESHOLD, with which one is just below ceiling
    bool departing{false};    //!< of THRESHOLD, by the length behind a packet that leaves
};

/**
 * @ingroup iwarp-helper
 * @brief Make what makes the queue discs of a link.
 *
 * THRESHOLD without a ceiling passes a packet that finds fewer waiting, and marks any other, or
 * drops it if it is not ECN-capable (Alizadeh et al., Data Center TCP, SIGCOMM 2010, section 3.1);
 * with a ceiling it is the congestion point of DCQCN.
 * @param settings what they do
 * @param rate of the link
 * @param delay of the link
 * @return the factory, without a type for NONE
 */
ObjectFactory MakeQueueDiscFactory(const QueueDiscSettings& settings,
                                   const DataRate& rate,
                                   Time delay);

} // namespace iwarp
} // namespace ns3

#endif // IWARP_QUEUE_DISC_H
