/** Reads a number from a file and writes it back plus one, many times, each time under the lock. */
import {readFile, writeFile} from 'node:fs/promises'
import {withLock} from '../../../src/state/lock.ts'

const [lock, counter, times] = process.argv.slice(2) as [string, string, string]
for (let i = 0; i < Number(times); i++) {
  await withLock(lock, async () => writeFile(counter, String(Number(await readFile(counter, 'utf8')) + 1)))
}
