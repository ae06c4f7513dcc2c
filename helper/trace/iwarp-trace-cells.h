/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_TRACE_CELLS_H
#define IWARP_TRACE_CELLS_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace ns3
{
namespace iwarp
{

/// @ingroup iwarp-helper
/// @brief What a column of a trace holds.
enum class TraceType : uint8_t
{
    BOOL,   //!< an octet, 0 or 1
    INT32,  //!< 32 bits, signed
    UINT32, //!< 32 bits
    INT64,  //!< 64 bits, signed
    UINT64, //!< 64 bits
    DOUBLE, //!< 64 bits, IEEE 754
    STRING, //!< int32 index of a word in a dictionary
};

/// @ingroup iwarp-helper
/// @brief Name a type. @param type it @return bool, int32, uint32, int64, uint64, double or string
const char* ToString(TraceType type);

/// @ingroup iwarp-helper
/// @brief A column of a trace.
struct TraceColumn
{
    std::string name; //!< in snake_case, with the unit at its end
    TraceType type;   //!< of its values
    std::string unit; //!< of its values, or ""
    std::string help; //!< what they are
};

/**
 * @ingroup iwarp-helper
 * @brief The values of a column, one behind the other in memory, each of the column's type.
 */
class TraceCells
{
  public:
    /// Make a column without values. @param type of its values
    explicit TraceCells(TraceType type);

    /// Add a value. @tparam T the type of the column: uint8_t for BOOL
    /// @param value it
    template <typename T>
    void Add(T value)
    {
        if (auto* values = std::get_if<std::vector<T>>(&m_values))
        {
            values->push_back(value);
        }
    }

    void AddWord(const std::string& word); //!< Add a value of STRING. @param word it
    /// Enter a word of STRING, for values to be added by its index. @param word it @return index
    int32_t Learn(const std::string& word);
    /// Keep some values. @param rows their indices, in the order in which they are to be
    void Select(const std::vector<uint32_t>& rows);

    std::size_t GetSize() const; //!< Count the values. @return how many
    const void* GetData() const; //!< Get the values. @return the first, if there is one
    /// Get the words of STRING. @return words by index
    const std::vector<std::string>& GetWords() const;
    /// Get a value as a number. @param row its index @return it; of STRING the index of its word
    double GetNumber(std::size_t row) const;
    /// Get a value of STRING. @param row its index @return its word
    const std::string& GetWord(std::size_t row) const;

  private:
    /// Values of any type
    using Values = std::variant<std::vector<uint8_t>,
                                std::vector<int32_t>,
                                std::vector<uint32_t>,
                                std::vector<int64_t>,
                                std::vector<uint64_t>,
                                std::vector<double>>;

    Values m_values;                                  //!< values
    std::vector<std::string> m_words;                 //!< words of STRING
    std::unordered_map<std::string, int32_t> m_codes; //!< their indices
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_TRACE_CELLS_H
