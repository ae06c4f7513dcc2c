/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_IMPAIRMENT_H
#define PATH_IMPAIRMENT_H

#include "ns3/callback.h"
#include "ns3/error-model.h"
#include "ns3/net-device.h"
#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"
#include "ns3/traced-callback.h"

namespace ns3
{

/**
 * @ingroup iwarp-path
 * @brief Loses, holds back and duplicates packets at the receiving end of a link.
 *
 * It is an ErrorModel, so that it fits any device with a ReceiveErrorModel attribute
 * (PointToPointNetDevice, SimpleNetDevice, CsmaNetDevice). Each arriving packet meets, in this
 * order: the loss model, if one is set; loss with the probability Loss; holding back with the
 * probability Reordering, for a time drawn from HoldTime, during which later packets overtake it;
 * duplication with the probability Duplication, the copy arriving after another time drawn from
 * HoldTime. A packet that comes back from being held, or is a copy, meets nothing again.
 *
 * To the device a packet held back looks like a lost one until it is received for good, thus its
 * PhyRxDrop trace fires; pcap files show each packet when it is really received. Use this class's
 * traces to count.
 *
 * Every kind of impairment draws from a stream of its own: the packets lost at a given seed do not
 * depend on whether reordering is on.
 */
class PathImpairment : public ErrorModel
{
  public:
    /// Receives a packet again, such as PointToPointNetDevice::Receive().
    using ReceiveFunction = Callback<void, Ptr<Packet>>;

    /// Signature of the Loss trace. @param packet the packet lost
    typedef void (*LossTracedCallback)(Ptr<const Packet> packet);
    /// Signature of the Hold and Duplicate traces. @param packet packet @param delay time until
    /// it, or its copy, is received
    typedef void (*DelayTracedCallback)(Ptr<const Packet> packet, Time delay);

    static TypeId GetTypeId(); //!< @return the object TypeId
    PathImpairment();
    ~PathImpairment() override;

    /**
     * @brief Put this at the receiving side of a point-to-point device, instead of the error model
     * that is there.
     * @param device a PointToPointNetDevice
     * @return false if the device is of another kind: set its ReceiveErrorModel attribute and call
     *         SetReceiveFunction() instead
     */
    bool Install(Ptr<NetDevice> device);

    /**
     * @param receive gets packets that were held back and copies. Without one, Reordering and
     *        Duplication have no effect.
     */
    void SetReceiveFunction(ReceiveFunction receive);

    /**
     * @brief Fix the random streams.
     * @param stream first stream number
     * @return number of streams used, 4
     */
    int64_t AssignStreams(int64_t stream);

  protected:
    void DoDispose() override;

  private:
    bool DoCorrupt(Ptr<Packet> packet) override;
    void DoReset() override;

    /// @param random a stream @param probability 0 to 1 @return true with that probability; no
    /// number is drawn for 0
    static bool Happens(const Ptr<UniformRandomVariable>& random, double probability);
    /// Receive a packet some time from now. @param packet packet @param delay time
    void ReceiveLater(Ptr<Packet> packet, Time delay);
    /// Receive a packet now, unimpaired. @param packet packet
    void ReceiveNow(Ptr<Packet> packet);

    double m_loss;                                 //!< probability of loss
    double m_reordering;                           //!< probability of being held back
    double m_duplication;                          //!< probability of a copy
    Ptr<ErrorModel> m_lossModel;                   //!< another loss model, consulted first
    Ptr<RandomVariableStream> m_holdTime;          //!< seconds for which a packet is held back
    Ptr<UniformRandomVariable> m_lossRandom;       //!< decides on loss
    Ptr<UniformRandomVariable> m_holdRandom;       //!< decides on holding back
    Ptr<UniformRandomVariable> m_copyRandom;       //!< decides on duplication
    ReceiveFunction m_receive;                     //!< where packets go on
    bool m_passing{false};                         //!< the packet at hand comes from ReceiveNow()
    TracedCallback<Ptr<const Packet>> m_lossTrace; //!< a packet is lost
    TracedCallback<Ptr<const Packet>, Time> m_holdTrace;      //!< a packet is held back
    TracedCallback<Ptr<const Packet>, Time> m_duplicateTrace; //!< a packet will arrive twice
};

} // namespace ns3

#endif // PATH_IMPAIRMENT_H
