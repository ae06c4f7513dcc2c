/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef MPA_HELD_OCTETS_H
#define MPA_HELD_OCTETS_H

#include "mpa-tcp-socket.h"

#include <boost/icl/interval_set.hpp>

namespace ns3
{

/// Octets that TCP has stored out of order, by their offsets without wrapping.
struct MpaTcpSocket::HeldOctets
{
    using Set = boost::icl::interval_set<uint64_t>;        //!< sets of octets
    using Range = boost::icl::discrete_interval<uint64_t>; //!< octets in a row
    Set octets;                                            //!< what is stored

    /// @param from first octet @param to behind the last @return the octets in between
    static Range Between(uint64_t from, uint64_t to)
    {
        return Range::right_open(from, to);
    }
};

} // namespace ns3

#endif // MPA_HELD_OCTETS_H
