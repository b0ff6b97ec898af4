/**
 * A part of the smallest controller's memory, in MiB, as a power of two between two bounds. Steps that coarse do not
 * change, and so restart nothing, when a node reports some KiB less after its kernel was renewed.
 */
export function memoryPart(
  memory: number | undefined,
  {parts, least, most}: {readonly parts: number; readonly least: number; readonly most: number},
): number | undefined {
  if (memory === undefined) return undefined
  const power = 2 ** Math.floor(Math.log2(Math.max(1, memory / parts)))
  return Math.min(most, Math.max(least, power))
}
