/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "tls-alert.h"

namespace ns3
{

std::string
GetTlsAlertName(TlsAlert alert)
{
    switch (alert)
    {
    case TlsAlert::CLOSE_NOTIFY:
        return "close_notify";
    case TlsAlert::UNEXPECTED_MESSAGE:
        return "unexpected_message";
    case TlsAlert::BAD_RECORD_MAC:
        return "bad_record_mac";
    case TlsAlert::RECORD_OVERFLOW:
        return "record_overflow";
    case TlsAlert::HANDSHAKE_FAILURE:
        return "handshake_failure";
    case TlsAlert::ILLEGAL_PARAMETER:
        return "illegal_parameter";
    case TlsAlert::DECODE_ERROR:
        return "decode_error";
    case TlsAlert::DECRYPT_ERROR:
        return "decrypt_error";
    case TlsAlert::PROTOCOL_VERSION:
        return "protocol_version";
    case TlsAlert::USER_CANCELED:
        return "user_canceled";
    case TlsAlert::NONE:
        return "no alert";
    }
    return "alert " + std::to_string(static_cast<int>(alert));
}

bool
IsTlsErrorAlert(TlsAlert alert)
{
    return alert != TlsAlert::CLOSE_NOTIFY && alert != TlsAlert::USER_CANCELED;
}

} // namespace ns3
