/** Conditions on columns in a search, as `nbprof/widgets/requests/conditions.py` reads them. */
import type { Value } from "../../values/arrow";
import { Refused } from "../answerer";
import { lower } from "./lower";
import { matcher } from "./match";
import { columnOf, type StoredColumn, type StoredTable } from "./tables";

const CONDITION = /^(\w+) *(>=|<=|!=|=|>|<|:) *(\S.*)$/s;
const ENDINGS = ["", "_us", "_pct", "_bytes", "_gb", "_gbps"];
const NUMBER = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?) *(ns|us|µs|ms|s)?$/i;
/** Units of time, in microseconds. */
const UNITS: Record<string, number> = { ns: 1e-3, us: 1, µs: 1, ms: 1e3, s: 1e6 };
/** Conditions of a search, and characters of a value in an error, at most; as in Python. */
const MOST = 50;
const SHOWN = 80;
const TRUTH: Record<string, boolean> = { true: true, yes: true, false: false, no: false };

interface Condition {
  column: StoredColumn;
  operator: string;
  value: string | number | boolean;
}

/**
 * The conditions of a search, joined by ` & `; none if it is a plain text.
 *
 * @throws Refused - the value or the operator does not fit the column, or they are too many
 */
export function parseConditions(text: string, table: StoredTable): Condition[] {
  const found: Condition[] = [];
  for (const part of text.split(" & ")) {
    if (found.length === MOST)
      throw new Refused("FilterError", `A search has at most ${MOST} conditions.`);
    const [, name, operator = "", value = ""] = CONDITION.exec(part.trim()) ?? [];
    const [column] = ENDINGS.flatMap((ending) => (name && columnOf(table, name + ending)) || []);
    if (!column) return [];
    found.push({ column, operator, value: wantedOf(column, operator, value) });
  }
  return found;
}

function wantedOf({ name, kind }: StoredColumn, operator: string, value: string) {
  const isEqual = operator === "=" || operator === "!=";
  let why: string;
  if (kind === "text") {
    if (isEqual || operator === ":") return value;
    why = "holds text, which is compared by =, != or :";
  } else if (kind === "bool") {
    const truth = TRUTH[value.toLowerCase()];
    if (truth !== undefined && isEqual) return truth;
    why = `is true or false, as in ${name} = true`;
  } else {
    const isTime = name.endsWith("_us");
    const [, digits, unit] = NUMBER.exec(value) ?? [];
    const number = Number(digits) * (unit ? (UNITS[unit.toLowerCase()] ?? 1) : 1);
    if (Number.isFinite(number) && operator !== ":" && (isTime || !unit)) return number;
    const units = isTime ? ", with a unit of time if you like" : "";
    why = `is compared with a number${units}, by = != < <= > or >=`;
  }
  const rest = Array.from(value);
  const shown = rest.slice(0, SHOWN).join("") + (rest.length > SHOWN ? "…" : "");
  throw new Refused("FilterError", `${name} ${operator} ${shown}: ${name} ${why}.`);
}

/** Returns a function that tells whether a cell meets a condition. */
export function testOf({ column, operator, value }: Condition): (cell: Value) => boolean {
  if (operator === ":") {
    const found = matcher(String(value));
    return (cell) => typeof cell === "string" && found(cell);
  }
  const read = column.kind === "text" ? (cell: Value) => lower(String(cell)) : Number;
  const wanted = read(value);
  const tests: Record<string, (cell: string | number) => boolean> = {
    "=": (cell) => cell === wanted,
    "!=": (cell) => cell !== wanted,
    ">": (cell) => cell > wanted,
    ">=": (cell) => cell >= wanted,
    "<": (cell) => cell < wanted,
    "<=": (cell) => cell <= wanted,
  };
  const meets = tests[operator];
  return (cell) => (cell === null ? operator === "!=" : meets?.(read(cell)) === true);
}
