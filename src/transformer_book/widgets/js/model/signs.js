// The vocabulary of a model: one sign an id, special tokens by signs that no text holds.

const signLists = new Map(); // text of the notes -> its signs

function signsOf({ signs }) {
  if (!signLists.has(signs)) signLists.set(signs, [...signs]);
  return signLists.get(signs);
}
