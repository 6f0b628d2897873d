import subprocess
import sys
from pathlib import Path

import pytest

from auditor.doors.targets import find
from auditor.errors import UsageError


def test_a_file_gives_each_mechanism_once_under_its_first_public_name(mechanisms_file):
    found = find("audited.py")
    assert [target.spec for target in found] == ["audited.py::right", "audited.py::wrong"]
    assert [target.mechanism.strength for target in found] == [1.0, 2.0]


def test_a_target_knows_the_line_that_binds_it(mechanisms_file):
    lines = mechanisms_file.read_text().splitlines()
    right, wrong = find("audited.py")
    assert (right.file, lines[right.line - 1]) == ("audited.py", "right = Counter(1.0)")
    assert lines[wrong.line - 1] == "wrong = Counter(2.0)"
    (function,) = find("audited.py::right_function")
    assert lines[function.line - 1] == "def right_function(dataset, n, rng):"


def test_an_absolute_path_below_the_current_folder_is_told_from_there(mechanisms_file):
    assert find(f"{mechanisms_file}::wrong")[0].spec == "audited.py::wrong"


def test_a_named_class_is_built(mechanisms_file):
    (found,) = find("audited.py::NoArguments")
    assert found.mechanism.strength == 1.0


def test_dotted_names_reach_into_objects(mechanisms_file):
    (found,) = find("audited.py::wrong.sample")
    assert callable(found.mechanism)


def test_a_module_is_found_from_the_current_folder(mechanisms_file):
    assert [target.spec for target in find("audited")] == ["audited:right", "audited:wrong"]
    assert find("audited:wrong")[0].mechanism.strength == 2.0


def test_a_file_in_a_package_is_imported_as_part_of_it(project):
    project("kit/__init__.py", "")
    project("kit/base.py", "claim = 1\n")
    path = project(
        "kit/parts.py",
        "from .base import claim as c\nclass M:\n    claim = c\n    sample = neighbours = print\nm = M()\n",
    )
    (found,) = find(str(path))
    assert type(found.mechanism).__module__ == "kit.parts"


def test_a_file_whose_name_belongs_to_another_module_is_still_found(project):
    import mechanisms

    project("mechanisms.py", "class M:\n    sample = claim = neighbours = print\nmine = M()\n")
    (found,) = find("mechanisms.py")
    assert found.spec == "mechanisms.py::mine"
    assert mechanisms.__file__ != str(Path("mechanisms.py").resolve())
    assert sys.path[0] != str(Path.cwd())  # workers must still find the auditor's own package
    import cloudpickle  # what joblib sends to its workers

    load = "import pickle, sys; print(type(pickle.load(sys.stdin.buffer)).__qualname__)"
    sent = cloudpickle.dumps(found.mechanism)
    ran = subprocess.run([sys.executable, "-c", load], input=sent, capture_output=True, check=False, cwd="/")
    assert ran.stdout.strip() == b"M"


def test_a_package_with_a_catalogue_is_audited_whole():
    from mechanisms.core.catalogue import catalogue

    assert [target.spec for target in find("mechanisms")] == [m.id for m in catalogue()]


def test_an_id_of_the_catalogue_is_a_target():
    (found,) = find("laplace/half-scale")
    assert (found.mechanism.id, found.file) == ("laplace/half-scale", "mechanisms/laplace.py")


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("nowhere.py", "file must exist, got 'nowhere.py'"),
        ("nowhere.py::x", "file must exist, got 'nowhere.py'"),
        ("audited.py::nothing", "got 'nothing'; there is right, wrong"),
        ("audited.py::number", "got 'number', a int"),
        ("audited.py::Counter", "must need no arguments"),
        ("nowhere:x", "importable from here, got 'nowhere'"),
        ("no/such/id", "a target must be file.py"),
        ("broken.py", "valid Python, got 'invalid syntax' at broken.py:2"),
        (
            "raises.py",
            "importing 'raises.py' must work, got ZeroDivisionError: division by zero at raises.py:1",
        ),
        ("leaves.py", "got SystemExit: 3"),
        ("needs.py", "importing 'needs.py' must work, got No module named 'not_installed_anywhere'"),
        ("empty.py", "hold an object with sample, claim, neighbours"),
        ("classes.py", "bind an instance of M to a name"),
        ("listing.py", "catalogue() must list mechanisms, got 3"),
    ],
)
def test_a_bad_target_is_one_sentence(mechanisms_file, project, spec, words):
    project("broken.py", "x = 1\ny = = 2\n")
    project("raises.py", "1 / 0\n")
    project("leaves.py", "import sys\nsys.exit(3)\n")
    project("needs.py", "import not_installed_anywhere\n")
    project("empty.py", "import os\n")
    project("classes.py", "class M:\n    sample = claim = neighbours = print\n")
    project("listing.py", "def catalogue():\n    return [3]\n")
    with pytest.raises(UsageError) as caught:
        find(spec)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_object_that_invents_attributes_is_no_mechanism(project):
    project("clever.py", "from unittest.mock import MagicMock\nanything = MagicMock()\n")
    with pytest.raises(UsageError, match="with none"):
        find("clever.py")
