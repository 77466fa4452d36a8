// On the search page: shows each hit in its sentence, from texts that came with the page, so that it works from a
// file as well. `bookTexts` (search-text.js) holds the text of every page.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const BEFORE = 30;
  const AFTER = 90;
  const query = (new URLSearchParams(location.search).get("q") || "").trim();
  const results = document.getElementById("search-results");
  if (!query || !results) return;
  const wanted = [query, ...splitQuery(query)].map((term) => term.normalize("NFKC").toLowerCase());

  function context(item) {
    const page = item.querySelector("a").getAttribute("href").replace(/\.html(#.*)?$/, "");
    const text = bookTexts[page] || "";
    const lower = text.toLowerCase();
    const term = wanted.find((candidate) => lower.includes(candidate));
    if (!term) return;
    const at = lower.indexOf(term);
    const line = document.createElement("p");
    line.className = "context";
    const mark = document.createElement("mark");
    mark.textContent = text.slice(at, at + term.length);
    line.append(
      (at > BEFORE ? "…" : "") + text.slice(Math.max(0, at - BEFORE), at),
      mark,
      text.slice(at + term.length, at + term.length + AFTER) + "…",
    );
    item.append(line);
  }

  new MutationObserver((records) => {
    for (const { addedNodes } of records)
      for (const node of addedNodes) if (node.nodeName === "LI") context(node);
  }).observe(results, { childList: true, subtree: true });
});
