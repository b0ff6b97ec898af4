/** Returns a human-readable size: `12.3 MiB`. */
export function sizeText(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`
}
