"""Reads tokens into the nodes of a formula."""

from __future__ import annotations

from dataclasses import dataclass, replace
from html import escape

from reports.formulas.nodes import Node, NotAFormulaError, fractions, row
from reports.formulas.tokens import Token, is_greek, letters

_FUNCTIONS = {"ln", "log", "exp", "min", "max", "Lap", "LLN", "GS", "LS", "OPT", "Bin", "loss", "Bad", "Budget"}
_WORDS = {"as", "at", "be", "by", "do", "if", "in", "is", "it", "no", "of", "on", "or", "so", "to", "up", "we", "DP"}
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_AFTER_A_PRODUCT = {"relation", "sign", "caret", "script", "close"}
_DEEPEST = 20
_OPERATORS = {"relation", "sign", "comma", "slash"}


@dataclass
class Parser:
    """From `index` on, with so many `steps` at the most; raises NotAFormulaError where the tokens are none."""

    tokens: list[Token]
    index: int
    steps: int
    depth: int = 0

    def peek(self) -> Token | None:
        """The next token; looking is what takes time."""
        self.steps -= 1
        if self.steps < 0:
            raise NotAFormulaError
        return self.tokens[self.index] if self.index < len(self.tokens) else None

    def run(self, words: bool, until: str = "") -> tuple[list[Node], list[int]]:
        """Nodes up to `until`, or to what is no formula, and where each ends; `words` may stand among them."""
        nodes: list[Node] = []
        ends: list[int] = []
        while (token := self.peek()) is not None and token.text != until:
            before = self.index
            aside = token.spaced and (token.text == "(" or token.kind == "number")
            if not until and aside and nodes and nodes[-1].kind == "atom":
                break  # something in parentheses, or a number of something else
            try:
                nodes.append(self.node(token, words, until, first=not nodes))
            except NotAFormulaError:
                if until:
                    raise
                self.index = before
                break
            ends.append(self.index)
        return nodes, ends

    def node(self, token: Token, words: bool, until: str, first: bool) -> Node:
        """One operator, or one atom with its scripts."""
        if token.kind in _OPERATORS:
            if first and token.kind in ("comma", "slash"):
                raise NotAFormulaError
            self.index += 1
            tight = ' lspace="0"' if token.kind == "relation" and not until else ""
            shown = escape(token.text.replace("~", "∼"))
            return Node(f"<mo{tight}>{shown}</mo>", token.kind == "relation", kind=token.kind, spaced=token.spaced)
        if token.kind == "root":
            self.index += 1
            inner = self.atom(words, flat=True)
            within = inner.bare or inner.markup
            if inner.kind == "function":
                within += self.atom(words, flat=True).markup
            return Node(f"<msqrt>{within}</msqrt>", True, spaced=token.spaced)
        return self.atom(words)

    def atom(self, words: bool, flat: bool = False) -> Node:
        """A number, a name, a bracket or a call, with its scripts; `flat`: fractions in it stay on one line."""
        token = self.peek()
        if token is None:
            raise NotAFormulaError
        return self.scripts(replace(self.base(token, words, flat), spaced=token.spaced))

    def base(self, token: Token, words: bool, flat: bool = False) -> Node:
        """An atom without its scripts."""
        if token.kind == "number":
            self.index += 1
            return _number(token.text)
        if token.kind == "word":
            return self.name(token, words)
        if token.kind == "open":
            return self.bracket(token, words, flat)
        if token.kind == "bar":
            return self.fence(token, words)
        if token.kind == "value" and (words or token.text != "…"):
            self.index += 1
            return Node(f"<mi>{token.text}</mi>")
        raise NotAFormulaError

    def name(self, token: Token, words: bool) -> Node:
        """A single letter, a product of letters with a Greek one, a function; within P[…] also a word."""
        self.index += 1
        text, after = token.text, self.peek()
        spelled = letters(text)
        if after is not None and ((token.is_article and after.spaced and after.is_prose) or self.abbreviates(after)):
            raise NotAFormulaError
        attached = after is not None and not after.spaced and after.kind in ("open", "bar")
        if text in _FUNCTIONS:
            space = "" if attached else '<mspace width=".17em"/>'
            return Node(f"<mi>{escape(text)}</mi>{space}", attached, kind="function")
        if len(spelled) == 1:
            return Node(_product(spelled), is_greek(text) or (attached and text not in "aAI"))
        if len(spelled) <= 3 and any(map(is_greek, spelled)):
            return Node(_product(spelled), True)
        if words:
            space = "\N{NO-BREAK SPACE}" if after is not None and after.spaced and after.kind == "word" else ""
            return Node(f"<mtext>{escape(text)}{space}</mtext>")
        if len(spelled) == 2 and text not in _WORDS and after is not None and after.kind in _AFTER_A_PRODUCT:
            return Node(_product(spelled))
        raise NotAFormulaError

    def abbreviates(self, after: Token) -> bool:
        """Whether a dot and a letter follow: w.p., i.e."""
        following = self.tokens[self.index + 1 : self.index + 2]
        return after.text == "." and any(token.kind == "word" and not token.spaced for token in following)

    def bracket(self, token: Token, words: bool, flat: bool) -> Node:
        """(…), […] or {…}; what hangs on a name may contain words: P[loss > 1]."""
        before = self.tokens[self.index - 1] if self.index else None
        call = not token.spaced and before is not None and before.kind in ("word", "script", "prime", "star")
        nodes = self.within(_PAIRS[token.text], words or (call and token.text != "{"))
        inside = row(nodes if flat else fractions(nodes))
        opened, closed = (f'<mo stretchy="false">{sign}</mo>' for sign in (token.text, _PAIRS[token.text]))
        bare = f"<mrow>{inside}</mrow>" if token.text == "(" and not call else None
        return Node(f"<mrow>{opened}{inside}{closed}</mrow>", any(node.strong for node in nodes), bare)

    def within(self, closing: str, words: bool) -> list[Node]:
        """The nodes between here and the closing sign, which is passed."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise NotAFormulaError
        self.index += 1
        nodes, _ = self.run(words, closing)
        if self.peek() is None or not nodes:
            raise NotAFormulaError
        self.index += 1
        self.depth -= 1
        return nodes

    def fence(self, token: Token, words: bool) -> Node:
        """|…| or ‖…‖; a single bar within brackets is "given", or separates the two parts of a divergence."""
        start, depth = self.index, self.depth
        try:
            nodes = self.within(token.text, words)
        except NotAFormulaError:
            if not words or self.steps < 0:
                raise
            self.index, self.depth = start + 1, depth
            return Node(f"<mo>{token.text}</mo>", kind="relation")
        bar = f'<mo stretchy="false">{token.text}</mo>'
        return Node(f"<mrow>{bar}{row(fractions(nodes))}{bar}</mrow>", True)

    def scripts(self, node: Node) -> Node:
        """Primes, stars, raised and lowered characters as they are; ^ and _ as scripts."""
        marks = ""
        scripts = {"under": "", "caret": ""}
        while (token := self.peek()) is not None and not token.spaced:
            if token.kind in ("script", "prime", "star"):
                marks += f'<mo lspace="0" rspace="0">{token.text}</mo>'
                self.index += 1
            elif token.kind in scripts:
                self.index += 1
                scripts[token.kind] += self.script()
            else:
                break
        if not any(scripts.values()):
            return replace(node, markup=node.markup + marks, strong=True, bare=None) if marks else node
        split = node.markup.rfind("<mi>") if node.markup.startswith("<mi>") else 0
        lead, base = node.markup[:split], f"<mrow>{node.markup[split:]}{marks}</mrow>"
        tag = "".join(("m", "sub" * bool(scripts["under"]), "sup" * bool(scripts["caret"])))
        rows = "".join(f"<mrow>{script}</mrow>" for script in scripts.values() if script)
        return Node(f"{lead}<{tag}>{base}{rows}</{tag}>", True, spaced=node.spaced)

    def script(self) -> str:
        """What stands behind ^ or _: a sign and an atom, or a bracket whose content alone is meant."""
        token, sign = self.peek(), ""
        if token is not None and token.kind == "sign":
            self.index += 1
            sign, token = f"<mo>{token.text}</mo>", self.peek()
        if token is None or token.spaced:
            raise NotAFormulaError
        if token.text in ("(", "{"):
            return sign + row(self.within(_PAIRS[token.text], words=True))
        if token.kind != "word" or any(map(is_greek, token.text)):
            return sign + self.base(token, words=False).markup + self.primes()
        self.index += 1
        return f"{sign}<mi>{escape(token.text)}</mi>{self.primes()}"

    def primes(self) -> str:
        """The primes that follow at once."""
        token = self.peek()
        if token is None or token.kind != "prime" or token.spaced:
            return ""
        self.index += 1
        return f'<mo lspace="0" rspace="0">{token.text}</mo>'


def _product(spelled: list[str]) -> str:
    return "".join(f"<mi>{escape(letter)}</mi>" for letter in spelled)


def _number(text: str) -> Node:
    """1e-5 is 10 to the power of -5."""
    digits, _, power = text.partition("e")
    if not power:
        return Node(f"<mn>{digits}</mn>")
    factor = "" if digits == "1" else f"{digits}·"
    return Node(f"<mn>{factor}10{str(int(power.replace('−', '-'))).translate(_RAISED)}</mn>", True)
