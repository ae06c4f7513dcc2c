/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_STARTUP_ENDPOINT_H
#define MPA_STARTUP_ENDPOINT_H

#include "ns3/mpa-startup.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/**
 * @ingroup iwarp-tests
 * @brief One end of a connection without a network: does what MpaStartup says, writes it down, and
 * keeps what it sends in a vector.
 */
class MpaStartupEndpoint
{
  public:
    using Octets = std::vector<uint8_t>; //!< octets of a stream

    /**
     * @param config what this end wants
     */
    explicit MpaStartupEndpoint(const ns3::MpaStartupConfig& config)
        : machine(config)
    {
    }

    /**
     * @brief Carry out actions.
     * @param actions what a call of the machine returned
     * @return the actions in words, e.g. "stop close fail4"
     */
    std::string Do(const ns3::MpaStartup::Actions& actions)
    {
        using Kind = ns3::MpaStartup::Action::Kind;
        std::string words;
        for (const auto& action : actions)
        {
            words += words.empty() ? "" : " ";
            switch (action.kind)
            {
            case Kind::SEND_FRAME:
                words += "send";
                sent.insert(sent.end(), action.octets.begin(), action.octets.end());
                break;
            case Kind::START_TIMER:
                words += "start";
                timer = true;
                break;
            case Kind::STOP_TIMER:
                words += "stop";
                timer = false;
                break;
            case Kind::REPORT_FRAME:
                words += "report";
                reports++;
                break;
            case Kind::REPORT_REJECT:
                words += "rejected";
                rejects++;
                break;
            case Kind::ENABLE_RECEIVE:
                words += "rx";
                receiving = true;
                break;
            case Kind::ENABLE_SEND:
                words += "tx";
                sending = true;
                break;
            case Kind::SEND_TERMINATE:
                words += "term" + std::to_string(static_cast<int>(action.error));
                break;
            case Kind::CLOSE:
                words += "close";
                closed = true;
                break;
            case Kind::FAIL:
                words += "fail" + std::to_string(static_cast<int>(action.error));
                error = action.error;
                failures++;
                reason = action.reason;
                break;
            }
        }
        return words;
    }

    /// @param privateData for the Request @return actions in words
    std::string Start(const Octets& privateData = {})
    {
        return Do(machine.Start(privateData));
    }

    /// @param privateData for the Reply @return actions in words
    std::string Accept(const Octets& privateData = {})
    {
        return Do(machine.Accept(privateData));
    }

    /// @param privateData for the Reply @return actions in words
    std::string Reject(const Octets& privateData = {})
    {
        return Do(machine.Reject(privateData));
    }

    /**
     * @brief Octets arrive.
     * @param octets what arrives
     * @param segment octets given to the machine at a time
     * @return actions in words
     */
    std::string Feed(const Octets& octets, std::size_t segment = SIZE_MAX)
    {
        std::string words;
        std::size_t at = 0;
        while (at < octets.size())
        {
            const std::size_t size = std::min(segment, octets.size() - at);
            std::size_t consumed = 0;
            const std::string more = Do(machine.Receive(octets.data() + at, size, consumed));
            words += (words.empty() || more.empty() ? "" : " ") + more;
            rest.insert(rest.end(), octets.begin() + at + consumed, octets.begin() + at + size);
            at += size;
        }
        return words;
    }

    /// @return the state
    ns3::MpaStartup::State State() const
    {
        return machine.GetState();
    }

    /// @return octets sent since the last call
    Octets TakeSent()
    {
        Octets octets;
        octets.swap(sent);
        return octets;
    }

    ns3::MpaStartup machine;                  //!< the thing under test
    Octets sent;                              //!< octets sent and not yet taken
    Octets rest;                              //!< octets that are not startup's
    bool timer{false};                        //!< the startup timer runs
    bool receiving{false};                    //!< FPDUs are decoded
    bool sending{false};                      //!< FPDUs may be sent
    bool closed{false};                       //!< TCP was closed by this end
    int reports{0};                           //!< frames reported to the ULP
    int rejects{0};                           //!< rejections reported to the ULP
    int failures{0};                          //!< failures reported to the ULP
    ns3::MpaError error{ns3::MpaError::NONE}; //!< of the last failure
    std::string reason;                       //!< of the last failure
};

/**
 * @brief A startup frame by hand, independent of the codec.
 * @param reply Reply or Request
 * @param flags octet 16
 * @param rev octet 17
 * @param data Private Data
 * @return octets
 */
inline MpaStartupEndpoint::Octets
MpaStartupWire(bool reply, uint8_t flags, uint8_t rev, const MpaStartupEndpoint::Octets& data = {})
{
    const std::string key = reply ? "MPA ID Rep Frame" : "MPA ID Req Frame";
    MpaStartupEndpoint::Octets octets(20 + data.size());
    std::copy(key.begin(), key.end(), octets.begin());
    octets[16] = flags;
    octets[17] = rev;
    octets[18] = static_cast<uint8_t>(data.size() >> 8);
    octets[19] = static_cast<uint8_t>(data.size() & 0xFF);
    std::copy(data.begin(), data.end(), octets.begin() + 20);
    return octets;
}

/**
 * @param config what an end wants
 * @return that end, started, with nothing left of what it sent
 */
inline MpaStartupEndpoint
MpaStartedEndpoint(const ns3::MpaStartupConfig& config)
{
    MpaStartupEndpoint e(config);
    e.Start();
    e.TakeSent();
    return e;
}

#endif // MPA_STARTUP_ENDPOINT_H
