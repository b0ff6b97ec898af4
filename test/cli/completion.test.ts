import {chmod, mkdir, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {beforeAll, describe, expect, it} from 'vitest'
import {completionScript, SHELLS} from '../../src/cli/completion/completion.ts'
import {completedNames} from '../../src/cli/names.ts'
import {commandName, commandsOf} from '../../src/cli/reference.ts'
import {table} from '../../src/table.js'
import {testDirectory} from '../support/test-directory.ts'

const COMMANDS = commandsOf(table)

let directory: string
beforeAll(async () => {
  directory = testDirectory()
  await mkdir(join(directory, 'clouds'))
  await writeFile(join(directory, 'clouds/lab.yaml'), 'a: {}\n')
  await writeFile(join(directory, 'kk.bash'), completionScript('bash', COMMANDS))
  await writeFile(join(directory, 'notes.txt'), '')
  // What kk prints of names, with the words that it was given.
  await writeFile(
    join(directory, 'kk'),
    '#!/bin/sh\n[ "$2" = environment ] && echo lab || printf "keystone\\nnova\\n"\n',
  )
  await chmod(join(directory, 'kk'), 0o755)
})

/** What bash offers at the end of a line. */
async function offered(line: string): Promise<readonly string[]> {
  const program = `source ./kk.bash; COMP_LINE=$1; COMP_POINT=\${#1}; COMP_WORDS=(./kk); _kk 2>/dev/null; printf '%s\\n' "\${COMPREPLY[@]}"`
  const {stdout} = await execa('bash', ['--norc', '-c', program, 'bash', line], {cwd: directory})
  return stdout.split('\n').filter((word) => word !== '')
}

describe('bash completes', () => {
  it.each([
    ['kk de', ['deploy', 'destroy']],
    ['kk charts p', ['package', 'publish']],
    ['kk deploy --outp', ['--output']],
    ['kk deploy --output ', ['text', 'json', 'yaml', 'ndjson']],
    ['kk plan --output ', ['text', 'json', 'yaml']],
    ['kk deploy --output=y', ['yaml']],
    ['kk init --no-e', ['--no-ephemeral']],
    ['kk upgrade clouds/lab.yaml ke', ['keystone']],
    ['kk upgrade clo', ['clouds']],
    ['kk upgrade -y ke', ['keystone']],
    ['kk values split -y clouds/', ['clouds/lab.yaml']],
    ['kk graph wh', ['why']],
    ['kk graph no', ['nova']],
    ['kk upgrade --set key', ['keystone:']],
    ['kk upgrade --values nova=no', ['notes.txt']],
    ['kk history --owner ', ['lab']],
    ['kk plan -e clouds/', ['clouds/lab.yaml']],
    ['kk upgrade -f nova=no', ['notes.txt']],
    ['kk plan -o ', ['text', 'json', 'yaml']],
    ['kk values split -o clo', ['clouds']],
    ['kk values split --output-dir ', ['clouds']],
    ['kk schema ', ['environment', 'facts']],
    ['kk deploy --message no', []],
    ['kk import no', ['notes.txt']],
    ['kk images mirror --to clo', ['clouds']],
    ['kk help de', ['deploy', 'destroy']],
    ['kk help charts p', ['package', 'publish']],
  ])('%s', async (line, words) => {
    expect(await offered(line)).toEqual(words)
  })

  it('every command', async () => {
    const first = await offered('kk ')

    const expected = COMMANDS.filter(({hidden}) => !hidden).map(
      (command) => commandName(command).split(' ')[0]!,
    )
    expect(first.toSorted()).toEqual([...new Set(expected)].toSorted())
  })
})

it.each(SHELLS)('the script for %s has every flag of every command that is not hidden', (shell) => {
  const script = completionScript(shell, COMMANDS)

  const flags = COMMANDS.filter(({hidden}) => !hidden).flatMap((command) => Object.keys(command.flags))
  expect([...new Set(flags)].filter((flag) => !script.includes(`--${flag}`))).toEqual([])
})

describe('names for a shell', () => {
  const text = `# A comment
kk:
  name: "lab-1"
  releases:
    # of the system
    ingress-kube: {chart: ingress}
    nova: {timeout: 20m}
  charts: [built-in]
global:
  region: RegionOne
keystone: {}
"nova":
  pod:
    replicas: {api: 2}
`
  const names = async (kind: string, words: readonly string[], env = {}) => {
    const file = join(directory, 'named.yaml')
    await writeFile(file, text)
    return completedNames(
      kind,
      words.map((word) => word.replace(/FILE$/, file)),
      env,
    )
  }

  it.each([
    ['of releases', 'releases', ['upgrade', 'FILE', ''], ['ingress-kube', 'keystone', 'nova']],
    ['of the environment', 'environment', ['history', '-e', 'FILE', '--owner', ''], ['lab-1']],
    [
      'beside a flag of one letter',
      'releases',
      ['upgrade', 'FILE', '-y', ''],
      ['ingress-kube', 'keystone', 'nova'],
    ],
    [
      'beside files of other flags',
      'releases',
      ['upgrade', '--values', 'nova=x.yaml', '--facts', 'f.yaml', 'FILE', ''],
      ['ingress-kube', 'keystone', 'nova'],
    ],
    ['of a file after -f', 'environment', ['history', '-f', 'FILE', ''], ['lab-1']],
    [
      'of a file that a flag has in one word',
      'environment',
      ['history', '--environment=FILE', ''],
      ['lab-1'],
    ],
    ['of a file that is not there', 'releases', ['upgrade', 'missing.yaml', ''], []],
    ['of two files', 'releases', ['upgrade', 'FILE', 'other.yaml', ''], []],
  ])('%s', async (_, kind, words, expected) => {
    expect(await names(kind, words)).toEqual(expected)
  })

  it('of the environment are also read from a file with kk on one line', async () => {
    const file = join(directory, 'short.yaml')
    await writeFile(file, 'kk: {charts: [x], name: lab}\nkeystone: {}\n')

    expect(await completedNames('environment', ['history', '-e', file, ''], {})).toEqual(['lab'])
  })

  it('also come from the file of KK_ENVIRONMENT', async () => {
    await names('releases', [])

    const env = {KK_ENVIRONMENT: join(directory, 'named.yaml')}
    expect(await completedNames('releases', ['upgrade', ''], env)).toEqual([
      'ingress-kube',
      'keystone',
      'nova',
    ])
  })
})
