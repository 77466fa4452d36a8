"""Put off torch's compiler until someone compiles: 820 modules, two fifths of what a small training costs.

Making an optimizer imports ``torch._dynamo``, of which ``torch.optim`` asks two things: that its functions
are not compiled, and breaks in compiled graphs. Both mean nothing as long as nothing is compiled. A stand-in
answers these two; whoever asks for any other name, or for a module below, gets the package itself, from then
on in the stand-in's place.
"""

import importlib
import sys
import types
from importlib.machinery import ModuleSpec, PathFinder

NAME = "torch._dynamo"


class StandIn(types.ModuleType):
    """``torch._dynamo`` as long as nothing is compiled."""

    def __getattr__(self, name):
        if name.startswith("__") and name != "__all__":  # what inspect and warnings ask of every module
            raise AttributeError(name)
        return getattr(compiler(), name)

    def graph_break(self, *_args, **_kwargs):
        """Break no graph: there is none."""

    def disable(self, function=None, *args, **kwargs):
        """Return a function that is not compiled; torch alone asks for one without a wrapper."""
        if function is None or kwargs.get("wrapping", True):
            return compiler().disable(function, *args, **kwargs)

        def not_compiled(*arguments, **words):
            if Importer in sys.meta_path:
                return function(*arguments, **words)
            return compiler().disable(function, *args, **kwargs)(*arguments, **words)

        return not_compiled


def put_off():
    """Let the stand-in come in the compiler's place."""
    sys.meta_path.insert(0, Importer)


def compiler():
    """Return the compiler, in the stand-in's place where that was."""
    if Importer in sys.meta_path:
        sys.meta_path.remove(Importer)
        sys.modules.pop(NAME, None)
        vars(sys.modules["torch"]).pop("_dynamo", None)
    return importlib.import_module(NAME)


class Importer:
    """An importer that gives the stand-in, and makes room for the compiler when a module of it is wanted."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        """Return how to load ``torch._dynamo`` or a module below; leave others to other importers."""
        if name == NAME:
            return ModuleSpec(name, LoadStandIn, is_package=True)
        if not name.startswith(f"{NAME}."):
            return None
        package = compiler()
        if name in sys.modules:  # the package imports it itself
            return ModuleSpec(name, LoadLoaded(sys.modules[name]))
        return PathFinder.find_spec(name, package.__path__)


class LoadStandIn:
    """The loader of the stand-in."""

    @staticmethod
    def create_module(spec):
        """Return the stand-in."""
        return StandIn(spec.name)

    @staticmethod
    def exec_module(module):
        """Do nothing: the stand-in is complete."""


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
