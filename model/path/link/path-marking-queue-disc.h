/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_MARKING_QUEUE_DISC_H
#define PATH_MARKING_QUEUE_DISC_H

#include "ns3/ptr.h"
#include "ns3/queue-disc.h"
#include "ns3/queue-size.h"

#include <cstdint>

namespace ns3
{

class UniformRandomVariable;

/**
 * @ingroup iwarp-path
 * @brief A queue of a switch that marks packets by its present length.
 *
 * Below Threshold none is marked; from Ceiling on each is; between them with a probability that
 * grows with the length from 0 to Probability, independently for each packet. That is the
 * congestion point of DCQCN (Zhu et al., SIGCOMM 2015). Without a Ceiling each
 * packet that finds Threshold waiting is marked, as switches do for DCTCP (RFC 8257, section 3.1).
 * The length is what waits when the packet comes, or, with MarkAtDequeue, what it leaves behind
 * when it goes, as switches with shared buffers have it; neither counts the packet itself. A mark
 * at departure tells of the queue as it is, one at arrival of the queue as it was before the packet
 * waited (Zhu et al., ECN or Delay, CoNEXT 2016).
 *
 * ns-3's RedQueueDisc spaces marks evenly: with its Wait, the default, they come every 1 / p to
 * 2 / p packets, two thirds of the probability p that it is told.
 */
class PathMarkingQueueDisc : public QueueDisc
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    PathMarkingQueueDisc();
    ~PathMarkingQueueDisc() override;

    /// Fix the random stream. @param stream it @return 1, the streams used
    int64_t AssignStreams(int64_t stream);

    /// Tell with which probability a packet is marked. @param waiting length that it finds, in the
    /// unit of the sizes @return 0 to 1
    double GetMarkingProbability(uint32_t waiting) const;

  protected:
    void DoDispose() override;

  private:
    /// Decide on a packet by the present length. @return whether it is to be marked
    bool Choose();

    bool DoEnqueue(Ptr<QueueDiscItem> item) override;
    Ptr<QueueDiscItem> DoDequeue() override;
    bool CheckConfig() override;
    void InitializeParams() override;

    QueueSize m_threshold;                //!< see Threshold
    QueueSize m_ceiling;                  //!< see Ceiling
    double m_probability;                 //!< see Probability
    bool m_marking;                       //!< see UseEcn
    bool m_departing;                     //!< see MarkAtDequeue
    Ptr<UniformRandomVariable> m_uniform; //!< between 0 and 1
};

} // namespace ns3

#endif // PATH_MARKING_QUEUE_DISC_H
