"""Codes of two parts: low bits of fixed widths, then the rest as the distances of ones among zeros.

The widths of the low bits are known from n and k (and a setting), so that both parts are written and read as
a whole, without going from code word to code word.
"""

from __future__ import annotations

import numpy as np

from costbench.errors import WireError
from costbench.training.wire.bitpack import (
    Integers,
    Octets,
    only_zeros_from,
    pack_mixed,
    packed_bytes,
    unpack_mixed,
)


def write(low_K: Integers, widths_K: Integers, ones_K: Integers, n_bits: int) -> Octets:
    """Low bits, then `n_bits` bits that are 1 at the ascending places `ones`, as packed bytes."""
    n_low = int(widths_K.sum())
    octets = np.zeros(packed_bytes(n_low + n_bits), np.uint8)
    low = pack_mixed(low_K, widths_K)
    octets[: len(low)] = low
    bits = np.zeros(n_low % 8 + n_bits, np.uint8)
    bits[ones_K + n_low % 8] = 1
    octets[n_low // 8 :] |= np.packbits(bits)
    return octets


def read(octets: Octets, widths_K: Integers, n_bits: int | None = None) -> tuple[Integers, Integers]:
    """Low bits and the places of the ones; WireError if there are not K ones, or bits after the end.

    The end is `n_bits` after the low bits, or where None, the last one.
    """
    n_low, elements = int(widths_K.sum()), len(widths_K)
    if 8 * len(octets) < n_low:
        raise WireError(f"{len(octets)} bytes of positions where {n_low} bits are needed at least")
    ones_K = np.flatnonzero(np.unpackbits(octets[n_low // 8 :])[n_low % 8 :])
    if len(ones_K) != elements:
        raise WireError(f"{len(ones_K)} positions where {elements} were agreed")
    end = n_low + (n_bits if n_bits is not None else int(ones_K[-1]) + 1 if elements else 0)
    if not only_zeros_from(octets, end):
        raise WireError("bits after the last position")
    return unpack_mixed(octets, widths_K), ones_K
