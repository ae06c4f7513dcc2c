/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-script-cases.h"

std::vector<TcpScriptCase>
GetTcpResetCases()
{
    return {
        {"RFC 9293 3.10.7.4", "a reset is told of as an error", R"(
            passive
            < R 1:1
            heard error
            state CLOSED
            quiet 10000
            ends)"},
        {"RFC 9293 3.10.7.4", "a reset is not answered, though the application closes", R"(
            on error close
            passive
            < R 1:1
            quiet 10000
            heard error
            ends)"},
        {"RFC 9293 3.10.7.4", "the same behind the peer's FIN", R"(
            on error close
            passive
            < F. 1:1 ack 1
            > . 1:1 ack 2
            < R. 2:2 ack 1
            quiet 10000
            heard error
            ends)"},
        {"RFC 9293 3.10.7.4", "the same with octets that nobody has read", R"(
            on error close
            noread
            passive
            < . 1:101 ack 1
            > . 1:1 ack 101
            < R 101:101
            quiet 10000
            heard error
            ends)"},
        {"RFC 9293 3.10.7.4", "the same with octets under way", R"(
            on error close
            passive
            write 1000
            > . 1:1001 ack 1
            < R. 1:1 ack 1001
            quiet 10000
            heard error
            ends)"},
        {"RFC 9293 3.10.7.4", "a reset in FIN_WAIT_1", R"(
            on error close
            passive
            close
            > F. 1:1 ack 1
            < R. 1:1 ack 2
            quiet 10000
            heard error
            ends)"},
        {"RFC 9293 3.10.7.4", "a reset in TIME_WAIT", R"(
            on error close
            passive
            close
            > F. 1:1 ack 1
            < F. 1:1 ack 2
            > . 2:2 ack 2
            < R 2:2
            quiet 10000
            unheard error
            state CLOSED
            ends)"},
        {"RFC 5961 3.2", "a reset elsewhere in the window", R"(
            passive
            < R 2:2
            > . 1:1 ack 1
            state ESTABLISHED
            < R 1:1
            state CLOSED)"},
        {"RFC 5961 3.2", "a reset outside of the window", R"(
            passive
            < R 0:0
            < R 200001:200001
            quiet 1000
            state ESTABLISHED)"},
        {"RFC 7323 3.2", "a reset without timestamp", R"(
            active ts 500:0
            < R 1:1
            heard error
            state CLOSED)"},
        {"RFC 5961 4.2", "a SYN in the window", R"(
            passive
            < S 1:1
            > . 1:1 ack 1
            state ESTABLISHED
            < . 1:101 ack 1
            +0-500 > . 1:1 ack 101)"},
        {"RFC 5961 4.2", "a SYN outside of the window", R"(
            passive
            < S 5000000:5000000
            > . 1:1 ack 1
            state ESTABLISHED)"},
        {"RFC 5961 4.2", "SYN and ACK come again", R"(
            active
            < S. 0:0 ack 1
            > . 1:1 ack 1
            state ESTABLISHED)"},
        {"RFC 5961 4.2", "a SYN takes no option away", R"(
            active ts 500:0 sackok
            < S 1:1
            > . 1:1 ack 1
            < . 101:201 ack 1 ts 510:0
            > . 1:1 ack 1 ts 0:500 sack 101:201)"},
        {"RFC 5961 4.2", "a SYN in CLOSE_WAIT", R"(
            passive
            < F. 1:1 ack 1
            > . 1:1 ack 2
            < S 2:2
            > . 1:1 ack 2
            state CLOSE_WAIT)"},
        {"RFC 5961 4.2", "a SYN in LAST_ACK", R"(
            passive
            < F. 1:1 ack 1
            > . 1:1 ack 2
            close
            > F. 1:1 ack 2
            < S 2:2
            > . 2:2 ack 2
            state LAST_ACK)"},
        {"RFC 5961 4.2", "a SYN in TIME_WAIT", R"(
            passive
            close
            > F. 1:1 ack 1
            < F. 1:1 ack 2
            > . 2:2 ack 2
            < S 2:2
            > . 2:2 ack 2
            state TIME_WAIT)"},
        {"RFC 9293 3.10.7.4", "an ACK of what was not sent", R"(
            passive
            < . 1:101 ack 500
            > . 1:1 ack 1
            octets 0
            state ESTABLISHED)"},
        {"RFC 5961 5.2", "an ACK of long ago with octets", R"(
            passive
            write 1000
            > . 1:1001 ack 1
            < . 1:1 ack 1001
            < . 1:101 ack 2294967296
            > . 1001:1001 ack 1
            octets 0)"},
        {"RFC 9293 3.10.7.4", "a late ACK with octets", R"(
            passive
            write 1000
            > . 1:1001 ack 1
            < . 1:1 ack 1001
            < . 1:101 ack 1
            +0-500 > . 1001:1001 ack 101
            octets 100)"},
        {"RFC 5961 7", "challenges are limited", R"(
            passive
            < S 1:1
            > . 1:1 ack 1
            < S 1:1
            < S 1:1
            < R 2:2
            quiet 100
            +1000 < S 1:1
            > . 1:1 ack 1)"},
        {"RFC 9293 3.10.7.4", "octets without ACK", R"(
            passive
            < 0 1:101
            ignore 100
            octets 0)"},
        {"RFC 9293 3.10.7.4", "FIN without ACK", R"(
            passive
            < F 1:1
            ignore 100
            unheard closed
            state ESTABLISHED)"},
        {"RFC 9293 3.6", "closed with octets that nobody has read", R"(
            on error close
            noread
            passive
            < . 1:101 ack 1
            > . 1:1 ack 101
            close
            > R 1:1
            quiet 10000
            ends)"},
        {"RFC 9293 3.10.7.1", "octets for a connection that is over", R"(
            passive
            < R 1:1
            state CLOSED
            < . 1:101 ack 1
            > R 1:1)"},
    };
}
