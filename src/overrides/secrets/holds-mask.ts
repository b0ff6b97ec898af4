/** Whether values hold what a display shows instead of a secret; stored, it would take the place of the secret. */
export function holdsMask(value: unknown): boolean {
  if (typeof value === 'string') return /(?:^|[:=]\s*["']?)\*\*\*(?:["']?$|@)/m.test(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsMask)
}
