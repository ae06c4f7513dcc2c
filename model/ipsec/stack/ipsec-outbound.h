/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPSEC_OUTBOUND_H
#define IPSEC_OUTBOUND_H

#include "ipsec-associations.h"
#include "ipsec-datagram.h"
#include "ipsec-ip-layer.h"
#include "ipsec-path-mtu.h"
#include "ipsec-policies.h"
#include "ipsec-statistics.h"
#include "ipsec-timing.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace ns3
{

/**
 * @ingroup iwarp-ipsec
 * @brief Protects what goes out (RFC 4301 section 5.1) once policies have said so: by ESP in
 * transport or tunnel mode, fragmented before or behind ESP, as large as paths take.
 */
class IpsecOutbound
{
  public:
    /// Attributes of IpsecStack, which may change.
    struct Rules
    {
        const IpsecDontFragment& dontFragment; //!< see DontFragment
        const IpsecFragments& fragments;       //!< see Fragments
        const Time& pathMtuAge;                //!< see PathMtuAge
    };

    /// Know no path yet; all that is given outlives this. @param rules for packets @param policies
    /// of the node @param associations of the node @param timing of ESP @param ip of the node
    /// @param statistics of the node
    IpsecOutbound(const Rules& rules,
                  IpsecPolicies& policies,
                  IpsecAssociations& associations,
                  IpsecTiming& timing,
                  IpsecIpLayer& ip,
                  IpsecStatistics& statistics);

    /// Protect a datagram of this node, once there is an association. @param datagram of this node
    /// @param flow of it @param traffic whose association protects it @param policy that protects
    /// that
    template <typename V>
    void Protect(const IpsecOutgoing<V>& datagram,
                 const IpsecFlow& flow,
                 const IpsecFlow& traffic,
                 IpsecPolicyDatabase::Index policy);

    /// Protect a datagram that a gateway forwards, once there is an association.
    /// @param packet to be forwarded @param header of IP @param flow of it @param traffic whose
    /// association protects it @param policy that protects that
    template <typename V>
    void Forward(const Ptr<Packet>& packet,
                 const typename V::Header& header,
                 const IpsecFlow& flow,
                 const IpsecFlow& traffic,
                 IpsecPolicyDatabase::Index policy);

    /// A path takes less, see IpsecStack::NotifyPathMtu(). @param destination of the packet
    /// @param spi of the packet, if it is known @param mtu octets of IP that the path takes
    void NotifyPathMtu(const IpsecAddress& destination, std::optional<uint32_t> spi, uint32_t mtu);

    /// Tell whether the node may have sent a packet. @param spi that it showed, if it is known
    /// @param destination of it @return as IpsecPathMtu::HasSent() tells
    bool HasSent(std::optional<uint32_t> spi, const IpsecAddress& destination) const;

    /// An association sends no more. @param association it
    void NotifyGone(const std::shared_ptr<IpsecAssociation>& association);

  private:
    /// Why a datagram is protected.
    struct Selected
    {
        IpsecFlow flow;                    //!< of the datagram
        IpsecFlow traffic;                 //!< whose association protects it
        IpsecPolicyDatabase::Index policy; //!< that protects that
    };

    /// @param datagram of this node @param flow of it @param association that protects it
    template <typename V>
    void SendTransport(const IpsecOutgoing<V>& datagram,
                       const IpsecFlow& flow,
                       IpsecAssociation& association);
    /// @param datagram of this node @param selected why @param association that protects it
    template <typename V>
    void SendTunnel(const IpsecOutgoing<V>& datagram,
                    const Selected& selected,
                    IpsecAssociation& association);
    /// Put a datagram into a tunnel. @param payload behind its IP header @param header of IP
    /// @param selected why @param association of the tunnel @param least octets up to which it is
    /// divided, outside, rather than its sender asked for less @param tell called with what fits,
    /// in octets, if it is too big; nullptr if it is to be divided
    template <typename V>
    void Tunnel(const Ptr<Packet>& payload,
                const typename V::Header& header,
                const Selected& selected,
                IpsecAssociation& association,
                uint32_t least,
                const std::function<void(uint32_t mtu)>& tell);
    /// Put a fragment that fits into a tunnel, once there is an association: each may need another.
    /// @param payload behind its IP header @param header of IP @param selected why @param sizes of
    /// the ESP packet @param whole nobody may divide the packet
    template <typename V>
    void EnclosePiece(const Ptr<Packet>& payload,
                      const typename V::Header& header,
                      const Selected& selected,
                      const EspSizes& sizes,
                      bool whole);
    /// Put what fits into a tunnel. @param payload behind its IP header @param header of IP
    /// @param flow of it @param association of the tunnel @param fields of the ESP packet
    /// @param sizes of it @param whole nobody may divide it
    template <typename V>
    void Enclose(const Ptr<Packet>& payload,
                 const typename V::Header& header,
                 const IpsecFlow& flow,
                 IpsecAssociation& association,
                 const EspFields& fields,
                 const EspSizes& sizes,
                 bool whole);
    /// Begin to protect a packet. @param association of it @param sizes of the ESP packet
    /// @param next header @param packet it @return fields of the ESP packet; none if it was dropped
    std::optional<EspFields> Begin(IpsecAssociation& association,
                                   const EspSizes& sizes,
                                   uint8_t next,
                                   const Ptr<Packet>& packet);
    /// Protect a packet. @param association of it @param fields of the ESP packet @param sizes of
    /// that @param packet to protect, in place
    void Seal(IpsecAssociation& association,
              const EspFields& fields,
              const EspSizes& sizes,
              const Ptr<Packet>& packet);
    /// Send a packet through a tunnel. @param packet ESP @param association of the tunnel
    /// @param tos of the outer header @param whole nobody may divide it @param entropy of what is
    /// within, see GetIpsecEntropy()
    void SendOuter(const Ptr<Packet>& packet,
                   const IpsecAssociation& association,
                   uint8_t tos,
                   bool whole,
                   uint64_t entropy);
    /// @param destination of ESP packets @param mtu of the link @return what packets may be like
    IpsecPathMtu::Limit FindLimit(const IpsecAddress& destination, uint32_t mtu) const;
    /// Tell who sent a datagram that it does not fit any more. @param entry of the datagram
    /// @param mtu octets of packets that fit @param from its source @param to its destination
    template <typename V>
    void NotifySender(const IpsecSentLog::Entry& entry,
                      uint32_t mtu,
                      const typename V::Address& from,
                      const typename V::Address& to);

    Rules m_rules;                     //!< for packets
    IpsecPolicies& m_policies;         //!< of the node
    IpsecAssociations& m_associations; //!< of the node
    IpsecTiming& m_timing;             //!< of ESP
    IpsecIpLayer& m_ip;                //!< of the node
    IpsecStatistics& m_statistics;     //!< of the node
    IpsecPathMtu m_paths;              //!< what paths of ESP packets take
};

} // namespace ns3

#endif // IPSEC_OUTBOUND_H
