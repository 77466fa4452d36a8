"""The static audit of the book's pages: `make check`. No kernel runs; it takes seconds.

It compares what readers see with the outputs stored in the same notebook, for which nbval vouches. For
authors:

* **Computed**: print the value, `show("std", 8.0, digits=0)`, and write `<data value="std">8</data>`.
  Elements count from 1: `a_1[3]`, `S[2,3]`. Units (million, %, ‰, the Chinese ones) are read; the text shows
  at most the digits that were printed, rounded half to even: `<data value="params.total">124.4
  million</data>` for 124,439,808. Numbers in words work inside `<data>`: four times, two thirds, half, and
  loose ones, several hundred; CONTRIBUTING.md has the Chinese ones.
* **Numbers in words** from five up, multiples and parts of a whole are numbers (`words`); words that only
  look like numbers stand in `language/not_numbers`.
* **Formula**: print it, `show("params.formula", "3D² + 3D")`, and bind `<data
  value="params.formula">3D² + 3D</data>`, or `<data value="params.formula"><!-- -->$3D^2 + 3D$</data>`; any
  equal polynomial passes.
* **Name of a value**: `<data value="x_3"><!-- -->$\\mathbf{x}_3$</data>` pins the index; a bare
  `$\\mathbf{x}_3$` need only exist.
* **Given**: `$D_q = 64$`, where a cell defines (`D_q = 64`, an argument, a loop) or prints `D_q`; also
  `$\\mathbf{x}_1 = (1, 0)$`, `$X = [matrix]$`, `$\\mathbf{X} \\in \\mathbb{R}^{2 \\times 3}$`, and sums
  and products that come out right. Symbols are looked up by their plain names:
  `\\boldsymbol{\\Omega}_q` is `Omega_q`, `|\\mathcal{V}|` is `vocabulary_size`.
* **Fact**: a row of `book/data/facts.csv`, written `<data value="fact:KEY">30,000</data>`; years too.
* **Formula with numbers in mathematics**, displayed or not: it must be in `formulas`, which recomputes
  its numbers.
* **Alt text** of a cell's figure (`mystnb` metadata): its numbers are bound in order by `"bind":
  {"alt": ["KEY", …]}` in the cell's metadata. Alt texts in Markdown hold no numbers. Captions are text.
* **Code in text**, `` `S[0, 1]` ``: with a number it must stand in a code cell or an output of the
  page.
* **Names with digits** (GPT-2) stand in `names.csv`. Numbers of sections, equations, figures, tables and
  exercises, and the links to them: `labels`, and CONTRIBUTING.md.
* **Guesses**: `<data class="guess" value="{KEY}"></data>`, or options of which one is true (`guesses`).
* **Measured** cells: tags `measured` and `nbval-ignore-output`, and metadata `"measured": {"reason":
  "…", "bounds": {"time.*": [0, 60]}}`, in the unit printed with `show(key, value, digits, unit="ms")`.
* **Outputs** belong to the code beside them: `refresh` notes each code cell's digest in its metadata
  (`book_tools.digest`), and a cell whose code has changed since is refused, here and by the strict build.
* **Claims**: each sentence that says how a model, training or data behaves stands in the page's table,
  `book/claims/NN_name.toml`, with the cell and the condition, or the work, that shows it: `claims`.
* Any other tag that is not about display needs `"reasons": {"TAG": "…"}` in the metadata.
"""
