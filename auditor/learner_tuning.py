"""The part of `Tuning` that single learners have: what each looks at, and what it takes for more than luck.

As in `tuning.py`, any value here leaves each verdict valid: the past chooses, and what it chooses is tested on draws
that are made later. Each says what it trades; the benchmark in brackets chose it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Screening:
    """Which of very many columns and features are looked at more closely [eyes]."""

    wide: int = 64  # outputs with at most so many columns have all of them looked at [speed]
    draws: int = 2048  # draws a side that are screened: more see smaller leaks, and cost time at each look
    narrow: int = 16  # outputs with at most so many columns have more draws screened
    draws_narrow: int = 8192  # as many: a leak in a few of a hundred draws is seen
    numbers: int = 2**21  # most numbers a side that are screened: of wider outputs fewer draws [speed]
    least: int = 32  # with fewer draws a side nothing is screened: all would be luck
    enough: int = 512  # draws a side from which less likely features are screened too [speed]
    cells: int = 16  # cells into which a feature's numbers are cut: more see finer differences, in more noise
    found: float = 8.0  # standard errors on the draws that find a feature: fewer let more luck through
    confirmed: float = 4.0  # the same on the draws that confirm it
    better: float = 3.0  # times as much as the best plain feature must another one tell, to take a learner's time
    kept: int = 24  # most columns of a wide output that screening keeps [speed]
    kept_eyes: int = 8  # most features beyond the plain ones that screening keeps [speed]
    pairs: int = 4  # most pairs of dependent columns that screening keeps [speed]
    decimals: int = 8  # numbers with fewer decimals than so many are looked at as whole numbers [speed]
    times: int = 10**8  # whole numbers from here on may be seconds since 1970, which have a time of day
    most_paired: int = 1024  # most columns whose pairs are looked at: the time grows with the square [speed]


@dataclass(frozen=True)
class Relations:
    """Where relations between the parts of an output are looked for, and which are kept [eyes]."""

    least: int = 64  # draws of a side with which relations are first looked for
    few_values: int = 8  # a column with at most so many values is looked at value by value: more terms need more draws
    some_values: int = 16  # the same for the matrix that comes after the binary digits
    spare: int = 24  # rows beyond the number of terms: a relation holds in so many by luck with probability 2^-24
    most_terms: int = 512  # most terms of one matrix: the time grows with the cube [speed]
    most_multiplied: int = 31  # most parts of which products are looked at: the terms grow with the square [speed]
    many_values: int = (
        64  # a plain number is looked at where it has more values than so many: fewer are seen one by one
    )
    narrow: int = 40  # most whole numbers whose residues modulo all primes are looked at [speed]
    again: int = 4  # a matrix is solved again until it had so many times the rows that it needs; for large primes once
    kept: int = 3  # relations of each matrix that are kept
    sure: float = 0.6  # a relation that holds in at most this share of the other side's draws needs no better one
    holds: float = 0.99  # share of one side's draws in which a relation must hold: less would be a weaker event
    fails: float = 0.9  # share of the other side's in which it may hold at most


@dataclass(frozen=True)
class Directions:
    """Where weighted sums of columns are looked for, and which are proposed [eyes]."""

    least: int = 128  # draws of a side with which directions are first looked for
    most: int = 160  # most columns: the time grows with the cube [speed]
    draws: int = 4096  # draws of a side from which covariances are computed [speed]
    better: float = 4.0  # times as much as all single columns must a direction tell, to be worth its place
    much_better: float = 100.0  # the same for logarithms and products: there nearly exact relations are looked for
    most_logs: int = 48  # most columns whose logarithms are looked at [speed]
    most_squared: int = 8  # most columns whose products are looked at [speed]
    kept: int = 2  # directions of small variance kept for each side


@dataclass(frozen=True)
class ShapeTables:
    """Tables of which places hold a number, and how large it is there [catalogue]."""

    least: int = 4096  # with fewer draws of both sides a table of shapes is mostly noise [speed]
    widest: int = 64  # most columns [speed]
    sample: int = 2048  # draws of both sides that show which values repeat
    repeats: float = 0.02  # share of a column's draws from which a value is an answer, and no number among others
    most_answers: int = 4  # answers of a column: each makes more shapes, with fewer draws in each
    most_shapes: int = 400
    most_cells: int = 1600  # of all shapes together: more see finer, with fewer draws in each
    most_cells_each: int = 48  # of one shape
    fewest: int = 24  # draws of both sides in a cell, about: fewer make its ratio noise
    finer: tuple[float, ...] = (0.5, 0.25, 0.125)  # of a usual cell's draws: at both ends, where ratios are largest


@dataclass(frozen=True)
class Lines:
    """When a straight line is believed of a number's log-likelihood ratio [tightness]."""

    least: int = 64  # a line that is fitted to fewer draws a side is mostly noise
    cells: int = (
        128  # for the fit the draws are counted in so many cells, with about equally many draws in each [speed]
    )
    fewest: int = 8  # with fewer borders of cells the numbers have few values, and a table of these says more
    curved: float = 9.2  # twice the log-likelihood by which a cubic may win: one true line in a hundred exceeds it
    departed: float = 8.0  # the same for the tail that fits worst: one true line in ten, or six draws of one side
    reach: float = 4.0  # beyond so many standard deviations of the draws the line is held constant


@dataclass(frozen=True)
class Calibration:
    """How far the log-ratio that a fitted score predicts is trusted [tightness]."""

    bins: int = 256  # in which the draws are counted, each with about as many [speed]
    tail: float = 0.1  # share of the draws in each tail, which has a slope of its own: less leaves it to noise
    doubt: float = 4.0  # one over the variance that a tail's slope around 0 has beforehand: more trusts tails less
