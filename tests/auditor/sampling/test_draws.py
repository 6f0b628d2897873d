"""Other people's functions and objects as mechanisms: one draw a call, fixed numbers a call, made in workers."""

import os
import random
import secrets
import threading
import time

import joblib
import numpy as np
import pytest

from auditor import ApproxDP, MechanismError, UsageError, audit, batched, built_in_worker, per_draw


def run(mechanism, epsilon=1.0, **options):
    settings = {"trials": 2000, "alpha": 1e-6, "jobs": 1, "views": ("values",), "name": "m", **options}
    return audit(mechanism, ApproxDP(epsilon), [(0, 1)], **settings)


# One draw a call


def fails_often(dataset, rng):
    if rng.random() < 0.2 + 0.5 * dataset:
        raise RuntimeError(f"too large: {dataset}")
    return rng.random()


def test_an_exception_may_be_an_output():
    result = run(per_draw(fails_often, raises=(RuntimeError,)), epsilon=0.5)
    assert result.refuted
    assert "raises RuntimeError" in str(result.witness)


@pytest.mark.parametrize("raises", [(), (ValueError,), KeyError])
def test_other_exceptions_end_the_audit(raises):
    with pytest.raises(MechanismError, match="RuntimeError on the left dataset"):
        run(per_draw(fails_often, raises=raises))


def test_what_an_exception_says_is_not_looked_at():
    mechanism = per_draw(fails_often, raises=RuntimeError)
    assert mechanism.sample(1, 50, np.random.default_rng(0)).count("raised RuntimeError") > 10


class Model:
    def __init__(self, coef):
        self.coef_ = coef


def test_an_output_is_taken_apart():
    mechanism = per_draw(lambda d, rng: Model(d + rng.laplace(0, 0.2)), read=lambda model: {"coef": model.coef_})
    assert run(mechanism).refuted


def globally(dataset, rng):
    return dataset + np.random.laplace() + random.gauss(0, 1)  # noqa: NPY002


def test_global_generators_are_seeded_from_the_stream_and_set_back():
    before = np.random.get_state()[1].tolist(), random.getstate()  # noqa: NPY002
    seeded = per_draw(globally, seed=("numpy", "random"))
    first, second = run(seeded), run(seeded)
    assert first.without_timings() == second.without_timings()
    assert first.replayable
    assert not first.refuted
    assert (np.random.get_state()[1].tolist(), random.getstate()) == before  # noqa: NPY002
    assert not run(per_draw(globally, seed="numpy")).replayable
    assert not run(per_draw(globally)).replayable


def test_torch_is_seeded_too():
    torch = pytest.importorskip("torch")
    mechanism = per_draw(lambda d, rng: d + torch.randn(1).item(), seed=("torch",))
    assert run(mechanism, 3.0).replayable


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"raises": "ValueError"}, "classes of exceptions"),
        ({"raises": (ValueError, 3)}, "classes of exceptions"),
        ({"raises": int}, "classes of exceptions"),
        ({"read": 3}, "a function of one output"),
        ({"seed": "cupy"}, "out of numpy, random, torch, got seed='cupy'"),
        ({"function": 3}, "a function of"),
    ],
)
def test_bad_arguments_get_a_sentence(arguments, said):
    with pytest.raises(UsageError, match=said):
        per_draw(**{"function": globally, **arguments})


# A fixed number a call


def test_a_batched_function_is_always_asked_for_the_same_number():
    asked = []

    def sample(dataset, n, rng):
        asked.append(n)
        return dataset + rng.laplace(0, 1, n)

    result = run(batched(sample, 100))
    assert not result.refuted
    assert set(asked) == {100}
    assert result.replayable


def test_a_batched_function_may_return_lists_and_mixed_arrays():
    mixed = iter([np.array([1, 2]), np.array(["none", "1"])])
    assert batched(lambda d, n, rng: next(mixed), 2).sample(0, 3, None) == [1, 2, "none"]
    assert batched(lambda d, n, rng: ["a"] * n, 2).sample(0, 3, None) == ["a"] * 3
    assert run(batched(lambda d, n, rng: [d + x for x in rng.laplace(0, 0.2, n)], 7)).refuted


def test_a_batched_function_that_returns_too_few_is_an_error():
    with pytest.raises(MechanismError, match="a batched function"):
        run(batched(lambda d, n, rng: rng.random(n - 1), 10))


@pytest.mark.parametrize("size", [0, -1, 2.5, True, None])
def test_a_size_is_a_whole_number(size):
    with pytest.raises(UsageError, match="size must be a whole number"):
        batched(globally, size)


# Objects that cannot be sent


class Session:
    """Holds a lock, so it cannot be pickled; knows where it was made."""

    made = 0

    def __init__(self, folder):
        Session.made += 1
        self.lock = threading.Lock()
        (folder / f"{os.getpid()} {Session.made}").write_text("")

    def sample(self, dataset, n, rng):
        with self.lock:
            time.sleep(5e-4)
            return dataset + rng.laplace(0, 1, n)


@pytest.fixture
def eager(tuned):
    return tuned(task=1e-3, last_task=1e-4)


def test_a_session_is_made_once_in_each_process_that_draws(tmp_path, eager):
    mechanism = built_in_worker(lambda: Session(tmp_path))
    with joblib.parallel_config(backend="loky"):
        result = run(mechanism, trials=20_000, jobs=2)
    made = [file.name.split()[0] for file in tmp_path.iterdir()]
    assert len(made) == len(set(made)) >= 2
    assert str(os.getpid()) in made
    alone = run(built_in_worker(lambda: Session(tmp_path)), trials=20_000)
    assert result.without_timings() == alone.without_timings()


def test_a_session_may_have_a_time_limit(tmp_path):
    result = run(built_in_worker(lambda: Session(tmp_path)), time_limit=100)
    made = [file.name.split()[0] for file in tmp_path.iterdir()]
    assert len(made) == 1
    assert made != [str(os.getpid())]
    assert result.without_timings() == run(lambda d, n, rng: d + rng.laplace(0, 1, n)).without_timings()


def test_a_factory_may_make_a_function_or_per_draw():
    for made in (lambda d, n, rng: d + rng.laplace(0, 1, n), per_draw(lambda d, rng: d + rng.laplace())):
        assert not run(built_in_worker(lambda made=made: made)).refuted


def test_a_factory_may_make_a_mechanism_with_a_claim_of_its_own():
    from mechanisms.laplace import Laplace

    assert not audit(built_in_worker(Laplace), trials=1000, jobs=1).refuted


def test_a_factory_that_seeds_what_it_makes_has_no_copies(eager, tmp_path):
    class Own:
        def __init__(self):
            self.rng, self.lock = np.random.default_rng(0), threading.Lock()

        def sample(self, dataset, n, rng):
            (tmp_path / str(os.getpid())).write_text("")
            time.sleep(5e-4)
            return dataset + self.rng.laplace(0, 1, n)

    with joblib.parallel_config(backend="loky"):
        result = run(built_in_worker(Own), trials=20_000, jobs=2)
    assert not result.replayable
    assert [file.name for file in tmp_path.iterdir()] == [str(os.getpid())]


def test_a_factory_must_be_callable():
    with pytest.raises(UsageError, match="a function without arguments"):
        built_in_worker(3)


# Why workers are no forks


class Library:
    """Draws from a generator of its own, and cannot be sent."""

    def __init__(self):
        self.lock, self.own = threading.Lock(), np.random.default_rng()
        self.processes = set()

    def sample(self, dataset, n, rng):
        self.processes.add(os.getpid())
        return dataset + self.own.laplace(size=n)


def forked(library):
    """Five outputs, drawn by a fork of this process."""
    here, there = os.pipe()
    child = os.fork()
    if not child:
        os.write(there, library.sample(0, 5, None).tobytes())
        os._exit(0)
    os.close(there)
    with open(here, "rb") as answer:
        said = answer.read()
    os.waitpid(child, 0)
    return said


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_two_forks_draw_the_same_and_two_that_are_built_do_not():
    """What a pool of forks would count as independent draws."""
    one = Library()
    assert forked(one) == forked(one)
    assert forked(Library()) != forked(Library())


def test_what_cannot_be_sent_is_drawn_from_in_this_process(eager):
    """However many workers were asked for: all draws are made by the one object."""
    library = Library()
    with joblib.parallel_config(backend="loky"):
        result = run(library, trials=20_000, jobs=2)
    assert library.processes == {os.getpid()}
    assert result.trials_used == 20_000


# A time limit here


def with_a_lock(pause):
    lock = threading.Lock()

    def sample(dataset, n, rng):
        with lock:
            time.sleep(pause)
            return dataset + rng.laplace(0, 1, n)

    return sample


def test_what_cannot_be_sent_has_its_time_limit_here():
    result = run(with_a_lock(0), time_limit=100)
    assert result.without_timings() == run(with_a_lock(0)).without_timings()
    with pytest.raises(MechanismError, match=r"m must finish within the time limit, got time_limit=0\.3 seconds"):
        run(with_a_lock(1000), time_limit=0.3)


def test_an_alarm_that_is_caught_rings_again():
    lock = threading.Lock()

    def stubborn(dataset, n, rng):
        while True:
            try:
                with lock:
                    time.sleep(1000)
            except BaseException:
                if rng.random() < 0.5:
                    raise

    with pytest.raises(MechanismError, match="must finish within the time limit"):
        run(stubborn, time_limit=0.2)


def test_elsewhere_than_in_the_main_thread_it_is_an_error():
    said = []

    def other():
        with pytest.raises(MechanismError, match="can be sent to another process") as caught:
            run(with_a_lock(0), time_limit=100)
        said.append(str(caught.value))

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert "built_in_worker" in said[0]


# Calls beyond the audit's own


@pytest.mark.parametrize(("trials", "most"), [(60, 12), (144, 27), (2000, 96), (40_000, 96)])
def test_calls_beyond_the_audits_own_are_few(trials, most):
    """The pilot's; a refutation costs 72 more for its diagnosis, and nothing else."""
    for noise in (0.01, 1.0):
        calls = []

        def one(dataset, rng, noise=noise, calls=calls):
            calls.append(1)
            return dataset + rng.laplace(0, noise)

        result = run(per_draw(one), trials=trials)
        assert len(calls) - 2 * result.trials_used <= most + 72 * result.refuted


def test_outputs_that_hardly_vary_are_replayed_a_little_longer():
    """Two sides of 32, and 128 twice; one more looks whether a mechanism that was constant so far seeds itself."""
    calls = []

    def rare(dataset, rng):
        calls.append(1)
        return int(rng.random() < 0.002)

    result = run(per_draw(rare), trials=40_000)
    assert result.replayable
    assert len(calls) - 2 * result.trials_used <= 64 + 256 + 1


@pytest.mark.parametrize("often", [0.5, 0.05])
def test_randomness_of_its_own_is_seen_in_few_calls(often):
    """Broken twin of a mechanism that replays: at 5 % of ones 128 outputs repeat with probability 3e-6."""
    own = random.SystemRandom()
    result = run(per_draw(lambda dataset, rng: int(own.random() < often)), trials=5_000)
    assert not result.replayable


# Warnings


class PrivacyLeakWarning(RuntimeWarning):
    pass


def leaks(dataset, rng):
    import warnings

    warnings.warn("the bounds are the data's own\nand that leaks", PrivacyLeakWarning, stacklevel=1)
    return dataset + rng.laplace()


@pytest.mark.parametrize("options", [{}, {"time_limit": 100}])
def test_warnings_are_told_once_and_not_shown(options, recwarn):
    result = run(per_draw(leaks), **options)
    told = "The mechanism warned: PrivacyLeakWarning: the bounds are the data's own and that leaks"
    assert result.warnings == (told,)
    assert not recwarn.list


def test_warnings_from_workers_and_from_checkpoints_are_the_same(eager, tmp_path):
    def slow(dataset, n, rng):
        import warnings

        time.sleep(5e-4)
        for number in range(3):
            warnings.warn(f"{number}", PrivacyLeakWarning, stacklevel=1)
        return dataset + rng.laplace(0, 1, n)

    with joblib.parallel_config(backend="loky"):
        shared = run(slow, trials=20_000, jobs=2)
    assert shared.warnings == ("The mechanism warned: PrivacyLeakWarning: 0",)
    assert shared.without_timings() == run(slow, trials=20_000).without_timings()

    def stop(done, total):
        if done > total / 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(slow, trials=20_000, checkpoint=tmp_path / "c", progress=stop)
    assert run(slow, trials=20_000, checkpoint=tmp_path / "c").without_timings() == shared.without_timings()


def test_many_different_warnings_are_counted():
    def many(dataset, rng):
        import warnings

        for number in range(8):
            kind = type(f"Kind{number}Warning", (UserWarning,), {})
            warnings.warn("odd", kind, stacklevel=1)
        return dataset + rng.laplace() + secrets.randbelow(1)

    result = run(per_draw(many), trials=200)
    assert len(result.warnings) == 6
    assert result.warnings[-1] == "The mechanism warned in 3 more ways."
