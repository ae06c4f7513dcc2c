/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_RANK_LEDGER_H
#define IWARP_RANK_LEDGER_H

#include "ns3/nstime.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief What a rank of a run knows, on its way to the rank that reports.
 *
 * What counts has one function that takes its counts through a ledger, one after another: with an
 * empty ledger they are written to it, with that of another rank they are merged with those. So
 * both sides name the same counts in the same order. Ranks are processes of one program.
 */
class RankLedger
{
  public:
    RankLedger(); //!< Make one to be written
    /// Read one. @param octets GetOctets() of another rank's
    explicit RankLedger(std::string octets);

    bool IsWritten() const; //!< Tell what is done. @return true if it is being written
    const std::string& GetOctets() const; //!< Get what was written. @return octets
    bool IsAtEnd() const;                 //!< Tell whether all has been read. @return so

    /// Merge a count. @param own it; becomes the sum
    template <typename T>
    void Sum(T& own);
    /// Merge a peak. @param own it; becomes the maximum
    template <typename T>
    void Maximum(T& own);
    /// Merge a condition. @param own it; becomes true if either is
    void Any(bool& own);
    /// Merge records. @param own they; the other's come behind them
    template <typename T>
    void Append(std::vector<T>& own);
    void Append(std::vector<std::string>& own); //!< Merge texts. @param own as of records

    /// Pass a value on. @param own this rank's @return the other rank's, or own if it is written
    template <typename T>
    T Exchange(const T& own);

  private:
    void Put(const void* from, std::size_t size); //!< @param from octets @param size of them
    void Take(void* to, std::size_t size);        //!< @param to where to @param size octets
    std::string Exchange(const std::string& own); //!< as of values

    const bool m_written{true}; //!< see IsWritten()
    std::string m_octets;       //!< all
    std::size_t m_place{0};     //!< of what is read next
};

template <typename T>
T
RankLedger::Exchange(const T& own)
{
    static_assert(std::is_trivially_copyable<T>::value, "a value, without pointers");
    T value = own;
    if (m_written)
    {
        Put(&value, sizeof(T));
    }
    else
    {
        Take(&value, sizeof(T));
    }
    return value;
}

template <typename T>
void
RankLedger::Sum(T& own)
{
    const T other = Exchange(own);
    own += m_written ? T{} : other;
}

template <typename T>
void
RankLedger::Maximum(T& own)
{
    const T other = Exchange(own);
    own = own < other ? other : own;
}

template <typename T>
void
RankLedger::Append(std::vector<T>& own)
{
    static_assert(std::is_trivially_copyable<T>::value, "records without pointers");
    const auto count = Exchange<uint64_t>(own.size());
    if (m_written)
    {
        Put(own.data(), count * sizeof(T));
    }
    else
    {
        const std::size_t before = own.size();
        own.resize(before + count);
        Take(own.data() + before, count * sizeof(T));
    }
}

} // namespace iwarp
} // namespace ns3

#endif // IWARP_RANK_LEDGER_H
