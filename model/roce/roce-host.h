/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef ROCE_HOST_H
#define ROCE_HOST_H

#include "roce-head.h"
#include "roce-path.h"

#include "ns3/address.h"
#include "ns3/callback.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/packet.h"
#include "ns3/path-framing.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/rnic.h"
#include "ns3/socket.h"
#include "ns3/traced-callback.h"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

namespace ns3
{

class QueueDisc;
class QueueDiscItem;

/// @ingroup iwarp-roce
/// @brief A packet that comes.
struct RoceArrival
{
    const RoceHead& head; //!< its headers
    uint32_t payload;     //!< octets
    const Address& from;  //!< its sender
    bool marked;          //!< congestion was experienced; only told after RoceHost::HeedMarks()
};

/// @ingroup iwarp-roce
/// @brief Why a packet is dropped that comes.
enum class RoceDropReason : uint8_t
{
    MALFORMED,     //!< none of RoceHead's packets, or too short
    NO_QUEUE_PAIR, //!< to a queue pair that is not there
    UNEXPECTED,    //!< not for this end of a connection, such as a CNP to a receiver
};

/// @ingroup iwarp-roce
/// @brief What RoceHost calls: one end of a connection.
class RoceEnd
{
  public:
    virtual ~RoceEnd() = default;
    /// A packet comes. @param arrival it @return whether it is one for this end of a connection
    virtual bool HandlePacket(const RoceArrival& arrival) = 0;
    /// The link has room. @return whether a packet is sent; false if there is none to be
    virtual bool SendNext() = 0;
};

/**
 * @ingroup iwarp-roce
 * @brief The RoCE adapter of a node: port 4791 of UDP, and who may send.
 *
 * Connections take turns, a packet each, whenever fewer than DEPTH packets of the adapter wait for
 * the link, so that none is dropped at the host; acknowledgements go at once. What else the host
 * sends waits in the same queue, first come, first served. If the node has an Rnic, its host
 * interface times doorbells, payload and completions, and its packet buffer holds what comes; no
 * other part of it is used.
 */
class RoceHost : public Object
{
  public:
    static constexpr uint32_t DEPTH = 16; //!< packets that are read ahead and wait for the link

    /// Signature of PacketDropped. @param packet payload of UDP @param reason why
    typedef void (*DropTracedCallback)(Ptr<const Packet> packet, RoceDropReason reason);

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    RoceHost();
    ~RoceHost() override;

    /// Find a node's, or give it one. @param node with IPv4 or IPv6 @return it
    static Ptr<RoceHost> Get(const Ptr<Node>& node);

    /// Let a connection's end get packets. @param queuePair its number, used by no other @param end
    /// the end, until Detach()
    void Attach(uint32_t queuePair, RoceEnd* end);
    void Detach(uint32_t queuePair); //!< @param queuePair whose end is gone

    void Request(RoceEnd* end); //!< An end has packets to send. @param end it

    /// Tell ends which packets are marked from now on; that costs some time a packet
    void HeedMarks();
    /// Tell the rate of the link. @return bit/s; 0 if it is no PointToPointNetDevice
    double GetLineRate() const;
    /// Tell what a datagram costs on the link. @return its framing
    PathFraming GetFraming() const;
    /// Book the link for a frame, behind what was booked before. @param duration of the frame
    /// @return when it has left, if only what is booked does
    Time ReserveLine(Time duration);

    /// Make the way of a connection; its port tells flows apart on equal paths. @param peer address
    /// and any port @return it, to port 4791 there
    Ptr<RocePath> MakePath(const Address& peer);
    /// Send a packet. @param way of MakePath() @param head its headers @param payload octets
    /// @param inlined they came with the doorbell; otherwise they are read from host memory first
    void Send(const Ptr<RocePath>& way,
              const RoceHead& head,
              uint32_t payload,
              bool inlined = false);

    /// Time a doorbell. @param octets of the message @return until it can begin
    Time Post(uint64_t octets);
    /// Tell whether payload comes with the doorbell. @param octets of the message @return so
    bool IsInline(uint64_t octets) const;
    /// Let a packet in. @param frame octets of it @return false if there is no room
    bool Admit(uint32_t frame);
    /// Write payload to host memory. @param frame octets of an admitted packet @param payload
    /// octets @return until they are there
    Time Place(uint32_t frame, uint32_t payload);
    /// Tell the host of a completion, behind what was placed. @return until it knows
    Time Complete();

  protected:
    void DoDispose() override;

  private:
    void Open(const Ptr<Node>& node); //!< @param node to which this belongs
    void Listen(const Address& any);  //!< @param any address and port
    void Receive(Ptr<Socket> socket); //!< packets have come @param socket where
    void Drop(const Ptr<Packet>& packet,
              RoceDropReason reason); //!< @param packet it @param reason why
    /// @param packet that comes @return whether it is marked
    static bool IsMarked(const Ptr<Packet>& packet);
    /// @param way of it @param p has been read @param treatment of it
    void Leave(Ptr<RocePath> way, Ptr<Packet> p, RocePath::Treatment treatment);
    /// A packet goes down to the link. @param way of it @param packet it @param treatment of it
    void Hand(const Ptr<RocePath>& way,
              const Ptr<Packet>& packet,
              const RocePath::Treatment& treatment);
    void Begin(Ptr<const Packet> packet); //!< the link takes a packet @param packet it
    /// A queue disc of the link drops a packet. @param item it
    void DropQueued(Ptr<const QueueDiscItem> item);
    void Pump();                     //!< let ends send
    uint32_t CountWaiting() const;   //!< @return packets of the adapter that are to leave
    uint32_t CountQueued() const;    //!< @return packets of anybody that wait for the link
    Ptr<QueueDisc> FindDisc() const; //!< @return of the link; null if it has none

    static constexpr uint32_t FIRST_PORT = 49152; //!< least that packets come from
    static constexpr uint32_t LAST_PORT = 65535;  //!< greatest

    Ptr<Node> m_node;                     //!< node
    Ptr<PointToPointNetDevice> m_device;  //!< its link, if it is one of these
    Rnic* m_rnic{nullptr};                //!< its RNIC, if it has one
    std::vector<Ptr<Socket>> m_listening; //!< at port 4791
    std::map<uint32_t, RoceEnd*> m_ends;  //!< by number of queue pair
    std::deque<RoceEnd*> m_ring;          //!< those that have packets to send
    uint32_t m_port{FIRST_PORT};          //!< that the last way has
    uint32_t m_fetching{0};               //!< packets that wait until payload has been read
    Time m_read;                          //!< when the last of it will have been
    /// Uids of packets of the adapter that wait for the link, in turn: CNPs, which queues may let
    /// go by, and all others
    std::array<std::deque<uint64_t>, 2> m_waiting;
    bool m_pumping{false};                                         //!< Pump() runs
    bool m_woken{false};                                           //!< Pump() is about to
    bool m_heedsMarks{false};                                      //!< ends are told of marks
    bool m_icrc;                                                   //!< see Icrc
    uint8_t m_dataDscp;                                            //!< see DataDscp
    uint8_t m_cnpDscp;                                             //!< see CnpDscp
    Time m_booked;                                                 //!< until when the link is
    TracedCallback<Ptr<const Packet>, RoceDropReason> m_dropTrace; //!< PacketDropped
    int64_t m_placed{0}; //!< ps, when all that came is in host memory
};

} // namespace ns3

#endif // ROCE_HOST_H
