/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_IMPAIRMENT_H
#define PATH_IMPAIRMENT_H

#include "ns3/callback.h"
#include "ns3/error-model.h"
#include "ns3/net-device.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup iwarp-path
 * @brief Base class of what harms packets at the receiving end of a link.
 *
 * It is an ErrorModel, so that it fits any device with a ReceiveErrorModel attribute
 * (PointToPointNetDevice, SimpleNetDevice, CsmaNetDevice). Each packet that arrives is given to
 * Impair(), which loses it, lets it pass, or calls ReceiveLater() to have it or a copy received
 * another time. Several impairments of one device come one after the other, in the order of
 * Install(); a packet received later meets only those behind the one that held it.
 *
 * Attribute Packets has it leave data or ACKs alone.
 *
 * To the device a packet held back looks like a lost one until it is received for good, thus its
 * PhyRxDrop trace fires; pcap files show each packet when it is really received.
 *
 * A kind of impairment is a subclass with attributes of its own, registered with ns-3 and named
 * Path...Impairment. IwarpNetwork::Impair() puts one on a link.
 */
class PathImpairment : public ErrorModel
{
  public:
    /// Receives a packet again, such as PointToPointNetDevice::Receive().
    using ReceiveFunction = Callback<void, Ptr<Packet>>;

    /// What an impairment is about.
    enum class Packets : uint8_t
    {
        ALL,  //!< each packet
        DATA, //!< packets but those of ACKS
        ACKS, //!< TCP segments without payload
    };

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    PathImpairment();
    ~PathImpairment() override;

    /**
     * @brief Put this at the receiving side of a point-to-point device, behind the error model that
     * is there, if one is.
     * @param device a PointToPointNetDevice
     * @return false if the device is of another kind: set its ReceiveErrorModel attribute and call
     *         SetReceiveFunction() instead; also if this is installed already
     */
    bool Install(Ptr<NetDevice> device);

    /**
     * @brief Set where packets received later go, on a device that Install() does not know.
     * @param receive gets packets that were held back and copies
     */
    void SetReceiveFunction(ReceiveFunction receive);

    /**
     * @brief Fix the random streams, those of the impairments before this one first.
     * @param stream first stream number
     * @return number of streams used
     */
    int64_t AssignStreams(int64_t stream);

    /**
     * @brief Tell whether packets pass as if this were not there.
     * @return "" if they do not, or a subclass does not say; else the attribute that above all
     * would have them changed
     */
    virtual std::string GetIdleAttribute() const;

  protected:
    void DoDispose() override;
    void DoReset() override;

    /**
     * @brief Fix the random streams of this impairment.
     * @param stream first stream number
     * @return number of streams used
     */
    virtual int64_t DoAssignStreams(int64_t stream) = 0;

    /**
     * @brief Decide what becomes of a packet that arrives.
     * @param packet the packet with its link-layer header; it may be changed
     * @return true if it is not received now
     */
    virtual bool Impair(Ptr<Packet> packet) = 0;

    /// Tell whether ReceiveLater() can work. @return whether it is known where packets go on
    bool CanReceiveLater() const;

    /**
     * @brief Have a packet received another time, past this impairment.
     * @param packet packet, which nobody else may change
     * @param delay time from now
     */
    void ReceiveLater(Ptr<Packet> packet, Time delay);

  private:
    bool DoCorrupt(Ptr<Packet> packet) final;
    /// Tell whether this is about a packet. @param packet packet @return so, by Packets
    bool Concerns(const Ptr<const Packet>& packet) const;
    /// Receive a packet now, past this impairment. @param packet packet
    void ReceiveNow(Ptr<Packet> packet);

    ReceiveFunction m_receive;  //!< where packets go on
    Ptr<ErrorModel> m_previous; //!< consulted first
    Packets m_packets;          //!< what it is about
    bool m_passing{false};      //!< the packet at hand comes from ReceiveNow()
};

} // namespace ns3

#endif // PATH_IMPAIRMENT_H
