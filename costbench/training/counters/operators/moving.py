"""Operators that compute nothing: those that move or fill memory, and those that run nothing at all."""

from __future__ import annotations

import torch
from torch._ops import OpOverload

from costbench.training.counters.operators.call import name_of

MOVES = set(
    """
    clone copy _to_copy cat stack constant_pad_nd fill zero zeros zeros_like ones ones_like full full_like
    new_zeros new_ones new_full arange linspace logspace eye scalar_tensor tril_indices triu_indices
    index index_select index_fill index_copy gather take masked_select masked_scatter embedding
    repeat repeat_interleave slice_backward select_backward diagonal_backward
    slice_scatter select_scatter diagonal_scatter as_strided_scatter diag_embed tril triu
    flip roll rot90 pixel_shuffle pixel_unshuffle channel_shuffle native_channel_shuffle im2col
    reflection_pad1d reflection_pad2d reflection_pad3d replication_pad1d replication_pad2d replication_pad3d
    _local_scalar_dense lift_fresh_copy resize _reshape_copy _pack_padded_sequence
    _to_sparse _to_sparse_csr _to_dense sparse_mask _foreach_copy _foreach_zero
    """.split()  # noqa: SIM905
)
"""Operators that only move, fill or convert."""

FREE = set(
    """
    empty empty_like empty_strided empty_permuted new_empty new_empty_strided lift_fresh detach alias
    _unsafe_view is_pinned set is_same_size unsafe_split unsafe_split_with_sizes _linalg_check_errors
    _sparse_coo_tensor_with_dims_and_tensors _sparse_coo_tensor_with_dims _sparse_compressed_tensor_unsafe
    _nnz _indices _values indices values _coalesced is_coalesced crow_indices col_indices dense_dim sparse_dim
    profiler::_record_function_enter_new profiler::_record_function_exit
    """.split()  # noqa: SIM905
)
"""Operators that run nothing on the device: allocation, metadata, notes for a profiler."""


def runs_nothing(operator: OpOverload) -> bool:
    """Views, in place or not, and allocations launch nothing and move no byte."""
    return operator.is_view or name_of(operator) in FREE or _in_place_view(operator)


def _in_place_view(operator: OpOverload) -> bool:
    """Such as transpose_, which changes nothing but shape and strides."""
    packet = getattr(torch.ops.aten, name_of(operator), None)
    in_place = operator._schema.name.endswith("_")
    return (
        in_place
        and packet is not None
        and all(getattr(packet, overload).is_view for overload in packet.overloads())
    )
