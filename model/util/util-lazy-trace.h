/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef UTIL_LAZY_TRACE_H
#define UTIL_LAZY_TRACE_H

#include "ns3/traced-callback.h"

#include <memory>
#include <string>
#include <utility>

/**
 * @file
 * @ingroup iwarp-util
 * Trace sources that take memory once somebody is connected to them. A run has many thousands of
 * connections with a dozen sources each, of which nearly none is used: ns-3's own take 24 octets
 * each, these 8.
 */

namespace ns3
{

/// @ingroup iwarp-util
/// @brief A TracedCallback, used like it.
template <typename... Ts>
class LazyTracedCallback
{
  public:
    LazyTracedCallback() = default;
    ~LazyTracedCallback() = default;

    /// Copy what is connected. @param other source
    LazyTracedCallback(const LazyTracedCallback& other)
        : m_callback(other.m_callback ? std::make_unique<Callbacks>(*other.m_callback) : nullptr)
    {
    }

    LazyTracedCallback& operator=(const LazyTracedCallback&) = delete;

    /// Connect. @param callback to be called from now on
    void ConnectWithoutContext(const CallbackBase& callback)
    {
        Get().ConnectWithoutContext(callback);
    }

    /// Connect. @param callback to be called from now on @param path its first argument
    void Connect(const CallbackBase& callback, std::string path)
    {
        Get().Connect(callback, std::move(path));
    }

    /// Disconnect. @param callback that was connected
    void DisconnectWithoutContext(const CallbackBase& callback)
    {
        Get().DisconnectWithoutContext(callback);
    }

    /// Disconnect. @param callback that was connected @param path its first argument
    void Disconnect(const CallbackBase& callback, std::string path)
    {
        Get().Disconnect(callback, std::move(path));
    }

    /// Call all that are connected. @param args arguments
    void operator()(Ts... args) const
    {
        if (m_callback)
        {
            (*m_callback)(args...);
        }
    }

    /// Tell whether anybody listens. @return true if nobody does
    bool IsEmpty() const
    {
        return !m_callback || m_callback->IsEmpty();
    }

  private:
    using Callbacks = TracedCallback<Ts...>; //!< what does it

    /// @return what does it, from now on
    Callbacks& Get()
    {
        if (!m_callback)
        {
            m_callback = std::make_unique<Callbacks>();
        }
        return *m_callback;
    }

    std::unique_ptr<Callbacks> m_callback; //!< none before the first connection
};

/// @ingroup iwarp-util
/// @brief A TracedValue, used like it: who is connected hears of another value. A copy has no
/// listeners.
template <typename T>
class LazyTracedValue
{
  public:
    /// Begin with a value. @param value value
    LazyTracedValue(const T& value)
        : m_value(value)
    {
    }

    /// Copy the value. @param other source
    LazyTracedValue(const LazyTracedValue& other)
        : m_value(other.m_value)
    {
    }

    ~LazyTracedValue() = default;
    LazyTracedValue& operator=(const LazyTracedValue&) = delete;

    /// Set the value. @param value value @return this
    LazyTracedValue& operator=(const T& value)
    {
        if (m_value != value)
        {
            m_changed(m_value, value);
            m_value = value;
        }
        return *this;
    }

    /// Get the value. @return value
    const T& Get() const
    {
        return m_value;
    }

    /// Get the value. @return value
    operator const T&() const
    {
        return m_value;
    }

    /// Connect. @param callback to be called from now on with the old value and the new one
    void ConnectWithoutContext(const CallbackBase& callback)
    {
        m_changed.ConnectWithoutContext(callback);
    }

    /// Connect. @param callback to be called from now on @param path its first argument
    void Connect(const CallbackBase& callback, std::string path)
    {
        m_changed.Connect(callback, std::move(path));
    }

    /// Disconnect. @param callback that was connected
    void DisconnectWithoutContext(const CallbackBase& callback)
    {
        m_changed.DisconnectWithoutContext(callback);
    }

    /// Disconnect. @param callback that was connected @param path its first argument
    void Disconnect(const CallbackBase& callback, std::string path)
    {
        m_changed.Disconnect(callback, std::move(path));
    }

  private:
    T m_value;                          //!< value
    LazyTracedCallback<T, T> m_changed; //!< of another value
};

} // namespace ns3

#endif // UTIL_LAZY_TRACE_H
