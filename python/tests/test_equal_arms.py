# SPDX-License-Identifier: GPL-2.0-only
"""Pages of studies claim what tests show, and see what they declare: the replays that take seconds."""

import equal_arms
import numpy as np
import pytest
from equal_arms import claims_of_few, found_in, is_claim, share_found
from iwarp import studies
from iwarp.analysis.primary import examine
from iwarp.errors import IwarpError
from iwarp.runs import loader
from iwarp.studies import pilot
from scipy import stats

try:
    loader.find()
except IwarpError as error:
    pytest.skip(str(error), allow_module_level=True)

REPLAYS = 200


@pytest.mark.parametrize("name", ["compare", "fabric"])
def test_equal_transports_are_not_told_apart(name):
    study = studies.get(name)
    assert claims_of_few(study, study.presets["quick"].runs, 40) <= stats.binom.ppf(0.999, 40, 0.05)


def test_sentences_that_claim_a_difference_are_known():
    assert is_claim("Keeping FPDUs aligned lowers goodput by 3 %; it is not shown to change the time.")
    assert is_claim("It is not shown to change the time; it raises goodput by 3 %.")
    assert not is_claim("ESP is not shown to change goodput (undecided): +1 %, where 3 % would have been seen.")
    assert not is_claim("No difference shown: goodput (on average +1 %).")


@pytest.mark.parametrize("name", ["ipsec"])
def test_pages_of_equal_arms_claim_nothing_that_no_test_shows(name):
    replay, rng = equal_arms.Replay(name), np.random.default_rng(7)
    assert found_in(replay, replay.frame)["sentences"], "the pilot itself has differences, which its page tells"
    for _ in range(2):
        found = found_in(replay, replay.draw(rng))
        assert not found["sentences"] or any(found[kind] for kind in equal_arms.KINDS)


@pytest.mark.parametrize("name", equal_arms.NAMES)
def test_replays_measure_what_runs_do(name):
    """Arms without a metric, as what an adapter works on where software does all, have none in a replay either."""
    replay = equal_arms.Replay(name)
    drawn = replay.draw(np.random.default_rng(7))
    for metric in replay.views:
        measured = [frame[metric].groupby(replay._configuration).count() > 0 for frame in (replay.frame, drawn)]
        assert measured[0].equals(measured[1]), metric


@pytest.mark.parametrize("name", equal_arms.NAMES)
def test_a_difference_of_the_declared_size_is_found(name):
    """With as many runs as the pilot says that it takes, in 80 % of replays."""
    study, replay = studies.get(name), equal_arms.Replay(name)
    found = examine(replay.frame, study.primaries, replay.views, replay.factors, {})
    assert len(found) == len(study.primaries)
    for pooled in found:
        needed = pilot.runs_needed(name, pooled)
        share = share_found(name, pooled.primary, needed, REPLAYS)
        print(f"{name}, {pilot.name_of(pooled.primary)}: {needed} runs, found in {share:.0%}")
        assert share >= stats.binom.ppf(0.001, REPLAYS, 0.8) / REPLAYS


@pytest.mark.parametrize("name", equal_arms.NAMES)
def test_the_pilot_has_each_declared_comparison(name):
    assert all(pilot.find(name, primary) for primary in studies.get(name).primaries)
