/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-script-cases.h"

std::vector<TcpScriptCase>
GetTcpClosingCases()
{
    return {
        {"RFC 9293 3.6", "we close first", R"(
            passive
            close
            > F. 1:1 ack 1
            state FIN_WAIT_1
            < . 1:1 ack 2
            state FIN_WAIT_2
            < F. 1:1 ack 2
            > . 2:2 ack 2
            state TIME_WAIT
            ends)"},
        {"RFC 9293 3.6", "the peer closes first", R"(
            passive
            < F. 1:1 ack 1
            > . 1:1 ack 2
            heard closed
            state CLOSE_WAIT
            +100 close
            > F. 1:1 ack 2
            state LAST_ACK
            < . 2:2 ack 2
            state CLOSED
            ends)"},
        {"RFC 9293 3.6", "both close", R"(
            passive
            close
            > F. 1:1 ack 1
            < F. 1:1 ack 1
            > . 2:2 ack 2
            state CLOSING
            < . 2:2 ack 2
            state TIME_WAIT
            ends)"},
        {"RFC 9293 3.10.7.4", "a FIN with the ACK of ours", R"(
            passive
            close
            > F. 1:1 ack 1
            < F. 1:1 ack 2
            > . 2:2 ack 2
            state TIME_WAIT)"},
        {"RFC 9293 3.10.7.4", "a FIN with octets", R"(
            passive
            < F. 1:101 ack 1
            > . 1:1 ack 102
            octets 100
            heard closed)"},
        {"RFC 9293 3.10.7.4", "a FIN with octets in FIN_WAIT_2", R"(
            passive
            shutdown
            > F. 1:1 ack 1
            < . 1:1 ack 2
            < F. 1:101 ack 2
            > . 2:2 ack 102
            octets 100
            state TIME_WAIT)"},
        {"RFC 9293 3.10.7.4", "a FIN before its octets", R"(
            passive
            < F. 101:201 ack 1
            > . 1:1 ack 1
            unheard closed
            < . 1:101 ack 1
            > . 1:1 ack 202
            octets 200
            heard closed)"},
        {"RFC 9293 3.10.7.4", "a FIN behind octets that have all come before", R"(
            passive
            < . 1:101 ack 1
            ignore 1
            +10 < F. 1:101 ack 1
            > . 1:1 ack 102
            octets 100
            heard closed)"},
        {"RFC 9293 3.10.7.4", "a FIN that acknowledges octets", R"(
            passive
            write 1000
            > . 1:1001 ack 1
            < F. 1:1 ack 1001
            > . 1001:1001 ack 2
            quiet 10000)"},
        {"RFC 9293 3.10.7.4", "a FIN that comes again in CLOSE_WAIT", R"(
            passive
            < F. 1:1 ack 1
            > . 1:1 ack 2
            < F. 1:1 ack 1
            > . 1:1 ack 2
            state CLOSE_WAIT)"},
        {"RFC 9293 3.10.7.4", "a FIN that comes again in LAST_ACK", R"(
            on close close
            passive
            < F. 1:1 ack 1
            ignore 1
            +100 < F. 1:1 ack 1
            > . 2:2 ack 2
            state LAST_ACK)"},
        {"RFC 9293 3.10.7.4", "a FIN that comes again in CLOSING", R"(
            passive
            close
            > F. 1:1 ack 1
            < F. 1:1 ack 1
            > . 2:2 ack 2
            < F. 1:1 ack 1
            > . 2:2 ack 2
            state CLOSING)"},
        {"RFC 9293 3.10.7.4", "a FIN that comes again in TIME_WAIT", R"(
            passive
            close
            > F. 1:1 ack 1
            < F. 1:1 ack 2
            > . 2:2 ack 2
            < F. 1:1 ack 2
            > . 2:2 ack 2
            state TIME_WAIT)"},
        {"RFC 9293 3.10.7.4", "LAST_ACK ends by the ACK of the FIN only", R"(
            on close close
            passive
            write 1000
            > . 1:1001 ack 1
            < F. 1:1 ack 1
            ignore 1
            < . 2:2 ack 1
            state LAST_ACK
            < . 2:2 ack 1001
            state LAST_ACK
            < . 2:2 ack 1002
            state CLOSED)"},
        {"RFC 9293 3.10.7.4", "CLOSING ends by the ACK of the FIN only", R"(
            passive
            write 1000
            > . 1:1001 ack 1
            close
            > F. 1001:1001 ack 1
            < F. 1:1 ack 1
            > . 1002:1002 ack 2
            < . 2:2 ack 1001
            state CLOSING
            < . 2:2 ack 1002
            state TIME_WAIT)"},
        {"RFC 9293 3.10.4", "FIN behind octets that wait", R"(
            passive
            < . 1:101 ack 1 win 1000
            > . 1:1 ack 101
            write 2000
            > . 1:1001 ack 101
            close
            quiet 100
            < . 101:101 ack 1001 win 1000
            > F. 1001:2001 ack 101
            < . 101:101 ack 2002
            state FIN_WAIT_2)"},
        {"RFC 9293 3.10.4", "shut with octets under way", R"(
            passive
            write 1000
            > . 1:1001 ack 1
            shutdown
            +100 < . 1:1 ack 1001
            > F. 1001:1001 ack 1)"},
        {"RFC 6298 5.5", "a FIN is sent again, ever later", R"(
            passive
            close
            > F. 1:1 ack 1
            +1000 > F. 1:1 ack 1
            +2000 > F. 1:1 ack 1
            +4000 > F. 1:1 ack 1
            +8000 > F. 1:1 ack 1
            < . 1:1 ack 2
            state FIN_WAIT_2
            quiet 100000)"},
        {"RFC 6298 5.5", "a FIN is sent again in CLOSING", R"(
            passive
            close
            > F. 1:1 ack 1
            +500 < F. 1:1 ack 1
            > . 2:2 ack 2
            +0-1010 > F. 1:1 ack 2
            +2000 > F. 1:1 ack 2
            +4000 > F. 1:1 ack 2
            < . 2:2 ack 2
            state TIME_WAIT
            quiet 100000)"},
        {"RFC 6298 5.5", "a FIN is sent again in LAST_ACK", R"(
            passive
            < F. 1:1 ack 1
            > . 1:1 ack 2
            +100 close
            > F. 1:1 ack 2
            +1000 > F. 1:1 ack 2
            +2000 > F. 1:1 ack 2
            +4000 > F. 1:1 ack 2
            +8000 > F. 1:1 ack 2
            < . 2:2 ack 2
            state CLOSED)"},
        {"RFC 6298 2.4", "LAST_ACK behind an end that was announced", R"(
            passive
            write 1000
            > . 1:1001 ack 1
            shutdown
            < F. 1:1 ack 1
            > F. 1001:1001 ack 2
            < . 2:2 ack 1001
            +1000 > F. 1001:1001 ack 2
            +2000 > F. 1001:1001 ack 2
            < . 2:2 ack 1002
            state CLOSED)"},
        {"RFC 9293 3.8.3", "a FIN is given up in FIN_WAIT_1", R"(
            on error close
            passive
            close
            > F. 1:1 ack 1
            ignore 100000
            unheard error
            quiet 400000
            heard error
            state CLOSED
            ends)"},
        {"RFC 9293 3.8.3", "a FIN is given up in CLOSING", R"(
            on error close
            passive
            close
            > F. 1:1 ack 1
            < F. 1:1 ack 1
            > . 2:2 ack 2
            ignore 100000
            unheard error
            quiet 400000
            heard error
            state CLOSED
            ends)"},
        {"RFC 9293 3.8.3", "a FIN is given up in LAST_ACK", R"(
            on error close
            passive
            < F. 1:1 ack 1
            > . 1:1 ack 2
            close
            > F. 1:1 ack 2
            ignore 100000
            unheard error
            quiet 400000
            heard error
            state CLOSED
            ends)"},
        {"RFC 9293 3.8.3", "a FIN with octets is given up", R"(
            on error close
            passive
            < . 1:101 ack 1 win 1000
            > . 1:1 ack 101
            write 2000
            > . 1:1001 ack 101
            close
            < . 101:101 ack 1001 win 1000
            > F. 1001:2001 ack 101
            ignore 100000
            unheard error
            quiet 400000
            heard error
            ends)"},
        {"RFC 6298 5", "a FIN whose octets were acknowledged", R"(
            passive
            write 1000
            > . 1:1001 ack 1
            close
            > F. 1001:1001 ack 1
            < . 1:1 ack 1001
            +1000 > F. 1001:1001 ack 1
            +2000 > F. 1001:1001 ack 1
            < . 1:1 ack 1002
            state FIN_WAIT_2)"},
        {"RFC 9293 3.10.4", "closed again in CLOSING", R"(
            passive
            shutdown
            > F. 1:1 ack 1
            < F. 1:1 ack 1
            > . 2:2 ack 2
            close
            quiet 500
            state CLOSING
            < . 2:2 ack 2
            state TIME_WAIT
            ends)"},
        {"RFC 9293 3.8.6", "a FIN, while the peer's window is closed", R"(
            passive
            < . 1:101 ack 1 win 0
            > . 1:1 ack 101
            close
            > F. 1:1 ack 101
            < . 101:101 ack 1 win 0
            +1000 > F. 1:1 ack 101
            +2000 > F. 1:1 ack 101
            < . 101:101 ack 2 win 0
            state FIN_WAIT_2)"},
        {"RFC 9293 3.6", "a FIN that was acknowledged is not sent again", R"(
            passive
            close
            > F. 1:1 ack 1
            < . 1:1 ack 2
            quiet 100000
            state FIN_WAIT_2)"},
    };
}
