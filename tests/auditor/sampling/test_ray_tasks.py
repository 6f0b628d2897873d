"""Tasks of ray's own: in order, a few ahead, cancelled when no more is needed. A stand-in for ray counts them; with ray
itself test_backends.py has an audit."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import pytest

from auditor.errors import MechanismError
from auditor.sampling import ray_tasks


class TaskError(Exception):
    def __init__(self, cause):
        super().__init__("wrapped")
        self.cause = cause


class Ray(ModuleType):
    """Runs a task when its result is fetched."""

    def __init__(self):
        super().__init__("ray")
        self.exceptions = SimpleNamespace(RayTaskError=TaskError)
        self.asked, self.most, self.waiting, self.cancelled, self.timeouts = 0, 0, 0, [], []
        self.forced = None

    def remote(self, function):
        def submit(data):
            self.asked += 1
            self.waiting += 1
            self.most = max(self.most, self.waiting)
            return (function, data)

        return SimpleNamespace(remote=submit)

    def get(self, task, timeout):
        self.waiting -= 1
        self.timeouts.append(timeout)
        function, data = task
        try:
            return function(data)
        except Exception as error:
            raise TaskError(error) from error

    def cancel(self, task, force):
        self.cancelled.append(task)
        self.forced = force


@pytest.fixture
def ray(monkeypatch):
    stand_in = Ray()
    monkeypatch.setitem(sys.modules, "ray", stand_in)
    monkeypatch.setattr(ray_tasks, "pickled", lambda task: task)
    monkeypatch.setattr(ray_tasks, "run_packed", lambda data: [data * 10])
    return stand_in


def test_results_come_in_order_with_two_tasks_a_worker_under_way(ray):
    assert list(ray_tasks.tallies(range(9), 2, lambda: 7.0)) == [[10 * number] for number in range(9)]
    assert (ray.asked, ray.most, ray.cancelled) == (9, 4, [])
    assert ray.timeouts == [7.0] * 9


def test_closing_cancels_what_is_under_way_and_asks_for_no_more(ray):
    results = ray_tasks.tallies(range(100), 2, lambda: None)
    assert next(results) == [0]
    results.close()
    assert len(ray.cancelled) == 3
    assert not ray.forced  # their workers live on
    assert ray.asked == 4


def test_what_may_hang_is_ended_with_its_worker(ray, monkeypatch):
    def late(task, timeout):
        raise TimeoutError

    monkeypatch.setattr(ray, "get", late)
    with pytest.raises(TimeoutError):
        list(ray_tasks.tallies(range(9), 1, lambda: 0.1))
    assert (len(ray.cancelled), ray.forced) == (2, True)


def test_what_a_task_raises_is_raised_as_itself(ray, monkeypatch):
    def broken(data):
        raise MechanismError("it must answer")

    monkeypatch.setattr(ray_tasks, "run_packed", broken)
    with pytest.raises(MechanismError, match="it must answer"):
        list(ray_tasks.tallies(range(3), 1, lambda: None))


def test_without_ray_it_is_not_active():
    assert not ray_tasks.active()
