"""The learning task of a run: samples on every node, batches, the loss, and the test set with its metrics."""

from costbench.spec import RunSpec
from costbench.training.data import Images, load
from costbench.training.task.images import ImageTask
from costbench.training.task.tables import TableTask
from costbench.training.task.task import Task

__all__ = ["ImageTask", "TableTask", "Task", "build"]


def build(spec: RunSpec, file: str = "spec") -> Task:
    """The task that the spec asks for.

    Parameters
    ----------
    spec : the run's spec
    file : name under which an error refers to the spec

    Raises
    ------
    InputError : the data is unknown, not fetched, or does not go with the model or the partition
    """
    dataset = load(spec.task.dataset, file)
    if isinstance(dataset, Images):
        return ImageTask(spec, dataset, file)
    return TableTask(spec, dataset, file)
