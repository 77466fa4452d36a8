// Whole numbers below 10¹² as Chinese numerals and as digits, the right answers: 三千零七 ↔ 3007.

// What the explorer offers to translate; the last are longer than any that the model has seen.
const EXAMPLES = ["三万零二百零五", "30205", "十万", "999999", "1234567", "123456789"];

const NUMERALS = "零一二三四五六七八九";

// A group of up to four digits, such as 0205: 零二百零五.
function groupOfFour(digits) {
  let text = "";
  [...digits].forEach((digit, i) => {
    const unit = ["千", "百", "十", ""][4 - digits.length + i];
    if (digit !== "0") text += NUMERALS[digit] + unit;
    else if (!text.endsWith("零")) text += "零";
  });
  return text.length > 1 && text.endsWith("零") ? text.slice(0, -1) : text;
}

function toNumeral(digits) {
  if (!/^(0|[1-9]\d{0,11})$/.test(digits)) return null;
  if (digits === "0") return "零";
  const groups = digits.padStart(12, "0").match(/\d{4}/g);
  let text = "";
  groups.forEach((group, i) => {
    if (group === "0000") {
      if (text !== "" && !text.endsWith("零")) text += "零";
    } else text += groupOfFour(text === "" ? String(Number(group)) : group) + ["亿", "万", ""][i];
  });
  text = text.replace(/零+/g, "零").replace(/零$/, "");
  return text.startsWith("一十") ? text.slice(1) : text;
}

// Digits of a numeral that is written as it should be, otherwise null.
function toDigits(numeral) {
  let [total, group, digit] = [0, 0, 0];
  for (const sign of numeral === "" ? "?" : numeral) {
    const unit = { 十: 10, 百: 100, 千: 1000 }[sign];
    if (NUMERALS.includes(sign)) digit = NUMERALS.indexOf(sign);
    else if (unit) {
      group += (digit || (unit === 10 && group === 0 ? 1 : 0)) * unit;
      digit = 0;
    } else if (sign === "万" || sign === "亿") {
      total = sign === "万" ? total + (group + digit) * 1e4 : (group + digit) * 1e8;
      [group, digit] = [0, 0];
    } else return null;
  }
  const digits = String(total + group + digit);
  return toNumeral(digits) === numeral ? digits : null;
}

const rightAnswer = (text) => (/^\d+$/.test(text) ? toNumeral(text) : toDigits(text));
