/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "util-data-file.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>

namespace fs = std::filesystem;

namespace ns3
{
namespace iwarp
{
namespace
{

/// @return the directories that may hold data files, in the order in which they are tried
std::vector<fs::path>
DataDirectories()
{
    std::vector<fs::path> directories;
    if (const char* named = std::getenv("IWARP_DATA"); named && *named)
    {
        directories.emplace_back(named);
    }
    Dl_info info;
    if (dladdr(reinterpret_cast<const void*>(&FindDataFile), &info) && info.dli_fname)
    {
        std::error_code error;
        const fs::path library = fs::canonical(info.dli_fname, error);
        fs::path parent = library.parent_path();
        for (int level = 0; !error && level < 4 && parent.has_relative_path(); level++)
        {
            directories.push_back(parent / "data");
            directories.push_back(parent / "share" / "iwarp" / "data");
            directories.push_back(parent / "contrib" / "iwarp" / "data");
            parent = parent.parent_path();
        }
    }
    directories.push_back(fs::path(__FILE__).parent_path() / ".." / ".." / "data");
    return directories;
}

/// @param path a path @return true if it is a file
bool
IsFile(const fs::path& path)
{
    std::error_code error;
    return fs::is_regular_file(path, error);
}

} // namespace

std::string
FindDataFile(const std::string& name)
{
    if (name.empty())
    {
        return "";
    }
    std::vector<fs::path> candidates{name};
    if (!fs::path(name).has_extension())
    {
        candidates.emplace_back(name + ".csv");
    }
    for (const auto& candidate : candidates)
    {
        if (IsFile(candidate))
        {
            return candidate.string();
        }
    }
    for (const auto& directory : DataDirectories())
    {
        for (const auto& candidate : candidates)
        {
            if (candidate.is_relative() && IsFile(directory / candidate))
            {
                return (directory / candidate).lexically_normal().string();
            }
        }
    }
    return "";
}

std::vector<std::string>
ListDataFiles()
{
    std::vector<std::string> names;
    for (const auto& directory : DataDirectories())
    {
        std::error_code error;
        for (const auto& entry : fs::directory_iterator(directory, error))
        {
            if (entry.path().extension() == ".csv")
            {
                names.push_back(entry.path().stem().string());
            }
        }
        if (!names.empty())
        {
            break;
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

} // namespace iwarp
} // namespace ns3
