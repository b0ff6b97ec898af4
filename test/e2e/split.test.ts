import {readdir, readFile, rm, stat, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {beforeEach, describe, expect, inject, it} from 'vitest'
import {writeProbeChart} from '../overrides/support/probe.ts'
import {HELMS} from '../support/helms.ts'
import {testDirectory} from '../support/test-directory.ts'
import {kk, kkEnvironment} from './support/kk.ts'

const ENVIRONMENT = `kk: {name: test}
global: {region: &r {name: RegionOne}}
keystone: {region: *r, text: "yes", y: n, global: {debug: true}}
glance:
mariadb: {}
`

const KEYSTONE = `global:
  debug: true
  region:
    name: RegionOne
region:
  name: RegionOne
text: 'yes'
y: n
`

/** oclif waits this long for standard input, if it asks for it at all: no machine is too slow to show it. */
const SLOW_STDIN = {OCLIF_STDIN_TIMEOUT_MS: '3000'}

let cwd: string
beforeEach(async () => {
  cwd = testDirectory()
  await writeFile(join(cwd, 'env.yaml'), ENVIRONMENT)
})

const split = (args: readonly string[], options: {input?: string; env?: Record<string, string>} = {}) =>
  kk(['values', 'split', ...args], {cwd, ...options, env: {TMPDIR: cwd, ...options.env}})

describe('kk values split', () => {
  it.each([[['env.yaml']], [['-y', 'env.yaml']], [['--yaml=env.yaml']], [['-e', 'env.yaml']]])(
    'with %j writes a file per section into a new directory, and prints only its path',
    async (args) => {
      const {exitCode, stdout, stderr} = await split(args)

      expect(exitCode, stderr).toBe(0)
      expect(stdout).toMatch(new RegExp(`^${cwd}/helm\\w{6}$`))
      const [unknown, boolean, ...written] = stderr.split('\n')
      expect(unknown).toMatch(/^warning: keystone: env\.yaml:3:24: text: no such key/)
      expect(boolean).toMatch(/^warning: keystone: env\.yaml:3:37: true: no such key/)
      expect(written).toEqual(
        ['keystone', 'glance', 'mariadb'].map((name) => `Writing out ${stdout}/${name}.yaml`),
      )
      expect((await readdir(stdout)).sort()).toEqual(['glance.yaml', 'keystone.yaml', 'mariadb.yaml'])
      expect(await readFile(join(stdout, 'keystone.yaml'), 'utf8')).toBe(KEYSTONE)
      expect(((await stat(stdout)).mode & 0o777).toString(8)).toBe('700')
      expect(((await stat(join(stdout, 'glance.yaml'))).mode & 0o777).toString(8)).toBe('600')
    },
  )

  it('reads standard input, KK_ENVIRONMENT and kk.yaml', async () => {
    await writeFile(join(cwd, 'kk.yaml'), 'nova: {}\n')

    expect((await split(['-', '--stdout'], {input: 'heat: {a: 1}\n'})).stdout).toBe(
      '---\n# Source: heat.yaml\na: 1',
    )
    expect((await split(['--stdout'])).stdout).toBe('---\n# Source: nova.yaml\n{}')
    expect(
      (await split(['--stdout', '--release', 'keystone'], {env: {KK_ENVIRONMENT: 'env.yaml'}})).stdout,
    ).toBe(`---\n# Source: keystone.yaml\n${KEYSTONE.trimEnd()}`)
  })

  it('merges the files that the file includes, and prints them as one environment with --merged', async () => {
    await writeFile(join(cwd, 'one.yaml'), 'kk: {include: [common.yaml]}\nkeystone: {b: 2}\n')
    await writeFile(join(cwd, 'common.yaml'), 'kk: {name: common}\nkeystone: {a: 1}\n')

    expect((await split(['one.yaml', '--stdout'])).stdout).toBe('---\n# Source: keystone.yaml\na: 1\nb: 2')
    expect((await split(['one.yaml', '--merged'])).stdout).toBe(
      'kk:\n  name: common\nkeystone:\n  a: 1\n  b: 2',
    )
  })

  it('writes only the specified releases, into the specified directory', async () => {
    const {exitCode, stdout} = await split([
      'env.yaml',
      '-o',
      'values',
      '--release',
      'glance',
      '--release',
      'mariadb',
    ])

    expect([exitCode, stdout]).toEqual([0, 'values'])
    expect((await readdir(join(cwd, 'values'))).sort()).toEqual(['.kk-split', 'glance.yaml', 'mariadb.yaml'])
  })

  it('writes nothing for an invalid file', async () => {
    await writeFile(join(cwd, 'bad.yaml'), 'a: {}\nb: 1\n')

    const {exitCode, stdout, stderr} = await split(['bad.yaml'])
    const named = await split(['bad.yaml', '-o', 'values'])

    expect([exitCode, stdout, named.exitCode]).toEqual([2, '', 2])
    expect(stderr).toContain('bad.yaml:2:1: b: expected a map of values')
    expect((await readdir(cwd)).sort()).toEqual(['bad.yaml', 'env.yaml'])
  })

  it.each([
    [['none.yaml'], 2, 'KK_FILE'],
    [[], 2, 'KK_NO_ENVIRONMENT'],
    [['env.yaml', '--release', 'keyston'], 2, 'did you mean keystone?'],
    [['env.yaml', '-o', '.'], 3, 'KK_DIRECTORY_IN_USE'],
    [['env.yaml', '-y', 'other.yaml'], 2, 'KK_USAGE'],
    [['env.yaml', '--stdout', '-o', 'values'], 2, 'KK_USAGE'],
  ])('with %j exits with %i and reports %s', async (args, code, text) => {
    const {exitCode, stdout, stderr} = await split(args)

    expect([exitCode, stdout]).toEqual([code, ''])
    expect(stderr).toContain(text)
    expect(await readdir(cwd)).toEqual(['env.yaml'])
  })

  it('uses the last value of a duplicate key with a warning, while a plan refuses the key', async () => {
    await writeFile(join(cwd, 'twice.yaml'), 'ceph:\n  foo: bar\n  foo:\n    hoo: woo\n')

    const {exitCode, stdout, stderr} = await split(['twice.yaml', '--stdout'])
    const planned = await kk(['graph', 'twice.yaml'], {cwd})

    expect([exitCode, stdout]).toEqual([0, '---\n# Source: ceph.yaml\nfoo:\n  hoo: woo'])
    expect(stderr).toBe(
      'warning: twice.yaml:3:3: the key "foo" is duplicate, first in line 2; the last one is used',
    )
    expect(planned.exitCode).toBe(2)
    expect(planned.stderr).toContain('twice.yaml:3:3: the key "foo" is duplicate')
  })

  it('reads no argument from standard input, and quotes none of its content', async () => {
    const {exitCode, stdout, stderr} = await split(['--stdout'], {
      input: 'keystone: {password: piped-s3cret}\n',
      env: {...SLOW_STDIN, KK_ENVIRONMENT: 'env.yaml'},
    })
    await rm(join(cwd, 'env.yaml'))
    const without = await split(['--stdout'], {
      input: 'keystone: {password: piped-s3cret}\n',
      env: SLOW_STDIN,
    })

    expect([exitCode, stdout], stderr).toEqual([0, expect.stringContaining('# Source: keystone.yaml')])
    expect([without.exitCode, without.stdout]).toEqual([2, ''])
    expect(without.stderr).toContain('KK_NO_ENVIRONMENT')
    expect(`${stdout}${stderr}${without.stderr}`).not.toContain('piped-s3cret')
  })

  it('does not consume standard input in a shell loop', async () => {
    const names = ['one.yaml', 'two.yaml', 'three.yaml']
    for (const name of names) await writeFile(join(cwd, name), 'nova: {}\n')
    await writeFile(join(cwd, 'list'), `${names.join('\n')}\n`)

    const {exitCode, stderr} = await execa(
      'sh',
      ['-ec', 'while read -r e; do "$KK" values split -y "$e" -o "out/$e"; done < list'],
      {cwd, env: {...kkEnvironment(), ...SLOW_STDIN, KK: inject('run').kk}, extendEnv: false, reject: false},
    )

    expect(exitCode, stderr).toBe(0)
    expect((await readdir(join(cwd, 'out'))).toSorted()).toEqual(names.toSorted())
  })

  it.each(HELMS)('writes files that %s accepts', async (name) => {
    await writeFile(
      join(cwd, 'odd.yaml'),
      'empty:\nlong: {"é": "it\'s", "": [[], {}], big: 123456789012345678901}\n',
    )
    const {stdout: first} = await split(['env.yaml'])
    const {stdout: second} = await split(['odd.yaml'])
    const chart = await writeProbeChart(cwd)
    const files = [first, second].map(async (directory) =>
      (await readdir(directory)).map((file) => join(directory, file)),
    )

    for (const file of (await Promise.all(files)).flat()) {
      const helm = await execa(
        join(inject('run').toolbox, name),
        ['template', 'x', chart, '--values', file],
        {reject: false},
      )
      expect(helm.exitCode, `${file}: ${helm.stderr}`).toBe(0)
    }
  })
})

describe('kk schema environment', () => {
  it('prints the JSON Schema', async () => {
    const {exitCode, stdout} = await kk(['schema', 'environment'])

    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      properties: {kk: {properties: {name: {type: 'string'}}}},
    })
  })
})
