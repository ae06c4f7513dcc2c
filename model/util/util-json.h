/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef UTIL_JSON_H
#define UTIL_JSON_H

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup iwarp-util
 * @brief Writes one JSON object: its members as they are named, its end when it goes out of scope.
 */
class JsonObject
{
  public:
    /// @param out the object is appended to it
    explicit JsonObject(std::string& out);
    ~JsonObject();
    JsonObject(const JsonObject&) = delete;
    JsonObject& operator=(const JsonObject&) = delete;

    /// @param name a member's name @return where its value is to be appended
    std::string& Name(const char* name);
    void Number(const char* name,
                uint64_t value); //!< @param name a member's @param value its value
    /// Write a real number so that it is read back as it was. @param name a member's name @param
    /// value its value; what is not finite is null
    void Real(const char* name, double value);
    void Flag(const char* name, bool value); //!< @param name a member's name @param value its value
    /// @param name a member's name @param value its value
    void String(const char* name, const std::string& value);

  private:
    std::string& m_out; //!< all of it
    bool m_first{true}; //!< no member yet
};

/// @ingroup iwarp-util
/// @brief Write a JSON string. @param value it @param[in,out] out it is appended to it
void AppendJson(const std::string& value, std::string& out);

} // namespace ns3

#endif // UTIL_JSON_H
