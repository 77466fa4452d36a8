// The search page: sections that hold the query, the best first, as one types. `bookTexts` (search-text.js) holds
// a row a section: page, id, title, text. It comes with the page, so that the search works from a file as well.
// `searchWords` is what it says, in the language of the site.
const findSections = (() => {
  const { fold, wanted, places, wholePlaces, reach } = bookSearch;
  const holdsWhole = (text, sought) => wholePlaces(text, sought).length > 0;
  const withoutBrackets = (text) => text.replace(/[()]/g, "");
  let sections; // made for the first query
  const readAll = () => bookTexts.map(([page, id, title, text]) => ({
    page,
    id,
    title,
    text,
    name: withoutBrackets(fold(title).text),
    folded: fold(text),
  }));

  function rank({ name, folded }, { phrase, pieces }) {
    const named = withoutBrackets(phrase);
    if (named && name === named) return 5;
    if (holdsWhole(name, named)) return 4;
    if (named && name.includes(named)) return 3;
    if (holdsWhole(folded.text, phrase)) return 2;
    if (folded.text.includes(phrase)) return 1;
    const held = pieces.length && pieces.every((piece) => folded.text.includes(piece) || name.includes(piece));
    return held ? 0 : -1;
  }

  // Where to look first in a section's text: from and to, in the text as it stands.
  function firstPlace({ text, folded }, { phrase, pieces }) {
    const term = [phrase, ...pieces].find((candidate) => folded.text.includes(candidate));
    if (!term) return [0, 0];
    const [at] = [...wholePlaces(folded.text, term), ...places(folded.text, term)];
    return reach(text, folded, at, term.length);
  }

  return (query) => {
    const sought = wanted(query);
    if (!sought.phrase) return [];
    sections ??= readAll();
    return sections
      .map((section) => ({ section, rank: rank(section, sought) }))
      .filter((hit) => hit.rank >= 0)
      .sort((a, b) => b.rank - a.rank)
      .map(({ section }) => ({ ...section, place: firstPlace(section, sought) }));
  };
})();

(() => {
  const BEFORE = 30;
  const AFTER = 90;
  const results = document.getElementById("search-results");
  const field = document.querySelector(".bd-search-container input[name=q]");
  const titles = new Map(bookTexts.filter(([, id]) => !id).map(([page, , title]) => [page, title]));

  function element(name, className, ...content) {
    const made = document.createElement(name);
    if (className) made.className = className;
    made.append(...content);
    return made;
  }

  function item({ page, id, title, text, place: [from, to] }, query) {
    const link = element("a", "", title);
    link.href = `${page}.html?q=${encodeURIComponent(query)}${id && `#${id}`}`;
    const where = id ? [" · ", titles.get(page)] : [];
    const before = (from > BEFORE ? "…" : "") + text.slice(Math.max(0, from - BEFORE), from);
    const after = text.slice(to, to + AFTER) + (to + AFTER < text.length ? "…" : "");
    return element(
      "li",
      "",
      link,
      ...where,
      element("p", "context", before, ...(to > from ? [element("mark", "", text.slice(from, to))] : []), after),
    );
  }

  function show() {
    const query = field.value.trim();
    const found = findSections(query);
    const summary = element("p", "search-summary", found.length ? searchWords.found.replace("{}", found.length) : searchWords.nothing);
    summary.setAttribute("role", "status");
    const list = element("ul", "search", ...found.map((hit) => item(hit, query)));
    results.replaceChildren(...(query ? [summary, list] : []));
  }

  field.value = new URLSearchParams(location.search).get("q") ?? "";
  field.addEventListener("input", (event) => event.isComposing || show());
  field.addEventListener("compositionend", show);
  show();
})();
