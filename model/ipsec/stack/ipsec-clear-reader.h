/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IPSEC_CLEAR_READER_H
#define IPSEC_CLEAR_READER_H

#include "ipsec-selector.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace ns3
{

/**
 * @ingroup iwarp-ipsec
 * @brief Tells what an eavesdropper reads of a datagram that ought to be protected.
 *
 * It knows nothing of policies or keys: somebody says which traffic is protected, and whatever of
 * that is there to read is a finding. ESP (RFC 4303), in UDP or not (RFC 3948), is closed; IKE and
 * neighbour discovery are for everybody. An ICMP error is judged by the datagram that it quotes,
 * and that by what it has behind IP's header (RFC 4301 section 6); a fragment by its datagram's
 * first, and where that did not pass before by its protocol, but UDP not at all, since that may
 * be ESP; what is in IP again, by both headers.
 */
class IpsecClearReader
{
  public:
    /// What is found in clear.
    enum class Kind : uint8_t
    {
        NOTHING,  //!< nothing is
        DATAGRAM, //!< a datagram, or its first fragment
        FRAGMENT, //!< a fragment that is not the first
        QUOTE,    //!< part of a datagram in an ICMP error
        CONTENT,  //!< octets that were named by AddContent()
    };

    /// What is found, and of which flow.
    struct Finding
    {
        Kind kind{Kind::NOTHING}; //!< what
        IpsecFlow flow;           //!< of the datagram in clear; CONTENT: of that which holds it

        /// Say what it is, for people. @return such as "quote of 10.0.0.2:7 > 10.1.0.2:9, protocol
        /// 6"
        std::string ToString() const;
    };

    /// Says of a datagram's flow, in the direction in which that goes, whether nobody is to read
    /// it. Ports are 0 where the datagram shows none
    using Protected = std::function<bool(const IpsecFlow& flow)>;

    /**
     * @brief Have octets found wherever they stand, such as the content of messages under real
     * ciphers.
     *
     * All runs of CONTENT_RUN octets of them are found. Runs of 8 that are all alike do not count.
     * @param octets of protected payload
     * @param size how many; at least 8
     */
    void AddContent(const uint8_t* octets, std::size_t size);

    bool HasContent() const; //!< Tell whether AddContent() was called. @return so

    /**
     * @brief Read a datagram as it passes.
     * @param octets of it, IP's header first
     * @param known how many there are to read; HEAD are enough where there is no content to find
     * @param size of the datagram
     * @param isProtected says which traffic nobody is to read
     * @return what can be read
     */
    Finding Read(const uint8_t* octets,
                 std::size_t known,
                 std::size_t size,
                 const Protected& isProtected);

    /// Octets in which all headers are: two of IP's with extensions, of ICMP, of IP and of UDP
    static constexpr std::size_t HEAD = 256;
    static constexpr std::size_t CONTENT_RUN = 24;  //!< see AddContent()
    static constexpr std::size_t REMEMBERED = 4096; //!< most datagrams in fragments remembered

  private:
    struct Datagram; // what the header of IP says

    /// @param datagram to judge @param octets behind its header @param known how many @param size
    /// of all behind it @param isProtected see Read() @param depth headers of IP before this
    /// @return what can be read
    Finding Validate(const Datagram& datagram,
                     const uint8_t* octets,
                     std::size_t known,
                     std::size_t size,
                     const Protected& isProtected,
                     uint32_t depth);
    /// Judge a fragment by the first of its datagram. @param fragment it @param alone what it is by
    /// itself @param quoted it stands in an ICMP error @return what can be read
    Finding Join(const Datagram& fragment, const Finding& alone, bool quoted);
    /// As Read(). @param octets of a datagram @param known how many @param size of it
    /// @param isProtected see Read() @param depth headers of IP before this @param quoted it stands
    /// in an ICMP error @return what can be read
    Finding ReadDatagram(const uint8_t* octets,
                         std::size_t known,
                         std::size_t size,
                         const Protected& isProtected,
                         uint32_t depth,
                         bool quoted);
    /// @param octets of a datagram @param known how many @return content is among them
    bool FindContent(const uint8_t* octets, std::size_t known) const;

    std::unordered_set<uint64_t> m_content; //!< all runs of 8 octets
    /// What first fragments were, by addresses and protocol, with the identification for ports
    std::unordered_map<IpsecFlow, Finding, IpsecFlowHash> m_fragments;
};

} // namespace ns3

#endif // IPSEC_CLEAR_READER_H
