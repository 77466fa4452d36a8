// What counts as the same text in the search, and on a page that a hit led to (?q=…) the marks at what was sought.
"use strict";

const bookSearch = (() => {
  const HAN = /[\u3400-\u4dbf\u4e00-\u9fff]/;
  const DIGIT = /\d/;
  const WORD = /[a-z0-9_]/;
  const PLAIN = /[!-+\--~\u4e00-\u9fff]+/y; // differs in case alone; read in whole runs: a book is long

  // A space beside a Chinese character and a comma within a number make no difference.
  function dropped(text, i) {
    const [before, after] = [text[i - 1] ?? "", text[i + 1] ?? ""];
    if (/\s/.test(text[i])) return HAN.test(before) || HAN.test(after) || /\s/.test(after);
    return text[i] === "," && DIGIT.test(before) && /^\d{3}(?!\d)/.test(text.slice(i + 1, i + 5));
  }

  const plainForms = new Map(); // of characters: to ask for them anew costs more
  function plainForm(character) {
    if (!plainForms.has(character)) plainForms.set(character, character.normalize("NFKC").toLowerCase());
    return plainForms.get(character);
  }

  // Lower case, wide and styled characters plain; `at[i]` is where in the text folded character i stands.
  function fold(text) {
    let folded = "";
    const at = [];
    for (let i = 0; i < text.length; ) {
      PLAIN.lastIndex = i;
      const run = PLAIN.exec(text)?.[0] ?? "";
      folded += run.toLowerCase();
      for (const end = i + run.length; i < end; i++) at.push(i);
      if (i === text.length) break;
      const character = String.fromCodePoint(text.codePointAt(i));
      if (!dropped(text, i)) {
        const plain = plainForm(character);
        folded += plain;
        for (let n = 0; n < plain.length; n++) at.push(i);
      }
      i += character.length;
    }
    at.push(text.length);
    return { text: folded, at };
  }

  // The query as one phrase, and its pieces: words, and each two neighbours of a Chinese run.
  function wanted(query) {
    const runs = query.trim().split(/\s+/).flatMap(
      (part) => fold(part).text.match(/[\u3400-\u4dbf\u4e00-\u9fff]+|[^\u3400-\u4dbf\u4e00-\u9fff]+/g) ?? [],
    );
    const pieces = runs.flatMap((run) =>
      HAN.test(run) && run.length > 2 ? Array.from(run.slice(1), (next, i) => run[i] + next) : [run],
    );
    return { phrase: fold(query.trim()).text, pieces: pieces.filter((piece) => /[\p{L}\p{N}]/u.test(piece)) };
  }

  // "12.5" does not stand as a whole in 112.5, 12.55 or 12.5.1.
  function isWhole(text, at, length) {
    const [first, last] = [text[at], text[at + length - 1]];
    const [before, after] = [text.slice(Math.max(0, at - 2), at), text.slice(at + length, at + length + 2)];
    return (
      !(WORD.test(first) && (WORD.test(before.slice(-1)) || /\d\.$/.test(before))) &&
      !(WORD.test(last) && (WORD.test(after.slice(0, 1)) || /^\.\d/.test(after)))
    );
  }

  function places(text, sought) {
    const found = [];
    for (let at = text.indexOf(sought); sought && at >= 0; at = text.indexOf(sought, at + sought.length))
      found.push(at);
    return found;
  }

  const wholePlaces = (text, sought) => places(text, sought).filter((at) => isWhole(text, at, sought.length));

  // From where to where in the text as it stands a find in the folded text reaches.
  function reach(text, folded, at, length) {
    const last = folded.at[at + length - 1];
    return [folded.at[at], last + String.fromCodePoint(text.codePointAt(last)).length];
  }

  return { fold, wanted, places, wholePlaces, reach };
})();

// Marks are highlights of the browser, which leave the page as it is; an older browser shows none.
(() => {
  const query = new URLSearchParams(location.search).get("q");
  const article = document.querySelector("article");
  if (!query || !article || !window.CSS?.highlights) return;

  const nodes = [];
  const starts = [];
  let text = "";
  const walker = document.createTreeWalker(article, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    if (walker.currentNode.parentElement.closest("annotation, script, style, noscript")) continue;
    nodes.push(walker.currentNode);
    starts.push(text.length);
    text += walker.currentNode.data;
  }

  function place(at) {
    const last = starts.findLastIndex((start) => start <= at);
    return [nodes[last], at - starts[last]];
  }

  const folded = bookSearch.fold(text);
  const { phrase, pieces } = bookSearch.wanted(query);
  const ranges = [];
  const sought = folded.text.includes(phrase) ? [phrase] : pieces;
  for (const term of sought) {
    for (const at of bookSearch.places(folded.text, term)) {
      const [from, to] = bookSearch.reach(text, folded, at, term.length);
      const range = document.createRange();
      range.setStart(...place(from));
      range.setEnd(...place(to));
      ranges.push(range);
    }
  }
  CSS.highlights.set("book-search", new Highlight(...ranges));
})();
