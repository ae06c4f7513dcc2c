/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fuzz-target.h"

#include <fstream>
#include <iterator>
#include <random>
#include <string>

/**
 * @file
 * Runs a fuzz target without libFuzzer: on the files named as arguments, or on a number of inputs
 * made from fixed seeds, always the same ones. With --seeds it writes these into a folder, for
 * libFuzzer to begin with.
 *
 * usage: fuzz-... [INPUTS | FILE... | --seeds FOLDER]
 */

using Input = std::vector<uint8_t>; //!< one input

/// @param engine random numbers @param input is changed somewhere
static void
Mutate(std::mt19937& engine, Input& input)
{
    const std::size_t at = input.empty() ? 0 : engine() % input.size();
    const auto octet = static_cast<uint8_t>(engine());
    switch (engine() % 6)
    {
    case 0:
        input.insert(input.begin() + at, 1 + engine() % 8, octet);
        break;
    case 1:
        input.resize(at);
        break;
    case 2:
        for (std::size_t n = engine() % 200; n > 0; --n)
        {
            input.push_back(static_cast<uint8_t>(engine()));
        }
        break;
    case 3:
        if (!input.empty())
        {
            input[at] = octet;
        }
        break;
    default:
        if (!input.empty())
        {
            input[at] ^= 1 << engine() % 8;
        }
        break;
    }
}

/// @param folder where each seed becomes a file @return exit code
static int
WriteSeeds(const std::string& folder)
{
    const std::vector<Input> seeds = FuzzSeeds();
    for (std::size_t i = 0; i < seeds.size(); ++i)
    {
        std::ofstream file(folder + "/seed-" + std::to_string(i), std::ios::binary);
        file.write(reinterpret_cast<const char*>(seeds[i].data()),
                   static_cast<std::streamsize>(seeds[i].size()));
        if (!file)
        {
            std::fprintf(stderr, "%s cannot be written into\n", folder.c_str());
            return 2;
        }
    }
    std::printf("%zu seeds\n", seeds.size());
    return 0;
}

int
main(int argc, char* argv[])
{
    if (argc == 3 && std::string(argv[1]) == "--seeds")
    {
        return WriteSeeds(argv[2]);
    }
    char* end = nullptr;
    unsigned long count = argc == 2 ? std::strtoul(argv[1], &end, 10) : 0;
    if (argc > 1 && (argc > 2 || *end != '\0'))
    {
        for (int i = 1; i < argc; ++i)
        {
            std::ifstream file(argv[i], std::ios::binary);
            if (!file)
            {
                std::fprintf(stderr, "%s cannot be read\n", argv[i]);
                return 2;
            }
            const Input input{std::istreambuf_iterator<char>(file), {}};
            LLVMFuzzerTestOneInput(input.data(), input.size());
        }
        std::printf("%d files\n", argc - 1);
        return 0;
    }
    count = count > 0 ? count : 10000;
    std::vector<Input> pool = FuzzSeeds();
    const std::size_t seeds = pool.size();
    for (const auto& input : pool)
    {
        LLVMFuzzerTestOneInput(input.data(), input.size());
    }
    std::mt19937 engine(1);
    for (unsigned long i = 0; i < count; ++i)
    {
        Input input;
        if (i % 4 == 0)
        {
            input.resize(engine() % 1000);
            for (auto& octet : input)
            {
                octet = static_cast<uint8_t>(engine());
            }
        }
        else
        {
            input = pool[engine() % pool.size()];
            for (unsigned n = 1 + engine() % 5; n > 0; --n)
            {
                Mutate(engine, input);
            }
        }
        LLVMFuzzerTestOneInput(input.data(), input.size());
        if (pool.size() < seeds + 200)
        {
            pool.push_back(input);
        }
        else if (i % 8 == 0)
        {
            pool[seeds + engine() % 200] = input; // the seeds stay
        }
    }
    std::printf("%lu inputs\n", count + seeds);
    return 0;
}
