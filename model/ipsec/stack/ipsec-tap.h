/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPSEC_TAP_H
#define IPSEC_TAP_H

#include "ipsec-clear-reader.h"

#include "ns3/net-device.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-ipsec
 * @brief Taps links, and tells of protected octets that pass them in clear.
 *
 * @code
 * Ptr<IpsecTap> tap = Create<IpsecTap>();
 * tap->Attach(device, [](const IpsecFlow& flow) { return flow.protocol == 6; }); // all TCP
 * Simulator::Run();
 * NS_ABORT_MSG_IF(tap->GetCount() > 0, tap->GetFirst()->ToString());
 * @endcode
 *
 * It sees what devices send, as IpsecClearReader reads it, and leaves it alone. Each device has
 * traffic of its own that is protected there: behind a security gateway there may be none.
 */
class IpsecTap : public SimpleRefCount<IpsecTap>
{
  public:
    /// Something in clear.
    struct Sighting
    {
        Time time;                         //!< when
        uint32_t node{0};                  //!< whose device sent it
        uint32_t device{0};                //!< index of the device at the node
        IpsecClearReader::Finding finding; //!< what

        std::string ToString() const; //!< Say it in a line, for people. @return it
    };

    /**
     * @brief Tap what a device sends.
     * @param device with a trace source PhyTxBegin: of PointToPointNetDevice, or of
     *        CsmaNetDevice; NS_ABORT otherwise
     * @param isProtected says of flows, in both directions, whether they are to be protected there
     */
    void Attach(Ptr<NetDevice> device, const IpsecClearReader::Protected& isProtected);

    /// Have octets found wherever they stand on all devices, see IpsecClearReader::AddContent().
    /// Not for modelled ESP nor the null cipher, which leave them as they are. @param octets of
    /// protected payload @param size how many
    void AddContent(const uint8_t* octets, std::size_t size);

    /// Count what was seen. @return packets that all devices have sent
    uint64_t GetSeen() const;
    /// Count what was in clear. @return packets, again on each link
    uint64_t GetCount() const;
    /// Get what was in clear first. @return it, if there was anything
    const std::optional<Sighting>& GetFirst() const;

  private:
    /// Where packets are seen
    struct Place
    {
        uint32_t node;                           //!< whose device it is
        uint32_t device;                         //!< index of it
        uint32_t header;                         //!< octets of the link's header
        IpsecClearReader::Protected isProtected; //!< what is to be protected there
    };

    /// PhyTxBegin. @param tap told @param place index @param frame that is sent
    static void HandleFrame(Ptr<IpsecTap> tap, std::size_t place, Ptr<const Packet> frame);
    /// @param place where @param frame that is sent
    void Look(const Place& place, const Ptr<const Packet>& frame);

    std::vector<Place> m_places;     //!< devices
    IpsecClearReader m_reader;       //!< reads
    std::vector<uint8_t> m_octets;   //!< of a packet
    uint64_t m_seen{0};              //!< see GetSeen()
    uint64_t m_count{0};             //!< see GetCount()
    std::optional<Sighting> m_first; //!< see GetFirst()
};

} // namespace ns3

#endif // IPSEC_TAP_H
