import {hash} from 'node:crypto'

/**
 * Returns the digest of a word that may be the name of something, as 16 hex digits, for comparison with names. The
 * words themselves are never kept: any may be a password, or a part of one.
 */
export function wordDigest(word: string): string {
  return hash('sha256', word).slice(0, 16)
}
