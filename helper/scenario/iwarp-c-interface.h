/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef IWARP_C_INTERFACE_H
#define IWARP_C_INTERFACE_H

#include <cstddef>
#include <cstdint>

/**
 * @file
 * @ingroup iwarp-helper
 * @brief IwarpScenario and IwarpDecoder for other languages: text in, JSON out, no C++ to parse.
 *
 * Texts are UTF-8, and those that a function returns stay until the next call. Settings are names
 * and values in turn, each a text, as IwarpScenario::SetParameter() takes them. No exception leaves
 * a function; ns-3's own fatal errors end the process. For one thread at a time.
 */
extern "C"
{
    /// List parameters. @param filter part of qualified names, as of
    /// IwarpScenario::ListQualifiedParameters(); nullptr for those with short names
    /// @return array of objects: name, target, type, range, initial, help (IwarpParameter)
    const char* iwarp_list_parameters(const char* filter);

    /// Find a parameter. @param name any of its names
    /// @return as an entry of iwarp_list_parameters(), or an object with "usage": what is wrong
    const char* iwarp_find_parameter(const char* name);

    /// List what runs may report. @return array of objects: name, unit, merge, help (MetricInfo)
    const char* iwarp_list_metrics();

    /// Look at settings together. @param settings names and values @param count of both
    /// @return "", or one line that says what is wrong
    const char* iwarp_check(const char* const* settings, size_t count);

    /**
     * @brief Run the scenario once.
     * @param settings names and values
     * @param count of both
     * @return object: metrics (array of name, value, unit), report and cautions; or one with
     *         "usage" (settings are wrong), "error" (the run failed) or "memory" (there is too
     *         little): what is wrong, one line
     */
    const char* iwarp_run(const char* const* settings, size_t count);

    /// Look at settings of a run that is to be shared out to ranks. @param settings names and
    /// values
    /// @param count of both @return "", or one line that says what is wrong
    const char* iwarp_check_ranks(const char* const* settings, size_t count);

    /**
     * @brief Run the scenario as one of several processes of MPI's, the only thing that a process
     * does: times are in femtoseconds.
     * @param settings names and values, the same in all processes
     * @param count of both
     * @param alone not of MPI's, with the same times
     * @return as iwarp_run() in rank 0 and alone; "" in the others
     */
    const char* iwarp_run_rank(const char* const* settings, size_t count, bool alone);

    /// Tell what a picture of the network has to show. @param settings names and values
    /// @param count of both @return object: nodes and links (IwarpNetworkMap); or as iwarp_run()
    const char* iwarp_find_map(const char* const* settings, size_t count);

    struct iwarp_traces; //!< traces of one run: an IwarpTraceHelper

    /// List traces. @param filter part of names, as of IwarpTraceHelper::List(); "" for those with
    /// short names and those of the module
    /// @return array of objects: name, source, kind (value or event), standard, help, columns
    /// (array
    ///         of name, type, unit, help)
    const char* iwarp_list_traces(const char* filter);

    /**
     * @brief Ask for traces of the next run.
     * @param options names and values in turn: trace (names of traces, as IwarpTraceHelper::Add()
     *        takes them), rows (most of each table), node, connection; any of them several times
     * @param count of both
     * @return what iwarp_traces_close() takes
     */
    iwarp_traces* iwarp_traces_open(const char* const* options, size_t count);
    /// @param traces them @return what is wrong with what was asked for, one line, or ""
    const char* iwarp_traces_error(const iwarp_traces* traces);
    /// @param traces them @return the IwarpTraceHelper, for IwarpScenario::SetTraces()
    void* iwarp_traces_helper(iwarp_traces* traces);
    /// As iwarp_run(). @param settings names and values @param count of both @param traces what to
    /// take down, once @return as iwarp_run()
    const char* iwarp_run_traced(const char* const* settings, size_t count, iwarp_traces* traces);
    /// Tell what was taken down, after the run. @param traces them @return array of objects, one a
    /// table: name, source, kind, rows, left_out, columns (array of name, type, unit, help)
    const char* iwarp_traces_tables(const iwarp_traces* traces);
    /// Get the values of a column, as many as the table has rows, each of the column's type: an
    /// octet of a bool, the int32 index of a word of a string. @param traces them, after the run
    /// @param table index @param column index @return the first; stays until iwarp_traces_close()
    const void* iwarp_traces_cells(const iwarp_traces* traces, size_t table, size_t column);
    /// Get the words of a column of strings. @param traces them @param table index @param column
    /// index @return array of texts, by index
    const char* iwarp_traces_words(const iwarp_traces* traces, size_t table, size_t column);
    void iwarp_traces_close(iwarp_traces* traces); //!< @param traces not used any more

    struct iwarp_decoder; //!< a capture that is being decoded

    /**
     * @brief Begin to decode a capture.
     * @param file its name
     * @param ports TCP ports that alone are decoded; with none, all that look like MPA
     * @param count of ports
     * @param mpa_only whether ULPDUs are no DDP segments
     * @param format IwarpDecoder::Format
     * @param esp_keys file for IwarpDecoder::ReadEspKeys(), or ""
     * @param tls_keys file for IwarpDecoder::ReadTlsKeys(), or ""
     * @return what iwarp_decoder_close() takes
     */
    iwarp_decoder* iwarp_decoder_open(const char* file,
                                      const uint16_t* ports,
                                      size_t count,
                                      bool mpa_only,
                                      int format,
                                      const char* esp_keys,
                                      const char* tls_keys);
    /// @param decoder it @return why there is nothing to decode, one line, or ""
    const char* iwarp_decoder_error(const iwarp_decoder* decoder);
    /// @param decoder it @return whole lines; "" at the end
    const char* iwarp_decoder_read(iwarp_decoder* decoder);
    /// @param decoder it @return how often something was malformed so far
    uint64_t iwarp_decoder_malformed(const iwarp_decoder* decoder);
    /// @param decoder it @return connections with MPA so far
    uint32_t iwarp_decoder_streams(const iwarp_decoder* decoder);
    void iwarp_decoder_close(iwarp_decoder* decoder); //!< @param decoder not used any more
}

#endif // IWARP_C_INTERFACE_H
