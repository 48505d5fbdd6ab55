"""Image data sets: one is shipped, the others are fetched once; every load checks a pinned content hash."""

from costbench.training.data.images import Images, channel_statistics
from costbench.training.data.registry import DATASETS, DatasetStatus, load, status

__all__ = ["DATASETS", "DatasetStatus", "Images", "channel_statistics", "load", "status"]
