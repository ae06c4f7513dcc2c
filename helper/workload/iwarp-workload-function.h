/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_WORKLOAD_FUNCTION_H
#define IWARP_WORKLOAD_FUNCTION_H

#include "iwarp-workload-rdma.h"

#include "ns3/simple-ref-count.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-helper
 * @brief Flows whose messages a function of the user's posts, for IwarpScenario::SetWorkload().
 *
 * A run without Duration ends when all messages have come that were posted. It has no name, as
 * there is no default of the function.
 */
class IwarpFunctionWorkload : public IwarpWorkload
{
  public:
    /**
     * @brief A flow, for the function that decides what it carries.
     */
    class Installer : public SimpleRefCount<Installer>
    {
      public:
        /// Hears of a message. @param size its octets
        using Completion = std::function<void(uint64_t size)>;

        /// Prepare a flow. @param workload of it; outlives this @param flow where and when
        /// @param listener who is told of it
        Installer(IwarpFunctionWorkload& workload,
                  const Flow& flow,
                  const iwarp::FlowListener& listener);
        ~Installer();

        const Flow& GetFlow() const; //!< Tell where and when. @return the flow

        /**
         * @brief Install client and server; Post() does so for RDMA Writes where nobody has. A
         * second call is an NS_ABORT.
         * @param operation how messages are moved
         */
        void Install(RdmaBulkOperation operation);
        /// Get what moves the messages. @return it; nullptr before Install()
        Ptr<RdmaBulkClient> GetClient() const;
        /// Get its peer. @return it; nullptr before Install()
        Ptr<RdmaBulkServer> GetServer() const;

        /**
         * @brief Post a message as soon as QueueDepth allows.
         * @param size octets, 1 to 4,294,967,295, or NS_ABORT
         * @param after time until then, from the start of the flow, or from now on if that is later
         */
        void Post(uint64_t size, Time after = Time(0));

        /// Have a function told of each message that is complete, where it may post others.
        /// @param completion the function; lasts as long as the run
        void SetCompletion(Completion completion);

        void Release(); //!< The simulation is over: forget applications and function

      private:
        /// A message is complete. @param size octets
        void HandleMessage(uint64_t size);
        void PostNow(uint64_t size); //!< @param size octets of a message that is due

        IwarpFunctionWorkload& m_workload; //!< of it
        Flow m_flow;                       //!< where and when
        iwarp::FlowListener m_listener;    //!< who is told
        iwarp::RdmaPair m_pair;            //!< client and server
        Completion m_completion;           //!< hears of messages
    };

    /// Decides what a flow carries: installs, and posts messages there and then or later.
    using Function = std::function<void(Installer& installer)>;

    static TypeId GetTypeId(); //!< Get the type ID. @return the object TypeId
    /// Use a function. @param function called for each flow before the simulation begins
    explicit IwarpFunctionWorkload(Function function);
    ~IwarpFunctionWorkload() override;

    void Install(const Flow& flow, const iwarp::FlowListener& listener) override;
    uint64_t GetOctets() const override;
    uint64_t GetTotal(uint32_t flows) const override;
    bool IsPaced() const override;
    void Finish(iwarp::MetricSet& metrics) override;

  private:
    Function m_function;                     //!< the function
    std::vector<Ptr<Installer>> m_installed; //!< flows
    uint64_t m_posted{0};                    //!< octets of all messages, those to come with them
};

} // namespace ns3

#endif // IWARP_WORKLOAD_FUNCTION_H
