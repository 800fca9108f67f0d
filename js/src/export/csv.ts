/** Writes tables as CSV where there is no Python, safe from formula injection, as `nbprof/export/csv.py` does. */
import type { Kind, Rows, Value } from "../values/arrow";

/** First characters that make a spreadsheet evaluate a cell as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

export function csvText({ length, columns }: Rows): string {
  const lines = [columns.map(({ name }) => textCell(name)).join(",")];
  for (let row = 0; row < length; row += 1)
    lines.push(columns.map(({ kind, at }) => cell(at(row), kind)).join(","));
  // Python's csv module quotes an empty cell that is the only one of its row.
  const alone = columns.length === 1;
  return lines.map((line) => `${alone && line === "" ? '""' : line}\r\n`).join("");
}

function cell(value: Value, kind: Kind | undefined): string {
  if (value === null) return "";
  if (typeof value === "number") return kind === "float" ? floatText(value) : String(value);
  return typeof value === "boolean" ? String(value) : textCell(value);
}

function textCell(text: string): string {
  const plain = text.replaceAll("\0", "\ufffd");
  const safe = FORMULA.test(plain) ? `'${plain}` : plain;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Format a float as Python does: always with a point, and with Python's exponents. */
export function floatText(value: number): string {
  const [digits = "", power = "0"] = value.toExponential().split("e");
  const exponent = Number(power);
  if (value !== 0 && (exponent < -4 || exponent >= 16)) {
    const sign = exponent < 0 ? "-" : "+";
    return `${digits}e${sign}${String(Math.abs(exponent)).padStart(2, "0")}`;
  }
  if (Object.is(value, -0)) return "-0.0";
  const plain = exponent < 0 ? value.toFixed(lengthOf(digits) - 1 - exponent) : String(value);
  return plain.includes(".") ? plain : `${plain}.0`;
}

function lengthOf(digits: string): number {
  return digits.replace(/[-.]/g, "").length;
}
