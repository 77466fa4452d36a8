"""Numbers 12.n for equations, figures, tables and exercises, counted through the whole book.

Sphinx would number them by section (3.2) and would number every captioned figure. The book follows its
article: what carries a label of the article's is numbered within the chapter, in reading order, and no more.
"""

from collections.abc import Iterator

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.environment.collectors.toctree import TocTreeCollector
from sphinx_exercise.nodes import exercise_enumerable_node

# The kind's name in Sphinx, its nodes, and the beginning of the ids that are numbered.
KINDS = {
    "displaymath": (nodes.math_block, "equation-eq-"),
    "figure": (nodes.figure, "fig-"),
    "table": (nodes.table, "tab-"),
    "exercise": (exercise_enumerable_node, "ex-"),
}


def pages_in_order(env: BuildEnvironment) -> Iterator[str]:
    """Yield the names of the pages as a reader meets them."""
    seen = set()

    def walk(page: str) -> Iterator[str]:
        if page not in seen and page in env.found_docs:
            seen.add(page)
            yield page
            for child in env.toctree_includes.get(page, []):
                yield from walk(child)

    yield from walk(env.config.root_doc)


def numbered_nodes(doctree: nodes.document) -> Iterator[tuple[str, nodes.Element]]:
    """Yield (kind, node) for each node of a page that carries a number, in order."""
    for node in doctree.findall(nodes.Element):
        for kind, (node_class, prefix) in KINDS.items():
            if isinstance(node, node_class) and any(name.startswith(prefix) for name in node["ids"]):
                yield kind, node


def assign_numbers(collector: TocTreeCollector, env: BuildEnvironment) -> list[str]:
    """Number the nodes of every page; return the pages whose numbers changed, to be written again."""
    before, env.toc_fignumbers = env.toc_fignumbers, {}
    count = dict.fromkeys(KINDS, 0)
    for page in pages_in_order(env):
        for kind, node in numbered_nodes(env.get_doctree(page)):
            count[kind] += 1
            numbers = env.toc_fignumbers.setdefault(page, {kind: {} for kind in KINDS})
            numbers[kind][node["ids"][0]] = (env.config.chapter_number, count[kind])
    changed = {
        page
        for page in before.keys() | env.toc_fignumbers.keys()
        if before.get(page) != env.toc_fignumbers.get(page)
    }
    return sorted(changed & env.found_docs)


def setup(app: Sphinx) -> dict[str, object]:
    """Put our numbers in the place of Sphinx's: the collector runs at the right moment of every build."""
    app.add_config_value("chapter_number", 12, "env")
    TocTreeCollector.assign_figure_numbers = assign_numbers
    return {"parallel_read_safe": True, "parallel_write_safe": True}
