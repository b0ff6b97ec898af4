import {mkdtempSync} from 'node:fs'
import {join} from 'node:path'
import {inject} from 'vitest'

/** Returns a new directory, empty and of the test's own. It goes when the run of vitest ends. */
export function testDirectory(): string {
  return mkdtempSync(join(inject('temporary'), 'test-'))
}
