"""What every explorer has: a state of few traits, one JavaScript module, and a table where no script runs."""

import html
import json

import anywidget
import traitlets

from .bundle import jupyter_module


class Explorer(anywidget.AnyWidget):
    """Base of the explorers: an ordinary ipywidget that also stores a custom element for the static page.

    A subclass names its `kind` and `state_names`, the synced traits that its module computes everything from.
    `language`: labels in "zh" or "en"; "" follows the page.
    """

    kind = ""
    state_names: tuple[str, ...] = ()

    sources: tuple[str, ...] = ()  # packs of data that the static page has to load
    model_names: tuple[str, ...] = ()  # models that its page can run

    language = traitlets.Enum(("", "zh", "en"), "").tag(sync=True)

    def __init_subclass__(cls, **options):
        # anywidget derives a class for each instance; only the classes written here name their kind.
        if "kind" in cls.__dict__:
            cls._esm = jupyter_module(cls.kind)
        super().__init_subclass__(**options)

    def state(self) -> dict:
        """Values of the synced traits, JSON-ready."""
        return {name: getattr(self, name) for name in self.state_names}

    def fallback(self) -> str:
        """HTML for readers without scripts: symbols, tokens and numbers of the present state, no prose."""
        raise NotImplementedError

    def to_html(self) -> str:
        """The custom element of the static page around its fallback table."""
        state = json.dumps(
            {**self.state(), "language": self.language}, ensure_ascii=False, separators=(",", ":")
        )
        tag = f"{self.kind}-explorer"
        needs = {"source": self.sources, "models": self.model_names}
        lists = "".join(f' data-{name}="{" ".join(found)}"' for name, found in needs.items() if found)
        return f'<{tag} data-state="{html.escape(state)}"{lists}>\n{self.fallback()}\n</{tag}>'

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"  # stable: no memory address and no model id in a stored output

    def _repr_mimebundle_(self, **options):
        bundle = super()._repr_mimebundle_(**options)
        if bundle is None:
            return None
        data, metadata = bundle
        return {**data, "text/plain": repr(self), "text/html": self.to_html()}, metadata
