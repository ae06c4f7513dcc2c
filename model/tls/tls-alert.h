/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TLS_ALERT_H
#define TLS_ALERT_H

#include <cstdint>
#include <string>

namespace ns3
{

/// @ingroup iwarp-tls
/// @brief Descriptions of alerts (RFC 8446 section 6) that this module sends, by their numbers; one
/// that is received may be any.
enum class TlsAlert : uint8_t
{
    CLOSE_NOTIFY = 0,        //!< the sender sends no more
    UNEXPECTED_MESSAGE = 10, //!< a message or record that may not come here
    BAD_RECORD_MAC = 20,     //!< a record that cannot be opened
    RECORD_OVERFLOW = 22,    //!< a record that is too long
    HANDSHAKE_FAILURE = 40,  //!< nothing to agree on
    ILLEGAL_PARAMETER = 47,  //!< a field that contradicts others or may not have its value
    DECODE_ERROR = 50,       //!< a message whose lengths do not fit
    DECRYPT_ERROR = 51,      //!< a Finished that is not right
    PROTOCOL_VERSION = 70,   //!< the peer has no TLS 1.3
    USER_CANCELED = 90,      //!< the handshake is given up
    NONE = 255,              //!< nothing is wrong; no alert has this number
};

/// @ingroup iwarp-tls
/// @brief Name an alert. @param alert any @return as RFC 8446 names it, such as "bad_record_mac",
/// or "alert 99" for one that it does not
std::string GetTlsAlertName(TlsAlert alert);

/// @ingroup iwarp-tls
/// @brief Tell whether an alert ends a connection at once. @param alert received or sent @return
/// false for close_notify and user_canceled (RFC 8446 section 6.1)
bool IsTlsErrorAlert(TlsAlert alert);

} // namespace ns3

#endif // TLS_ALERT_H
