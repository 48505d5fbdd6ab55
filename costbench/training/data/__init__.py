"""Data sets: some are shipped, the others are fetched once; every load checks a pinned content hash."""

from costbench.training.data.images import Images, channel_statistics
from costbench.training.data.registry import DATASETS, DatasetStatus, load, status
from costbench.training.data.tables import Tables

__all__ = ["DATASETS", "DatasetStatus", "Images", "Tables", "channel_statistics", "load", "status"]
