/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "util-json.h"

#include <cmath>
#include <cstdio>

namespace ns3
{

JsonObject::JsonObject(std::string& out)
    : m_out(out)
{
    m_out += '{';
}

JsonObject::~JsonObject()
{
    m_out += '}';
}

std::string&
JsonObject::Name(const char* name)
{
    m_out += m_first ? "\"" : ", \"";
    m_first = false;
    m_out += name;
    m_out += "\": ";
    return m_out;
}

void
JsonObject::Number(const char* name, uint64_t value)
{
    Name(name) += std::to_string(value);
}

void
JsonObject::Real(const char* name, double value)
{
    char text[32];
    std::snprintf(text, sizeof(text), std::isfinite(value) ? "%.17g" : "null", value);
    Name(name) += text;
}

void
JsonObject::Flag(const char* name, bool value)
{
    Name(name) += value ? "true" : "false";
}

void
JsonObject::String(const char* name, const std::string& value)
{
    AppendJson(value, Name(name));
}

void
AppendJson(const std::string& value, std::string& out)
{
    out += '"';
    for (const char c : value)
    {
        if (static_cast<unsigned char>(c) < 0x20)
        {
            char escape[8];
            std::snprintf(escape, sizeof(escape), "\\u%04x", static_cast<unsigned>(c));
            out += escape;
            continue;
        }
        if (c == '"' || c == '\\')
        {
            out += '\\';
        }
        out += c;
    }
    out += '"';
}

} // namespace ns3
