import {mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {execa} from 'execa'
import {describe, expect, it, onTestFinished} from 'vitest'
import type {Transition} from '../../../src/run/journal/journal.ts'
import {openJournal} from '../../../src/run/journal/open-journal.ts'

const MODULE = join(import.meta.dirname, '../../../src/run/journal/open-journal.ts')
const STEPS = [
  {type: 'helm-starting', release: 'openstack/keystone', verb: 'upgrade', revision: 2, deadline: 1},
  {type: 'helm-started', release: 'openstack/keystone', pid: 4711},
  {type: 'helm-ended', release: 'openstack/keystone'},
] as const satisfies readonly Transition[]

async function makeDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'kk-journal-'))
  onTestFinished(() => rm(directory, {recursive: true, force: true}))
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
  it('has every step on disk when it was noted, in order, each with its time', async () => {
    const directory = await makeDirectory()
    const journal = await openJournal({directory, run: 'r1', onBroken: () => {}})

    for (const step of STEPS) await journal.note(step)

    const lines = (await readFile(journal.path, 'utf8')).split('\n').filter(Boolean)
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT/)
    expect(lines.map((line) => JSON.parse(line))).toEqual(STEPS.map((step) => ({at, ...step})))
    await journal.close()
  })

  it('keeps the order of steps that are noted without waiting', async () => {
    const directory = await makeDirectory()
    const journal = await openJournal({directory, run: 'r1', onBroken: () => {}})

    await Promise.all(STEPS.map((step) => journal.note(step)))

    expect(await stepsIn(directory, 'r1')).toEqual(STEPS.map(({type}) => type))
    await journal.close()
  })

  it('can be read by nobody else', async () => {
    const directory = await makeDirectory()
    const journal = await openJournal({directory, run: 'r1', onBroken: () => {}})

    expect((await stat(journal.path)).mode & 0o777).toBe(0o600)
    expect((await stat(join(directory, 'runs'))).mode & 0o777).toBe(0o700)
    await journal.close()
  })

  it('is one of the newest hundred that stay', async () => {
    const directory = await makeDirectory()
    await mkdir(join(directory, 'runs'))
    const old = Array.from({length: 100}, (_, index) => `2025-${String(index).padStart(3, '0')}.ndjson`)
    for (const name of old) await writeFile(join(directory, 'runs', name), '')

    const journal = await openJournal({directory, run: '2026-000', onBroken: () => {}})

    expect(await readdir(join(directory, 'runs'))).toEqual([...old.slice(1), '2026-000.ndjson'])
    await journal.close()
  })

  it('refuses to begin where it cannot be written', async () => {
    const directory = await makeDirectory()
    await writeFile(join(directory, 'runs'), 'not a directory')

    const opening = openJournal({directory, run: 'r1', onBroken: () => {}})

    await expect(opening).rejects.toMatchObject({
      code: 'KK_FILE',
      message: expect.stringContaining('nothing was changed'),
      hint: expect.stringContaining('XDG_STATE_HOME'),
    })
  })

  it('that cannot be written any more is told once, and holds up nothing', async () => {
    const directory = await makeDirectory()
    const told: string[] = []
    const journal = await openJournal({directory, run: 'r1', onBroken: (message) => told.push(message)})
    await journal.note(STEPS[0])

    await journal.close()
    await journal.note(STEPS[1])
    await journal.note(STEPS[2])

    expect(told).toEqual([expect.stringContaining('the run goes on without it')])
  })

  it.each([1, 2, 3])(
    'kills its process at step %i when a test says so, with that step on disk',
    async (killAt) => {
      const directory = await makeDirectory()
      const script = `
      import {openJournal} from ${JSON.stringify(MODULE)}
      const options = {directory: ${JSON.stringify(directory)}, run: 'r1', killAt: ${killAt}, onBroken() {}}
      const journal = await openJournal(options)
      for (const step of ${JSON.stringify(STEPS)}) await journal.note(step)
    `

      const {signal} = await execa(process.execPath, ['--input-type=module', '--eval', script], {
        reject: false,
      })

      expect(signal).toBe('SIGKILL')
      expect(await stepsIn(directory, 'r1')).toEqual(STEPS.slice(0, killAt).map(({type}) => type))
    },
  )
})
