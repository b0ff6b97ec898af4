/**
 * Returns a pattern that ignores the case of ASCII letters. The group `(?i:…)` does not, once V8 has stopped
 * to optimize regular expressions because a process has many (`node --no-regexp-optimization`; Node.js 26).
 */
export function anyCase(pattern: string): string {
  return pattern.replace(/[a-z]/gi, (letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`)
}
