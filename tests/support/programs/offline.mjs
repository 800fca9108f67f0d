// Asks nbprof/static/offline.js outside any browser: saved state and requests come in, answers go out.
// What reads the saved state, and runs that script, is nbprof/static/widget.js, as on a page.
import { readFileSync } from "node:fs";

const [folder, saved] = process.argv.slice(2);
const module = (name) => {
  const code = readFileSync(`${folder}/${name}`).toString("base64");
  return import(`data:text/javascript;base64,${code}`);
};
const { open } = await module("widget.js");
for (const name of ["offline", "patterns", "export", "spreads"]) await module(`${name}.js`);
for (const name of ["diff", "diff.later", "timeline", "timeline.later"]) await module(`views/${name}.js`);
const answers = await open(new Uint8Array(readFileSync(saved)));

function plain(buffer) {
  const { rows } = buffer;
  if (!rows) return { text: new TextDecoder().decode(buffer) };
  const columns = rows.columns.map(({ name, at }) => [
    name,
    Array.from({ length: rows.length }, (_, row) => at(row)),
  ]);
  return { rows: Object.fromEntries(columns) };
}

const replies = [];
for (const [op, params] of JSON.parse(readFileSync(0, "utf8"))) {
  try {
    const { result, buffers } = await answers.answer(op, params);
    replies.push({ result, buffers: buffers.map(plain) });
  } catch ({ name, message }) {
    replies.push({ error: { type: name, message } });
  }
}
process.stdout.write(JSON.stringify(replies));
