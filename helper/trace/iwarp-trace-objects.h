/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_TRACE_OBJECTS_H
#define IWARP_TRACE_OBJECTS_H

#include "ns3/object.h"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{

class Node;
class Socket;

namespace iwarp
{

/**
 * @ingroup iwarp-helper
 * @brief The objects of a run whose traces may be wanted: on which node each is, and of which
 * connection.
 *
 * It holds none of them: what is to be known of one is found while it is alive.
 */
class TraceObjects
{
  public:
    static constexpr uint32_t NONE = 0xFFFFFFFF; //!< no object

    /// An object comes to be known. @param object it @param index its number
    using Met = std::function<void(Object& object, uint32_t index)>;

    /// Begin without objects. @param met told of each that is on a chosen node, once
    explicit TraceObjects(Met met);

    void Choose(int32_t node);                  //!< Choose a node. @param node its ID
    void Choose(const std::string& connection); //!< Choose connections. @param connection one, or
                                                //!< an end of some, with or without its port
    void Name(int32_t node, const std::string& host); //!< @param node its ID @param host its name

    void Walk(Node& node); //!< Meet what a node has. @param node it
    /// Note a new object at an address. @param object it, which is not alive yet
    void Make(const Object& object);
    /// Meet an object. @param object it @param owner what it belongs to, or nullptr
    void Open(Object& object, const Object* owner);
    void Close(const Object& object); //!< Note that a socket is gone. @param object it
    /// Enter something that is no object of the run. @return its number
    uint32_t Enter();
    /// Say what was entered. @param index of it @param node ID @param connection of it
    void Describe(uint32_t index, int32_t node, const std::string& connection);

    /// Look for the connection of an object that is alive, unless it is known. @param index of it
    void Look(uint32_t index)
    {
        if (m_pending[index])
        {
            Find(index);
        }
    }

    int32_t GetNode(uint32_t index) const; //!< Find a node. @param index of an object @return ID
    /// Find the host of a node. @param node ID @return its name; "node 7" if it has none
    std::string GetHost(int32_t node) const;
    /// Find a connection. @param index of an object @return "local-peer", or ""
    const std::string& GetConnection(uint32_t index) const;
    /// Tell whether an object's rows are wanted. @param index of it @return false if nodes or
    /// connections were chosen and its is none of them
    bool IsChosen(uint32_t index) const;

  private:
    /// An object
    struct Entry
    {
        Object* object{nullptr}; //!< while it is alive
        uint32_t owner{NONE};    //!< what it belongs to
        int32_t node{-1};        //!< ID
        bool met{false};         //!< Met was called, or its node is not chosen
        std::string connection;  //!< or ""
    };

    /// @param object at an address @return its number
    uint32_t Get(const Object& object);
    /// @param index of an entry @param object it, alive
    void Meet(uint32_t index, Object& object);
    void Find(uint32_t index); //!< @param index of an object whose connection is not known
    /// @param object and what hangs on it @param node ID @param seen those before
    void Visit(Object& object, int32_t node, std::set<const Object*>& seen);

    Met m_met;                                             //!< whom to tell
    std::vector<Entry> m_entries;                          //!< by number
    std::vector<uint8_t> m_pending;                        //!< their connections may come
    std::unordered_map<const Object*, uint32_t> m_indices; //!< the last at each address
    std::set<int32_t> m_nodes;                             //!< chosen, or empty
    std::vector<std::string> m_connections;                //!< chosen, or empty
    std::map<int32_t, std::string> m_hosts;                //!< names
};

/// @ingroup iwarp-helper
/// @brief Name the connection of a socket. @param socket it
/// @return "10.0.0.1:49153-10.0.1.1:5001", its own end first; IPv6 in brackets; "" without one
std::string NameConnection(const Socket& socket);

} // namespace iwarp
} // namespace ns3

#endif // IWARP_TRACE_OBJECTS_H
