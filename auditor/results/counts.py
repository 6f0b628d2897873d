"""How often an event guessed each side."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Counts:
    """How often the event guessed, on draws made after the event was chosen.

    Each trial flips a fair coin for its side, and the event guesses the side from the output or abstains.
    `left_guessed_left` of the `left_trials` outputs drawn on the left dataset made it guess left, and so on.
    """

    left_trials: int
    right_trials: int
    left_guessed_left: int
    left_guessed_right: int
    right_guessed_left: int
    right_guessed_right: int

    def __post_init__(self) -> None:
        on_left = self.left_guessed_left, self.left_guessed_right
        on_right = self.right_guessed_left, self.right_guessed_right
        if min(on_left + on_right) < 0 or sum(on_left) > self.left_trials or sum(on_right) > self.right_trials:
            raise ValueError(f"guesses must be counts within their side's trials, got {self}")

    @property
    def correct(self) -> int:
        """Guesses that named the true side."""
        return self.left_guessed_left + self.right_guessed_right

    @property
    def wrong(self) -> int:
        """Guesses that named the other side."""
        return self.left_guessed_right + self.right_guessed_left

    @property
    def trials(self) -> int:
        """Coin flips: draws on both sides together."""
        return self.left_trials + self.right_trials

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.left_trials + other.left_trials,
            self.right_trials + other.right_trials,
            self.left_guessed_left + other.left_guessed_left,
            self.left_guessed_right + other.left_guessed_right,
            self.right_guessed_left + other.right_guessed_left,
            self.right_guessed_right + other.right_guessed_right,
        )
