/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The object that cmake/precompiled.h is compiled for.
