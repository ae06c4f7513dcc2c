/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tcp-script-cases.h"

/**
 * @file
 * @ingroup iwarp-test
 * RACK-TLP (RFC 8985) and reports of duplicates (RFC 2883). Round trips are of 200 ms, and later
 * ones a little longer: what comes back faster than the least one may be the answer to an earlier
 * segment. Then 2 SRTT are 400 ms, a quarter of the least RTT is 50 ms, the timeout is a second,
 * and the peer may delay ACKs by 200 ms, as the host does.
 */

std::vector<TcpScriptCase>
GetTcpRackCases()
{
    return {
        {"RFC 8985 3.4", "figure 1: the tail is lost, and a retransmission", R"(
            set Rack true
            recovery TcpClassicRecovery
            connect
            > S 0:0
            +200 < S. 0:0 ack 1 sackok
            > . 1:1 ack 1
            write 1000
            write 1000
            write 1000
            write 1000
            > . 1:1001 ack 1
            > . 1001:2001 ack 1
            > . 2001:3001 ack 1
            > . 3001:4001 ack 1
            +200 < . 1:1 ack 1001
            +400 > . 3001:4001 ack 1
            +205 < . 1:1 ack 1001 sack 3001:4001
            > . 1001:2001 ack 1
            > . 2001:3001 ack 1
            +210 < . 1:1 ack 1001 sack 2001:4001
            > . 1001:2001 ack 1
            +215 < . 1:1 ack 4001
            quiet 10000)"},
        {"RFC 8985 3.4", "the same with PRR, which sends what has arrived", R"(
            set Rack true
            recovery TcpPrrRecovery
            connect
            > S 0:0
            +200 < S. 0:0 ack 1 sackok
            > . 1:1 ack 1
            write 1000
            write 1000
            write 1000
            write 1000
            > . 1:1001 ack 1
            > . 1001:2001 ack 1
            > . 2001:3001 ack 1
            > . 3001:4001 ack 1
            +200 < . 1:1 ack 1001
            +400 > . 3001:4001 ack 1
            +205 < . 1:1 ack 1001 sack 3001:4001
            > . 1001:2001 ack 1
            +205 < . 1:1 ack 2001 sack 3001:4001
            > . 2001:3001 ack 1
            +205 < . 1:1 ack 4001
            quiet 10000)"},
        {"RFC 8985 3.5", "a timeout takes the first segment for lost, and none just sent", R"(
            set Rack true
            connect
            > S 0:0
            +200 < S. 0:0 ack 1 sackok
            > . 1:1 ack 1
            write 1000
            > . 1:1001 ack 1
            +200 < . 1:1 ack 1001
            write 1000
            > . 1001:2001 ack 1
            +600 > . 1001:2001 ack 1
            +950 write 1000
            write 1000
            > . 2001:3001 ack 1
            > . 3001:4001 ack 1
            +50 > . 1001:2001 ack 1
            +20 < . 1:1 ack 2001
            quiet 900
            +100 > . 2001:3001 ack 1)"},
        {"RFC 8985 6.2", "a SACK of one segment, and a quarter of a round trip", R"(
            set Rack true
            connect
            > S 0:0
            +200 < S. 0:0 ack 1 sackok
            > . 1:1 ack 1
            write 1000
            write 1000
            > . 1:1001 ack 1
            > . 1001:2001 ack 1
            +200 < . 1:1 ack 1 sack 1001:2001
            +50 > . 1:1001 ack 1
            +205 < . 1:1 ack 2001
            quiet 10000)"},
        {"RFC 8985 6.2", "what comes late by less is not sent again", R"(
            set Rack true
            connect
            > S 0:0
            +200 < S. 0:0 ack 1 sackok
            > . 1:1 ack 1
            write 1000
            write 1000
            > . 1:1001 ack 1
            > . 1001:2001 ack 1
            +200 < . 1:1 ack 1 sack 1001:2001
            +40 < . 1:1 ack 2001
            quiet 10000)"},
        {"RFC 8985 6.2", "three segments make the reordering window zero", R"(
            set Rack true
            connect
            > S 0:0
            +200 < S. 0:0 ack 1 sackok
            > . 1:1 ack 1
            write 1000
            write 1000
            write 1000
            write 1000
            ignore 1
            +200 < . 1:1 ack 1 sack 1001:3001
            quiet 20
            < . 1:1 ack 1 sack 1001:4001
            > . 1:1001 ack 1
            +205 < . 1:1 ack 4001
            quiet 10000)"},
        {"RFC 8985 6.2", "but not once segments have come late", R"(
            set Rack true
            connect
            > S 0:0
            +200 < S. 0:0 ack 1 sackok
            > . 1:1 ack 1
            write 1000
            write 1000
            > . 1:1001 ack 1
            > . 1001:2001 ack 1
            +200 < . 1:1 ack 1 sack 1001:2001
            +10 < . 1:1 ack 2001
            write 1000
            write 1000
            write 1000
            write 1000
            > . 2001:3001 ack 1
            > . 3001:4001 ack 1
            > . 4001:5001 ack 1
            > . 5001:6001 ack 1
            +200 < . 1:1 ack 2001 sack 3001:6001
            quiet 45
            +5 > . 2001:3001 ack 1
            +205 < . 1:1 ack 6001
            quiet 10000)"},
        {"RFC 8985 6.2", "each round with a DSACK has it wait longer, up to a round trip", R"(
            set Rack true
            connect
            > S 0:0
            +200 < S. 0:0 ack 1 sackok
            > . 1:1 ack 1
            write 1000
            write 1000
            > . 1:1001 ack 1
            > . 1001:2001 ack 1
            +200 < . 1:1 ack 1 sack 1001:2001
            +50 > . 1:1001 ack 1
            +5 < . 1:1 ack 2001
            +200 < . 1:1 ack 2001 sack 1:1001
            write 1000
            write 1000
            > . 2001:3001 ack 1
            > . 3001:4001 ack 1
            +200 < . 1:1 ack 2001 sack 3001:4001
            +100 > . 2001:3001 ack 1
            +5 < . 1:1 ack 4001
            +200 < . 1:1 ack 4001 sack 2001:3001
            write 1000
            write 1000
            > . 4001:5001 ack 1
            > . 5001:6001 ack 1
            +200 < . 1:1 ack 4001 sack 5001:6001
            +150 > . 4001:5001 ack 1
            +5 < . 1:1 ack 6001
            write 1000
            write 1000
            > . 6001:7001 ack 1
            > . 7001:8001 ack 1
            < . 1:1 ack 6001 sack 4001:5001
            < . 1:1 ack 6001 sack 4001:5001
            < . 1:1 ack 6001 sack 4001:5001
            +200 < . 1:1 ack 6001 sack 7001:8001
            +200 > . 6001:7001 ack 1
            +5 < . 1:1 ack 8001
            write 1000
            write 1000
            > . 8001:9001 ack 1
            > . 9001:10001 ack 1
            < . 1:1 ack 8001 sack 6001:7001
            +200 < . 1:1 ack 8001 sack 9001:10001
            +200 > . 8001:9001 ack 1)"},
        {"RFC 8985 6.2", "a retransmission that is lost, by one sent later", R"(
            set Rack true
            recovery TcpClassicRecovery
            connect
            > S 0:0
            +200 < S. 0:0 ack 1 sackok
            > . 1:1 ack 1
            write 1000
            +60 write 1000
            +60 write 1000
            ignore 1
            +200 < . 1:1 ack 1 sack 2001:3001
            > . 1:1001 ack 1
            > . 1001:2001 ack 1
            +205 < . 1:1 ack 1 sack 1001:3001
            > . 1:1001 ack 1
            +210 < . 1:1 ack 3001
            quiet 10000)"},
        {"RFC 8985 6.2", "and with timestamps, which a hole keeps from going on", R"(
            set Rack true
            recovery TcpClassicRecovery
            connect
            > S 0:0
            +200 < S. 0:0 ack 1 sackok ts 500:10
            > . 1:1 ack 1
            write 900
            +60 write 900
            +60 write 900
            ignore 1
            +200 < . 1:1 ack 1 sack 1801:2701 ts 501:10
            > . 1:901 ack 1
            > . 901:1801 ack 1
            +205 < . 1:1 ack 1 sack 901:2701 ts 502:10
            > . 1:901 ack 1
            +210 < . 1:1 ack 2701 ts 503:740
            quiet 10000)"},
        {"RFC 8985 6.2", "an answer that is too fast is to what was sent first", R"(
            set Rack true
            recovery TcpClassicRecovery
            connect
            > S 0:0
            +200 < S. 0:0 ack 1 sackok
            > . 1:1 ack 1
            write 1000
            +60 write 1000
            +60 write 1000
            ignore 1
            +200 < . 1:1 ack 1 sack 2001:3001
            > . 1:1001 ack 1
            > . 1001:2001 ack 1
            +5 < . 1:1 ack 1 sack 1001:3001
            quiet 200
            +5 < . 1:1 ack 3001
            quiet 10000)"},
        {"RFC 8985 7.2", "a probe is due behind two round trips", R"(
            set Rack true
            connect
            > S 0:0
            +200 < S. 0:0 ack 1 sackok
            > . 1:1 ack 1
            write 1000
            write 1000
            > . 1:1001 ack 1
            > . 1001:2001 ack 1
            +400 > . 1001:2001 ack 1
            +1000 > . 1:1001 ack 1)"},
        {"RFC 8985 7.2", "each new segment puts it off", R"(
            set Rack true
            connect
            > S 0:0
            +200 < S. 0:0 ack 1 sackok
            > . 1:1 ack 1
            write 1000
            > . 1:1001 ack 1
            +300 write 1000
            > . 1001:2001 ack 1
            +400 > . 1001:2001 ack 1)"},
        {"RFC 8985 7.2", "and so does an ACK of something new", R"(
            set Rack true
            connect
            > S 0:0
            +200 < S. 0:0 ack 1 sackok
            > . 1:1 ack 1
            write 1000
            write 1000
            write 1000
            > . 1:1001 ack 1
            > . 1001:2001 ack 1
            > . 2001:3001 ack 1
            +200 < . 1:1 ack 1001
            +400 > . 2001:3001 ack 1)"},
        {"RFC 8985 7.2", "the ACK of a lone segment may be delayed", R"(
            set Rack true
            connect
            > S 0:0
            +200 < S. 0:0 ack 1 sackok
            > . 1:1 ack 1
            write 1000
            > . 1:1001 ack 1
            +600 > . 1:1001 ack 1)"},
        {"RFC 8985 7.2", "without a round trip it takes a second, and then the timeout", R"(
            set Rack true
            connect
            > S 0:0
            +3000 > S 0:0
            +200 < S. 0:0 ack 1 sackok
            > . 1:1 ack 1
            write 1000
            > . 1:1001 ack 1
            +2000-4040 > . 1:1001 ack 1)"},
        {"RFC 8985 7.2", "a probe is due no later than the timeout", R"(
            set Rack true
            set DelAckTimeout 700ms
            connect
            > S 0:0
            +200 < S. 0:0 ack 1 sackok
            > . 1:1 ack 1
            write 1000
            > . 1:1001 ack 1
            +1000 > . 1:1001 ack 1
            +1000 > . 1:1001 ack 1
            +2000 > . 1:1001 ack 1)"},
        {"RFC 8985 7.2", "none is due while the peer holds segments", R"(
            set Rack true
            connect
            > S 0:0
            +200 < S. 0:0 ack 1 sackok
            > . 1:1 ack 1
            write 1000
            write 1000
            write 1000
            > . 1:1001 ack 1
            > . 1001:2001 ack 1
            > . 2001:3001 ack 1
            +200 < . 1:1 ack 1 sack 1001:2001
            +50 > . 1:1001 ack 1
            +1000 > . 1:1001 ack 1)"},
        {"RFC 6298 5.3", "an ACK of nothing new leaves the timer as it is", R"(
            set Rack true
            connect
            > S 0:0
            +200 < S. 0:0 ack 1 sackok
            > . 1:1 ack 1
            write 1000
            write 1000
            > . 1:1001 ack 1
            > . 1001:2001 ack 1
            +400 > . 1001:2001 ack 1
            +300 < . 1:1 ack 1
            +700 > . 1:1001 ack 1)"},
        {"RFC 8985 7.3", "new octets make a probe, though the congestion window is full", R"(
            set Rack true
            set InitialCwnd 2
            recovery TcpClassicRecovery
            connect
            > S 0:0
            +200 < S. 0:0 ack 1 sackok
            > . 1:1 ack 1
            write 1000
            write 1000
            write 1000
            > . 1:1001 ack 1
            > . 1001:2001 ack 1
            +400 > . 2001:3001 ack 1
            +200 < . 1:1 ack 1 sack 2001:3001
            > . 1:1001 ack 1
            > . 1001:2001 ack 1)"},
        {"RFC 8985 7.3", "but not what the peer has no room for", R"(
            set Rack true
            connect
            > S 0:0
            +200 < S. 0:0 ack 1 sackok win 2000
            > . 1:1 ack 1
            write 1000
            write 1000
            write 1000
            > . 1:1001 ack 1
            > . 1001:2001 ack 1
            +400 > . 1001:2001 ack 1)"},
        {"RFC 8985 7.3", "one at a time", R"(
            set Rack true
            set InitialCwnd 2
            connect
            > S 0:0
            +200 < S. 0:0 ack 1 sackok
            > . 1:1 ack 1
            write 1000
            write 1000
            write 1000
            write 1000
            > . 1:1001 ack 1
            > . 1001:2001 ack 1
            +400 > . 2001:3001 ack 1
            +1000 > . 1:1001 ack 1)"},
        {"RFC 8985 7.3", "none until a round trip was measured since the last", R"(
            set Rack true
            connect
            > S 0:0
            +200 < S. 0:0 ack 1 sackok
            > . 1:1 ack 1
            write 1000
            > . 1:1001 ack 1
            +600 > . 1:1001 ack 1
            +205 < . 1:1 ack 1001 sack 1:1001
            write 1000
            > . 1001:2001 ack 1
            +1600 > . 1001:2001 ack 1)"},
        {"RFC 8985 7.4.1", "a probe shows the hole in front of it", R"(
            set Rack true
            connect
            > S 0:0
            +200 < S. 0:0 ack 1 sackok
            > . 1:1 ack 1
            write 1000
            write 1000
            > . 1:1001 ack 1
            > . 1001:2001 ack 1
            +400 > . 1001:2001 ack 1
            +205 < . 1:1 ack 1 sack 1001:2001
            > . 1:1001 ack 1
            +205 < . 1:1 ack 2001
            quiet 10000)"},
        {"RFC 8985 7.4.2", "the window shrinks for a loss that a probe has repaired", R"(
            set Rack true
            control TcpNewReno
            set InitialCwnd 8
            set InitialSlowStartThreshold 1
            connect
            > S 0:0
            +200 < S. 0:0 ack 1 sackok
            > . 1:1 ack 1
            write 1000
            > . 1:1001 ack 1
            +600 > . 1:1001 ack 1
            +205 < . 1:1 ack 1001
            write 8000
            > . 1001:2001 ack 1
            > . 2001:3001 ack 1
            > . 3001:4001 ack 1
            > . 4001:5001 ack 1
            > . 5001:6001 ack 1
            > . 6001:7001 ack 1
            > . 7001:8001 ack 1
            > . 8001:9001 ack 1
            write 8000
            +205 < . 1:1 ack 5001
            quiet 100
            < . 1:1 ack 7001
            > . 9001:10001 ack 1
            > . 10001:11001 ack 1)"},
        {"RFC 8985 7.4.2", "and not where the peer tells of a duplicate", R"(
            set Rack true
            control TcpNewReno
            set InitialCwnd 8
            set InitialSlowStartThreshold 1
            connect
            > S 0:0
            +200 < S. 0:0 ack 1 sackok
            > . 1:1 ack 1
            write 1000
            > . 1:1001 ack 1
            +600 > . 1:1001 ack 1
            < . 1:1 ack 1001
            +205 < . 1:1 ack 1001 sack 1:1001
            write 8000
            > . 1001:2001 ack 1
            > . 2001:3001 ack 1
            > . 3001:4001 ack 1
            > . 4001:5001 ack 1
            > . 5001:6001 ack 1
            > . 6001:7001 ack 1
            > . 7001:8001 ack 1
            > . 8001:9001 ack 1
            write 8000
            +205 < . 1:1 ack 5001
            > . 9001:10001 ack 1
            > . 10001:11001 ack 1
            > . 11001:12001 ack 1
            > . 12001:13001 ack 1)"},
        {"RFC 8985 7.4.2", "or acknowledges twice", R"(
            set Rack true
            control TcpNewReno
            set InitialCwnd 8
            set InitialSlowStartThreshold 1
            connect
            > S 0:0
            +200 < S. 0:0 ack 1 sackok
            > . 1:1 ack 1
            write 1000
            > . 1:1001 ack 1
            +600 > . 1:1001 ack 1
            < . 1:1 ack 1001
            +205 < . 1:1 ack 1001
            write 8000
            > . 1001:2001 ack 1
            > . 2001:3001 ack 1
            > . 3001:4001 ack 1
            > . 4001:5001 ack 1
            > . 5001:6001 ack 1
            > . 6001:7001 ack 1
            > . 7001:8001 ack 1
            > . 8001:9001 ack 1
            write 8000
            +205 < . 1:1 ack 5001
            > . 9001:10001 ack 1
            > . 10001:11001 ack 1
            > . 11001:12001 ack 1
            > . 12001:13001 ack 1)"},
        {"RFC 8985 9.1", "the first and the last of three are lost", R"(
            set Rack true
            connect
            > S 0:0
            +200 < S. 0:0 ack 1 sackok
            > . 1:1 ack 1
            write 1000
            +60 write 1000
            +60 write 1000
            ignore 1
            +139 < . 1:1 ack 1 sack 1001:2001
            > . 1:1001 ack 1
            +205 < . 1:1 ack 2001
            > . 2001:3001 ack 1
            +205 < . 1:1 ack 3001
            quiet 10000)"},
        {"RFC 8985 9.2", "nothing is sent again that is not lost", R"(
            set Rack true
            recovery TcpClassicRecovery
            connect
            > S 0:0
            +200 < S. 0:0 ack 1 sackok
            > . 1:1 ack 1
            write 1000
            write 1000
            write 1000
            write 1000
            write 1000
            write 1000
            ignore 1
            +200 < . 1:1 ack 1 sack 1001:4001
            > . 1:1001 ack 1
            quiet 200)"},
        {"RFC 8985 9.3", "without PRR, a retransmission that is lost shrinks the window again", R"(
            set Rack true
            control TcpNewReno
            recovery TcpClassicRecovery
            set InitialCwnd 16
            connect
            > S 0:0
            +200 < S. 0:0 ack 1 sackok
            > . 1:1 ack 1
            write 16000
            ignore 1
            write 16000
            +200 < . 1:1 ack 1 sack 2001:16001
            > . 1:1001 ack 1
            > . 1001:2001 ack 1
            > . 16001:17001 ack 1
            > . 17001:18001 ack 1
            > . 18001:19001 ack 1
            > . 19001:20001 ack 1
            > . 20001:21001 ack 1
            > . 21001:22001 ack 1
            +205 < . 1:1 ack 1 sack 1001:16001
            quiet 1
            < . 1:1 ack 1 sack 1001:22001
            > . 1:1001 ack 1
            > . 22001:23001 ack 1
            > . 23001:24001 ack 1
            > . 24001:25001 ack 1)"},
        {"RFC 5681 3.1", "a timeout: slow start up to half of what was under way", R"(
            set Rack true
            control TcpNewReno
            set InitialCwnd 8
            connect
            > S 0:0
            +200 < S. 0:0 ack 1 sackok
            > . 1:1 ack 1
            write 20000
            > . 1:1001 ack 1
            > . 1001:2001 ack 1
            > . 2001:3001 ack 1
            > . 3001:4001 ack 1
            > . 4001:5001 ack 1
            > . 5001:6001 ack 1
            > . 6001:7001 ack 1
            > . 7001:8001 ack 1
            +400 > . 8001:9001 ack 1
            +1000 > . 1:1001 ack 1
            +205 < . 1:1 ack 1001
            > . 1001:2001 ack 1
            > . 2001:3001 ack 1
            +205 < . 1:1 ack 2001
            > . 3001:4001 ack 1
            > . 4001:5001 ack 1
            < . 1:1 ack 3001
            > . 5001:6001 ack 1
            > . 6001:7001 ack 1
            +205 < . 1:1 ack 4001
            > . 7001:8001 ack 1
            > . 8001:9001 ack 1
            < . 1:1 ack 5001
            > . 9001:10001 ack 1
            quiet 1)"},
        {"RFC 6675 5", "an ACK of a part sends no more than another one", R"(
            set Rack true
            control TcpNewReno
            recovery TcpClassicRecovery
            set InitialCwnd 32
            connect
            > S 0:0
            +200 < S. 0:0 ack 1 sackok
            > . 1:1 ack 1
            write 64000
            ignore 1
            +200 < . 1:1 ack 1 sack 4001:7001
            > . 1:1001 ack 1
            +10 < . 1:1 ack 1001 sack 4001:7001
            quiet 100)"},
        {"RFC 8985 4", "without SACK it is not used", R"(
            set Rack true
            connect
            > S 0:0
            +200 < S. 0:0 ack 1
            > . 1:1 ack 1
            write 1000
            write 1000
            > . 1:1001 ack 1
            > . 1001:2001 ack 1
            +1000 > . 1:1001 ack 1)"},
        {"RFC 2883 4.1.1", "a segment that comes again", R"(
            set Dsack true
            set DelAckCount 1
            passive sackok
            < . 1:501 ack 1
            > . 1:1 ack 501 nosack
            < . 501:1001 ack 1
            > . 1:1 ack 1001 nosack
            < . 1:501 ack 1
            > . 1:1 ack 1001 sack 1:501)"},
        {"RFC 2883 4.1.2", "with a segment behind a hole", R"(
            set Dsack true
            set DelAckCount 1
            passive sackok
            < . 1:501 ack 1
            > . 1:1 ack 501 nosack
            < . 501:1001 ack 1
            > . 1:1 ack 1001 nosack
            < . 1501:2001 ack 1
            > . 1:1 ack 1001 sack 1501:2001
            < . 1:501 ack 1
            > . 1:1 ack 1001 sack 1:501,1501:2001)"},
        {"RFC 2883 4.1.3", "behind a hole itself", R"(
            set Dsack true
            set DelAckCount 1
            passive sackok
            < . 501:1001 ack 1
            > . 1:1 ack 1 sack 501:1001
            < . 1001:1501 ack 1
            > . 1:1 ack 1 sack 501:1501
            < . 1001:1501 ack 1
            > . 1:1 ack 1 sack 1001:1501,501:1501)"},
        {"RFC 2883 4.2.1", "a part of a segment", R"(
            set Dsack true
            set DelAckCount 1
            passive sackok
            < . 1:500 ack 1
            > . 1:1 ack 500 nosack
            < . 500:1000 ack 1
            > . 1:1 ack 1000 nosack
            < . 2000:2500 ack 1
            > . 1:1 ack 1000 sack 2000:2500
            < . 1000:1500 ack 1
            > . 1:1 ack 1500 sack 2000:2500
            < . 1000:2000 ack 1
            > . 1:1 ack 2500 sack 1000:1500)"},
        {"RFC 2883 4.2.2", "of two parts the first", R"(
            set Dsack true
            set DelAckCount 1
            passive sackok
            < . 1:500 ack 1
            > . 1:1 ack 500 nosack
            < . 500:1000 ack 1
            > . 1:1 ack 1000 nosack
            < . 3000:3500 ack 1
            > . 1:1 ack 1000 sack 3000:3500
            < . 1000:1500 ack 1
            > . 1:1 ack 1500 sack 3000:3500
            < . 2000:2500 ack 1
            > . 1:1 ack 1500 sack 2000:2500,3000:3500
            < . 1000:2500 ack 1
            > . 1:1 ack 2500 sack 1000:1500,3000:3500)"},
        {"RFC 2883 4.2.3", "behind a hole, too", R"(
            set Dsack true
            set DelAckCount 1
            passive sackok
            < . 1:500 ack 1
            > . 1:1 ack 500 nosack
            < . 500:1000 ack 1
            > . 1:1 ack 1000 nosack
            < . 3500:4000 ack 1
            > . 1:1 ack 1000 sack 3500:4000
            < . 1500:2000 ack 1
            > . 1:1 ack 1000 sack 1500:2000,3500:4000
            < . 2500:3000 ack 1
            > . 1:1 ack 1000 sack 2500:3000,1500:2000,3500:4000
            < . 1500:3000 ack 1
            > . 1:1 ack 1000 sack 1500:2000,1500:3000,3500:4000)"},
        {"RFC 2883 4", "three blocks and a report, as far as there is room", R"(
            set Dsack true
            listen
            < S 0:0 sackok ts 100:0
            > S. 0:0 ack 1
            < . 1:1 ack 1 ts 101:10
            < . 501:601 ack 1 ts 102:10
            > . 1:1 ack 1 sack 501:601
            < . 701:801 ack 1 ts 103:10
            > . 1:1 ack 1 sack 701:801,501:601
            < . 901:1001 ack 1 ts 104:10
            > . 1:1 ack 1 sack 901:1001,701:801,501:601
            < . 701:801 ack 1 ts 105:10
            > . 1:1 ack 1 sack 701:801,701:801,901:1001)"},
    };
}
