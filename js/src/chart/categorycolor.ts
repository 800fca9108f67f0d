/** Maps a category of time to its colour token: "CPU Exec" → var(--c-cpu-exec). */
export function categoryColor(category: string): string {
  return `var(--c-${category.toLowerCase().replaceAll(" ", "-")})`;
}
