/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef PATH_ADVERSARY_MIDDLEBOX_H
#define PATH_ADVERSARY_MIDDLEBOX_H

#include "path-forgery.h"
#include "path-middlebox.h"
#include "path-packet-memory.h"

#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"
#include "ns3/traced-callback.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace ns3
{

/**
 * @ingroup iwarp-path
 * @brief Somebody on the path who reads what passes, and forges, changes, repeats and withholds
 * packets of TCP, ESP, key exchange and ICMP, over IPv4 and IPv6.
 *
 * Each kind of act has a probability per packet that it is about, 0 unless set, and one packet may
 * meet several. Forged packets go on right behind the one that they are about, ICMP errors back to
 * where it came from. The adversary knows no keys: of ESP it sees addresses, SPI and number. So
 * where it cannot read the ports and numbers of TCP, it draws those of a reset, and what it forges
 * of data is a packet of ESP with the next number.
 */
class PathAdversaryMiddlebox : public PathMiddlebox
{
  public:
    /// Kinds of acts
    enum class Act : uint8_t
    {
        ICMP_TOO_BIG,     //!< ICMP error: the packet is too large
        ICMP_UNREACHABLE, //!< ICMP error: port, protocol or host cannot be reached
        REPEAT,           //!< a packet that has passed is sent again
        MIX_FRAGMENTS,    //!< a datagram of IPv4 is cut, and has octets of another put in between
        RESET_OUTSIDE,    //!< RST with a sequence number half of all away from the next one
        RESET_INSIDE,     //!< RST with a number in the window that is not the next one
        RESET_EXACT,      //!< RST with the number that comes next
        FORGE_DATA,       //!< a segment of any octets with the number that comes next
        CHANGE,           //!< a bit of the payload changes, under a checksum that stays right
        REPEAT_IKE,       //!< a message of key exchange is sent again
        WITHHOLD_IKE,     //!< a message of key exchange does not pass
        REPEAT_OLD_ESP,   //!< a packet of another association, such as one before a rekeying, again
    };

    static constexpr std::size_t ACTS = 12; //!< how many kinds there are

    /// How ICMP errors quote the packet that they are about
    enum class Quote : uint8_t
    {
        REAL,    //!< as it was
        GUESSED, //!< with a number of TCP, or an SPI, that is drawn: of one who sees no packets
    };

    /// Signature of the Act trace. @param act its kind @param packet forged, changed or withheld
    typedef void (*ActTracedCallback)(Act act, Ptr<const Packet> packet);

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    PathAdversaryMiddlebox();
    ~PathAdversaryMiddlebox() override;

    uint64_t GetActs(Act act) const; //!< Count acts of a kind. @param act it @return acts
    uint64_t GetAllActs() const;     //!< Count acts. @return acts of all kinds

    std::string GetIdleAttribute() const override;
    int64_t AssignStreams(int64_t stream) override;

  protected:
    void Pass(Ptr<Packet> packet, uint16_t protocol, PathDirection direction) override;

  private:
    /// A packet, and what of it can be read
    struct View
    {
        Ptr<Packet> packet;                    //!< the datagram, which is not changed
        uint16_t protocol;                     //!< EtherType
        PathDirection direction;               //!< where it goes
        PathOctets octets;                     //!< all of it
        std::optional<PathTcpSegment> segment; //!< if it is a segment of TCP
        uint32_t spi{0};                       //!< of ESP; 0 if it is none
        bool exchange{false};                  //!< it is a message of key exchange
    };

    /// @param packet datagram @param protocol EtherType @param direction its @return view of it
    static View Look(const Ptr<Packet>& packet, uint16_t protocol, PathDirection direction);

    /// @tparam A kind of act @param probability per packet
    template <Act A>
    void SetProbability(double probability);
    /// @tparam A kind of act @return probability per packet
    template <Act A>
    double GetProbability() const;
    /// Add the attribute of a kind of act. @tparam A kind @param tid type @param name of the
    /// attribute @param help what is done @return type
    template <Act A>
    static TypeId AddAct(TypeId tid, const char* name, const std::string& help);

    bool May(Act act) const; //!< @param act kind @return whether it may be done now
    bool Draws(Act act);     //!< @param act kind @return whether it is done now, and then counted
    /// Send what is forged. @param act kind @param packet it @param view of what it is about
    /// @param back it goes where that came from
    void Forge(Act act, const Ptr<Packet>& packet, const View& view, bool back = false);
    /// Send a packet later. @param act kind @param kept it
    void Repeat(Act act, const PathPacketMemory::Kept& kept);

    void SendIcmp(const View& view, Act act); //!< @param view of a packet @param act kind
    /// Have a message of key exchange pass, or not. @param view of it
    void PassExchange(const View& view);
    /// @param view of a packet @return it, or what it is changed to
    Ptr<Packet> Change(const View& view);
    /// Send a packet on in fragments. @param view of it @return false if it does not go so
    bool Mix(const View& view);
    /// Send resets. @param view of a packet @param act kind
    void SendReset(const View& view, Act act);
    void SendData(const View& view);      //!< @param view of a packet
    void RepeatSeen(const View& view);    //!< @param view of a packet, behind which it is
    uint32_t DrawNumber();                //!< @return any of 32 bits
    PathOctets DrawOctets(uint32_t n);    //!< @param n how many @return any octets
    std::size_t DrawIndex(std::size_t n); //!< @param n how many there are @return one of them

    std::array<double, ACTS> m_probabilities{}; //!< by Act
    std::array<uint64_t, ACTS> m_acts{};        //!< by Act
    Quote m_quote;                              //!< how ICMP errors quote
    uint32_t m_mtu;                             //!< what ICMP errors tell
    uint32_t m_memoryLimit;                     //!< packets remembered
    Time m_delay;                               //!< until a packet is sent again
    Time m_begin;                               //!< no act before
    uint64_t m_most;                            //!< acts at most; 0 is no limit
    PathPacketMemory m_memory;                  //!< what has passed
    Ptr<UniformRandomVariable> m_random;        //!< what is done, and which numbers are guessed

    TracedCallback<Act, Ptr<const Packet>> m_actTrace; //!< an act
};

} // namespace ns3

#endif // PATH_ADVERSARY_MIDDLEBOX_H
