/** The token of the colour of a category of time: "CPU Exec" → var(--c-cpu-exec). */
export function categoryColor(category: string): string {
  return `var(--c-${category.toLowerCase().replaceAll(" ", "-")})`;
}
