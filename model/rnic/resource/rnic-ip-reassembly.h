/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_IP_REASSEMBLY_H
#define RNIC_IP_REASSEMBLY_H

#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/rnic-part.h"

#include <array>
#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-rnic
 * @brief The buffers in which an RNIC puts IP fragments together, by one of the five policies of
 * RFC 5044 section A.5.1.
 *
 * It knows fragments and the time, but no IP headers: RnicIpInput reads these. Where room is
 * short, the oldest datagram goes, which most likely waits for a fragment that is lost. A datagram
 * of which it has the first fragment is told of when it goes for want of room, so that its sender
 * can be asked for smaller ones.
 *
 * Fragments that overlap discard their datagram, those to come included (RFC 5722); an exact
 * duplicate is ignored (RFC 8200 section 4.5). Fragments that cannot be right, and TCP headers cut
 * in a way that only an attack does (RFC 1858, RFC 3128), are dropped. So is a datagram of which a
 * fragment has met congestion and another is not ECN-capable (RFC 3168 section 5.3).
 */
class RnicIpReassembly : public RnicPart
{
  public:
    /// What there is for fragments (RFC 5044 section A.5.1).
    enum class Policy : uint8_t
    {
        DROP,      //!< nothing: every fragment is dropped
        LIMITED,   //!< one buffer of Octets, for one datagram
        UNLIMITED, //!< as many buffers as it takes
        MAX_64K,   //!< one buffer for the largest datagram, 65535 octets
        POOLED,    //!< one buffer of Octets for any number of datagrams
    };

    /// Which datagram a fragment belongs to.
    struct Key
    {
        std::array<uint8_t, 16> source{};      //!< address, IPv4's in the first four octets
        std::array<uint8_t, 16> destination{}; //!< address, the same
        uint32_t identification{0};            //!< of the datagram
        uint8_t protocol{0};                   //!< transport protocol
        bool ipv6{false};                      //!< version of IP

        /// Order keys. @param other key @return true if this one comes first
        bool operator<(const Key& other) const
        {
            return std::tie(source, destination, identification, protocol, ipv6) <
                   std::tie(other.source,
                            other.destination,
                            other.identification,
                            other.protocol,
                            other.ipv6);
        }
    };

    /// A fragment.
    struct Fragment
    {
        Key key;                   //!< its datagram
        uint32_t header{20};       //!< octets of the datagram's IP header
        uint32_t offset{0};        //!< where its payload belongs, octets
        bool more{false};          //!< others follow
        uint8_t tos{0};            //!< type of service or traffic class
        Ptr<const Packet> payload; //!< what it brings
        Ptr<const Packet> whole;   //!< the same with its IP headers
    };

    /// What becomes of datagrams when a fragment comes.
    struct Outcome
    {
        Ptr<Packet> payload;     //!< of the datagram, if it is whole now; else nullptr
        Ptr<const Packet> first; //!< its first fragment, with IP headers
        uint8_t tos{0};          //!< that of the first one, and congestion that any has met
        std::vector<Ptr<const Packet>> refused; //!< first fragments of datagrams for which there
                                                //!< was no room
    };

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId

    std::string Check() const override;
    bool IsIdeal() const override;
    void RestartStatistics(RnicTime now) override;

    /// Say what the link takes, where Octets is 0. @param mtu of the link, octets
    void SetLinkMtu(uint32_t mtu);

    /**
     * @brief Take a fragment.
     * @param now ps, the clock
     * @param fragment it
     * @return what becomes of its datagram, and of others for which there is no room now
     */
    Outcome Add(RnicTime now, const Fragment& fragment);

    /**
     * @brief Give up datagrams that are not whole in time.
     * @param now ps, the clock
     * @return first fragments of those, where they came
     */
    std::vector<Ptr<const Packet>> Expire(RnicTime now);

    /// Tell when the next datagram is given up. @return ps; -1 if none waits
    RnicTime GetNextExpiry() const;

    uint64_t GetHeld() const;      //!< Tell how much is held. @return octets, IP headers included
    uint64_t GetPeak() const;      //!< Tell how much was held. @return most octets ever held
    uint64_t GetFragments() const; //!< Count what came. @return fragments
    uint64_t GetDropped() const;   //!< Count what was of no use. @return fragments dropped
    uint64_t GetDatagrams() const; //!< Count what was put together. @return datagrams

  private:
    /// A datagram that waits for fragments.
    struct Datagram
    {
        Key key;                                        //!< which
        RnicTime expiry{0};                             //!< ps, when it is given up
        uint32_t header{0};                             //!< octets of its IP header
        uint32_t held{0};                               //!< octets of payload
        uint32_t end{0};                                //!< octets of payload in all; 0: not known
        bool discarded{false};                          //!< fragments to come are dropped
        bool refused{false};                            //!< there is no room for it
        Ptr<const Packet> first;                        //!< first fragment with headers
        uint8_t tos{0};                                 //!< of that
        std::vector<uint8_t> services;                  //!< of all of them
        std::map<uint32_t, Ptr<const Packet>> payloads; //!< fragments by offset
    };

    using List = std::list<Datagram>; //!< datagrams, the oldest first

    uint64_t GetCapacity() const; //!< @return octets that there is room for
    /// @param fragment fragment @return false if no sender makes such
    static bool IsSane(const Fragment& fragment);
    /// @param datagram of it @param fragment fragment @return true if that is here already
    static bool IsDuplicate(const Datagram& datagram, const Fragment& fragment);
    /// @param datagram of it @param fragment fragment @return true if both cannot be right
    static bool Overlaps(const Datagram& datagram, const Fragment& fragment);
    /// @param now ps, the clock @param fragment fragment @param[out] outcome who is to be told
    /// @return its datagram, a new one if need be
    List::iterator Find(RnicTime now, const Fragment& fragment, Outcome& outcome);
    /// Drop what is there of a datagram, and what comes. @param datagram it
    void Discard(Datagram& datagram);
    /// Drop for want of room. @param datagram it @param[out] outcome who is to be told
    void Refuse(Datagram& datagram, Outcome& outcome);
    /// Make room by dropping older datagrams. @param kept the one that it is for, which fits alone
    /// @param octets that it needs besides @param[out] outcome who is to be told
    void MakeRoom(List::iterator kept, uint64_t octets, Outcome& outcome);
    /// @param datagram all of which has come @param outcome gets it
    void Complete(List::iterator datagram, Outcome& outcome);
    void Remove(List::iterator datagram); //!< @param datagram is forgotten
    void Hold(uint64_t octets);           //!< @param octets more are held

    Policy m_policy{Policy::UNLIMITED};     //!< see Policy
    uint32_t m_octets{0};                   //!< see Octets
    Time m_timeout;                         //!< see Timeout
    uint32_t m_linkMtu{1500};               //!< of the link, octets
    List m_datagrams;                       //!< what waits, the oldest first
    std::map<Key, List::iterator> m_places; //!< where it is
    uint64_t m_held{0};                     //!< octets
    uint64_t m_peak{0};                     //!< octets
    uint64_t m_fragments{0};                //!< fragments that came
    uint64_t m_dropped{0};                  //!< fragments dropped
    uint64_t m_whole{0};                    //!< datagrams put together
};

} // namespace ns3

#endif // RNIC_IP_REASSEMBLY_H
