/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef APP_CDF_VARIABLE_H
#define APP_CDF_VARIABLE_H

#include "ns3/random-variable-stream.h"

#include <istream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-app
 * @brief A random variable given by a file with its cumulative distribution.
 *
 * Each row of the file holds a value and the percentage of all values that are at most that,
 * "8000,69.21"; the first line may hold names, lines that begin with # and empty lines are
 * skipped. Neither column ever decreases, the percentages end with 100. Values are drawn by the
 * inverse of that function, straight between the rows; a first percentage above 0 is the
 * probability of the first value itself, and two rows with one value make a step.
 */
class CdfFileRandomVariable : public RandomVariableStream
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    CdfFileRandomVariable();

    /**
     * @brief Read a distribution.
     * @param file path, or name of one of the module's data files, such as "alistorage2019"
     * @return "", or what is wrong and in which line; then nothing has changed
     */
    std::string Load(const std::string& file);

    /**
     * @brief Read a distribution.
     * @param in rows
     * @param name what messages call it
     * @return as for Load()
     */
    std::string Load(std::istream& in, const std::string& name);

    /// Get the expected value of the distribution. @return it; 0 before Load()
    double GetMean() const;
    /// Get a quantile of the distribution. @param p 0 to 1 @return the value that this share of all
    /// does not exceed; 0 before Load()
    double GetQuantile(double p) const;

    double GetValue() override;     // documented in the base class; 0 before Load()
    uint32_t GetInteger() override; // documented in the base class

  private:
    /// For the attribute: Load(); if it fails, GetValue() ends the program. @param file as for
    /// Load()
    void SetFile(std::string file);
    std::string GetFile() const; //!< @return file last set

    std::string m_file;                            //!< file last set
    std::string m_problem;                         //!< what is wrong with the attribute's
    std::vector<std::pair<double, double>> m_rows; //!< probability, value
};

} // namespace ns3

#endif // APP_CDF_VARIABLE_H
