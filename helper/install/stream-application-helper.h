/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef STREAM_APPLICATION_HELPER_H
#define STREAM_APPLICATION_HELPER_H

#include "ns3/application-container.h"
#include "ns3/attribute.h"
#include "ns3/node-container.h"
#include "ns3/node.h"
#include "ns3/object-factory.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief Makes applications over streams of a protocol, all alike.
 * @tparam Sender application that connects and draws random numbers, with SetSocketAttribute() and
 * SetStreamAttribute()
 * @tparam Sink application that listens, with the same
 */
template <typename Sender, typename Sink>
class StreamApplicationHelper
{
  public:
    /// Set an attribute of the applications. @param name attribute @param value its value
    void SetAttribute(const std::string& name, const AttributeValue& value)
    {
        m_factory.Set(name, value);
    }

    /// Set an attribute of their TCP sockets. @param name attribute @param value its value
    void SetSocketAttribute(const std::string& name, const AttributeValue& value)
    {
        m_socket.emplace_back(name, value.Copy());
    }

    /// Set an attribute of their streams. @param name attribute @param value its value
    void SetStreamAttribute(const std::string& name, const AttributeValue& value)
    {
        m_stream.emplace_back(name, value.Copy());
    }

    /// Install it on a node. @param node where @return the application
    ApplicationContainer Install(Ptr<Node> node) const
    {
        Ptr<Application> application = m_factory.Create<Application>();
        if (auto sender = DynamicCast<Sender>(application))
        {
            Apply(sender);
        }
        else
        {
            Apply(DynamicCast<Sink>(application));
        }
        node->AddApplication(application);
        return ApplicationContainer(application);
    }

    /// Install one on each node. @param nodes where @return an application a node
    ApplicationContainer Install(const NodeContainer& nodes) const
    {
        ApplicationContainer applications;
        for (auto i = nodes.Begin(); i != nodes.End(); ++i)
        {
            applications.Add(Install(*i));
        }
        return applications;
    }

  protected:
    /// Make applications of a kind. @param typeId name of the application's TypeId
    explicit StreamApplicationHelper(const std::string& typeId)
    {
        m_factory.SetTypeId(typeId);
    }

    ~StreamApplicationHelper() = default;

  private:
    /// @param to an application that gets the attributes
    template <typename T>
    void Apply(const Ptr<T>& to) const
    {
        for (const auto& [name, value] : m_socket)
        {
            to->SetSocketAttribute(name, *value);
        }
        for (const auto& [name, value] : m_stream)
        {
            to->SetStreamAttribute(name, *value);
        }
    }

    ObjectFactory m_factory;                                           //!< makes applications
    std::vector<std::pair<std::string, Ptr<AttributeValue>>> m_socket; //!< for their sockets
    std::vector<std::pair<std::string, Ptr<AttributeValue>>> m_stream; //!< for their streams
};

} // namespace ns3

#endif // STREAM_APPLICATION_HELPER_H
