/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "decode-json-object.h"

#include <cmath>
#include <cstdio>

namespace ns3
{

DecodeJsonObject::DecodeJsonObject(std::string& out)
    : m_out(out)
{
    m_out += '{';
}

DecodeJsonObject::~DecodeJsonObject()
{
    m_out += '}';
}

std::string&
DecodeJsonObject::Name(const char* name)
{
    m_out += m_first ? "\"" : ", \"";
    m_first = false;
    m_out += name;
    m_out += "\": ";
    return m_out;
}

void
DecodeJsonObject::Number(const char* name, uint64_t value)
{
    Name(name) += std::to_string(value);
}

void
DecodeJsonObject::Real(const char* name, double value)
{
    char text[32];
    std::snprintf(text, sizeof(text), std::isfinite(value) ? "%.17g" : "null", value);
    Name(name) += text;
}

void
DecodeJsonObject::Flag(const char* name, bool value)
{
    Name(name) += value ? "true" : "false";
}

void
DecodeJsonObject::String(const char* name, const std::string& value)
{
    DecodeAppendJson(value, Name(name));
}

void
DecodeAppendJson(const std::string& value, std::string& out)
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
