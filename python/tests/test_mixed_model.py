# SPDX-License-Identifier: GPL-2.0-only
"""Why pooled effects are means over configurations run by run, and not of a mixed model: which of both intervals cover.

Effects have a known mean over configurations, a part that all configurations of a run share, as nuisance factors make
one, and spreads and tails that differ by configuration.
"""

import warnings

import numpy as np
import pytest
from iwarp.analysis.stats import estimate
from scipy import stats

MixedLM = pytest.importorskip("statsmodels.regression.mixed_linear_model").MixedLM
CONFIGURATIONS, RUNS, DRAWS = 12, 3, 120


def effects(rng):
    spread = 0.1 * np.exp(rng.normal(0, 1, CONFIGURATIONS))
    own = rng.normal(0, 0.05, CONFIGURATIONS)
    common = rng.normal(0, 0.05, RUNS)
    noise = spread[:, None] * rng.standard_t(3, (CONFIGURATIONS, RUNS)) / np.sqrt(3)
    return (own - own.mean())[:, None] + common + noise


def run_by_run(found):
    mean = estimate(found.mean(axis=0))
    return mean.mean, mean.half


def mixed(found):
    """Runs are random, configurations are those that are there; the interval is Wald's."""
    left = (found - found.mean(axis=1, keepdims=True) + found.mean()).ravel()
    runs = np.tile(np.arange(RUNS), CONFIGURATIONS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = MixedLM(left, np.ones((left.size, 1)), groups=runs).fit(reml=True)
    return fitted.fe_params[0], stats.norm.ppf(0.975) * fitted.bse_fe[0]


def weighted(found):
    """Configurations weigh by the inverse of their variances, as few runs show them."""
    weights = 1 / found.var(axis=1, ddof=1)
    mean = estimate((weights / weights.sum()) @ found)
    return mean.mean, mean.half


def test_of_few_runs_only_means_run_by_run_cover_as_often_as_they_say():
    rng = np.random.default_rng(1)
    cover = {run_by_run: 0, mixed: 0, weighted: 0}
    for _ in range(DRAWS):
        found = effects(rng)
        for how in cover:
            mean, half = how(found)
            cover[how] += abs(mean) <= half
    print({how.__name__: count / DRAWS for how, count in cover.items()})
    assert cover[run_by_run] >= stats.binom.ppf(0.001, DRAWS, 0.95)
    assert max(cover[mixed], cover[weighted]) < stats.binom.ppf(0.001, DRAWS, 0.95)
