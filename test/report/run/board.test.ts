import fc from 'fast-check'
import {describe, expect, it, onTestFinished} from 'vitest'
import {BoardView} from '../../../src/report/run/board.ts'
import {watchRun} from '../../../src/report/run/run-view.ts'
import type {RunEvent} from '../../../src/run/events.ts'
import {brokenRun, goodRun} from '../support/all-in-one.ts'
import {handClock} from '../support/clock.ts'
import {recorder} from '../support/recorder.ts'
import {createScreen, type Screen} from '../support/screen.ts'
import {showTo} from '../support/show.ts'

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A board on a terminal, to which events are shown one by one. */
function createBoard({columns = 80, rows = 24, level = 0 as 0 | 1} = {}) {
  const screen = createScreen(columns, rows)
  const clock = handClock()
  const board = new BoardView({stream: screen.stream, level, clock})
  const show = showTo(board)
  onTestFinished(() => board.close())
  return {
    screen,
    board,
    async show(...events: readonly RunEvent[]) {
      events.forEach(show)
      // listr2 tells its renderer in later microtasks.
      await turn()
    },
    async at(second: number) {
      clock.tick(second)
      return seen(screen)
    },
  }
}

async function seen(screen: Screen): Promise<string> {
  return (await screen.rows()).join('\n').trimEnd()
}

/** 100 releases that need only `base`, so that all can run at once. */
function hundred() {
  const names = Array.from({length: 99}, (_, index) => `service-${String(index + 1).padStart(2, '0')}`)
  const run = recorder({base: [], ...Object.fromEntries(names.map((name) => [name, ['base']]))})
  return {names, run}
}

describe('the board of a run', () => {
  it('shows running releases, waiting ones with their requirements, and progress', async () => {
    const {show, at} = createBoard()

    await show(...goodRun().slice(0, 9))

    expect(await at(7)).toMatchInlineSnapshot(`
      "✔ memcached installed, revision 1, 4 s
      ⠋ mariadb      7 s  gate      Pending · StatefulSet/mariadb: 0 of 1 replicas ar…
      ⠋ rabbitmq     7 s  helm      helm upgrade --install
      longest path left: mariadb → keystone → glance
      waiting: keystone for mariadb +1, glance for mariadb +2, horizon for keystone
      1 of 6 done · 2 running · 3 waiting · 7 s"
    `)
  })

  it('marks inferred requirements of waiting releases', async () => {
    const {show, at} = createBoard()
    const [started, ...others] = goodRun().slice(0, 9)
    if (started?.type !== 'run-started') throw new Error('a run begins by its start')
    const actions = started.actions.map((each) =>
      each.release === 'openstack/keystone' ? {...each, inferred: each.requires} : each,
    )

    await show({...started, actions}, ...others)

    expect(await at(7)).toContain('waiting: keystone for mariadb (inferred) +1, glance for mariadb +2')
  })

  it('keeps a line for each completed release', async () => {
    const {show, at} = createBoard()

    await show(...goodRun().slice(0, 18))

    expect(await at(36)).toMatchInlineSnapshot(`
      "✔ mariadb installed, revision 1, 12 s
      ✔ memcached installed, revision 1, 4 s
      ✔ rabbitmq installed, revision 1, 9 s
      ✔ keystone installed, revision 1, 19 s
      ⠋ glance      5 s  helm      helm upgrade --install
      ⠋ horizon     5 s  gate      ContainerCreating · Deployment/horizon: 0 of 1 rep…
      4 of 6 done · 2 running · 36 s"
    `)
  })

  it('leaves only permanent lines at the end of the run', async () => {
    const {show, at, board, screen} = createBoard()

    await show(...goodRun().slice(0, 9))
    await at(7)
    await show(...goodRun().slice(9))
    await board.close()

    expect(await seen(screen)).toMatchInlineSnapshot(`
      "✔ memcached installed, revision 1, 4 s
      ✔ rabbitmq installed, revision 1, 9 s
      ✔ mariadb installed, revision 1, 12 s
      ✔ keystone installed, revision 1, 19 s
      ✔ horizon installed, revision 1, 12 s
      ✔ glance installed, revision 1, 16 s"
    `)
    expect(screen.written().endsWith('\u001b[?25h')).toBe(true)
  })

  it('shows the cause of a failure immediately while other releases are still running', async () => {
    const {show, at} = createBoard({columns: 100})

    await show(
      ...brokenRun()
        .filter((event) => event.type !== 'release-succeeded' || event.release !== 'openstack/rabbitmq')
        .slice(0, -1),
    )

    expect(await at(41)).toContain('✖ keystone failed after 28 s: KK_UNHEALTHY: openstack/keystone did not')
  })

  it('names a failure, which the summary explains, and the releases skipped because of it', async () => {
    const {show, board, screen} = createBoard({columns: 100})

    await show(...brokenRun())
    await board.close()

    expect(await seen(screen)).toMatchInlineSnapshot(`
      "✔ mariadb installed, revision 1, 12 s
      ✔ memcached installed, revision 1, 4 s
      ✔ rabbitmq installed, revision 1, 9 s
      ✖ keystone failed after 28 s
      - glance, horizon skipped because keystone failed"
    `)
  })

  it('keeps a line for a warning after which the run continues', async () => {
    const {show, at} = createBoard()
    const run = recorder({mariadb: []})

    await show(run.begin(), {type: 'run-warned', at: 0, message: 'the journal cannot be written'})

    expect(await at(1)).toMatch(/^! warning: the journal cannot be written\n/)
  })

  it('shows a warning before the start of the run immediately', async () => {
    const {show, screen} = createBoard()

    await show({type: 'run-warned', at: 1, message: 'nobody leads'})

    expect(await seen(screen)).toBe('! warning: nobody leads')
  })

  it('shows which releases an interrupted run still awaits', async () => {
    const {show, at} = createBoard()
    const run = recorder({mariadb: [], keystone: ['mariadb']})

    await show(run.begin(), run.start(0, 'mariadb'), run.interrupt(3, ['mariadb']))

    expect(await at(4)).toMatchInlineSnapshot(`
      "! interrupted: nothing more is started; waiting for mariadb to end (press Ctrl-C
        again to stop them)
      ⠋ mariadb     4 s  installing
      longest path left: mariadb → keystone
      waiting: keystone for mariadb
      0 of 2 done · 1 running · 1 waiting · 4 s"
    `)
  })

  it('keeps 100 releases readable on 24 rows', async () => {
    const {show, at} = createBoard()
    const {names, run} = hundred()
    await show(run.begin(), run.start(0, 'base'))
    const before = await at(5)

    await show(run.succeed(6, 'base'), ...names.slice(0, 40).map((name) => run.start(6, name)))
    const after = await at(8)

    expect(before).toMatchInlineSnapshot(`
      "⠋ base     5 s  installing
      longest path left: base → service-01
      waiting: service-01 for base, service-02 for base and 97 more
      0 of 100 done · 1 running · 99 waiting · 5 s"
    `)
    expect(after.split('\n')).toHaveLength(23)
    expect(after).toMatchInlineSnapshot(`
      "⠋ service-01     2 s  installing
      ⠋ service-02     2 s  installing
      ⠋ service-03     2 s  installing
      ⠋ service-04     2 s  installing
      ⠋ service-05     2 s  installing
      ⠋ service-06     2 s  installing
      ⠋ service-07     2 s  installing
      ⠋ service-08     2 s  installing
      ⠋ service-09     2 s  installing
      ⠋ service-10     2 s  installing
      ⠋ service-11     2 s  installing
      ⠋ service-12     2 s  installing
      ⠋ service-13     2 s  installing
      ⠋ service-14     2 s  installing
      ⠋ service-15     2 s  installing
      ⠋ service-16     2 s  installing
      ⠋ service-17     2 s  installing
      ⠋ service-18     2 s  installing
      ⠋ service-19     2 s  installing
      ⠋ service-20     2 s  installing
        and 20 more running
      waiting: 59 for their turn
      1 of 100 done · 40 running · 59 waiting · 8 s"
    `)
  })

  it('keeps one line for each of 100 completed releases', async () => {
    const {show, at, board, screen} = createBoard()
    const {names, run} = hundred()
    await show(run.begin(), run.start(0, 'base'), run.succeed(1, 'base'))
    for (const [index, name] of names.entries()) {
      await show(run.start(index, name))
      await at(index + 0.5)
      await show(run.succeed(index + 1, name))
    }

    await board.close()

    const lines = await screen.everything()
    expect(lines).toEqual(['base', ...names].map((name) => `✔ ${name} installed, revision 1, 1 s`))
  })

  it('is redrawn immediately after a change of the terminal size, without leftover rows', async () => {
    const {show, at, screen} = createBoard({columns: 100, rows: 24})
    await show(...goodRun().slice(0, 13))
    await at(20)

    await screen.resize(46, 10)

    expect((await screen.everything()).join('\n')).toMatchInlineSnapshot(`
      "✔ mariadb installed, revision 1, 12 s
      ✔ memcached installed, revision 1, 4 s
      ✔ rabbitmq installed, revision 1, 9 s
      ⠋ keystone     8 s  gate      PodInitializing…
      longest path left: keystone → glance
      waiting: glance for keystone and 1 more
      3 of 6 done · 1 running · 2 waiting · 20 s"
    `)
  })

  it('leaves no rows behind for any sequence of widths', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({min: 20, max: 120}), {minLength: 1, maxLength: 6}),
        async (widths) => {
          const {show, at, screen, board} = createBoard({columns: 100, rows: 24})
          await show(...goodRun().slice(0, 13))
          await at(20)

          for (const width of widths) await screen.resize(width, 24)

          const lines = await screen.everything()
          await board.close()
          expect(lines.filter((line) => line.startsWith('⠋ keystone'))).toHaveLength(1)
          expect(lines.filter((line) => line.startsWith('waiting: '))).toHaveLength(1)
          expect(lines.at(-1)).toMatch(/^3 of 6 done/)
          expect(lines.filter((line) => line.startsWith('✔'))).toHaveLength(3)
        },
      ),
    )
  })

  it('never moves the cursor out of a screen of any size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({min: 8, max: 120}),
        fc.integer({min: 1, max: 30}),
        fc.integer({min: 0, max: 99}),
        async (columns, rows, running) => {
          const {show, at, screen, board} = createBoard({columns, rows})
          const {names, run} = hundred()
          await show(run.begin(), ...names.slice(0, running).map((name) => run.start(0, name)))

          for (const second of [1, 2, 3]) await at(second)

          const scrolledAway = screen.terminal.buffer.active.baseY
          await board.close()
          expect(scrolledAway).toBe(0)
        },
      ),
      {numRuns: 40},
    )
  })

  it('shortens names, and keeps messages with wide characters on one row', async () => {
    const {show, at} = createBoard({columns: 60})
    const name = 'a-release-with-a-very-long-name-that-nobody-would-type'
    const run = recorder({[name]: []})

    await show(
      run.begin(),
      run.start(0, name),
      run.progress(1, name, 'helm', '等待数据库等待数据库等待数据库等待数据库'),
    )

    expect(await at(2)).toMatchInlineSnapshot(`
      "⠋ a-release-with-a-very-long-…     2 s  helm      等待数据…
      0 of 1 done · 1 running · 2 s"
    `)
  })

  it('escapes control characters in messages', async () => {
    const {show, at} = createBoard()
    const run = recorder({mariadb: []})

    await show(run.begin(), run.start(0, 'mariadb'))
    await show(run.progress(1, 'mariadb', 'helm', 'one\r\n\u001b[2J\u001b[Htwo\u0007'))

    expect(await at(2)).toMatchInlineSnapshot(`
      "⠋ mariadb     2 s  helm      one two
      0 of 1 done · 1 running · 2 s"
    `)
  })

  it('writes no colours at level 0, and some at level 1', async () => {
    const plain = createBoard()
    const coloured = createBoard({level: 1})

    for (const {show, board} of [plain, coloured]) {
      await show(...goodRun())
      await board.close()
    }

    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences
    expect(plain.screen.written()).not.toMatch(/\u001b\[\d+m/)
    expect(coloured.screen.written()).toContain('\u001b[32m✔\u001b[39m')
  })

  it('writes nothing if nothing has changed', async () => {
    const {show, at, screen} = createBoard()
    const run = recorder({mariadb: []})
    await show(run.begin())
    await at(1)
    const before = screen.written()

    await at(1)

    expect(screen.written()).toBe(before)
  })

  it('restores the terminal if the events are interrupted', async () => {
    const screen = createScreen(80, 24)
    const clock = handClock()
    async function* events(): AsyncGenerator<RunEvent> {
      const run = recorder({mariadb: []})
      yield run.begin()
      yield run.start(0, 'mariadb')
      await turn()
      clock.tick(1)
      throw new Error('lost')
    }

    const watched = watchRun(events(), [new BoardView({stream: screen.stream, level: 0, clock})])

    await expect(watched).rejects.toThrow('lost')
    expect(await seen(screen)).toBe('')
    expect(screen.written().endsWith('\u001b[?25h')).toBe(true)
  })
})
