import {MASK} from './placeholder.ts'

/** A text in base64, in either of its alphabets, or in hex that is long enough for a secret. */
const ENCODED = /[\w+/-]{8,}={0,2}/g
const HEX = /^(?:[0-9a-f]{2}){6,}$/i

/**
 * Returns a function that masks as `hide` does, and also each text in base64 or hex that holds what it hides, such as the
 * `user:password` of a header or of a registry's login: encoded, a secret looks otherwise behind each length of what precedes it.
 */
export function encodedSecrets(hide: (text: string) => string): (text: string) => string {
  const holdsSecret = (text: string) => hide(text) !== text
  return (text) =>
    hide(text).replace(ENCODED, (word) => {
      const isHeld = holdsSecret(Buffer.from(word, 'base64').toString())
      return isHeld || (HEX.test(word) && holdsSecret(Buffer.from(word, 'hex').toString())) ? MASK : word
    })
}
