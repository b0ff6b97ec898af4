import {copyFile, mkdir} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {execa} from 'execa'
import {beforeAll, describe, expect, inject, it} from 'vitest'
import {commands} from '../../src/commands/table.ts'
import {allInOne, makeEnvironment, type TestEnvironment} from './support/environment.ts'
import {kkEnvironment} from './support/kk.ts'

type Example = string | {readonly command: string}

const EXAMPLES = Object.values(commands).flatMap((command) =>
  ((command as {examples?: readonly Example[]}).examples ?? []).map((example) =>
    (typeof example === 'string' ? example : example.command).replaceAll('<%= config.bin %>', 'kk'),
  ),
)

/** These are about what the test's cluster does not have, or ask somebody: kk must understand them, and say so. */
const REFUSED: readonly (readonly [RegExp, string])[] = [
  [/^kk resume \d/, 'KK_NO_RUN'],
  [/^kk rollback \d/, 'KK_NO_RUN'],
  [/^kk rollback --release keystone --revision 3/, 'KK_NO_REVISION'],
  [/^kk rollback environments/, 'KK_UNCONFIRMED'],
  [/^kk apply plan\.json/, 'KK_FILE'],
  [/^kk unlock keystone/, 'KK_USAGE'],
  [/^kk unlock openstack\/keystone/, 'KK_UNKNOWN_RELEASE'],
]

describe('the example', () => {
  let environment: TestEnvironment
  beforeAll(async () => {
    const {kk: _, ...sections} = await allInOne()
    environment = await makeEnvironment({content: {...sections, kk: {charts: ['built-in']}}})
    await environment.deploy()
    const directory = join(environment.directory, 'environments')
    await mkdir(directory)
    await copyFile(environment.file, join(directory, 'all-in-one.yaml'))
  })

  it.each(EXAMPLES)('%s works', async (line) => {
    const binaries = dirname(inject('run').kk)

    const {exitCode, stderr} = await execa('/bin/sh', ['-c', inSandboxOfRun(line, environment.name)], {
      cwd: environment.directory,
      env: {...kkEnvironment(), KK_HELM: environment.helm, PATH: `${binaries}:${kkEnvironment().PATH}`},
      extendEnv: false,
      reject: false,
      stdin: 'ignore',
    })

    const [, refusal] = REFUSED.find(([pattern]) => pattern.test(line)) ?? []
    if (refusal !== undefined) return expect(stderr).toContain(`error ${refusal}`)
    const expected = [
      0,
      ...(line.includes('--detailed-exitcode') ? [4] : []),
      ...(line.startsWith('kk doctor') ? [1] : []),
    ]
    expect(expected, stderr).toContain(exitCode)
  })
})

/** The example on the sandbox of the run; what would remove a sandbox is told of one that is not there. */
function inSandboxOfRun(line: string, environment: string): string {
  const {sandbox} = inject('run')
  const name = line.startsWith('kk sandbox down') ? `${sandbox}-gone` : sandbox
  return line
    .replace('--owner all-in-one', `--owner ${environment}`)
    .replace(/ --sandbox-name \S+/, '')
    .replace(/ --sandbox\b/, ` --sandbox-name ${name}`)
    .replace(/^kk sandbox \w+/, (words) => `${words} --sandbox-name ${name}`)
}
