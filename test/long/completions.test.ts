import {writeFile} from 'node:fs/promises'
import {basename, join} from 'node:path'
import {execa} from 'execa'
import {expect, inject, it} from 'vitest'
import {type Corner, emptyCorner} from '../e2e/support/corner.ts'
import {kkEnvironment} from '../e2e/support/kk.ts'
import {openTerminal} from '../e2e/support/terminal.ts'

/** A directory with an environment and the script of a shell, and a `kk` on PATH. */
async function cornerFor(
  shell: string,
): Promise<{readonly corner: Corner; readonly env: Record<string, string>}> {
  const corner = await emptyCorner('completion')
  await corner.write('kk.yaml', 'kk: {name: lab}\nkeystone: {}\nnova: {}\n')
  const {stdout} = await corner.kk(['completion', shell])
  await writeFile(join(corner.directory, `kk.${shell}`), stdout)
  const {PATH, ...others} = kkEnvironment()
  expect(basename(inject('run').kk)).toBe('kk')
  return {corner, env: {...others, HOME: corner.directory, PATH: `${join(inject('run').kk, '..')}:${PATH}`}}
}

it('fish completes commands, values of flags, and names from the environment', async () => {
  const {corner, env} = await cornerFor('fish')
  const lines = [
    'kk charts pu',
    'kk deploy --output nd',
    'kk upgrade no',
    'kk history --owner ',
    'kk plan -e kk',
  ]

  const {stdout} = await execa(
    'fish',
    ['--no-config', '-c', `source kk.fish; for line in $argv; complete -C $line; end`, ...lines],
    {cwd: corner.directory, env, extendEnv: false},
  )

  const words = stdout.split('\n').map((line) => line.split('\t')[0])
  expect(words).toEqual(['publish', 'ndjson', 'nova', 'lab', 'kk.yaml'])
})

it('zsh completes commands, values of flags, and names from the environment', async () => {
  const {corner, env} = await cornerFor('zsh')
  const terminal = openTerminal(`cd ${corner.directory} && zsh -f`, {columns: 100, rows: 30, env})
  terminal.type('PS1="> "; autoload -Uz compinit; compinit -u -D; source ./kk.zsh; clear\r')

  for (const [typed, completed] of [
    ['kk charts pu\t', /> kk charts publish/],
    ['kk deploy --output nd\t', /> kk deploy --output ndjson/],
    ['kk upgrade no\t', /> kk upgrade nova/],
    ['kk history --owner \t', /> kk history --owner lab/],
  ] as const) {
    await terminal.shows(/> *\s*$/)
    terminal.type(typed)
    await terminal.shows(completed)
    terminal.type('\u0003clear\r')
  }
  terminal.type('exit 0\r')
  expect(await terminal.end()).toMatchObject({exitCode: 0})
})
