import {join} from 'node:path'
import {afterAll, beforeAll, inject} from 'vitest'
import {acquireLock, type Lock} from '../../../src/state/lock.ts'

/**
 * Setup of a project whose files change the same virtual machine: beside files of other projects, but not of
 * each other.
 */
let lock: Lock
beforeAll(async () => {
  lock = await acquireLock(join(inject('aio').home, 'one-file-at-a-time'))
})
afterAll(() => lock.release())
