/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_QUALIFIED_NAME_H
#define IWARP_QUALIFIED_NAME_H

#include "iwarp-parameter.h"

#include "ns3/attribute.h"
#include "ns3/iwarp-class-name.h"
#include "ns3/type-id.h"

#include <string>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief An attribute of any class, by its qualified name: MpaStream.SilentDrop.
 */
struct QualifiedAttribute
{
    TypeId type;                       //!< class that declares it
    std::size_t index{0};              //!< which of the class's
    TypeId::AttributeInformation info; //!< what it is

    /// Name it. @return Class.Attribute, without ns3::
    std::string GetName() const;
};

/**
 * @ingroup iwarp-helper
 * @brief Find an attribute.
 * @param name Class.Attribute, with or without ns3:: in front, or ns-3's own ns3::Class::Attribute
 * @param [out] found the attribute
 * @return "", or one line that says what is wrong and which names are near
 */
std::string FindAttribute(const std::string& name, QualifiedAttribute& found);

/**
 * @ingroup iwarp-helper
 * @brief Find an attribute that a class itself declares, without a word if it does not.
 * @param type class
 * @param name of the attribute
 * @param [out] found the attribute
 * @return whether there is one
 */
bool FindOwnAttribute(TypeId type, const std::string& name, QualifiedAttribute& found);

/**
 * @ingroup iwarp-helper
 * @brief List the attributes whose value can be given as text.
 * @param filter lists attributes of all classes whose qualified name contains it, whatever the
 *        case; "" lists those of the module's classes
 * @return attributes, by name
 */
std::vector<QualifiedAttribute> ListAttributes(const std::string& filter);

/**
 * @ingroup iwarp-helper
 * @brief Turn text into the value of an attribute, which is told by its parameter's name.
 * @param name of the parameter
 * @param info of the attribute
 * @param text value
 * @param [out] problem "", or one line that says what is wrong and what is allowed
 * @return the value; nullptr if there is a problem
 */
Ptr<AttributeValue> ParseParameter(const std::string& name,
                                   TypeId::AttributeInformation info,
                                   const std::string& text,
                                   std::string& problem);

/**
 * @ingroup iwarp-helper
 * @brief Describe an attribute.
 * @param name of the parameter
 * @param info attribute
 * @return what it is, for people and programs
 */
IwarpParameter DescribeParameter(const std::string& name, const TypeId::AttributeInformation& info);

} // namespace iwarp
} // namespace ns3

#endif // IWARP_QUALIFIED_NAME_H
