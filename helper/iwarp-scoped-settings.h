/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_SCOPED_SETTINGS_H
#define IWARP_SCOPED_SETTINGS_H

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
     * @param type name of the TypeId that has it
     * @param attribute its name
     * @param value new default
     */
    void SetDefault(const std::string& type,
                    const std::string& attribute,
                    const AttributeValue& value);

    /// @param name of a GlobalValue @param value its new value
    void SetGlobal(const std::string& name, const AttributeValue& value);

    /// @param seed for random numbers @param run run number; streams are numbered from the start
    void SetRandom(uint32_t seed, uint64_t run);

  private:
    std::vector<std::pair<std::string, Ptr<const AttributeValue>>> m_defaults; //!< former values
    std::vector<std::pair<std::string, Ptr<const AttributeValue>>> m_globals;  //!< former values
    uint32_t m_seed;                                                           //!< former seed
    uint64_t m_run; //!< former run number
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_SCOPED_SETTINGS_H
