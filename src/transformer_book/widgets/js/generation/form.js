// The form of a quatrain as it comes out: lengths of its lines, and whether the even ones rhyme (in today's Mandarin).

const ENDS_OF_LINES = "，。";

// Characters of each line, its punctuation included; the last line may be unfinished.
function linesOf(characters) {
  const lines = [[]];
  for (const character of characters) {
    lines.at(-1).push(character);
    if (ENDS_OF_LINES.includes(character)) lines.push([]);
  }
  return lines.at(-1).length ? lines : lines.slice(0, -1);
}

// right: of each finished line, whether its length fits. rhyme: names of the groups that lines 2 and 4 share, or null.
function poemForm(characters, rhymes) {
  const lines = linesOf(characters).map((line) => line.filter((c) => !ENDS_OF_LINES.includes(c)));
  const finished = characters.filter((c) => ENDS_OF_LINES.includes(c)).length;
  const length = lines[0]?.length ?? 0;
  const right = lines.slice(0, finished).map((line) => line.length === length && [5, 7].includes(length));
  return { lines, right, rhyme: finished < 4 ? null : sharedRhyme(lines[1].at(-1), lines[3].at(-1), rhymes) };
}

function sharedRhyme(one, other, rhymes) {
  const shared = Object.entries(rhymes).filter(([, group]) => one && other && group.includes(one) && group.includes(other));
  return shared.map(([name]) => name).join("");
}
