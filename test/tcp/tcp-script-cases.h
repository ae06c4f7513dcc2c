/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TCP_SCRIPT_CASES_H
#define TCP_SCRIPT_CASES_H

#include <vector>

/**
 * @file
 * @ingroup iwarp-test
 * What a TCP must do, by section of the RFC that says so.
 */

/// What Rfc9293TcpSocket does of a script.
enum class TcpScriptMet
{
    YES,       //!< all of it
    NO,        //!< not all of it
    AS_PARENT, //!< what TcpSocketBase does, whose sender decides, in this release and in others
};

/// A case.
struct TcpScriptCase
{
    const char* section;                 //!< RFC and section
    const char* name;                    //!< what it is about
    const char* script;                  //!< see tcp-script.h
    TcpScriptMet met{TcpScriptMet::YES}; //!< what comes of it
};

std::vector<TcpScriptCase> GetTcpConnectCases(); //!< @return how connections begin
std::vector<TcpScriptCase> GetTcpResetCases();   //!< @return resets and what may be forged
std::vector<TcpScriptCase> GetTcpDataCases();    //!< @return data, windows and ACKs
std::vector<TcpScriptCase> GetTcpLossCases();    //!< @return timers and recovery
std::vector<TcpScriptCase> GetTcpRackCases();    //!< @return RACK-TLP, and what it takes of a peer
std::vector<TcpScriptCase> GetTcpClosingCases(); //!< @return how connections end

#endif // TCP_SCRIPT_CASES_H
