"""Prints a script with which a shell completes the commands, options and ids of dp-audit.

In ~/.bashrc (or, with zsh for bash, in ~/.zshrc): eval "$(dp-audit completion bash)"

In ~/.config/fish/config.fish: dp-audit completion fish | source
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping

NAME = "completion"
HELP = "print a script with which your shell completes dp-audit"
SHELLS = ("bash", "zsh", "fish")
_WITH_IDS = ("run", "show", "notes", "tradeoff")  # commands that take ids of the catalogue

_BASH = """\
_dp_audit() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" words
    if [ "$COMP_CWORD" -eq 1 ]; then words="{commands}"; else
        case "${{COMP_WORDS[1]}}" in
{cases}
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$word") $(compgen -f -- "$word"))
}}
complete -o filenames -F _dp_audit dp-audit
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """One of the shells."""
    parser.add_argument("shell", choices=SHELLS, metavar="|".join(SHELLS))


def command(options: argparse.Namespace) -> int:
    """Prints the script."""
    from auditor.doors.cli import build_parser
    from auditor.doors.cli.catalogue import rows

    words = words_of(build_parser())
    ids = [str(row["id"]) for row in rows()]
    known = {name: [*flags, *(ids if name in _WITH_IDS else ())] for name, flags in words.items()}
    print(script(options.shell, known), end="")
    return 0


def words_of(parser: argparse.ArgumentParser) -> dict[str, list[str]]:
    """The options of each command, as the parser has them."""
    (commands,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    return {
        name: sorted(flag for action in one._actions for flag in action.option_strings if flag.startswith("--"))
        for name, one in commands.choices.items()
    }


def script(shell: str, known: Mapping[str, list[str]]) -> str:
    """The script for one shell; ids and options have no character that a shell reads otherwise."""
    if shell == "fish":
        lines = [f"complete -c dp-audit -n __fish_use_subcommand -f -a '{' '.join(known)}'"]
        seen = "complete -c dp-audit -n '__fish_seen_subcommand_from"
        lines += [f"{seen} {name}' -a '{' '.join(words)}'" for name, words in known.items()]
        return "\n".join(lines) + "\n"
    cases = "\n".join(f'            {name}) words="{" ".join(words)}" ;;' for name, words in known.items())
    text = _BASH.format(commands=" ".join(known), cases=cases)
    return f"autoload -Uz bashcompinit && bashcompinit\n{text}" if shell == "zsh" else text
