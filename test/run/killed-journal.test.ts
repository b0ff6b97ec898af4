import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {expect, it} from 'vitest'
import {killedAt} from '../support/killed-at.ts'
import {testDirectory} from '../support/test-directory.ts'

const MODULE = join(import.meta.dirname, '../../src/run/journal.ts')

it.each([1, 2, 3])('a process is killed at step %i of its journal, with that step on disk', async (step) => {
  const directory = testDirectory()
  const script = `
    import {writeFile} from 'node:fs/promises'
    import {openJournal} from ${JSON.stringify(MODULE)}
    const journal = await openJournal({directory: ${JSON.stringify(directory)}, run: 'r1'})
    for (const pid of [1, 2, 3]) {
      await journal.note({type: 'helm-started', release: 'openstack/keystone', pid})
      await Promise.all([1, 2, 3].map((at) => writeFile(${JSON.stringify(directory)} + '/after-' + pid, '')))
    }
  `

  const [program, words] = killedAt(step, [process.execPath, '--input-type=module', '--eval', script])
  const {signal, stderr} = await execa(program, words, {reject: false})

  expect(signal, stderr).toBe('SIGKILL')
  const lines = (await readFile(join(directory, 'runs/r1.ndjson'), 'utf8')).split('\n').filter(Boolean)
  expect(lines.map((line) => JSON.parse(line).pid)).toEqual([1, 2, 3].slice(0, step))
  await expect(readFile(join(directory, `after-${step}`))).rejects.toThrow('ENOENT')
})
