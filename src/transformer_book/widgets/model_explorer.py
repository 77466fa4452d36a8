"""What an explorer has that runs models in the page; in a live notebook Python sends them."""

import traitlets

from .explorer import Explorer
from .model_files import checkpoint_file


class ModelExplorer(Explorer):
    """Base of the explorers whose page runs models; a subclass names them, checkpoints of the book."""

    models = traitlets.List(traitlets.Unicode()).tag(sync=True)
    files = traitlets.Dict().tag(sync=True)  # by name, once the page has asked
    question = traitlets.Dict().tag(sync=True)

    def __init__(self, **state):
        super().__init__(models=list(self.model_names), **state)
        self.observe(self._send_file, "question")

    def model_file(self, name: str) -> bytes:
        """Bytes of a model's file as the page reads it."""
        return checkpoint_file(name)

    def _send_file(self, change) -> None:
        name = change.new.get("model")
        if name in self.models:
            self.files = {**self.files, name: self.model_file(name)}
