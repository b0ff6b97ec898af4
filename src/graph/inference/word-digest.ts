import {hash} from 'node:crypto'

/**
 * A word of a text or of a variable that may be the name of something, for comparison with names; 16 hex. The words are
 * never kept themselves: any may be a password, or a part of one.
 */
export function wordDigest(word: string): string {
  return hash('sha256', word).slice(0, 16)
}
