/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef APP_MESSAGE_SOURCE_H
#define APP_MESSAGE_SOURCE_H

#include "ns3/attribute.h"
#include "ns3/event-id.h"
#include "ns3/object-base.h"
#include "ns3/pointer.h"
#include "ns3/ptr.h"
#include "ns3/random-variable-stream.h"
#include "ns3/type-id.h"
#include "ns3/uinteger.h"

#include <cstdint>
#include <deque>
#include <string>

namespace ns3
{
namespace iwarp
{

/**
 * @ingroup iwarp-app
 * @brief Which messages an application posts, and when.
 *
 * Their sizes are drawn. In a closed loop, the default, there is a message whenever there is room
 * for one. In an open loop, with intervals, messages arrive at drawn times, and those that find no
 * room are refused. There are no more after so many messages or octets.
 */
class MessageSource
{
  public:
    /// The application, which moves the messages.
    class User
    {
      public:
        virtual ~User() = default;
        /// Tell whether another message may be posted. @return false if it would be refused
        virtual bool HasRoom() const = 0;
        /// Post a message. @param number it, from 0 @param size octets, 1 to MAX_MESSAGE_SIZE
        virtual void PostMessage(uint32_t number, uint64_t size) = 0;
    };

    /// Make one with 64 KiB messages in a closed loop without end. @param user who posts messages;
    /// outlives this
    explicit MessageSource(User& user);
    ~MessageSource();
    MessageSource(const MessageSource&) = delete;
    MessageSource& operator=(const MessageSource&) = delete;

    /// What the attributes of an application say besides what is common to all
    struct Words
    {
        const char* depth;                      //!< help of QueueDepth
        const char* maxMessages{"MaxMessages"}; //!< name of that attribute
        uint32_t maxDepth{UINT32_MAX};          //!< most that QueueDepth may be
    };

    /**
     * @brief Give an application the attributes MaxOctets, MaxMessages, MessageSizes, Intervals and
     * QueueDepth, which set its source.
     * @tparam T class of the application
     * @param tid its TypeId
     * @param source the member of it
     * @param words what is not common to all applications
     * @return the TypeId
     */
    template <typename T>
    static TypeId AddAttributes(TypeId tid, MessageSource T::*source, const Words& words);

    /// Describe the sizes in text. @param description see MakeDistribution() @return "", or what is
    /// wrong with it
    std::string SetSizes(const std::string& description);

    /// Fix the random streams: of the sizes, and of the intervals. @param stream first stream
    /// number @return number of streams used, 2
    int64_t AssignStreams(int64_t stream);
    /// Get what sizes are drawn from. @return octets
    Ptr<RandomVariableStream> GetSizes() const;
    /// Get what times between messages are drawn from. @return seconds; nullptr in a closed loop
    Ptr<RandomVariableStream> GetIntervals() const;
    uint32_t GetQueueDepth() const; //!< Get the limit of messages under way. @return messages
    bool IsOpen() const;            //!< Tell the kind of loop. @return true with intervals

    void Start(); //!< Messages may be posted: in an open loop the first one arrives
    void Stop();  //!< No message arrives any more
    void Fill();  //!< There may be room: messages are posted until there is none

    /**
     * @brief In a closed loop, draw no more than so many messages until another call allows more.
     * @param messages from the first one on
     */
    void Allow(uint64_t messages);

    /// Have a message posted as soon as there is room, besides those that are drawn and whatever
    /// their limits. @param size octets, 1 to MAX_MESSAGE_SIZE
    void Add(uint64_t size);

    /// Tell whether there are more messages. @return false when MaxOctets or MaxMessages were
    /// reached, and nothing that was added waits
    bool HasMore() const;
    uint64_t GetPosted() const;  //!< Count the messages posted. @return messages
    uint64_t GetRefused() const; //!< Count the messages that found no room. @return messages
    uint64_t GetOctets() const;  //!< Count the payload of the messages posted. @return octets

  private:
    template <typename T, typename V, typename M>
    class Accessor;

    /// How each attribute of an application is set
    struct Accessors
    {
        Ptr<const AttributeAccessor> maxOctets;   //!< MaxOctets
        Ptr<const AttributeAccessor> maxMessages; //!< MaxMessages
        Ptr<const AttributeAccessor> sizes;       //!< MessageSizes
        Ptr<const AttributeAccessor> intervals;   //!< Intervals
        Ptr<const AttributeAccessor> depth;       //!< QueueDepth
    };

    /// See the public one. @param tid TypeId @param accessors of its class @param words of it
    /// @return the TypeId
    static TypeId AddAttributes(TypeId tid, const Accessors& accessors, const Words& words);

    bool IsWithinLimits() const; //!< @return whether another may be drawn
    void Arrive();               //!< a message arrives, in an open loop
    uint64_t Draw() const;       //!< @return octets of the next message, cut to fit
    /// Count a message as posted. @param size octets @return its number
    uint32_t Count(uint64_t size);

    User& m_user;                          //!< posts messages
    uint64_t m_maxOctets{0};               //!< octets of all; 0 is no limit
    uint64_t m_maxMessages{0};             //!< messages; 0 is no limit
    Ptr<RandomVariableStream> m_sizes;     //!< octets of a message
    Ptr<RandomVariableStream> m_intervals; //!< seconds between messages
    uint32_t m_depth{16};                  //!< messages under way at most
    uint64_t m_allowed{UINT64_MAX};        //!< see Allow()
    uint64_t m_posted{0};                  //!< messages posted
    uint64_t m_refused{0};                 //!< messages refused
    uint64_t m_octets{0};                  //!< octets of those posted
    std::deque<uint64_t> m_added;          //!< octets of messages that wait, see Add()
    EventId m_next;                        //!< the next arrives
};

/// Reads and writes a member of type M of the source in a class T by attribute values of type V.
template <typename T, typename V, typename M>
class MessageSource::Accessor : public AttributeAccessor
{
  public:
    /// Make an accessor of a member. @param source of T @param member of it
    Accessor(MessageSource T::*source, M MessageSource::*member)
        : m_source(source),
          m_member(member)
    {
    }

    bool Set(ObjectBase* object, const AttributeValue& value) const override
    {
        auto t = dynamic_cast<T*>(object);
        auto v = dynamic_cast<const V*>(&value);
        return t && v && v->GetAccessor((t->*m_source).*m_member);
    }

    bool Get(const ObjectBase* object, AttributeValue& value) const override
    {
        auto t = dynamic_cast<const T*>(object);
        auto v = dynamic_cast<V*>(&value);
        if (t && v)
        {
            v->Set((t->*m_source).*m_member);
        }
        return t && v;
    }

    bool HasGetter() const override
    {
        return true;
    }

    bool HasSetter() const override
    {
        return true;
    }

  private:
    MessageSource T::*m_source; //!< the source
    M MessageSource::*m_member; //!< its member
};

template <typename T>
TypeId
MessageSource::AddAttributes(TypeId tid, MessageSource T::*source, const Words& words)
{
    using Count = Accessor<T, UintegerValue, uint64_t>;
    using Depth = Accessor<T, UintegerValue, uint32_t>;
    using Variable = Accessor<T, PointerValue, Ptr<RandomVariableStream>>;
    return AddAttributes(tid,
                         {Create<Count>(source, &MessageSource::m_maxOctets),
                          Create<Count>(source, &MessageSource::m_maxMessages),
                          Create<Variable>(source, &MessageSource::m_sizes),
                          Create<Variable>(source, &MessageSource::m_intervals),
                          Create<Depth>(source, &MessageSource::m_depth)},
                         words);
}

} // namespace iwarp
} // namespace ns3

#endif // APP_MESSAGE_SOURCE_H
