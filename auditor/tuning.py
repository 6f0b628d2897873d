"""Every constant that changes power or speed, and never soundness: any value here leaves each verdict valid.

Each says what it trades; the benchmark in brackets chose it: `python -m benchmarks power tightness speed catalogue
composition`. Constants on which soundness rests stand beside their proof in `certify`. An audit is given one `Tuning`,
so that a test can make chunks small or memories short without patching anything.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from auditor.learner_tuning import Calibration, Directions, Lines, Relations, Screening, ShapeTables


@dataclass(frozen=True)
class Rounds:
    """How an audit's draws are shared out among looking, learning and the last test."""

    evidence_at_05: float = 0.3  # share of an alpha of .05 for running evidence; the last test has the rest [tightness]
    evidence_growth: float = 0.4  # power of 1 / alpha with which that share grows: gates want quick answers [power]
    evidence_most: float = 0.75  # share of alpha for running evidence, at the most [power]
    lone_share: float = 0.4  # of it, for outputs that were seen on one side alone [eyes]
    pilot: int = 32  # draws a side that fix the form of the outputs, and are not used otherwise
    replayed: int = 1024  # most draws of one stream that are made twice, to see whether they are the same
    replayed_part: int = 32  # in a small audit one trial in so many is made twice instead
    first: int = 96  # coin flips of the first round: fewer see nothing, more are late for gross faults [power]
    early_growth: float = 0.2  # relative growth of the draws between looks while an audit is young [power]
    late_growth: float = 0.07  # the same later: more looks see a leak sooner, and cost time [power]
    young: int = 2**12  # coin flips up to which an audit is young
    relearn_numbers: float = 1.4  # factor on the draws between two times of learning, for plain numbers [power]
    relearn_others: float = 1.8  # the same for vectors and labels, which take longer to learn from [speed]
    relearn_late: float = 2.0  # the same when many draws are remembered
    relearn_idle: float = 2.0  # the same while few draws are remembered and no event has shown anything [speed]
    idle_gain: float = 2.0  # log evidence on as many draws, up to which an event has not shown anything [power]
    learning_is_late: int = 2**15  # coin flips from which `relearn_late` holds
    learning_share: float = 0.1  # share of the draws that may choose the last round's event [tightness]
    least_learning: int = 4096  # coin flips: a small audit chooses with up to half of its draws [power]
    most_learning_numbers: int = 2**20  # coin flips for plain numbers, in audits that are not very long [speed]
    long_learning_part: int = 40  # a very long audit of plain numbers may learn on one flip of so many [speed]
    long_learning_less: int = 2**21  # coin flips by which that number is lowered: learning runs on one core [speed]
    most_learning_others: int = 2**23  # coin flips for vectors and labels [catalogue]
    all_pairs: int = 2**19  # coin flips that all pairs together may take before some are dropped [catalogue]
    every_pair: int = 2**10  # coin flips up to which no pair is ever dropped
    new_point: float = 1.6  # times the growth by which a point of a curve must win to have evidence of its own [power]
    new_point_gain: float = 1.0  # log evidence that it must promise on draws like the past ones besides [power]
    clearly: float = 0.3  # claimed epsilons by which a rare event must win to be worth more learning [tightness]

    def evidence_share(self, alpha: float) -> float:
        """The share of alpha for running evidence. The last test loses less by sharing a smaller alpha."""
        return min(self.evidence_most, self.evidence_at_05 * math.pow(0.05 / alpha, self.evidence_growth))

    def pilot_draws(self, trials: int) -> tuple[int, int]:
        """Draws a side of a pilot, and draws of one stream that it makes twice."""
        return min(self.pilot, max(4, trials // 16)), min(self.replayed, trials // self.replayed_part)


@dataclass(frozen=True)
class Learning:
    """What learners look at, and how much of it."""

    remembered: int = 2**17  # draws a side that a pair's past keeps; later ones are counted in cells [speed]
    remembered_numbers: int = 32  # a pair's past keeps at most so many times `remembered` numbers
    judged_of_many: int = 2**15  # draws a side on which each feature of a vector is judged [speed]
    second_look: float = 0.5  # winners are judged again on so many times `judged_of_many` later draws [catalogue]
    second_caution: float = (
        1.6  # times the luck is taken off for more winners: common events beside rare ones [catalogue]
    )
    winners: int = 8  # scores whose best events are judged again on later draws [catalogue]
    long: int = 2**18  # with so many remembered numbers a side, several pairs are learned from at once [speed]
    hoped: float = 16.0  # a score stays where it could be the best after so many times its draws [tightness]
    plain_share: float = 0.95  # an event of the values is preferred to one of the bits from this share of its worth on
    counted_numbers: int = 2  # scores of plain numbers whose cells later draws are counted in [speed]
    counted_others: int = 8  # scores of vectors and labels whose cells later draws are counted in [speed]
    cells: int = 64  # cells of a feature's table, beside those of values that repeat [tightness]
    most_atoms: int = 400  # repeating values of a feature that get a cell of their own [catalogue]
    most_labels: int = 1600  # labels in a table of labels [catalogue]
    screened: int = 48  # columns and features that screening may add to those always looked at [eyes]
    least_for_sums: int = 200  # with fewer draws of both sides a sum of tables is mostly noise [power]
    least_for_joined: int = 4096  # the same for a sum of what a plain number and what its bits say [speed]
    sum_cells: int = 32  # cells of each table of a sum [tightness]
    sum_columns: int = 64  # coordinates that a sum adds up [speed]
    least_alike: int = 8  # coordinates from which a sum is also made with one table for all of them [zoo]
    sum_piece_price: float = 0.5  # price of a piece in a sum's tables, in units of Schwarz's log n [tightness]
    sum_scale: float = 0.2  # log-ratio down to which a sum's own prediction is trusted in proportion [tightness]
    row_values: int = 40  # whole rows are looked at where each coordinate has at most so many values [speed]
    most_rows: int = 4000  # different rows in a table of rows [speed]
    least_for_linear: int = 128  # weights of columns that are learned from fewer draws a side are noise [power]
    least_for_trees: int = 8192  # with fewer draws of both sides a forest is mostly noise [catalogue]
    trees_scale: float = 4.0  # log-ratio for which a forest's prediction is trusted: its tails are too sure [catalogue]
    blind_spot: int = 4096  # draws a side on which the blind spot of a vector, or at delta > 0, is judged [speed]
    grown_on: int = 4096  # draws a side that a forest is grown on [speed]
    screening: Screening = field(default_factory=Screening)  # these six: auditor/learner_tuning.py
    relations: Relations = field(default_factory=Relations)
    directions: Directions = field(default_factory=Directions)
    shapes: ShapeTables = field(default_factory=ShapeTables)
    line: Lines = field(default_factory=Lines)
    calibration: Calibration = field(default_factory=Calibration)


@dataclass(frozen=True)
class Prudence:
    """How much luck is taken off what the past shows of an event, before events are compared."""

    spread: float = 0.25  # prior standard deviation of an event's excess over the claim, in claimed epsilons [power]
    one_sided: float = 0.8  # factor on the growth of events that guess one side only: their estimate is noisier [power]
    model_error: float = 0.05  # relative standard error of the log-ratio that a fitted score predicts [tightness]
    luck_pure: float = 2.8  # standard errors taken off a bound where delta is 0 [tightness]
    hopeful: float = (
        1.5  # standard errors by which the past must pass a curve's point to aim the last test at it [power]
    )
    luck_delta: float = 1.5  # the same where delta > 0: what delta takes from a rare event limits its luck [tightness]


@dataclass(frozen=True)
class LoneOutputs:
    """When outputs that were seen on one side alone are worth a test of their own [eyes]."""

    least: int = 2**11  # remembered draws of both sides before any is tested: in fewer a lucky tail looks like a leak
    least_part: int = 64  # the same as one of so many of the audit's coin flips, where that is more
    fewest: int = 2  # times that a value must have been seen
    rare: float = 0.05  # share of a side's draws, above which the other events see it too
    hardly: float = 0.01  # share of the draws in values that repeat, below which a value that does is a sign by itself
    clearly: float = 1.8  # times as many draws in lone values as the claim lets expect, where values do repeat
    clearly_bits: float = 10.0  # the same for the codes of bits, whose tails are not seen in their order
    deep: int = 8  # draws of the other side on either side of a lone whole number, in draws of that: no tail is so deep
    narrow: float = 0.2  # of the gap before it, the widest that a cluster far out may be
    wider: float = 3.0  # times as wide a gap for a cluster of the fewest draws
    features: int = 48  # features that are looked at
    most: int = 24  # stretches and labels in the event
    again: float = 1.2  # growth of the draws after which they are looked for again in the last round


@dataclass(frozen=True)
class Curves:
    """How the draws of a trade-off curve are shared out, and where its events stand [composition]."""

    learning_numbers: float = 0.05  # share of the draws from which the events of plain numbers are learned
    learning_others: float = 0.2  # the same for vectors and labels
    least_learning: int = 1024  # least draws a side to learn from; half of all draws where there are fewer
    most_learning: int = 2**17  # most draws a side to learn from
    unclear_share: float = 0.1  # share of the draws to learn from where the sides hardly differ
    unclear_most: int = 2**20  # most draws a side to learn from then, where outputs are plain numbers
    events: float = 2.0  # the number of thresholds is this times a power of the counted draws: 32 for a million
    events_power: float = 0.2
    rarest: int = 30  # the rarest event is expected to have about so many counted draws
    inside: float = 0.6  # standard deviations by which the last threshold stands before that
    extreme: float = 0.12  # share of alpha for the event with the largest ratio, in each direction: delta 0
    luck: tuple[float, ...] = (3.0, 1.5, 0.0)  # standard errors taken off a score's past before scores are compared


@dataclass(frozen=True)
class Grows:
    """A number that grows with the trials of an audit, one for every `each` of them, between two limits."""

    least: int
    most: int
    each: int

    def at(self, trials: int) -> int:
        """The number for so many trials."""
        return min(self.most, max(self.least, trials // self.each))


@dataclass(frozen=True)
class PairSearch:
    """How much a search for pairs looks at, and which pairs it hands to the audit [pairs: `benchmarks.pairs`]."""

    examples: Grows = Grows(16, 500, 100)  # pairs that are looked at
    look: Grows = Grows(32, 128, 16)  # outputs a side of each, made with the same random numbers
    columns: int = 8  # columns of a vector that are looked at one by one [speed]
    few_values: int = 16  # most values of a column that is looked at together with others
    errors: float = 1.5  # standard errors taken off a log-ratio of counts: fewer climb more luck, more see less
    mismatch: float = 4.0  # what is added to the shift of a pair whose outputs all differ in kind
    judged: int = 8  # pairs that each score sends on to the learners
    judge: Grows = Grows(128, 1024, 8)  # outputs a side on which these judge a pair
    shrinks: Grows = Grows(16, 300, 100)  # pairs that are tried to make the worst one simpler
    shrink: tuple[int, ...] = (128, 512, 2048)  # outputs a side of each of these, as few as still show the leak
    check: Grows = Grows(128, 4096, 8)  # outputs a side on which the simplest pair is judged once more
    goal: float = 0.6  # expected excess of epsilon that a simpler pair must have, where the worst one has more
    kept: float = 0.7  # share of the worst pair's expected excess that a simpler one must keep, where that is less
    sure: float = 0.3  # expected excess of epsilon, below which the worst pair is audited beside the simpler one
    tidying: Grows = Grows(
        4, 50, 400
    )  # pairs that are tried to make each of those simpler that are audited as suspects
    alike: float = 0.95  # share of a suspect's scores that a simpler one must keep
    lost: float = 0.1  # excess of epsilon that a simpler suspect may lose before the first one is audited as well
    few: int = 3  # records of a pair, above which smaller pairs are searched as well
    own_values: int = 64  # values of a large pair that are tried again in smaller ones
    few_examples: Grows = Grows(8, 200, 400)  # smaller pairs that are looked at
    audited: int = 2  # pairs of each score, and of the learners, that are audited where none looks refuted


@dataclass(frozen=True)
class Sharing:
    """When draws are shared among workers, and in which portions. All of it was chosen by [speed]."""

    replayed_pilots: int = 4  # pilots that are drawn twice where each output is a call, and outputs hardly vary
    chunk: int = 2**17  # coin flips of a call: about 64k numbers a side, which stay in cache
    least_chunk: int = 2**10  # coin flips of the smallest call: vectors come in smaller chunks, but not in too many
    piece: int = 32  # calls after which a long batch that is drawn here says how far it has come
    at_once: float = 0.25  # seconds of work at once that are worth giving to processes
    at_once_cluster: float = 0.1  # the same where workers run already
    at_once_no_stream: float = 1.0  # the same where workers give nothing back before all is done
    at_once_threads: float = 0.02  # the same for threads, which start at once
    in_all: float = 0.8  # with fewer seconds of remaining work nothing is shared
    task: float = 0.2  # seconds of work in a task, so that a cluster's overhead stays small
    last_task: float = 0.05  # the same towards the end, so that workers end together
    threads: int = 4  # threads that one interpreter keeps busy
    starting: float = 1.0  # seconds that starting processes may cost
    tried: int = 8  # calls that are drawn in threads and alone, to see whether threads will do
    sooner: float = 0.8  # threads draw where they take less than this share of the time
    vectorised: float = 4e6  # draws a second that no loop in Python reaches: numpy does the work
    window: int = 8  # tasks a worker up to the first wait on backends that cannot stream


@dataclass(frozen=True)
class Timing:
    """How a budget of time becomes a number of trials [speed]."""

    share: float = 0.02  # share of the seconds that the largest timed calls should take on all pairs together
    longest: float = 0.05  # seconds on a pair that the timed calls need not exceed
    own: float = 2e-7  # seconds that counting and learning take for a draw, about; reading it is timed [speed]
    measured: int = 2**17  # most coin flips of the last round with which a refuted claim is measured on
    measured_learning: int = 2**13  # most coin flips of learning before that
    least_measured: int = 128  # least coin flips of either: fewer certify hardly more
    measured_step: int = 4  # both are that times a power of this, so that machines of about one speed draw alike
    rough: int = 100  # a strategy is searched for pairs to be timed as for an audit of so many trials


@dataclass(frozen=True)
class OneRunGuesses:
    """Which canaries of one training run are guessed, and how many [`benchmarks.one_run`]."""

    menu: float = 0.1  # share of the level for a menu of numbers of guesses: scores may be far from Gaussian
    menu_step: int = 4  # each number of the menu is so many times smaller than the one before
    fewest: int = 8  # fewer guesses than these say nothing
    power: float = 0.84  # so many standard errors beyond its critical value a test rejects with probability .8
    skewed: float = 4.0  # standard errors of skewness from which the two ends of the scores are treated differently
    quantiles: int = 512  # the mixture that tells them apart is fitted to so many quantiles of the scores [speed]
    steps: int = 100  # most steps of expectation-maximisation [speed]


@dataclass(frozen=True)
class Tuning:
    """All constants of power and speed."""

    rounds: Rounds = field(default_factory=Rounds)
    learning: Learning = field(default_factory=Learning)
    prudence: Prudence = field(default_factory=Prudence)
    lone: LoneOutputs = field(default_factory=LoneOutputs)
    sharing: Sharing = field(default_factory=Sharing)
    pairs: PairSearch = field(default_factory=PairSearch)
    curves: Curves = field(default_factory=Curves)
    timing: Timing = field(default_factory=Timing)
    one_run: OneRunGuesses = field(default_factory=OneRunGuesses)


TUNING = Tuning()
