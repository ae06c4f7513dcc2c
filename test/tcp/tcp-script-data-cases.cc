/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-script-cases.h"

std::vector<TcpScriptCase>
GetTcpDataCases()
{
    return {
        {"RFC 9293 3.8.6.3", "an ACK waits less than 500 ms", R"(
            passive
            < . 1:1001 ack 1
            ignore 600
            < . 1001:2001 ack 1
            +0-500 > . 1:1 ack 2001)"},
        {"RFC 9293 3.8.6.3", "an ACK for two full segments", R"(
            passive
            < . 1:1001 ack 1
            ignore 600
            < . 1001:2001 ack 1
            < . 2001:3001 ack 1
            > . 1:1 ack 3001)"},
        {"RFC 9293 3.10.7.4", "octets carry the ACK", R"(
            passive
            < . 1:1001 ack 1
            ignore 600
            < . 1001:2001 ack 1
            write 500
            > . 1:501 ack 2001
            quiet 900)"},
        {"RFC 5681 4.2", "octets out of order are answered at once", R"(
            passive
            < . 1:1001 ack 1
            ignore 600
            < . 2001:3001 ack 1
            > . 1:1 ack 1001
            < . 3001:4001 ack 1
            > . 1:1 ack 1001
            < . 1001:2001 ack 1
            > . 1:1 ack 4001
            octets 4000)"},
        {"RFC 9293 3.10.7.4", "octets that come again", R"(
            passive
            < . 1:1001 ack 1
            > . 1:1 ack 1001
            < . 1:1001 ack 1
            > . 1:1 ack 1001
            octets 1000)"},
        {"RFC 9293 3.10.7.4", "segments that overlap", R"(
            passive
            < . 1:1001 ack 1
            > . 1:1 ack 1001
            < . 501:1501 ack 1
            < . 1001:2001 ack 1
            +0-500 > . 1:1 ack 2001
            octets 2000)"},
        {"RFC 9293 3.10.7.4", "octets beyond the window", R"(
            passive
            < . 200001:200101 ack 1
            > . 1:1 ack 1
            < . 1:101 ack 1
            +0-500 > . 1:1 ack 101
            octets 100)"},
        {"RFC 9293 3.10.7.4", "octets that straddle the window's end", R"(
            set RcvBufSize 2000
            noread
            passive
            < . 1:1501 ack 1
            > . 1:1 ack 1501 win 500
            < . 1501:2501 ack 1
            +0-500 > . 1:1 ack 2001 win 0
            read 4000
            octets 2000)"},
        {"RFC 9293 3.8.6.2.2", "room in a full buffer is told of", R"(
            set RcvBufSize 2000
            noread
            passive
            < . 1:2001 ack 1
            > . 1:1 ack 2001 win 0
            +100 read 2000
            > . 1:1 ack 2001 win 2000)"},
        {"RFC 9293 3.8.6.2.2", "a little room is not", R"(
            set RcvBufSize 4000
            noread
            passive
            < . 1:4001 ack 1
            > . 1:1 ack 4001 win 0
            +100 read 100
            quiet 100
            +100 read 1900
            > . 1:1 ack 4001 win 2000)"},
        {"RFC 9293 3.10.7.4", "a probe of a window that is closed", R"(
            set RcvBufSize 2000
            noread
            passive
            < . 1:2001 ack 1
            > . 1:1 ack 2001 win 0
            < . 2001:2002 ack 1
            > . 1:1 ack 2001 win 0
            octets 0)"},
        {"RFC 9293 3.8.6.2.1", "a small window is used once the override timer has run out", R"(
            set OverrideTimeout 500ms
            active
            write 1000
            > . 1:1001 ack 1
            +100 < . 1:1 ack 1001 win 300
            write 1000
            +500 > . 1001:1301 ack 1)"},
        {"RFC 9293 3.8.6.1", "a closed window is probed, ever later", R"(
            passive
            < . 1:1 ack 1 win 0
            < . 1:101 ack 1 win 0
            > . 1:1 ack 101
            write 1000
            +0-7000 > . 1:2 ack 101
            < . 101:101 ack 1 win 0
            +12000 > . 1:2 ack 101
            < . 101:101 ack 1 win 0
            +24000 > . 1:2 ack 101
            < . 101:101 ack 1 win 0
            +48000 > . 1:2 ack 101
            < . 101:101 ack 1 win 0
            +60000 > . 1:2 ack 101)"},
        {"RFC 9293 3.8.6.1", "a window that closes anew is probed as soon as the first time", R"(
            passive
            < . 1:101 ack 1 win 0
            > . 1:1 ack 101
            write 1000
            +0-7000 > . 1:2 ack 101
            < . 101:101 ack 1 win 0
            +12000 > . 1:2 ack 101
            < . 101:101 ack 1 win 30000
            > . 1:1001 ack 101
            < . 101:101 ack 1001 win 0
            write 1000
            +0-7000 > . 1001:1002 ack 101
            < . 101:101 ack 1001 win 0
            +12000 > . 1001:1002 ack 101)"},
        {"RFC 9293 3.8.6.1", "a window stays closed for long", R"(
            passive
            < . 1:101 ack 1 win 0
            > . 1:1 ack 101
            write 1000
            ignore 3600000
            state ESTABLISHED
            < . 101:101 ack 1 win 30000
            > . 1:1001 ack 101)"},
        {"RFC 9293 3.8.6.1", "the probe is taken", R"(
            passive
            < . 1:101 ack 1 win 0
            > . 1:1 ack 101
            write 1000
            +0-7000 > . 1:2 ack 101
            < . 101:101 ack 2 win 30000
            > . -1:1001 ack 101)"},
        {"RFC 9293 3.10.7.4", "an ACK that tells of nothing else closes the window", R"(
            passive
            < . 1:1 ack 1 win 30000
            < . 1:1 ack 1 win 0
            write 1000
            quiet 100
            < . 1:1 ack 1 win 30000
            > . 1:1001 ack 1)"},
        {"RFC 9293 3.8.6.1", "a probe is taken, and the window stays closed", R"(
            passive
            < . 1:101 ack 1 win 0
            > . 1:1 ack 101
            write 1000
            +0-7000 > . 1:2 ack 101
            < . 101:101 ack 2 win 0
            quiet 1000
            < . 101:101 ack 2 win 30000
            > . -1:1001 ack 101
            < . 101:101 ack 1001
            quiet 20000)"},
        {"RFC 9293 3.8.6.1", "a window opens", R"(
            passive
            < . 1:101 ack 1 win 0
            > . 1:1 ack 101
            write 1000
            +100 < . 101:101 ack 1 win 30000
            > . 1:1001 ack 101
            < . 101:101 ack 1001
            quiet 20000)"},
        {"RFC 9293 3.8.6", "a window closes with octets under way, which are lost", R"(
            passive
            write 1000
            > . 1:1001 ack 1
            < . 1:101 ack 1 win 0
            +0-500 > . 1001:1001 ack 101
            +100 < . 101:101 ack 1 win 30000
            +0-70000 > . 1:1001 ack 101)"},
        {"RFC 9293 3.8.6", "the same, and no word of its opening comes", R"(
            passive
            write 1000
            > . 1:1001 ack 1
            < . 1:101 ack 1 win 0
            +0-500 > . 1001:1001 ack 101
            +0-7000 > . 0:0 ack 101
            < . 101:101 ack 1 win 30000
            +0-70000 > . 1:1001 ack 101
            state ESTABLISHED)"},
        {"RFC 9293 3.8.6", "no more than the window", R"(
            passive
            < . 1:101 ack 1 win 2000
            > . 1:1 ack 101
            write 3000
            > . 1:1001 ack 101
            > . 1001:2001 ack 101
            quiet 500
            < . 101:101 ack 1001 win 2000
            > . 2001:3001 ack 101)"},
        {"RFC 9293 3.8.6.2.1", "a small part of a window is not filled", R"(
            passive
            < . 1:101 ack 1 win 2300
            > . 1:1 ack 101
            write 4000
            > . 1:1001 ack 101
            > . 1001:2001 ack 101
            quiet 500)"},
        {"RFC 9293 3.7.4", "a short segment waits for the ACK of another", R"(
            set TcpNoDelay false
            active
            write 100
            > . 1:101 ack 1
            write 100
            quiet 500
            < . 1:1 ack 101
            > . 101:201 ack 1)"},
        {"RFC 9293 3.7.4", "but what is lost does not", R"(
            set TcpNoDelay false
            set Rack true
            connect
            > S 0:0
            +200 < S. 0:0 ack 1 sackok
            > . 1:1 ack 1
            write 1000
            > . 1:1001 ack 1
            write 500
            +600 > . 1001:1501 ack 1
            +1000 > . 1:1001 ack 1
            +200 < . 1:1 ack 1001
            > . 1001:1501 ack 1
            +205 < . 1:1 ack 1501
            quiet 10000)"},
        {"RFC 9293 3.7.4", "unless that is turned off", R"(
            set TcpNoDelay true
            active
            write 100
            > . 1:101 ack 1
            write 100
            > . 101:201 ack 1)"},
        {"RFC 9293 3.8.6", "a window shrinks, and what has arrived makes no room in it", R"(
            active sackok
            write 3000
            > . 1:1001 ack 1
            > . 1001:2001 ack 1
            > . 2001:3001 ack 1
            < . 1:1 ack 1 win 2500 sack 1001:3001
            write 3000
            quiet 100
            < . 1:1 ack 3001 win 2500
            > . 3001:4001 ack 1
            > . 4001:5001 ack 1)"},
        {"RFC 9293 3.8.5", "urgent octets are octets", R"(
            passive
            < U. 1:101 ack 1
            > . 1:1 ack 101
            octets 100)"},
        {"RFC 9293 3.1", "pushed octets", R"(
            passive
            < P. 1:101 ack 1
            > . 1:1 ack 101
            octets 100)"},
        {"RFC 3168 6.1.1", "flags of ECN that was not agreed", R"(
            passive
            < .EC 1:101 ack 1
            > . 1:1 ack 101
            octets 100)"},
        {"RFC 9293 3.10.7.4", "octets behind our FIN", R"(
            passive
            shutdown
            > F. 1:1 ack 1
            < . 1:1 ack 2
            < . 1:101 ack 2
            +0-500 > . 2:2 ack 101
            octets 100)"},
        {"RFC 9293 3.10.7.4", "our octets behind the peer's FIN", R"(
            passive
            < F. 1:1 ack 1
            > . 1:1 ack 2
            write 1000
            > . 1:1001 ack 2
            < . 2:2 ack 1001
            close
            > F. 1001:1001 ack 2)"},
        {"RFC 7323 3.2", "timestamps only if the peer's SYN has them", R"(
            listen
            < S 0:0
            > S. 0:0 ack 1 nots
            < . 1:1 ack 1
            < . 1:101 ack 1
            > . 1:1 ack 101 nots)"},
        {"RFC 7323 3.2", "timestamps in all segments", R"(
            listen
            < S 0:0 ts 500:0
            > S. 0:0 ack 1 ts 0:500
            < . 1:1 ack 1 ts 501:0
            < . 1:101 ack 1 ts 502:0
            > . 1:1 ack 101 ts 0:502)"},
        {"RFC 7323 3.2", "a segment that lacks its timestamp", R"(
            active ts 500:0
            < . 1:101 ack 1
            quiet 600
            octets 0)"},
        {"RFC 7323 4.3", "a delayed ACK echoes the first of two", R"(
            active ts 500:0
            < . 1:1001 ack 1 ts 510:0
            ignore 600
            < . 1001:2001 ack 1 ts 520:0
            < . 2001:3001 ack 1 ts 530:0
            > . 1:1 ack 3001 ts 0:520)"},
        {"RFC 7323 4.3", "octets out of order are not echoed", R"(
            active ts 500:0
            < . 1:1001 ack 1 ts 510:0
            > . 1:1 ack 1001 ts 0:510
            < . 2001:3001 ack 1 ts 530:0
            > . 1:1 ack 1001 ts 0:510
            < . 1001:2001 ack 1 ts 540:0
            > . 1:1 ack 3001 ts 0:540)"},
        {"RFC 7323 5.3", "a timestamp of the past", R"(
            active ts 500:0
            < . 1:101 ack 1 ts 510:0
            > . 1:1 ack 101 ts 0:510
            < . 101:201 ack 1 ts 400:0
            > . 1:1 ack 101 ts 0:510
            octets 100)"},
        {"RFC 7323 5.2", "a clock that wraps", R"(
            active ts 4294967290:0
            < . 1:101 ack 1 ts 4294967295:0
            > . 1:1 ack 101 ts 0:4294967295
            < . 101:201 ack 1 ts 4:0
            +0-500 > . 1:1 ack 201 ts 0:4
            octets 200)"},
        {"RFC 2018 3", "octets out of order are told of", R"(
            active sackok
            < . 1001:2001 ack 1
            > . 1:1 ack 1 sack 1001:2001
            < . 3001:4001 ack 1
            > . 1:1 ack 1 sack 3001:4001,1001:2001
            < . 2001:3001 ack 1
            > . 1:1 ack 1 sack 1001:4001
            < . 1:1001 ack 1
            > . 1:1 ack 4001 nosack)"},
        {"RFC 2018 2", "but not to a peer that does not want it", R"(
            active
            < . 1001:2001 ack 1
            > . 1:1 ack 1 nosack)"},
    };
}
