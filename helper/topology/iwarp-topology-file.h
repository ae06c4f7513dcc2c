/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_TOPOLOGY_FILE_H
#define IWARP_TOPOLOGY_FILE_H

#include "iwarp-topology-table.h"

#include <string>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief A network read from a file: routers and the links between them.
 *
 * File is a prefix of two files of the form that IwarpAbileneTopology has, such as abilene for
 * abilene-nodes.csv and abilene-links.csv, or a file as ns-3's topology readers take it, of Inet,
 * of Orbis, or of Rocketfuel (maps or weights); see iwarp::ReadGraph(). Links between places with
 * coordinates are as long as the great circle, all others have Delay. The file of links may have
 * more columns, rate, delay, queue and buffer, with a link's own LinkRate, delay, QueueDisc and
 * QueueSize; where a cell is empty, the attribute says.
 *
 * The scenario takes Topology=file:PATH for Topology=file and File=PATH.
 */
class IwarpFileTopology : public IwarpTableTopology
{
  public:
    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    IwarpFileTopology();
    ~IwarpFileTopology() override;

    /// Get the file of a scenario's topology. @param topology such as file:map.txt
    /// @return what comes after file:, or "" if it is another topology
    static std::string GetFile(const std::string& topology);

    std::string MakeTable(iwarp::TopologyTable& table, uint32_t pairs) const override;

  private:
    std::string m_file;  //!< file, or prefix of files
    std::string m_pairs; //!< routers from which and to which flows go
};

} // namespace ns3

#endif // IWARP_TOPOLOGY_FILE_H
