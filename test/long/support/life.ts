import {readdir, readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {expect} from 'vitest'
import {type Corner, openCorner} from '../../e2e/support/corner.ts'
import type {Version} from './cloud.ts'
import {type Observed, observe} from './observed.ts'

/** The stations of an environment's life, each of which is disturbed. */
const STATIONS = ['deploy', 'upgrade', 'rollback', 'remove'] as const
export type Station = (typeof STATIONS)[number]

/** An environment that is led from station to station. */
export interface Life {
  readonly corner: Corner
  readonly content: (version: Version) => string
  /** Runs kk in the corner, with a state directory of its own. */
  kk(
    words: readonly string[],
    env?: Readonly<Record<string, string>>,
    killAt?: number,
  ): ReturnType<Corner['kk']>
  /** Process ids of all helms that were started to change something, oldest first. */
  helms(): Promise<readonly number[]>
}

/**
 * Notes the id of every helm that changes something; may kill one a while after it has started (`VICTIM`,
 * `AFTER`).
 */
const NOTING = `
case $1 in install|upgrade|rollback|uninstall)
  echo $$ >> "$0.pids"
  if [ "$1 $2" = "$VICTIM" ]; then
    (sleep "$AFTER"; [ "$(readlink /proc/$$/exe)" = "$(readlink -f "$HELM")" ] && kill -9 $$) < /dev/null > /dev/null 2>&1 &
  fi
esac
exec $HELM "$@"`

export async function begin(content: (version: Version) => string): Promise<Life> {
  const corner = await openCorner(content('first'))
  const helm = await corner.helm(NOTING)
  const own = {KK_HELM: helm, XDG_STATE_HOME: join(corner.directory, 'state')}
  return {
    corner,
    content,
    kk: (words, env, killAt) => corner.kk(words, {env: {...own, ...env}, killAt}),
    async helms() {
      const text = await readFile(`${helm}.pids`, 'utf8').catch(() => '')
      return text.split('\n').filter(Boolean).map(Number)
    },
  }
}

/** What kk is told at a station; the same again is the one further command after a disturbance. */
const COMMANDS: Readonly<Record<Station, readonly string[]>> = {
  deploy: ['deploy', 'env.yaml'],
  upgrade: ['upgrade', 'env.yaml'],
  rollback: ['rollback', 'env.yaml', '--yes', '--keep-schema'],
  // The claim of the database bears its name.
  remove: [
    ...['remove', 'db', 'cache', '--with-dependents', '-e', 'env.yaml', '--yes'],
    ...['--delete-data', '--confirm-data', 'db'],
  ],
}

/** Brings an environment before a station, undisturbed, and returns the command to be disturbed there. */
export async function arrive(life: Life, station: Station): Promise<readonly string[]> {
  const {corner, content} = life
  if (station === 'upgrade') await corner.write('env.yaml', content('second'))
  if (station === 'rollback') {
    await corner.write('env.yaml', content('third'))
    await succeed(life, COMMANDS.upgrade)
  }
  return commandOf(life, station)
}

function commandOf({content}: Life, station: Station): readonly string[] {
  const hasCache = content('first').includes('cache:')
  return COMMANDS[station].filter((word) => hasCache || word !== 'cache')
}

/** Looks at what the station has made of the environment; kk, too, finds that it is as the file says. */
export async function depart(life: Life, station: Station): Promise<Observed> {
  const {corner, content} = life
  if (station === 'rollback') await corner.write('env.yaml', content('second'))
  if (station !== 'remove') await succeed(life, ['plan', 'env.yaml', '--detailed-exitcode'])
  return observe(corner.name)
}

async function succeed(life: Life, words: readonly string[]): Promise<void> {
  const {exitCode, stdout, stderr} = await life.kk(words)
  expect(exitCode, `kk ${words.join(' ')}:\n${stdout}\n${stderr}`).toBe(0)
}

/** An undisturbed life: what each station leaves, and how many transitions its journal has. */
export interface Reference {
  readonly stations: readonly Station[]
  readonly observed: Readonly<Record<Station, Observed>>
  readonly transitions: Readonly<Record<Station, number>>
}

export async function undisturbed(
  content: (version: Version) => string,
  stations: readonly Station[] = STATIONS,
): Promise<Reference> {
  const life = await begin(content)
  const observed = {} as Record<Station, Observed>
  const transitions = {} as Record<Station, number>
  for (const station of stations) {
    await succeed(life, await arrive(life, station))
    transitions[station] = await lengthOfLastJournal(life)
    observed[station] = await depart(life, station)
  }
  return {stations, observed, transitions}
}

async function lengthOfLastJournal({corner}: Life): Promise<number> {
  const directory = join(corner.directory, 'state/kk/runs')
  const names = (await readdir(directory)).filter((name) => name.endsWith('.ndjson')).sort()
  const text = await readFile(join(directory, names.at(-1)!), 'utf8')
  return text.split('\n').filter(Boolean).length
}
