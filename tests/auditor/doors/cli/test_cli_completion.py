"""`dp-audit completion`: what the script offers, asked of bash itself."""

import shutil
import subprocess

import pytest

from auditor.doors.cli import COMMANDS, main

ASK = "{script}\nCOMP_WORDS=({words}); COMP_CWORD={place}; _dp_audit; printf '%s\\n' \"${{COMPREPLY[@]}}\""


def offered(script, *words):
    """What bash offers for the last of these words."""
    quoted = " ".join(f"'{word}'" for word in words)
    text = ASK.format(script=script, words=quoted, place=len(words) - 1)
    return subprocess.run(["bash", "-c", text], capture_output=True, text=True, check=True).stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="asks bash")
def test_bash_offers_commands_options_ids_and_files(project, capsys):
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    project("release.py", "")
    assert set(offered(script, "dp-audit", "")) >= {module.NAME for module in COMMANDS}
    assert offered(script, "dp-audit", "re") == ["report", "replay", "release.py"]
    assert offered(script, "dp-audit", "run", "--che") == ["--checkpoint"]
    assert offered(script, "dp-audit", "run", "rele") == ["release.py"]
    assert "laplace/half-scale" in offered(script, "dp-audit", "show", "laplace/")
    assert "laplace/half-scale" in offered(script, "dp-audit", "tradeoff", "laplace/")
    assert offered(script, "dp-audit", "report", "laplace/") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_gets_every_command_and_nothing_that_it_would_execute(shell, capsys):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for module in COMMANDS:
        assert module.NAME in script
    assert "`" not in script
    assert script.count("$(") == (0 if shell == "fish" else 2)


def test_other_shells_are_a_sentence(capsys):
    assert main(["completion", "tcsh"]) == 2
    assert "invalid choice: 'tcsh'" in capsys.readouterr().err
