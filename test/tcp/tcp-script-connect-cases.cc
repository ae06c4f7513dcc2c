/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-script-cases.h"

std::vector<TcpScriptCase>
GetTcpConnectCases()
{
    return {
        {"RFC 9293 3.5", "active open", R"(
            connect
            > S 0:0
            < S. 0:0 ack 1
            > . 1:1 ack 1
            heard connected
            state ESTABLISHED)"},
        {"RFC 9293 3.5", "passive open", R"(
            listen
            < S 0:0
            > S. 0:0 ack 1
            < . 1:1 ack 1
            heard accepted)"},
        {"RFC 9293 3.10.7.4", "six copies of a SYN", R"(
            listen
            < S 0:0
            > S. 0:0 ack 1
            < S 0:0
            < S 0:0
            < S 0:0
            < S 0:0
            < S 0:0
            < S 0:0
            ignore 10
            < . 1:1 ack 1
            < . 1:101 ack 1
            > . 1:1 ack 101
            heard accepted
            octets 100)"},
        {"RFC 9293 3.10.7.4", "each copy of a SYN is answered", R"(
            listen
            < S 0:0
            > S. 0:0 ack 1
            +1 < S 0:0
            > S. 0:0 ack 1
            +1 < S 0:0
            > S. 0:0 ack 1
            +1 < S 0:0
            > S. 0:0 ack 1
            +1 < S 0:0
            > S. 0:0 ack 1
            +1 < S 0:0
            > S. 0:0 ack 1
            +1 < S 0:0
            > S. 0:0 ack 1
            +1 < S 0:0
            > S. 0:0 ack 1)"},
        {"RFC 6298 5", "copies of a SYN leave the timer alone", R"(
            listen
            < S 0:0
            > S. 0:0 ack 1
            +500 < S 0:0
            > S. 0:0 ack 1
            +500 < S 0:0
            > S. 0:0 ack 1
            +2000 > S. 0:0 ack 1
            +6000 > S. 0:0 ack 1)"},
        {"RFC 6298 5.5", "SYN and ACK are sent again, ever later", R"(
            listen
            < S 0:0
            > S. 0:0 ack 1
            +3000 > S. 0:0 ack 1
            +6000 > S. 0:0 ack 1
            +12000 > S. 0:0 ack 1
            < . 1:1 ack 1
            heard accepted)"},
        {"RFC 9293 3.10.7.2", "the ACK of a connection that was given up", R"(
            listen
            < S 0:0
            > S. 0:0 ack 1
            ignore 400000
            < . 1:1 ack 1
            > R 1:1
            ends)"},
        {"RFC 9293 3.10.7.1", "the ACK for a listener that has closed", R"(
            listen
            < S 0:0
            > S. 0:0 ack 1
            close
            < . 1:1 ack 1
            > R 1:1
            unheard accepted
            ends)"},
        {"RFC 9293 3.10.7.1", "octets and a FIN for a listener that has closed", R"(
            listen
            < S 0:0
            > S. 0:0 ack 1
            close
            < F. 1:101 ack 1
            > R 1:1
            unheard accepted
            ends)"},
        {"RFC 9293 3.10.7.1", "a listener that has closed answers no SYN again", R"(
            listen
            < S 0:0
            > S. 0:0 ack 1
            close
            < S 0:0
            < S 0:0
            > R. 0:0 ack 1
            quiet 10000
            ends)"},
        {"RFC 9293 3.10.7.1", "a listener that has closed sends no SYN and ACK again", R"(
            listen
            < S 0:0
            > S. 0:0 ack 1
            close
            quiet 10000
            ends)"},
        {"RFC 6298 5.5", "a SYN is sent again, ever later", R"(
            connect
            > S 0:0
            +3000 > S 0:0
            +6000 > S 0:0
            < S. 0:0 ack 1
            > . 1:1 ack 1
            heard connected)"},
        {"RFC 6298 3", "a SYN that was sent again measures nothing", R"(
            connect
            > S 0:0
            +3000 > S 0:0
            < S. 0:0 ack 1
            > . 1:1 ack 1
            write 1000
            > . 1:1001 ack 1
            +1000-3020 > . 1:1001 ack 1)"},
        {"RFC 6298 3", "a SYN and ACK that were sent again measure nothing", R"(
            listen
            < S 0:0
            > S. 0:0 ack 1
            +3000 > S. 0:0 ack 1
            < . 1:1 ack 1
            write 1000
            > . 1:1001 ack 1
            +1000-3020 > . 1:1001 ack 1)"},
        {"RFC 6298 5.7", "data do not wait as long as the last of many SYN and ACK", R"(
            listen
            < S 0:0
            > S. 0:0 ack 1
            +3000 > S. 0:0 ack 1
            +6000 > S. 0:0 ack 1
            < . 1:1 ack 1
            write 1000
            > . 1:1001 ack 1
            +3000 > . 1:1001 ack 1)"},
        {"RFC 6298 2.2", "a SYN and ACK that were sent once measure", R"(
            listen
            < S 0:0
            > S. 0:0 ack 1
            +2000 < . 1:1 ack 1
            write 1000
            > . 1:1001 ack 1
            +6000 > . 1:1001 ack 1)"},
        {"RFC 6298 3", "a SYN and ACK for a copy of the SYN measure nothing", R"(
            listen
            < S 0:0
            > S. 0:0 ack 1
            +2900 < S 0:0
            > S. 0:0 ack 1
            < . 1:1 ack 1
            write 1000
            > . 1:1001 ack 1
            +1000-3020 > . 1:1001 ack 1)"},
        {"RFC 9293 3.10.7.4", "copies of the SYN are answered, however many", R"(
            set ConnCount 1
            listen
            < S 0:0
            > S. 0:0 ack 1
            < S 0:0
            > S. 0:0 ack 1
            < S 0:0
            > S. 0:0 ack 1
            < . 1:1 ack 1
            state ESTABLISHED)"},
        {"RFC 9293 3.8.3", "nobody answers a SYN", R"(
            on error close
            connect
            > S 0:0
            ignore 93100
            quiet 300000
            heard refused
            ends)"},
        {"RFC 9293 3.10.7.3", "refused", R"(
            on error close
            connect
            > S 0:0
            < R. 0:0 ack 1
            quiet 10000
            heard refused
            ends)"},
        {"RFC 9293 3.10.7.3", "a reset without ACK refuses nothing", R"(
            connect
            > S 0:0
            < R 0:0
            < S. 0:0 ack 1
            > . 1:1 ack 1
            heard connected)"},
        {"RFC 9293 3.10.7.3", "a reset with a wrong ACK refuses nothing", R"(
            connect
            > S 0:0
            < R. 0:0 ack 2
            quiet 100
            < S. 0:0 ack 1
            > . 1:1 ack 1
            heard connected)"},
        {"RFC 9293 3.10.7.3", "a wrong ACK in SYN_SENT", R"(
            connect
            > S 0:0
            < . 5:5 ack 77
            > R 77:77
            < S. 0:0 ack 1
            > . 1:1 ack 1
            heard connected)"},
        {"RFC 9293 3.10.7.3", "SYN with a wrong ACK", R"(
            connect
            > S 0:0
            < S. 0:0 ack 77
            > R 77:77
            < S. 0:0 ack 1
            > . 1:1 ack 1
            heard connected)"},
        {"RFC 9293 3.10.7.3", "octets without ACK make no connection", R"(
            connect
            > S 0:0
            < 0 1:101
            quiet 100
            unheard connected
            octets 0
            < S. 0:0 ack 1
            > . 1:1 ack 1)"},
        {"RFC 9293 3.10.7.3", "FIN in SYN_SENT", R"(
            connect
            > S 0:0
            < F 1:1
            quiet 100
            unheard closed
            < S. 0:0 ack 1
            > . 1:1 ack 1
            state ESTABLISHED)"},
        {"RFC 9293 3.10.4", "closed before there is an answer", R"(
            connect
            > S 0:0
            +100 close
            quiet 10000
            state CLOSED
            ends)"},
        {"RFC 9293 3.5 figure 8", "both ends connect", R"(
            connect
            > S 0:0
            < S 0:0
            > S. 0:0 ack 1
            < S. 0:0 ack 1
            ignore 10
            heard connected
            state ESTABLISHED
            write 100
            > . 1:101 ack 1
            < . 1:101 ack 101
            +0-500 > . 101:101 ack 101
            octets 100)"},
        {"RFC 9293 3.10.7.4", "a wrong ACK in SYN_RCVD", R"(
            listen
            < S 0:0
            > S. 0:0 ack 1
            < . 1:1 ack 77
            > R 77:77
            < . 1:1 ack 1
            heard accepted)"},
        {"RFC 9293 3.10.7.4", "a reset in SYN_RCVD", R"(
            listen
            < S 0:0
            > S. 0:0 ack 1
            < R 1:1
            quiet 20000
            unheard accepted
            < S 0:0
            > S. 0:0 ack 1
            < . 1:1 ack 1
            heard accepted)"},
        {"RFC 9293 3.10.7.4", "FIN in SYN_RCVD", R"(
            listen
            < S 0:0
            > S. 0:0 ack 1
            < F. 1:1 ack 1
            > . 1:1 ack 2
            heard accepted
            heard closed)"},
        {"RFC 9293 3.10.7.4", "octets with the ACK of the handshake", R"(
            listen
            < S 0:0
            > S. 0:0 ack 1
            < . 1:101 ack 1
            > . 1:1 ack 101
            heard accepted)"},
        {"RFC 9293 3.10.7.2", "an ACK at a listener", R"(
            listen
            < . 5:5 ack 77
            > R 77:77)"},
        {"RFC 9293 3.10.7.2", "octets at a listener", R"(
            listen
            < . 5:105 ack 77
            > R 77:77)"},
        {"RFC 9293 3.10.7.2", "SYN and ACK at a listener", R"(
            listen
            < S. 5:5 ack 77
            > R 77:77
            unheard accepted)"},
        {"RFC 9293 3.10.7.2", "a reset at a listener", R"(
            listen
            < R 5:5
            < R. 5:5 ack 77
            quiet 1000)"},
        {"RFC 9293 3.10.7.2", "neither SYN nor ACK at a listener", R"(
            listen
            < F 5:5
            < 0 5:105
            quiet 1000)"},
        {"RFC 9293 3.7.1", "the MSS option that a SYN has", R"(
            connect
            > S 0:0 mss 1460)"},
        {"RFC 9293 3.7.1", "the MSS option that SYN and ACK have", R"(
            listen
            < S 0:0
            > S. 0:0 ack 1 mss 1460)"},
        {"RFC 9293 3.7.1", "the peer's MSS option", R"(
            active mss 600
            write 1000
            > . 1:601 ack 1
            > . 601:1001 ack 1)"},
        {"RFC 9293 3.7.1", "a peer without MSS option", R"(
            set PeerMssDefault 536
            active nomss
            write 1000
            > . 1:537 ack 1
            > . 537:1001 ack 1)"},
        {"RFC 7323 2.2", "windows are scaled by the peer's option", R"(
            active win 60000 ws 3
            < . 1:101 ack 1 win 150
            > . 1:1 ack 101
            write 3000
            > . 1:1001 ack 101
            quiet 100)"},
        {"RFC 7323 2.2", "the window of a SYN is not scaled", R"(
            active win 1000 ws 3
            write 3000
            > . 1:1001 ack 1
            quiet 100)"},
        {"RFC 7323 2.2", "no scaling without the peer's option", R"(
            set RcvBufSize 1000000
            active
            < . 1:101 ack 1
            > . 1:1 ack 101 win 65535)"},
        {"RFC 9293 3.4", "a peer that starts right below 2^32", R"(
            isn 4294967196
            passive
            < . 1:1001 ack 1
            > . 1:1 ack 1001
            < . 1001:2001 ack 1
            +0-500 > . 1:1 ack 2001
            octets 2000)"},
        {"RFC 9293 3.4", "a peer that starts above 2^31", R"(
            isn 3000000000
            active ts 500:0
            < . 1:101 ack 1 ts 510:0
            > . 1:1 ack 101 ts 0:510
            octets 100)"},
    };
}
