"""Memory of a computation: the most bytes of tensors that it holds at one time."""

import weakref
from collections.abc import Callable

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


def peak_memory(function: Callable, *args, **kwargs) -> int:
    """Run function(*args, **kwargs); return the most bytes of tensors it made that were alive together.

    Arguments do not count, nor does memory inside one kernel; the result does. The count is the same on every
    machine and device, `meta` too, so that (N, N) matrices show without a machine that could hold them.
    """
    with _PeakBytes() as seen:
        function(*args, **kwargs)
    return seen.peak


class _PeakBytes(TorchDispatchMode):
    """Watches every operation: a storage counts from its first tensor until Python has forgotten it."""

    def __init__(self):
        super().__init__()
        self.now = self.peak = 0
        self._alive: dict[int, weakref.ref] = {}

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        before = {id(s) for s in _storages((args, kwargs)) if id(s) not in self._alive}
        result = function(*args, **(kwargs or {}))
        for storage in _storages(result):
            if id(storage) not in self._alive and id(storage) not in before:
                self._count(storage)
        return result

    def _count(self, storage):
        key, size = id(storage), storage.nbytes()

        def forget(_):
            self.now -= size
            del self._alive[key]

        self._alive[key] = weakref.ref(storage, forget)
        self.now += size
        self.peak = max(self.peak, self.now)


def _storages(tree):
    return [leaf.untyped_storage() for leaf in tree_leaves(tree) if isinstance(leaf, torch.Tensor)]
