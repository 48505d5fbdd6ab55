"""Draws of a profile's numbers, percentiles, and ratios of two priced runs draw by draw."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np

from costbench.errors import UsageError
from costbench.sourced import Sourced

PERCENTILES = (10, 50, 90)
SIGN_SHARE_TO_CLAIM = 0.9
LOG_ABOVE_RATIO = 3.0


def triangular(uniform: np.ndarray, low: float, mode: float, high: float) -> np.ndarray:
    """Inverse distribution function of a triangular distribution.

    Parameters
    ----------
    uniform : [S], numbers from 0 to 1 [1]
    low, mode, high : corners, low <= mode <= high, any unit

    Returns
    -------
    [S], the unit of the corners; `mode` where low == high

    Source
    ------
    S. Kotz and J. R. van Dorp, Beyond Beta, 2004, chapter 1
    """
    width = high - low
    if width == 0:
        return np.full(np.shape(uniform), mode)
    rising = low + np.sqrt(uniform * width * (mode - low))
    falling = high - np.sqrt((1 - uniform) * width * (high - mode))
    return np.where(uniform * width < mode - low, rising, falling)


def draw(number: Sourced, uniform: np.ndarray) -> np.ndarray:
    """Draws of a sourced number.

    Parameters
    ----------
    number : value and range
    uniform : [S], numbers from 0 to 1 [1]

    Returns
    -------
    [S], SI: triangular between low and high with its mode at the value; triangular in the logarithm
    where high is more than three times a low above 0. A whole number is rounded.
    """
    low, mode, high = number.si_low, number.si, number.si_high
    if low > 0 and high / low > LOG_ABOVE_RATIO and not number.integer:
        return np.exp(triangular(uniform, np.log(low), np.log(mode), np.log(high)))
    if number.integer:
        return np.round(triangular(uniform, low, mode, high))
    return triangular(uniform, low, mode, high)


def seed_of(profile_id: str, key: str, seed: int) -> int:
    """Seed of the draws of one number, the same on every platform and for every run.

    Parameters
    ----------
    profile_id : id of the profile
    key : dotted key of the number
    seed : the user's seed [1]

    Returns
    -------
    The first 64 bits of a SHA-256 [1]
    """
    digest = hashlib.sha256(f"{profile_id}\0{key}\0{seed}".encode()).digest()
    return int.from_bytes(digest[:8], "big")


class Described(Protocol):
    """What has an id and sourced numbers that stand in a file: a profile, or an environment."""

    @property
    def id(self) -> str: ...
    def numbers(self) -> dict[str, Sourced]: ...
    def places(self) -> dict[str, str]: ...


@dataclass
class Draws:
    """The numbers of a profile as arrays over draws; remembers which ones were asked for.

    Row 0 is the nominal value, rows 1..samples are draws, so one pass prices both. Every number is drawn
    once a sample and shared by all rounds and all nodes of the profile.
    """

    described: Described
    samples: int
    seed: int = 0
    used: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        if self.samples < 1:
            raise UsageError(f"--samples {self.samples}: at least 1 is needed")
        self._numbers = self.described.numbers()
        self._drawn: dict[str, np.ndarray] = {}
        self._rows = slice(None)

    @property
    def rows(self) -> int:
        """Rows that a call gives [1]."""
        return len(range(1 + self.samples)[self._rows])

    def part(self, rows: slice) -> Draws:
        """The same draws, of which calls give only some rows; what is used is remembered together."""
        other = copy.copy(self)
        other._rows = rows
        return other

    def __call__(self, key: str) -> np.ndarray:
        """Nominal value and draws of the number at a dotted key: [S], SI, S = 1 + samples."""
        self.used.add(key)
        if key not in self._drawn:
            number = self._numbers[key]
            rng = np.random.default_rng(seed_of(self.described.id, key, self.seed))
            drawn = draw(number, rng.random(self.samples))
            self._drawn[key] = np.concatenate(([number.si], drawn))
        return self._drawn[key][self._rows]

    def nominal(self, key: str) -> float:
        """Value of the number at a dotted key, without its range [SI]."""
        self.used.add(key)
        return self._numbers[key].si

    def asked(self) -> dict[str, Sourced]:
        """The numbers that were asked for, by dotted key in the order of the file."""
        return {key: number for key, number in self._numbers.items() if key in self.used}

    def varying(self) -> list[str]:
        """Dotted keys of the numbers asked for whose draws differ."""
        return [key for key in self.asked() if key in self._drawn and np.ptp(self._drawn[key]) > 0]

    def drawn(self, key: str) -> np.ndarray:
        """All draws of a number that was asked for, without the nominal row [samples], SI."""
        return self._drawn[key][1:]


def chunks(length: int, cells_each: int, cells_limit: int = 4_000_000) -> Iterator[slice]:
    """Slices of draws such that the arrays of one slice fit in memory.

    Parameters
    ----------
    length : number of draws with the nominal row [1]
    cells_each : array cells that one draw needs [1]
    cells_limit : array cells at a time [1]

    Returns
    -------
    Slices that cover 0..length in order
    """
    step = max(1, cells_limit // max(1, cells_each))
    for start in range(0, length, step):
        yield slice(start, min(start + step, length))


class PairedRatio(NamedTuple):
    """How many times more run `a` needs than run `b` [1], nominal and over paired draws."""

    nominal: float
    p10: float
    p50: float
    p90: float
    sign_share: float
    distinguishable: bool


class HasDraws(Protocol):
    """A priced run, as far as a comparison looks at it."""

    @property
    def draws(self) -> dict[str, np.ndarray]: ...

    def nominal(self, quantity: str) -> np.ndarray: ...


def fleet_total(quantity: str, per_node: np.ndarray) -> np.ndarray:
    """A quantity of the whole fleet: joules add up over nodes, the slowest node sets the time.

    Parameters
    ----------
    quantity : name of the quantity; its suffix says whether it is a time
    per_node : [..., N], [J] or [s]

    Returns
    -------
    [...], the unit of `per_node`
    """
    return per_node.max(axis=-1) if quantity.endswith("_s") else per_node.sum(axis=-1)


def paired_ratio(a: HasDraws, b: HasDraws, quantity: str) -> PairedRatio:
    """Compare two runs priced on the same draws.

    Parameters
    ----------
    a, b : priced runs
    quantity : a key of their `draws`: total_j, above_idle_j, communication_j or time_s

    Returns
    -------
    Fleet of a over fleet of b [1], nominal and percentiles over draws, not finite where b needs nothing; the
    share of draws whose difference has the sign of the nominal one [1]; whether it is at least 0.9

    Raises
    ------
    UsageError : an unknown quantity, or runs priced with different numbers of draws
    """
    if quantity not in a.draws:
        raise UsageError(f"cannot compare {quantity!r}: known are {', '.join(a.draws)}")
    over, under = (fleet_total(quantity, np.asarray(run.draws[quantity])) for run in (a, b))
    if over.shape != under.shape:
        raise UsageError(f"cannot compare runs priced with {len(over)} and {len(under)} draws")
    nominal_over, nominal_under = (fleet_total(quantity, run.nominal(quantity)) for run in (a, b))
    with np.errstate(divide="ignore", invalid="ignore"):
        nominal = float(np.divide(nominal_over, nominal_under))
        p10, p50, p90 = (float(p) for p in np.percentile(over / under, PERCENTILES))
    sign = np.sign(nominal_over - nominal_under)
    sign_share = float(np.mean(np.sign(over - under) == sign))
    return PairedRatio(
        nominal, p10, p50, p90, sign_share, bool(sign != 0 and sign_share >= SIGN_SHARE_TO_CLAIM)
    )
