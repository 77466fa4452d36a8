"""Put off torch's compiler until someone compiles: 820 modules, half of what a small training run costs.

``import torch`` brings ``torch.export``, and making an optimizer brings ``torch._dynamo``, of which it asks
two things: that its functions are not compiled, and breaks in compiled graphs. Both mean nothing as long as
nothing is compiled. A stand-in answers these two; whoever asks for any other name, or for a module below,
gets the real package, from then on in the stand-in's place.
"""

import importlib
import sys
import types
from importlib.machinery import ModuleSpec, PathFinder


class StandIn(types.ModuleType):
    """A package as long as nobody uses it."""

    def __getattr__(self, name):
        if name.startswith("__") and name != "__all__":  # what inspect and warnings ask of every module
            raise AttributeError(name)
        return getattr(real(self.__name__), name)


class Compiler(StandIn):
    """``torch._dynamo`` as long as nothing is compiled."""

    def graph_break(self, *_args, **_kwargs):
        """Break no graph: there is none."""

    def disable(self, function=None, *args, **kwargs):
        """Return a function that is not compiled; torch alone asks for one without a wrapper."""
        if function is None or kwargs.get("wrapping", True):
            return real(self.__name__).disable(function, *args, **kwargs)

        def not_compiled(*arguments, **words):
            if self.__name__ in STAND_INS:
                return function(*arguments, **words)
            return real(self.__name__).disable(function, *args, **kwargs)(*arguments, **words)

        return not_compiled


STAND_INS = {}  # name: what stands in for the package, where it is put off


def put_off():
    """Let stand-ins come in place of what is not imported yet."""
    STAND_INS.update({"torch._dynamo": Compiler, "torch.export": StandIn})
    sys.meta_path.insert(0, Importer)


def real(name):
    """Return the package itself, in the stand-in's place where that was."""
    if STAND_INS.pop(name, None):
        sys.modules.pop(name, None)
        vars(sys.modules["torch"]).pop(name.rpartition(".")[2], None)
    return importlib.import_module(name)


class Importer:
    """An importer that gives the stand-ins, and makes room for a package when a module of it is wanted."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        """Return how to load what is put off or stands below it; leave others to other importers."""
        if name in STAND_INS:
            return ModuleSpec(name, LoadStandIn(STAND_INS[name]), is_package=True)
        above = next((package for package in STAND_INS if name.startswith(f"{package}.")), None)
        if above is None:
            return None
        package = real(above)
        if name in sys.modules:  # the package imports it itself
            return ModuleSpec(name, LoadLoaded(sys.modules[name]))
        return PathFinder.find_spec(name, package.__path__)


class LoadStandIn:
    """The loader of a stand-in."""

    def __init__(self, kind):
        self.kind = kind

    def create_module(self, spec):
        """Return the stand-in."""
        return self.kind(spec.name)

    def exec_module(self, module):
        """Do nothing: a stand-in is complete."""


class LoadLoaded:
    """A loader for a module that is loaded already: the import system has no other way to be told so.

    Until it is done the module has no specification, by which the import system would load it once more.
    """

    def __init__(self, module):
        self.module, self.spec = module, vars(module).pop("__spec__")

    def create_module(self, _spec):
        """Return the module that is there."""
        return self.module

    def exec_module(self, module):
        """Give the module its own specification back."""
        module.__spec__ = self.spec
