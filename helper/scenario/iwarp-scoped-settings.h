/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_SCOPED_SETTINGS_H
#define IWARP_SCOPED_SETTINGS_H

#include "iwarp-qualified-name.h"

#include "ns3/attribute.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief Settings of the whole program that return to what they were: attribute defaults, global
 * values, seed and run number.
 */
class ScopedSettings
{
  public:
    ScopedSettings();
    ~ScopedSettings();
    ScopedSettings(const ScopedSettings&) = delete;
    ScopedSettings& operator=(const ScopedSettings&) = delete;

    /**
     * @brief Set the default of an attribute.
     * @param attribute it
     * @param value new default; text for an attribute that is an object, so that each has its own
     */
    void SetDefault(const QualifiedAttribute& attribute, const AttributeValue& value);

    /**
     * @brief Set the default of an attribute.
     * @param attribute its qualified name, good by FindAttribute()
     * @param value new default
     */
    void SetDefault(const std::string& attribute, const AttributeValue& value);

    /// Set a global value; NS_ABORT if there is none so called. @param name of a GlobalValue
    /// @param value its new value
    void SetGlobal(const std::string& name, const AttributeValue& value);

    /// Start random numbers afresh. @param seed for random numbers @param run run number; streams
    /// are numbered from the start
    void SetRandom(uint32_t seed, uint64_t run);

  private:
    std::vector<QualifiedAttribute> m_defaults; //!< attributes with their former defaults
    std::vector<std::pair<std::string, Ptr<const AttributeValue>>> m_globals; //!< former values
    uint32_t m_seed;                                                          //!< former seed
    uint64_t m_run;                                                           //!< former run number
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_SCOPED_SETTINGS_H
