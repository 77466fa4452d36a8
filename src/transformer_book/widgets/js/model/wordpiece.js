// WordPiece, as BERT and MiniLM use it, uncased: words first, then the longest pieces of the vocabulary.

const SPECIAL_NAMES = /(\[(?:PAD|UNK|CLS|SEP|MASK)\])/;
const LONGEST_WORD = 100; // a longer one becomes [UNK]
const CHINESE = /[\u4e00-\u9fff\u3400-\u4dbf\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b920}-\u{2ceaf}\uf900-\ufaff\u{2f800}-\u{2fa1f}]/gu;

// Cut at blanks, punctuation and around every Chinese character; without case and accents. Letter by letter: a whole
// word's toLowerCase would write the last sigma of ΟΔΟΣ as ς, the reference writes σ.
function splitWords(text) {
  const spaced = text.replace(/[\t\n\r]/g, " ").replace(/[\ufffd\p{Cc}\p{Cf}\p{Co}]/gu, "").replace(/\s/gu, " ")
    .replace(CHINESE, " $& ");
  const plain = [...spaced.normalize("NFD").replace(/\p{Mn}/gu, "")].map((c) => c.toLowerCase()).join("");
  return plain.replace(/[\p{P}!-/:-@[-`{-~]/gu, " $& ").split(" ").filter((word) => word !== "");
}

// A word as pieces, each as long as the vocabulary allows; [UNK] when one cannot be found.
function cutWord(word, ids) {
  const letters = [...word];
  if (letters.length > LONGEST_WORD) return ["[UNK]"];
  const pieces = [];
  for (let start = 0, end = letters.length; start < letters.length; start = end, end = letters.length) {
    const piece = () => (start ? "##" : "") + letters.slice(start, end).join("");
    while (end > start && !ids.has(piece())) end -= 1;
    if (end === start) return ["[UNK]"];
    pieces.push(piece());
  }
  return pieces;
}

// Words of a text that become [UNK], each once.
const unknownWords = (text, ids) => [...new Set(splitWords(text.replace(new RegExp(SPECIAL_NAMES, "g"), " ")))]
  .filter((word) => cutWord(word, ids)[0] === "[UNK]");

// The pieces of a text between [CLS] and [SEP]; names such as [MASK] in it stay whole. ids: a Map from piece to number.
function wordPieces(text, ids) {
  const parts = text.split(SPECIAL_NAMES).flatMap((part) =>
    (SPECIAL_NAMES.test(part) ? [part] : splitWords(part).flatMap((word) => cutWord(word, ids))));
  return ["[CLS]", ...parts, "[SEP]"];
}
