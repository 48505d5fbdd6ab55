"""What the tests of messages share: layouts, compressors of every kind, and a checksum of their own."""

import torch

from costbench.training.compressors import NoCompression, Qsgd, RandomK, Sign, TopK
from costbench.training.layout import Layout

CODES = (
    "coo16", "coo32", "coo64", "packed", "bitmap", "golomb-rice", "elias-fano", "elias-gamma", "entropy",
)  # fmt: skip
KINDS = {
    "top-k": lambda layout, keep, levels: TopK(layout, keep),
    "global top-k": lambda layout, keep, levels: TopK(layout, keep, "global"),
    "random-k": lambda layout, keep, levels: RandomK(layout, keep),
    "global random-k": lambda layout, keep, levels: RandomK(layout, keep, "global"),
    "sign": lambda layout, keep, levels: Sign(layout),
    "qsgd": lambda layout, keep, levels: Qsgd(layout, levels),
    "none": lambda layout, keep, levels: NoCompression(layout),
}


def layout_of(numels):
    return Layout(tuple(f"t{i}" for i in range(len(numels))), tuple((n,) for n in numels))


def normal(numel, seed):
    return torch.randn(numel, generator=torch.Generator().manual_seed(seed))


def compressed(kind, numels, keep, levels, seed):
    """A vector as an algorithm makes it, and what made it."""
    compressor = KINDS[kind](layout_of(numels), keep, levels)
    return compressor(normal(sum(numels), seed), seed), compressor


def octets_of(message):
    return bytes(message.payload.tolist())


def tensor_of(octets):
    return torch.tensor(list(octets), dtype=torch.uint8)


def crc32c(octets):
    """Castagnoli's cyclic redundancy check, bit by bit: the polynomial 0x1EDC6F41, reflected."""
    register = 0xFFFFFFFF
    for octet in octets:
        register ^= octet
        for _ in range(8):
            register = register >> 1 ^ (0x82F63B78 if register & 1 else 0)
    return register ^ 0xFFFFFFFF


def with_checksum(agreed, octets):
    """A message whose checksum fits, whatever it says: bytes 4 to 7 are replaced."""
    crc = crc32c(agreed + bytes(octets[:4]) + bytes(octets[8:]))
    return bytes(octets[:4]) + crc.to_bytes(4, "little") + bytes(octets[8:])


def agreed_on(numels, kept, levels=None):
    text = ",".join(f"{n}:{k}" for n, k in zip(numels, kept, strict=True))
    return (text if levels is None else f"{text};{levels}").encode()
