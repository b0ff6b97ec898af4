import {mkdir, readdir, readFile, stat, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {openJournal, type Transition} from '../../src/run/journal.ts'
import {NO_RUN} from '../../src/run/run-state.ts'
import {testDirectory} from '../support/test-directory.ts'

const STEPS = [
  {type: 'helm-starting', release: 'openstack/keystone', verb: 'upgrade', revision: 2, deadline: 1},
  {type: 'helm-started', release: 'openstack/keystone', pid: 4711},
  {type: 'helm-ended', release: 'openstack/keystone'},
] as const satisfies readonly Transition[]

const INTERRUPTING = {type: 'run-interrupting', at: 1, running: []} as const

async function makeDirectory(): Promise<string> {
  const directory = testDirectory()
  return directory
}

async function stepsIn(directory: string, run: string): Promise<string[]> {
  const text = await readFile(join(directory, 'runs', `${run}.ndjson`), 'utf8')
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).type)
}

describe('a journal', () => {
  it('has every step on disk once it is noted, in order, each with its time', async () => {
    const directory = await makeDirectory()
    await using journal = await openJournal({directory, run: 'r1'})

    for (const step of STEPS) await journal.note(step)

    const lines = (await readFile(journal.path, 'utf8')).split('\n').filter(Boolean)
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT/)
    expect(lines.map((line) => JSON.parse(line))).toEqual(STEPS.map((step) => ({at, ...step})))
  })

  it('keeps the order of steps that are noted without waiting', async () => {
    const directory = await makeDirectory()
    await using journal = await openJournal({directory, run: 'r1'})

    await Promise.all(STEPS.map((step) => journal.note(step)))

    expect(await stepsIn(directory, 'r1')).toEqual(STEPS.map(({type}) => type))
  })

  it('cannot be read by other users', async () => {
    const directory = await makeDirectory()
    await using journal = await openJournal({directory, run: 'r1'})

    expect((await stat(journal.path)).mode & 0o777).toBe(0o600)
    expect((await stat(join(directory, 'runs'))).mode & 0o777).toBe(0o700)
  })

  it('is kept if it is among the newest hundred', async () => {
    const directory = await makeDirectory()
    await mkdir(join(directory, 'runs'))
    const old = Array.from({length: 100}, (_, index) => `2025-${String(index).padStart(3, '0')}.ndjson`)
    for (const name of old) await writeFile(join(directory, 'runs', name), '')

    await using _ = await openJournal({directory, run: '2026-000'})

    expect(await readdir(join(directory, 'runs'))).toEqual([...old.slice(1), '2026-000.ndjson'])
  })

  it('rejects if it cannot be created', async () => {
    const directory = await makeDirectory()
    await writeFile(join(directory, 'runs'), 'not a directory')

    const opening = openJournal({directory, run: 'r1'})

    await expect(opening).rejects.toMatchObject({
      code: 'KK_FILE',
      message: expect.stringContaining('nothing was changed'),
      hint: expect.stringContaining('XDG_STATE_HOME'),
    })
  })

  it('ends with the end of the run', async () => {
    const directory = await makeDirectory()
    await using journal = await openJournal({directory, run: 'r1'})
    const run = {state: NO_RUN, warned: () => {}, noted: () => {}}

    await journal.observer.finish?.('failed', run)

    expect(await stepsIn(directory, 'r1')).toEqual(['run-ended'])
  })

  it('that can no longer be written is reported once, and delays nothing', async () => {
    const directory = await makeDirectory()
    const told: string[] = []
    const journal = await openJournal({directory, run: 'r1'})
    const run = {state: NO_RUN, warned: (message: string) => void told.push(message), noted: () => {}}
    await journal.note(STEPS[0])

    await journal[Symbol.asyncDispose]()
    await journal.note(STEPS[1])
    journal.observer.observe?.(INTERRUPTING, run)
    await journal.note(STEPS[2])
    await journal.observer.finish?.('succeeded', run)

    expect(told).toEqual([expect.stringContaining('the run continues without it')])
  })
})
