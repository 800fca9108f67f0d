/** Copies text to the clipboard and saves bytes as a file. */

export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    copyBySelection(text); // no secure context, or no permission
  }
}

function copyBySelection(text: string): void {
  const area = document.createElement("textarea");
  area.value = text;
  area.style.position = "fixed";
  area.style.opacity = "0";
  document.body.append(area);
  area.select();
  const copied = document.execCommand?.("copy");
  area.remove();
  if (!copied) throw new Error("The browser does not let this page write to the clipboard.");
}

export function saveFile(name: string, parts: Uint8Array[], type: string): void {
  const url = URL.createObjectURL(new Blob(parts as BlobPart[], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Quote a cell that a spreadsheet would evaluate as a formula. */
export function safeCell(text: string): string {
  const flat = text.replace(/[\t\r\n]+/g, " ");
  return /^[=+\-@]/.test(flat) && !/^[+-]?[\d.]/.test(flat) ? `'${flat}` : flat;
}
