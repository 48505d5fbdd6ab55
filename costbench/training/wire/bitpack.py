"""Unsigned integers as packed strings of bits, most significant bit first, padded to a whole byte.

Arrays of numpy: what runs here is counted where a codec calls it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Octets = NDArray[np.uint8]
Integers = NDArray[np.int64]


def packed_bytes(n_bits: int) -> int:
    """Bytes that hold so many bits."""
    return -(-n_bits // 8)


def pack_mixed(integers_K: Integers, widths_K: Integers) -> Octets:
    """Integers, the i-th in `widths[i]` bits, 0 to 57, of which it needs no more, as ceil(sum / 8) bytes."""
    ends_K = np.cumsum(widths_K)
    n_bits = int(ends_K[-1]) if len(ends_K) else 0
    starts_K = ends_K - widths_K
    word_K, left_K = starts_K >> 6, (64 - (starts_K & 63) - widths_K)
    words = np.zeros(n_bits // 64 + 2, np.uint64)
    plain_K = integers_K.astype(np.uint64)
    np.add.at(words, word_K, np.where(left_K >= 0, _left(plain_K, left_K), _right(plain_K, -left_K)))
    over = np.flatnonzero(left_K < 0)
    np.add.at(words, word_K[over] + 1, _left(plain_K[over], 64 + left_K[over]))
    return words.byteswap().view(np.uint8)[: packed_bytes(n_bits)]


def unpack_mixed(packed: Octets, widths_K: Integers) -> Integers:
    """The integers [K] that `pack_mixed` packed in such widths; bits after the last are not looked at."""
    ends_K = np.cumsum(widths_K)
    starts_K = ends_K - widths_K
    words = _words(packed)
    word_K, place_K = starts_K >> 6, starts_K & 63
    aligned_K = _left(words[word_K], place_K) | _right(words[word_K + 1], 64 - place_K)
    return _right(aligned_K, 64 - widths_K).astype(np.int64)


def pack_fixed(integers_K: Integers, width: int) -> Octets:
    """Integers, each in `width` bits, 1 to 32, as ceil(K width / 8) bytes."""
    octets = integers_K.astype(">u4").view(np.uint8).reshape(-1, 4)
    return np.packbits(np.unpackbits(octets, axis=1)[:, 32 - width :])


def unpack_fixed(packed: Octets, width: int, n_integers: int) -> Integers:
    """The integers [K] that `pack_fixed` packed in such a width."""
    bits = np.zeros((n_integers, 32), np.uint8)
    bits[:, 32 - width :] = np.unpackbits(packed, count=n_integers * width).reshape(n_integers, width)
    return np.packbits(bits, axis=1).view(">u4").reshape(-1).astype(np.int64)


def only_zeros_from(packed: Octets, n_bits: int) -> bool:
    """Whether all bits from `n_bits` on are 0, and no byte is there that these bits do not need."""
    return len(packed) == packed_bytes(n_bits) and not (n_bits % 8 and packed[-1] & (0xFF >> n_bits % 8))


def _words(packed: Octets) -> NDArray[np.uint64]:
    """The bytes as 64-bit words, big-endian, with at least one word of zeros at the end."""
    padded = np.zeros(8 * (len(packed) // 8 + 2), np.uint8)
    padded[: len(packed)] = packed
    return padded.view(">u8").astype(np.uint64)


def _left(words: NDArray[np.uint64], places: Integers) -> NDArray[np.uint64]:
    return np.left_shift(words, places.astype(np.uint64))


def _right(words: NDArray[np.uint64], places: Integers) -> NDArray[np.uint64]:
    return np.right_shift(words, places.astype(np.uint64))
