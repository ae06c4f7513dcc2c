/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_SWITCH_SETTINGS_H
#define IWARP_SWITCH_SETTINGS_H

#include "iwarp-network.h"

#include "ns3/nstime.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief What a topology says of priorities, pauses and memory of its switches, as text where it is
 * a list.
 */
struct SwitchSettings
{
    uint8_t priorities{1};        //!< priorities of all queues
    std::string dscpPriorities;   //!< see PathPriorities::ParseMap()
    std::string weights;          //!< see PathPriorities::ParseWeights()
    std::string lossless{"all"};  //!< priorities that pause, see ParsePrioritySet()
    uint64_t xoff{0};             //!< octets at a port, 0 for never or for a dynamic threshold
    uint64_t xon{0};              //!< octets at a port
    std::string headroom{"none"}; //!< none, auto, or octets
    Time response{0};             //!< time until the other end heeds a pause frame
    uint64_t bufferSize{0};       //!< octets of each switch
    std::string bufferAlpha{"1"}; //!< one for all priorities, or one for each
    uint64_t bufferReserve{0};    //!< octets for each port and priority
    uint64_t offset{0};           //!< octets below a dynamic threshold that end a pause
    uint64_t inputBuffer{0};      //!< octets of each port, for what came in by it

    /// Tell whether switches can have links pause. @return so
    bool HasPause() const;

    /**
     * @brief Put them into a link.
     * @param [in,out] link it
     * @return "", or one line that begins with names of a topology's attributes and says what is
     * wrong; then the link is not to be used
     */
    std::string Apply(IwarpNetwork::Link& link) const;

  private:
    /// @param [in,out] link for priorities @return "", or what is wrong with them
    std::string ApplyPriorities(IwarpNetwork::Link& link) const;
    /// @param [in,out] link for pauses @return "", or what is wrong with them
    std::string ApplyPauses(IwarpNetwork::Link& link) const;
    /// @param [in,out] link for memory @return "", or what is wrong with it
    std::string ApplyBuffer(IwarpNetwork::Link& link) const;
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_SWITCH_SETTINGS_H
