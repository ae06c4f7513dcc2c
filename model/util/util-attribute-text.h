/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef UTIL_ATTRIBUTE_TEXT_H
#define UTIL_ATTRIBUTE_TEXT_H

#include "ns3/attribute.h"
#include "ns3/nstime.h"
#include "ns3/type-id.h"

#include <string>

namespace ns3
{

class CommandLine;

namespace iwarp
{

/**
 * @brief Tell what kind of value an attribute has.
 * @param checker of the attribute
 * @return the kind, such as "ns3::TimeValue"; older releases leave "ns3::" out of some
 */
std::string GetKind(const Ptr<const AttributeChecker>& checker);

/**
 * @brief Get the range of an attribute's values.
 * @param checker of the attribute
 * @return it as ns-3 tells it, such as "uint32_t 1:16384" or "a|b|c", but that no time is below 0;
 * "" if there is none
 */
std::string GetRange(const Ptr<const AttributeChecker>& checker);

/**
 * @brief Say which values an attribute takes.
 * @param info an attribute
 * @return what values it takes, for people: "true or false", "a time of 0 or more with its unit",
 * "uint32_t 1:10000"
 */
std::string DescribeRange(const TypeId::AttributeInformation& info);

/**
 * @brief Turn text into an attribute's value, for text that a user has typed.
 *
 * ns-3 itself ends the program on much of what can be wrong with such a text; this does not.
 *
 * @param info the attribute
 * @param text text, as ns-3's StringValue takes it
 * @param [out] problem "", or one line that names the attribute, the text and what is allowed
 * @return the value, checked; nullptr if there is a problem
 */
Ptr<AttributeValue> ParseAttribute(const TypeId::AttributeInformation& info,
                                   const std::string& text,
                                   std::string& problem);

/**
 * @brief Make a checker of texts that have a form of their own.
 * @param isGood tells whether a text has it
 * @param form what it is, for people, such as "sizes with + between"
 * @return checker of an attribute whose values are StringValue
 */
Ptr<const AttributeChecker> MakeTextChecker(bool (*isGood)(const std::string& text),
                                            const std::string& form);

/**
 * @brief Read a time, for text that a user has typed.
 * @param text such as "50us"
 * @param [out] time the time, if the text is one
 * @return whether it is a time of 0 or more
 */
bool ParseTime(const std::string& text, Time& time);

/**
 * @brief Tell whether a command line has options alone, and say on standard error if it has not:
 * CommandLine leaves other arguments to the program.
 * @param cmd that has read the arguments, and knows none without a name
 * @return true if it has
 */
bool HasOnlyOptions(const CommandLine& cmd);

} // namespace iwarp
} // namespace ns3

#endif // UTIL_ATTRIBUTE_TEXT_H
