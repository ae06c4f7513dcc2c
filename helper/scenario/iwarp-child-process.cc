/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "iwarp-child-process.h"

#include <exception>

#if __has_include(<sys/wait.h>)
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <memory>
#include <sys/wait.h>
#include <unistd.h>
#endif

#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace ns3
{
namespace iwarp
{
namespace
{

/// @param work what to do @param [out] problem what an exception says, or "" @return its result
std::string
TryWork(const std::function<std::string()>& work, std::string& problem)
{
    problem.clear();
    try
    {
        return work();
    }
    catch (const std::exception& error)
    {
        problem = error.what();
    }
    return "";
}

#if __has_include(<sys/wait.h>)

/// Closes a file.
struct FileCloser
{
    void operator()(std::FILE* file) const //!< @param file it
    {
        std::fclose(file);
    }
};

/// What a child that does its work exits with
enum ChildExit : int
{
    CHILD_DONE = 0,  //!< its file has the result
    CHILD_THREW = 99 //!< its file says what an exception does
};

/// @param log what a process has written to standard error @return what ns-3 said when it ended it:
/// the last message or, without one, condition; "" if nothing
std::string
FindLastWords(const std::string& log)
{
    for (const std::string key : {"msg=\"", "cond=\""})
    {
        const auto begin = log.rfind(key);
        const auto end = begin == std::string::npos ? begin : log.find('"', begin + key.size());
        if (end != std::string::npos)
        {
            return log.substr(begin + key.size(), end - begin - key.size());
        }
    }
    return "";
}

/// Be the child. @param work what to do @param parent it dies with that @param error becomes its
/// standard error @param answer where the result goes
[[noreturn]] void
BeChild(const std::function<std::string()>& work, pid_t parent, int error, std::FILE* answer)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent || dup2(error, STDERR_FILENO) < 0)
    {
        _exit(1);
    }
    close(error);
    std::string problem;
    const std::string result = TryWork(work, problem);
    const std::string& text = problem.empty() ? result : problem;
    const bool written = std::fwrite(text.data(), 1, text.size(), answer) == text.size();
    std::cout.flush();
    const bool flushed = std::fflush(nullptr) == 0;
    // the parent's objects are its own to destroy
    _exit(!written || !flushed ? 1 : problem.empty() ? CHILD_DONE : CHILD_THREW);
}

/// Pass on what a child writes until it ends. @param from its standard error @return the end of it
std::string
PassOn(int from)
{
    constexpr std::size_t kept = 65536;
    std::string log;
    std::array<char, 4096> piece{};
    for (ssize_t n = 1; n > 0 || (n < 0 && errno == EINTR);)
    {
        n = read(from, piece.data(), piece.size());
        if (n > 0)
        {
            std::cerr.write(piece.data(), n);
            log.append(piece.data(), static_cast<std::size_t>(n));
            log.erase(0, log.size() > kept ? log.size() - kept : 0);
        }
    }
    return log;
}

/// @param file written by another process @return all of it
std::string
ReadAll(std::FILE* file)
{
    std::string text;
    std::array<char, 4096> piece{};
    std::rewind(file);
    while (const std::size_t n = std::fread(piece.data(), 1, piece.size(), file))
    {
        text.append(piece.data(), n);
    }
    return text;
}

#endif

} // namespace

#if __has_include(<sys/wait.h>)

std::string
RunInChild(const std::function<std::string()>& work, std::string& problem)
{
    const std::unique_ptr<std::FILE, FileCloser> answer(std::tmpfile());
    std::array<int, 2> error{};
    if (!answer || pipe(error.data()) != 0)
    {
        problem = std::string("no process could be begun: ") + std::strerror(errno);
        return "";
    }
    std::cout.flush(); // or both would write it
    std::fflush(nullptr);
    const pid_t parent = getpid();
    const pid_t child = fork();
    if (child == 0)
    {
        close(error[0]);
        BeChild(work, parent, error[1], answer.get());
    }
    const int wrong = errno;
    close(error[1]);
    int status = 0;
    const std::string log = child < 0 ? "" : PassOn(error[0]);
    close(error[0]);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
    {
    }
    if (child < 0)
    {
        problem = std::string("no process could be begun: ") + std::strerror(wrong);
        return "";
    }
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    const std::string text = ReadAll(answer.get());
    problem.clear();
    if (code == CHILD_THREW)
    {
        problem = text;
    }
    else if (code != CHILD_DONE)
    {
        const std::string words = FindLastWords(log);
        problem =
            WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit code " + std::to_string(code);
        problem += words.empty() ? "" : ": " + words;
    }
    return problem.empty() ? text : "";
}

#else

std::string
RunInChild(const std::function<std::string()>& work, std::string& problem)
{
    return TryWork(work, problem);
}

#endif

} // namespace iwarp
} // namespace ns3
