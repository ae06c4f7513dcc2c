/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-script-cases.h"

std::vector<TcpScriptCase>
GetTcpLossCases()
{
    return {
        {"RFC 6298 5.5", "octets are sent again, ever later", R"(
            active
            write 1000
            > . 1:1001 ack 1
            +1000 > . 1:1001 ack 1
            +2000 > . 1:1001 ack 1
            +4000 > . 1:1001 ack 1
            +8000 > . 1:1001 ack 1
            < . 1:1 ack 1001
            quiet 100000)"},
        {"RFC 9293 3.8.3", "octets are given up", R"(
            on error close
            active
            write 1000
            > . 1:1001 ack 1
            ignore 100000
            unheard error
            quiet 400000
            heard error
            ends)"},
        {"RFC 6298 2.2", "the timeout of the first round trip", R"(
            connect
            > S 0:0
            +600 < S. 0:0 ack 1
            > . 1:1 ack 1
            write 1000
            > . 1:1001 ack 1
            +1800 > . 1:1001 ack 1)"},
        {"RFC 6298 2.3", "the timeout of the second", R"(
            connect
            > S 0:0
            +600 < S. 0:0 ack 1
            > . 1:1 ack 1
            write 1000
            > . 1:1001 ack 1
            +600 < . 1:1 ack 1001
            write 1000
            > . 1001:2001 ack 1
            +1500 > . 1001:2001 ack 1)"},
        {"RFC 6298 2.4", "a timeout is at least a second", R"(
            active
            write 1000
            > . 1:1001 ack 1
            < . 1:1 ack 1001
            write 1000
            > . 1001:2001 ack 1
            +1000 > . 1001:2001 ack 1)"},
        {"RFC 6298 5.3", "an ACK starts the timer again", R"(
            active
            write 1000
            > . 1:1001 ack 1
            write 1000
            > . 1001:2001 ack 1
            +700 < . 1:1 ack 1001
            +1000 > . 1001:2001 ack 1)"},
        {"RFC 6298 5.2", "the ACK of all stops it", R"(
            active
            write 1000
            > . 1:1001 ack 1
            +700 < . 1:1 ack 1001
            ends)"},
        {"RFC 6298 3", "what was sent again measures nothing", R"(
            active
            write 1000
            > . 1:1001 ack 1
            +1000 > . 1:1001 ack 1
            +1500 < . 1:1 ack 1001
            write 1000
            > . 1001:2001 ack 1
            +1000-2020 > . 1001:2001 ack 1)"},
        {"RFC 6298 5",
         "a timeout stays long until something is measured",
         R"(
            active
            write 1000
            > . 1:1001 ack 1
            +1000 > . 1:1001 ack 1
            +2000 > . 1:1001 ack 1
            < . 1:1 ack 1001
            write 1000
            > . 1001:2001 ack 1
            +4000 > . 1001:2001 ack 1)",
         TcpScriptMet::NO},
        {"RFC 7323 4", "with timestamps, what was sent again does", R"(
            active ts 500:0
            write 900
            > . 1:901 ack 1
            +1000 > . 1:901 ack 1
            < . 1:1 ack 901 ts 510:1020
            write 900
            > . 901:1801 ack 1
            +1000 > . 901:1801 ack 1)"},
        {"RFC 5681 3.2", "three duplicates of an ACK", R"(
            active
            write 1000
            write 1000
            write 1000
            write 1000
            write 1000
            ignore 1
            < . 1:1 ack 1
            < . 1:1 ack 1
            quiet 1
            < . 1:1 ack 1
            > . 1:1001 ack 1
            < . 1:1 ack 5001
            quiet 10000)"},
        {"RFC 5681 2", "ACKs that widen the window are no duplicates", R"(
            active
            write 1000
            write 1000
            write 1000
            write 1000
            write 1000
            ignore 1
            < . 1:1 ack 1 win 31000
            < . 1:1 ack 1 win 32000
            < . 1:1 ack 1 win 33000
            < . 1:1 ack 1 win 34000
            quiet 500)"},
        {"RFC 5681 2",
         "segments with octets are no duplicates",
         R"(
            active
            write 1000
            write 1000
            write 1000
            write 1000
            ignore 1
            < . 1:1001 ack 1
            < . 1001:2001 ack 1
            > . 4001:4001 ack 2001
            < . 2001:3001 ack 1
            < . 3001:4001 ack 1
            > . 4001:4001 ack 4001
            quiet 500)",
         TcpScriptMet::AS_PARENT},
        {"RFC 6582 3.2", "a part is acknowledged", R"(
            active
            write 1000
            write 1000
            write 1000
            write 1000
            write 1000
            ignore 1
            < . 1:1 ack 1
            < . 1:1 ack 1
            < . 1:1 ack 1
            > . 1:1001 ack 1
            < . 1:1 ack 2001
            > . 2001:3001 ack 1
            < . 1:1 ack 5001
            quiet 10000)"},
        {"RFC 3042 2", "new octets for the first two duplicates", R"(
            set InitialCwnd 3
            active
            write 1000
            write 1000
            write 1000
            write 1000
            write 1000
            > . 1:1001 ack 1
            > . 1001:2001 ack 1
            > . 2001:3001 ack 1
            quiet 1
            < . 1:1 ack 1
            > . 3001:4001 ack 1
            < . 1:1 ack 1
            > . 4001:5001 ack 1)"},
        {"RFC 6675 5", "three segments behind a hole", R"(
            active sackok
            write 1000
            write 1000
            write 1000
            write 1000
            write 1000
            ignore 1
            < . 1:1 ack 1 sack 1001:2001
            < . 1:1 ack 1 sack 1001:3001
            quiet 1
            < . 1:1 ack 1 sack 1001:4001
            > . 1:1001 ack 1
            < . 1:1 ack 5001
            quiet 10000)"},
        {"RFC 6675 5", "one ACK tells of three segments behind a hole", R"(
            active sackok
            write 1000
            write 1000
            write 1000
            write 1000
            write 1000
            ignore 1
            < . 1:1 ack 1 sack 1001:4001
            > . 1:1001 ack 1)"},
        {"RFC 6675 5",
         "two holes, and only these",
         R"(
            active sackok
            write 1000
            write 1000
            write 1000
            write 1000
            write 1000
            write 1000
            write 1000
            write 1000
            ignore 1
            < . 1:1 ack 1 sack 1001:2001
            < . 1:1 ack 1 sack 3001:4001,1001:2001
            < . 1:1 ack 1 sack 3001:5001,1001:2001
            > . 1:1001 ack 1
            < . 1:1 ack 1 sack 3001:6001,1001:2001
            < . 1:1 ack 1 sack 3001:7001,1001:2001
            < . 1:1 ack 1 sack 3001:8001,1001:2001
            > . 2001:3001 ack 1
            < . 1:1 ack 8001
            quiet 10000)",
         TcpScriptMet::AS_PARENT},
        {"RFC 6675 5", "an ACK with blocks that were told of is no duplicate", R"(
            active sackok
            write 1000
            write 1000
            write 1000
            write 1000
            write 1000
            ignore 1
            < . 1:1 ack 1 sack 4001:5001
            < . 1:1 ack 1 sack 4001:5001
            < . 1:1 ack 1 sack 4001:5001
            < . 1:1 ack 1 sack 4001:5001
            quiet 500)"},
        {"RFC 6675 4", "the last octets under way are sent again, once", R"(
            active sackok
            write 1000
            write 1000
            write 1000
            write 1000
            write 1000
            ignore 1
            < . 1:1 ack 1 sack 1001:2001
            < . 1:1 ack 1 sack 1001:3001
            < . 1:1 ack 1 sack 1001:4001
            > . 1:1001 ack 1
            < . 1:1 ack 4001
            > . 4001:5001 ack 1
            quiet 500
            < . 1:1 ack 5001)"},
        {"RFC 2018 8", "a peer that forgets what it told of", R"(
            active sackok
            write 1000
            write 1000
            ignore 1
            < . 1:1 ack 1 sack 1001:2001
            +1000 > . 1:1001 ack 1
            < . 1:1 ack 1001
            +0-3000 > . 1001:2001 ack 1)"},
        {"RFC 6675 5.1", "a timeout sends one segment", R"(
            active
            write 1000
            write 1000
            write 1000
            ignore 1
            +999 > . 1:1001 ack 1
            quiet 900
            < . 1:1 ack 1001
            > . 1001:2001 ack 1
            > . 2001:3001 ack 1)"},
        {"RFC 2018 3", "SACK blocks of what was never sent", R"(
            active sackok
            write 1000
            > . 1:1001 ack 1
            < . 1:1 ack 1 sack 5001:6001
            < . 1:1 ack 1 sack 5001:7001
            < . 1:1 ack 1 sack 5001:8001
            < . 1:1 ack 1001
            write 1000
            > . 1001:2001 ack 1
            state ESTABLISHED)"},
        {"RFC 6298 5.5", "ACKs that are sent meanwhile leave the timeout alone", R"(
            active
            write 1000
            > . 1:1001 ack 1
            +1000 > . 1:1001 ack 1
            +1000 < . 2:102 ack 1
            > . 1001:1001 ack 1
            +1000 > . 1:1001 ack 1
            < . 2:102 ack 1
            > . 1001:1001 ack 1
            +4000 > . 1:1001 ack 1)"},
        {"RFC 2883 4.1", "a block of octets that came twice", R"(
            active sackok
            write 1000
            > . 1:1001 ack 1
            < . 1:1 ack 1001
            < . 1:1 ack 1001 sack 1:1001
            write 1000
            > . 1001:2001 ack 1
            < . 1:1 ack 1001 sack 501:1001
            < . 1:1 ack 2001
            ends)"},
        {"RFC 2018 4", "a block of the octet expected next", R"(
            active sackok
            write 1000
            write 1000
            ignore 1
            < . 1:1 ack 1 sack 1:1001
            < . 1:1 ack 1 sack 1:2001
            < . 1:1 ack 2001
            ends)"},
        {"RFC 2018 4", "a block that ends before it begins", R"(
            active sackok
            write 1000
            write 1000
            ignore 1
            < . 1:1 ack 1 sack 2001:1001
            < . 1:1 ack 2001
            ends)"},
        {"RFC 2018 2", "blocks of a peer that has not asked for them", R"(
            active
            write 1000
            write 1000
            write 1000
            write 1000
            ignore 1
            < . 1:1 ack 1 sack 1001:2001
            < . 1:1 ack 4001
            ends)"},
        {"RFC 2018 8", "a peer forgets a part of what it told of", R"(
            active sackok
            write 1000
            write 1000
            write 1000
            write 1000
            write 1000
            ignore 1
            < . 1:1 ack 1 sack 1001:3001
            < . 1:1 ack 2001
            +0-3000 > . 2001:3001 ack 1
            state ESTABLISHED)"},
        {"RFC 2018 3", "SACK blocks with a late ACK", R"(
            active sackok
            write 1000
            write 1000
            ignore 1
            < . 1:1 ack 2001
            < . 1:1 ack 1 sack 1001:2001
            quiet 500
            state ESTABLISHED)"},
    };
}
