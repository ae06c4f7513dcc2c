/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef UTIL_OBJECT_BIRTHS_H
#define UTIL_OBJECT_BIRTHS_H

namespace ns3
{

class Object;

/**
 * @ingroup iwarp-util
 * @brief Tells who listens of objects that come into being while a simulation runs, so that their
 * trace sources can be connected before anything happens to them.
 *
 * Sockets, streams and queues are in no list that an attribute's path reaches: they tell of
 * themselves here. With nobody to listen that is one comparison for each of them.
 */
class ObjectBirths
{
  public:
    /// Who is told.
    class Listener
    {
      public:
        /// Hear of an object. @param object a new one, or a copy, whose constructor runs: its
        /// address is all there is to it
        virtual void Made(const Object& object) = 0;
        /// Hear of an object again. @param object begins to work, or gets its owner
        /// @param owner what it belongs to, such as the socket of a stream; nullptr if it is told
        /// otherwise
        virtual void Opened(Object& object, const Object* owner) = 0;
        /// Hear of the end of a socket. @param object whose destructor runs
        virtual void Gone(const Object& object) = 0;

      protected:
        ~Listener() = default;
    };

    /// Name who is told. @param listener in place of any other; nullptr for nobody
    static void SetListener(Listener* listener)
    {
        s_listener = listener;
    }

    /// Find who is told. @return the listener, or nullptr
    static Listener* GetListener()
    {
        return s_listener;
    }

    /// Tell of an object from its constructors. @param object it
    static void Made(const Object& object)
    {
        if (s_listener)
        {
            s_listener->Made(object);
        }
    }

    /// Tell that an object begins to work, or of its owner. @param object it @param owner what it
    /// belongs to, or nullptr
    static void Opened(Object& object, const Object* owner)
    {
        if (s_listener)
        {
            s_listener->Opened(object, owner);
        }
    }

    /// Tell of a socket from its destructor. @param object it
    static void Gone(const Object& object)
    {
        if (s_listener)
        {
            s_listener->Gone(object);
        }
    }

  private:
    static inline Listener* s_listener{nullptr}; //!< who is told
};

} // namespace ns3

#endif // UTIL_OBJECT_BIRTHS_H
