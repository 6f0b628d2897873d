"""Formulas in running text as MathML: `P[loss > 2ε] ≤ δ/(1 − e^−ε)` becomes a formula; words stay words.

The notes' formulas are written as people type them: Unicode letters, `^` and `_` for scripts, `/` for fractions.
What does not read as a formula is left as it was.
"""

from __future__ import annotations

from functools import lru_cache
from html import escape

from auditor.escaping import clean
from reports.formulas.nodes import ATOMS, Node, NotAFormulaError, math
from reports.formulas.parser import Parser
from reports.formulas.tokens import Token, tokens_of

__all__ = ["with_formulas"]

_STEPS = 100  # steps for each token, after which the remaining text stays as it is: no text takes long


@lru_cache(4096)
def with_formulas(text: str) -> str:
    """The text as HTML: its formulas as MathML, everything else escaped."""
    text = clean(text)
    tokens = list(tokens_of(text))
    steps = _STEPS * len(tokens)
    parts: list[str] = []
    done = index = 0
    while index < len(tokens) and steps > 0:
        parser = Parser(tokens, index, steps)
        end, markup = _formula(parser, tokens[index])
        steps = parser.steps
        if end == index:
            index = _next_word(tokens, index)
            continue
        parts += [escape(text[done : tokens[index].start]), markup]
        done, index = tokens[end - 1].end, end
    return "".join([*parts, escape(text[done:])])


def _formula(parser: Parser, first: Token) -> tuple[int, str]:
    """The longest formula from here: where it ends, and its markup. Where it starts, if there is none."""
    start = parser.index
    try:
        nodes, ends = parser.run(words=False)
    except NotAFormulaError:
        return start, ""
    while nodes and nodes[-1].kind not in ATOMS:  # a formula does not end in "≤" or a comma
        nodes.pop()
        ends.pop()
    article = first.is_article and len(nodes) > 1 and nodes[1].spaced and nodes[1].kind == "atom"
    if article or not nodes or nodes[0].kind not in (*ATOMS, "sign") or not any(node.strong for node in nodes):
        return start, ""
    return ends[-1], _broken(nodes)


def _broken(nodes: list[Node]) -> str:
    """One <math> for each side of a relation, so that a line may break before it."""
    groups: list[list[Node]] = [[]]
    for node in nodes:
        if node.kind == "relation" and groups[-1]:
            groups.append([])
        groups[-1].append(node)
        if node.kind == "comma":
            groups.append([])
    return " ".join(math(group) for group in groups if group)


def _next_word(tokens: list[Token], index: int) -> int:
    """Past a word, a hyphen or an apostrophe, and the letters that hang on it: "replace-one" has no formula."""
    joined = tokens[index].text in "-'’" or tokens[index].is_prose
    index += 1
    while joined and index < len(tokens) and not tokens[index].spaced and tokens[index].kind == "word":
        index += 1
    return index
