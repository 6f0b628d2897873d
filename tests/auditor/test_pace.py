"""Long work says how long: the pace of an audit, the note on one that takes very long, and bars in notebooks."""

import logging
import time
from dataclasses import replace

import numpy as np
import pytest

from auditor import ApproxDP, GaussianDP, UsageError, audit, notebook
from auditor.doors.cli.progress import Progress
from auditor.pace import Pace, duration
from auditor.request import request
from auditor.slow_note import SlowNote, best_blind_spot, note
from auditor.tuning import TUNING

PAIR = [(0, 1)]


def laplace(dataset, n, rng):
    return dataset + rng.laplace(0, 1, n)


def asked(claim=ApproxDP(1.0), trials=1_000_000):  # noqa: B008
    return request(laplace, claim, PAIR, trials, 0.01, 0, ("values",), "m")


class Listener:
    """Remembers what it is told."""

    def __init__(self):
        self.calls, self.sentences, self.certified = 0, [], None

    def __call__(self, done, total):
        self.calls += 1

    def follow(self, certified):
        self.certified = certified

    def slow(self, sentence):
        self.sentences.append(sentence)


def test_pace_in_words():
    now = [0.0]
    pace = Pace(lambda: now[0])
    pace.seen(0, 1_000)
    assert pace.words() == "0 of 1,000 draws"
    now[0] = 2.0
    pace.seen(200, 1_000)
    assert pace.words() == "200 of 1,000 draws, 100 a second, 8 s left"
    assert pace.words(0.41234).endswith("left, epsilon at least 0.412")
    pace.seen(10, 500)  # another audit
    assert pace.words() == "10 of 500 draws"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (56.4, "56 s"),
        (300, "5 min"),
        (5_850, "98 min"),
        (7_100, "118 min"),
        (9_000, "2.5 h"),
        (260_000, "3 days"),
        (2e7, "231 days"),
    ],
)
def test_durations(seconds, words):
    assert duration(seconds) == words


def test_a_long_audit_is_told_once_with_what_a_minute_buys():
    listener = Listener()
    slow = SlowNote(asked(), 1, TUNING, listener)
    slow.timed(32, 0.045, first=True)  # a first call may have something to set up
    slow.timed(100, 0.14)
    assert not listener.sentences  # not known yet
    slow.timed(1_000, 1.4)
    slow.timed(1_000, 1.4)
    (sentence,) = listener.sentences
    assert sentence.startswith("1.4 ms a draw: 1,000,000 trials a side take about 47 min on one core, 21,4")
    assert "trials 60 s; blind below epsilon 1.0" in sentence


def test_a_first_call_that_takes_very_long_is_told_at_once():
    listener = Listener()
    SlowNote(asked(), 1, TUNING, listener).timed(32, 32.0, first=True)
    (sentence,) = listener.sentences
    assert sentence.startswith("1 s a draw: 1,000,000 trials a side take about 23 days on one core, 30 trials 60 s")


@pytest.mark.parametrize(("workers", "told"), [(1, True), (8, False)])
def test_workers_share_the_time(workers, told):
    listener = Listener()
    SlowNote(asked(trials=500_000), workers, TUNING, listener).timed(1_000, 1.0)
    assert bool(listener.sentences) is told


def test_without_a_listener_it_is_logged(caplog):
    with caplog.at_level(logging.WARNING, "auditor"):
        SlowNote(asked(), 1, TUNING, None).timed(1_000, 10.0)
    assert "a draw: 1,000,000 trials a side take about" in caplog.text


@pytest.mark.parametrize("claim", [ApproxDP(1.0), ApproxDP(1.0, 0.01)])
def test_the_blind_spot_of_fewer_trials_is_larger(claim):
    spots = [best_blind_spot(asked(claim, trials), TUNING) for trials in (1_000, 10_000, 100_000)]
    assert spots == sorted(spots, reverse=True)
    assert 1.0 < spots[-1] < spots[0] < 2.0


def test_of_a_curve_no_blind_spot_is_told():
    assert "blind" not in note(asked(GaussianDP(1.0)), 0.01, TUNING)


def test_an_audit_tells_its_listener_what_it_certifies(monkeypatch):
    listener = Listener()

    def stalls(dataset, n, rng):
        time.sleep(0.1 if n == 32 else 0.0)
        return laplace(dataset, n, rng)

    monkeypatch.setattr("auditor.slow_note.RATE_KNOWN", 0.1)
    result = audit(stalls, ApproxDP(0.5), PAIR, trials=10**9, jobs=1, views=("values",), progress=listener)
    assert result.refuted
    assert listener.calls > 0
    assert listener.certified() == pytest.approx(result.epsilon_lower)


def test_a_display_says_lines_where_there_are_no_bars():
    said = []
    display = notebook.Display("m", bar=False, say=said.append, tempo=notebook.Tempo(0.0, 0.0, 0.0))
    display.follow(lambda: 0.25)
    display(10, 100)
    display.slow("long")
    display.close()
    assert said[0].startswith("m: 10 of 100 draws")
    assert said[0].endswith("epsilon at least 0.25")
    assert said[1] == "m: long"


def test_a_display_shows_richs_bar_and_takes_it_away(capsys):
    display = notebook.Display("m [x]", bar=True, tempo=notebook.Tempo(first=0.0))
    display(10, 100)
    display(20, 100)
    assert display.bar.tasks[0].completed == 20
    display.close()
    assert display.bar is None


def test_a_notebook_shows_progress_of_itself(monkeypatch):
    class Shell:
        kernel = object()

    fake = type("IPython", (), {"get_ipython": staticmethod(Shell)})
    assert notebook.listener(None, "m") is None
    assert isinstance(notebook.listener(True, "m"), notebook.Display)
    monkeypatch.setitem(notebook.sys.modules, "IPython", fake)
    assert isinstance(notebook.listener(None, "m"), notebook.Display)
    assert notebook.listener(False, "m") is None
    assert notebook.listener(print, "m") is print


def test_bad_progress():
    with pytest.raises(UsageError, match="progress must be True, False or a function"):
        audit(laplace, ApproxDP(1.0), PAIR, trials=100, progress="bar")


def test_progress_changes_no_byte():
    options = {"trials": 2_000, "jobs": 1, "views": ("values",)}
    results = [audit(laplace, ApproxDP(1.0), PAIR, progress=given, **options) for given in (False, True, Listener())]
    assert len({replace(result, seconds=0.0).to_json() for result in results}) == 1


def test_plain_lines_of_the_command(monkeypatch, capsys):
    monkeypatch.setattr("auditor.doors.cli.progress.EVERY", 0.0)
    with Progress() as progress:
        told = progress.of("release.py::sum")
        told.follow(lambda: np.float64(0.5))
        told(50, 200)
        told.slow("1 ms a draw")
    err = capsys.readouterr().err
    assert "release.py::sum: 25 %, 50 of 200 draws" in err
    assert "epsilon at least 0.5" in err
    assert "release.py::sum: 1 ms a draw" in err


def test_beside_a_bar_it_takes_half_a_line() -> None:
    now = [0.0]
    pace = Pace(lambda: now[0])
    pace.seen(0, 2_000_000)
    now[0] = 4.0
    pace.seen(1_398_400, 2_000_000)
    assert pace.brief(1.9621) == "1.4M/2M draws, 350k/s, 2 s left, eps >= 1.96"
    pace.seen(950, 12_000_000_000)
    assert pace.brief().startswith("950/12G draws")
