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
 * made from the target's seeds, always the same ones for a random seed. With --seeds it writes the
 * target's seeds into a folder, for libFuzzer to begin with. With the environment's FUZZ_KEEP=FILE
 * each input is in that file when it is tried, and the one that ends the program stays there.
 *
 * usage: fuzz-... [INPUTS [RANDOM-SEED] | FILE... | --seeds FOLDER]
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

/// @param name of a file @param input what it is to hold
static void
Write(const std::string& name, const Input& input)
{
    std::ofstream file(name, std::ios::binary);
    file.write(reinterpret_cast<const char*>(input.data()),
               static_cast<std::streamsize>(input.size()));
    if (!file.flush())
    {
        std::fprintf(stderr, "%s cannot be written\n", name.c_str());
        std::exit(2);
    }
}

/// @param folder where each seed becomes a file @return exit code
static int
WriteSeeds(const std::string& folder)
{
    const std::vector<Input> seeds = FuzzSeeds();
    for (std::size_t i = 0; i < seeds.size(); ++i)
    {
        Write(folder + "/seed-" + std::to_string(i), seeds[i]);
    }
    std::printf("%zu seeds\n", seeds.size());
    return 0;
}

/// @param argc number of @param argv names of files @return exit code
static int
TryFiles(int argc, char* argv[])
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

/// @param text of a number @param number where it goes @return it is one
static bool
Parse(const char* text, unsigned long& number)
{
    char* end = nullptr;
    number = std::strtoul(text, &end, 10);
    return *text != '\0' && *end == '\0';
}

/// @param input is tried, and kept if the environment says where
static void
Try(const Input& input)
{
    static const char* keep = std::getenv("FUZZ_KEEP");
    if (keep)
    {
        Write(keep, input);
    }
    LLVMFuzzerTestOneInput(input.data(), input.size());
}

int
main(int argc, char* argv[])
{
    if (argc == 3 && std::string(argv[1]) == "--seeds")
    {
        return WriteSeeds(argv[2]);
    }
    unsigned long count = 10000;
    unsigned long seed = 1;
    if (argc > 3 || (argc > 1 && !Parse(argv[1], count)) || (argc > 2 && !Parse(argv[2], seed)))
    {
        return TryFiles(argc, argv);
    }
    std::vector<Input> pool = FuzzSeeds();
    const std::size_t seeds = pool.size();
    for (const auto& input : pool)
    {
        Try(input);
    }
    std::mt19937 engine(seed);
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
        Try(input);
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
