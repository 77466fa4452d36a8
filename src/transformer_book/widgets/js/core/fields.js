// What a state is made of. A field reads a value or throws a Problem, and writes it into a URL and back.

const LARGEST = 1000; // entries of an editable matrix, in size
const MOST_TOKENS = 64;

class Problem extends Error {
  constructor(code, given = "") {
    super(code);
    this.code = code;
    this.given = String(given);
  }
}

// A number as some keyboards write it, and as the book prints it: ６４, −1.
const plainText = (value) => String(value).trim().normalize("NFKC").replace("−", "-");

function readNumber(value) {
  const text = plainText(value);
  if (text === "") throw new Problem("empty");
  if (!NUMBER.test(text)) throw new Problem("notANumber", text);
  const number = Number(text);
  if (Math.abs(number) > LARGEST) throw new Problem("tooLarge", text);
  return number + 0 === 0 ? 0 : number; // no negative zero
}

const booleanField = () => ({
  read: Boolean,
  encode: (value) => (value ? "1" : "0"),
  decode: (text) => text === "1",
});

const integerField = (least, most) => ({
  read(value) {
    const text = plainText(value);
    if (text === "") throw new Problem("empty");
    if (!NUMBER.test(text)) throw new Problem("notANumber", text);
    const number = Number(text);
    if (!Number.isInteger(number)) throw new Problem("notWhole", text);
    if (number < least || number > most) throw new Problem("outside", `${text} ∉ [${least}, ${most}]`);
    return number;
  },
  encode: String,
  decode: Number,
});

const numberField = (least, most) => ({
  read(value) {
    const number = readNumber(value);
    if (number < least || number > most) throw new Problem("outside", `${value} ∉ [${least}, ${most}]`);
    return number;
  },
  encode: String,
  decode: Number,
});

const choiceField = (...choices) => ({
  read(value) {
    if (!choices.includes(value)) throw new Problem("unknown", value);
    return value;
  },
  encode: String,
  decode: String,
});

const textField = () => ({
  read: String,
  encode: encodeURIComponent,
  decode: decodeURIComponent,
});

const matrixField = () => ({
  read(value) {
    const rows = value.map((row) => row.map(readNumber));
    if (rows.some((row) => row.length !== rows[0].length)) throw new Problem("ragged");
    return rows;
  },
  encode: (rows) => rows.map((row) => row.join(",")).join("*"),
  decode: (text) => (text === "" ? [] : text.split("*").map((row) => row.split(",").map(Number))),
});

const vectorField = () => ({
  read: (value) => value.map(readNumber),
  encode: (vector) => vector.join(","),
  decode: (text) => text.split(",").map(Number),
});

const tokensField = (most = MOST_TOKENS) => ({
  read(value) {
    if (value.length < 1 || value.length > most) throw new Problem("tokenCount", `1…${most}`);
    return value.map((token) => {
      if (String(token).trim() === "") throw new Problem("emptyToken");
      if ([...String(token)].length > 20) throw new Problem("longToken", token);
      return String(token);
    });
  },
  encode: (tokens) => tokens.map(encodeURIComponent).join(","),
  decode: (text) => text.split(",").map(decodeURIComponent),
});

// What Python says about the data, never a reader's to change.
const givenField = () => ({ read: (value) => value, encode: () => "", decode: () => undefined });
