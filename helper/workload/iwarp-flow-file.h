/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_FLOW_FILE_H
#define IWARP_FLOW_FILE_H

#include "ns3/iwarp-topology.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief Messages of a file: when they arrive, from where to where, and how large they are.
 *
 * Each row is `time,source,destination,octets`, "0.0012,leaf 0:3,17,65536": seconds from the start,
 * hosts by their indices or names, and payload. The first line may hold the names of the columns;
 * lines that begin with # and empty lines are skipped. Rows may come in any order; those of one
 * time keep theirs.
 */
class FlowFile
{
  public:
    /// A message
    struct Message
    {
        Time time;       //!< when it arrives, from the start
        uint32_t pair;   //!< from where to where: index in what ListEnds() returns
        uint64_t octets; //!< payload
    };

    /// Read a file. @param path of it @return "", or one line that says what is wrong, with the
    /// number of the line there
    std::string Load(const std::string& path);
    /// Read rows. @param in from there @param name what messages call it @return as for Load()
    std::string Load(std::istream& in, const std::string& name);

    /**
     * @brief Find the hosts.
     * @param names of the hosts that there are, by index
     * @return "", or one line that says which there is not
     */
    std::string Resolve(const std::vector<std::string>& names);

    /// List the messages, after Resolve(). @return them in the order of their times
    const std::vector<Message>& ListMessages() const;
    /// List who sends to whom, after Resolve(). @return pairs of hosts, each once
    const IwarpTopology::Ends& ListEnds() const;

    /// Tell how long messages arrive, once rows are read. @return when the last one does
    Time GetLast() const;
    /// List the sizes. @return octets of the messages, in no order
    std::vector<uint64_t> ListSizes() const;

  private:
    /// A row
    struct Row
    {
        Time time;               //!< when
        std::string source;      //!< host by index or name
        std::string destination; //!< the same
        uint64_t octets;         //!< payload
        uint64_t line;           //!< its number
    };

    /// @param line text @param [out] row it @return "", or what is wrong
    static std::string Parse(const std::string& line, Row& row);
    /// @param line its number @return how messages begin that are about it
    std::string Locate(uint64_t line) const;

    std::string m_name;              //!< of the file
    std::vector<Row> m_rows;         //!< by time
    std::vector<Message> m_messages; //!< the same, of hosts
    IwarpTopology::Ends m_ends;      //!< pairs of hosts
};

} // namespace iwarp
} // namespace ns3

#endif // IWARP_FLOW_FILE_H
