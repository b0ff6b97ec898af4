import {execa} from 'execa'
import {expect, it} from 'vitest'
import {manPages} from '../../../scripts/package/man-pages.ts'
import {commandName, commandsOf, flagWords} from '../../../src/cli/reference.ts'
import {table} from '../../../src/table.js'

const COMMANDS = commandsOf(table)

const PAGES = manPages({version: '1.2.3', date: new Date('2026-11-25')})

/** What a reader of the page sees, and what groff has to say against it. */
async function read(file: string): Promise<{readonly text: string; readonly warnings: string}> {
  const {text: input} = PAGES.find((page) => page.file === file)!
  const {stdout, stderr} = await execa('groff', ['-man', '-ww', '-Tascii', '-P-cbou', '-rLL=500n'], {input})
  return {text: stdout, warnings: stderr}
}

it('there is a man page for kk, each first word of a command, and the environment file', () => {
  const words = new Set(COMMANDS.filter(({hidden}) => !hidden).map(({id}) => id.split(':')[0]))

  expect(PAGES.map(({file}) => file)).toEqual([
    'kk.1',
    ...[...words].map((word) => `kk-${word}.1`),
    'kk-environment.5',
  ])
})

it.each(PAGES)('the man page $file is accepted by groff without a warning', async ({file}) => {
  const {text, warnings} = await read(file)

  expect(warnings).toBe('')
  expect(text).toContain('NAME\n')
})

it('a man page has each flag of its command, and its examples verbatim', async () => {
  const {text} = await read('kk-deploy.1')
  const deploy = COMMANDS.find(({id}) => id === 'deploy')!
  const told = Object.values(deploy.flags).filter(({helpGroup}) => helpGroup !== 'GLOBAL')

  expect(told.map(flagWords).filter((words) => !text.includes(words))).toEqual([])
  expect(text).toContain('kk deploy environments/all-in-one.yaml --sandbox --dry-run\n')
})

it('the synopsis of a man page has the arguments of its command', async () => {
  const {text} = await read('kk-rollback.1')

  expect(text).toContain('kk rollback [FILE] [RUN] [FLAGS]\n')
})

it('the man page of a group has a section for each of its commands', async () => {
  const {text} = await read('kk-charts.1')
  const commands = COMMANDS.filter(({id}) => id.startsWith('charts:')).map(commandName)

  expect(commands.filter((words) => !text.includes(`   kk ${words}\n`))).toEqual([])
})

it('text of the command table is escaped for roff', async () => {
  const {text} = await read('kk-environment.5')

  expect(text).toContain("kk's own settings; no release gets them.")
  expect(text).toContain('`values_overrides/<chart>/<feature>.yaml`')
})
