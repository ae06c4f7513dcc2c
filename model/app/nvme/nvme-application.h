/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NVME_APPLICATION_H
#define NVME_APPLICATION_H

#include "ns3/application.h"
#include "ns3/attribute.h"
#include "ns3/nvme-queue.h"
#include "ns3/object-factory.h"
#include "ns3/tcp-socket-settings.h"
#include "ns3/traced-callback.h"
#include "ns3/type-id.h"

#include <cstdint>
#include <string>

namespace ns3
{

/**
 * @ingroup iwarp-app
 * @brief What hosts and targets of NVMe/TCP have in common: the kind of their sockets, attributes
 * of these and of their queues, content, errors.
 */
class NvmeApplication : public Application
{
  public:
    /// Signature of the Failed trace. @param reason why, for people
    typedef void (*FailedTracedCallback)(const std::string& reason);
    /// Signature of the traces QueueOpened and QueueReady. @param queue it
    typedef void (*QueueTracedCallback)(Ptr<NvmeQueue> queue);

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    ~NvmeApplication() override;

    /// Set an attribute of the TCP sockets, before the application starts. @param name attribute of
    /// what Protocol makes @param value its value
    void SetSocketAttribute(const std::string& name, const AttributeValue& value);
    /// Set an attribute of the queues, before the application starts. @param name attribute of
    /// NvmeHostQueue or NvmeControllerQueue @param value its value
    void SetQueueAttribute(const std::string& name, const AttributeValue& value);

    /**
     * @brief Fix the random streams, so that each run draws the same numbers. Overrides
     * Application's since ns-3.41, which has it.
     * @param stream first stream number
     * @return number of streams used
     */
    virtual int64_t AssignStreams(int64_t stream) = 0;

    /// Count the octets that came and are not those of their place in the namespace; only with
    /// Backed do differences show. @return octets
    uint64_t GetContentErrors() const;
    /// Tell what went wrong first. @return words; "" if nothing has
    const std::string& GetError() const;

  protected:
    /// Make sockets and queues. @param queue type of the queues
    explicit NvmeApplication(TypeId queue);

    Ptr<Socket> MakeSocket() const; //!< Make a socket with its attributes. @return it

    /// Make a queue with its attributes. @tparam T kind @return it
    template <typename T>
    Ptr<T> MakeQueue() const
    {
        return m_queueFactory.Create<T>();
    }

    /// End the program unless this is an address and port. @param address it @param attribute that
    /// holds it
    void CheckAddress(const Address& address, const char* attribute) const;
    void Fail(const std::string& reason); //!< Report an error. @param reason why, for people
    bool IsBacked() const;                //!< Tell whether data have content. @return see Backed
    /// Count octets that are not as they should be. @param octets how many
    void CountContentErrors(uint64_t octets);
    /// Begin a queue. @param queue which @param socket connected
    void Open(const Ptr<NvmeQueue>& queue, const Ptr<Socket>& socket);
    /// Tell that I/O may begin on a queue. @param queue which
    void NotifyReady(const Ptr<NvmeQueue>& queue);

  private:
    TypeId m_protocol;                      //!< see Protocol
    bool m_backed;                          //!< see Backed
    ObjectFactory m_queueFactory;           //!< makes queues
    iwarp::SocketSettings m_socketSettings; //!< attributes of sockets
    uint64_t m_contentErrors{0};            //!< see GetContentErrors()
    std::string m_error;                    //!< see GetError()

    TracedCallback<const std::string&> m_failedTrace; //!< Failed
    TracedCallback<Ptr<NvmeQueue>> m_openedTrace;     //!< QueueOpened
    TracedCallback<Ptr<NvmeQueue>> m_readyTrace;      //!< QueueReady
};

} // namespace ns3

#endif // NVME_APPLICATION_H
