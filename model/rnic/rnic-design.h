/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RNIC_DESIGN_H
#define RNIC_DESIGN_H

#include "rnic-receiver.h"

#include "ns3/attribute.h"
#include "ns3/type-id.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup iwarp-rnic
 * @brief What an RNIC is made of, and the attributes of its parts: as many RNICs as needed are made
 * of one design.
 *
 * A design begins with the resources and stages of a kind of receiver, none of which takes time or
 * has a limit. An attribute is named by its path, `Part.Attribute`, such as
 * `RxTcp.TimePerPacket`; the path `Receiver` is the kind of receiver itself.
 */
class RnicDesign
{
  public:
    /// An attribute that can be set.
    struct Setting
    {
        std::string path;                  //!< `Part.Attribute`, or `Receiver`
        std::string value;                 //!< its value in this design, as text
        TypeId::AttributeInformation info; //!< its help text, kind of value and range
    };

    /// Begin with the parts of a kind of receiver, all of them ideal.
    /// @param receiver kind of receiver
    explicit RnicDesign(RnicReceiver receiver = RnicReceiver::FLOW_THROUGH);

    /// Choose another kind of receiver. Attributes set keep their values where the parts still have
    /// them; stages added by AddStage() stay where the stage before which they stand is there.
    /// @param receiver kind of receiver
    void SetReceiver(RnicReceiver receiver);

    RnicReceiver GetReceiver() const; //!< Tell how it receives. @return kind of receiver

    /**
     * @brief Add a stage.
     * @param pipeline which
     * @param name its name, which no other part has
     * @param type TypeId of a class derived from RnicStage
     * @param before name of the stage that it is to stand before; "" for behind all others
     * @return what is wrong, for people; empty if nothing
     */
    std::string AddStage(RnicPipelineKind pipeline,
                         const std::string& name,
                         const std::string& type,
                         const std::string& before = "");

    /**
     * @brief Set an attribute.
     * @param path see RnicDesign
     * @param value its value, of the attribute's kind or a StringValue
     * @return what is wrong, for people; empty if nothing
     */
    std::string Set(const std::string& path, const AttributeValue& value);

    /// Look up what an attribute means and which values it takes.
    /// @param path see RnicDesign @param[out] info of the attribute @return false if there is none
    bool Find(const std::string& path, TypeId::AttributeInformation& info) const;

    /// List all attributes that can be set, with their values.
    /// @return Receiver first, then those of each part
    std::vector<Setting> GetSettings() const;

    /// Make new parts of this design, for one RNIC. @return their datapath, not yet started
    std::unique_ptr<RnicDatapath> Make() const;

  private:
    /// A stage that was added.
    struct Added
    {
        rnic::StageLine line; //!< the stage
        std::string before;   //!< the stage that it is to stand before
    };

    /// @param name of a part @param[out] tid its type @return false if there is none
    bool FindPart(const std::string& name, TypeId& tid) const;
    /// @param name of a part @param type its TypeId's name @return a new one, its attributes set
    Ptr<Object> MakePart(const std::string& name, const std::string& type) const;

    RnicReceiver m_receiver;               //!< kind of receiver
    std::vector<rnic::StageLine> m_stages; //!< those of its kind, and those added
    std::vector<Added> m_added;            //!< those added
    std::vector<std::pair<std::string, Ptr<AttributeValue>>> m_values; //!< attributes set, by path
};

} // namespace ns3

#endif // RNIC_DESIGN_H
