/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPSEC_PATH_MTU_H
#define IPSEC_PATH_MTU_H

#include "ipsec-association-database.h"
#include "ipsec-sent-log.h"

#include "ns3/nstime.h"
#include "ns3/packet.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-ipsec
 * @brief What the paths of ESP packets take, as ICMP tells (RFC 4301 section 8.2): which messages
 * count, for how long, and who has sent what does not fit any more.
 *
 * A message counts if one of the node's associations may have sent the packet that it is about, or
 * one that is gone and was among the last. Pure: the caller has the clock.
 */
class IpsecPathMtu
{
  public:
    /// What a packet may be like.
    struct Limit
    {
        uint32_t mtu; //!< octets of it
        bool whole;   //!< it fits so; otherwise it has to be divided on the way
    };

    /// Know nothing yet. @param outbound associations that send, which outlive this
    explicit IpsecPathMtu(const IpsecAssociationDatabase& outbound);

    /// An association sends no more. @param association it
    void NotifyGone(const std::shared_ptr<IpsecAssociation>& association);

    /// Tell whether the node may have sent a packet. @param spi that it showed; nothing: ESP in
    /// UDP, of which none is known @param destination of it @return one of its associations may
    bool HasSent(std::optional<uint32_t> spi, const IpsecAddress& destination) const;

    /**
     * @brief Remember a datagram that is not to be divided, unless nobody will be asked for less.
     * @param payload of it
     * @param flow of it
     * @param destination of the packet that protects it
     * @param size of the datagram, octets
     * @param octets of the packet
     * @param own this node has made it
     */
    void NotifySent(const Packet& payload,
                    const IpsecFlow& flow,
                    const IpsecAddress& destination,
                    uint32_t size,
                    uint32_t octets,
                    bool own);

    /**
     * @brief ICMP says what a path takes. Less than every link takes is not believed.
     * @param destination of the packet in question
     * @param spi that it showed, as for HasSent()
     * @param mtu octets that the path takes
     * @param now the clock
     * @param age for which a path MTU counts
     * @return it is less than was known
     */
    bool Update(const IpsecAddress& destination,
                std::optional<uint32_t> spi,
                uint32_t mtu,
                Time now,
                Time age);

    /// Take out datagrams that do not fit. @param destination of packets @param mtu octets that fit
    /// @return one datagram of each flow
    std::vector<IpsecSentLog::Entry> ExtractTooBig(const IpsecAddress& destination, uint32_t mtu);

    /**
     * @brief Find what packets may be like.
     * @param destination of them
     * @param link octets that the link takes
     * @param now the clock
     * @param age for which a path MTU counts
     * @return the path's MTU, if that is known and less than the link's; nobody is asked for less
     * than hosts take, in fragments if need be
     */
    Limit FindLimit(const IpsecAddress& destination, uint32_t link, Time now, Time age) const;

  private:
    static constexpr std::size_t GONE = 256; //!< most associations that are gone

    /// What a path takes.
    struct Known
    {
        uint32_t mtu; //!< octets
        Time since;   //!< since when it is known
    };

    /// @param destination of packets @param link octets that the link takes @param now the clock
    /// @param age for which a path MTU counts @return octets that the path takes
    uint32_t Get(const IpsecAddress& destination, uint32_t link, Time now, Time age) const;

    const IpsecAssociationDatabase& m_outbound; //!< associations that send
    IpsecAssociationDatabase m_gone{GONE};      //!< the last that went out of it
    IpsecSentLog m_sent;                        //!< what may turn out to be too big
    std::unordered_map<IpsecFlow, Known, IpsecFlowHash> m_paths; //!< by destination, the rest 0
};

} // namespace ns3

#endif // IPSEC_PATH_MTU_H
