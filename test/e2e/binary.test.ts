import {constants} from 'node:fs'
import {copyFile, mkdir, readdir, stat, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {beforeAll, describe, expect, inject, it} from 'vitest'
import pjson from '../../package.json' with {type: 'json'}
import {testDirectory} from '../support/test-directory.ts'

const ESCAPE = '\u001b['

let home: string
let executable: string
beforeAll(async () => {
  home = testDirectory()
  executable = join(home, 'alone', 'kk')
  await mkdir(join(home, 'alone'))
  await mkdir(join(home, 'no-programs'))
  await copyFile(inject('run').kk, executable, constants.COPYFILE_FICLONE)
  await writeFile(join(home, 'kk.yaml'), 'glance: {}\n')
})

/** With nothing beside it, no Node and no other program on PATH, and no variable but these. */
const alone = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  execa(executable, args, {
    cwd: home,
    env: {HOME: home, PATH: join(home, 'no-programs'), ...env},
    extendEnv: false,
    reject: false,
  })

/** Returns the directory where the binary has unpacked the files that it carries. */
async function carriedFiles(): Promise<string> {
  await alone(['graph'])
  const unpacked = join(home, '.cache/kk/files')
  const [hash = ''] = await readdir(unpacked)
  return join(unpacked, hash)
}

async function programsBelow(folder: string): Promise<readonly string[]> {
  const entries = (await readdir(folder, {recursive: true})).sort()
  const found = await Promise.all(
    entries.map(async (path) => ({path, facts: await stat(join(folder, path))})),
  )
  return found.filter(({facts}) => facts.isFile() && facts.mode & 0o100).map(({path}) => path)
}

describe('the binary alone', () => {
  it('prints its version, even without environment variables', async () => {
    const {exitCode, stdout, stderr} = await execa(executable, ['--version'], {
      cwd: '/',
      env: {},
      extendEnv: false,
      reject: false,
    })

    expect([exitCode, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(new RegExp(`^kk/${pjson.version} linux-\\w+ node-v\\d+\\.\\d+\\.\\d+$`))
  })

  it.each(['deploy', 'sandbox up'])('prints examples with kk %s --help', async (command) => {
    const {exitCode, stdout} = await alone([...command.split(' '), '--help'])

    expect(exitCode).toBe(0)
    expect(stdout).toMatch(new RegExp(`^EXAMPLES\\n +\\$ kk ${command}\\b`, 'm'))
  })

  it('contains the charts of kk', async () => {
    const {exitCode, stdout, stderr} = await alone(['graph', '--output', 'json'])

    expect(exitCode, stderr).toBe(0)
    const {releases} = JSON.parse(stdout) as {releases: {release: string}[]}
    expect(releases.map(({release}) => release).sort()).toEqual([
      'openstack/glance',
      'openstack/keystone',
      'openstack/mariadb',
      'openstack/memcached',
      'openstack/rabbitmq',
    ])
  })

  it('contains the environments, with paths to its charts', async () => {
    const files = await carriedFiles()

    const {exitCode, stdout, stderr} = await alone(['graph', join(files, 'environments/all-in-one.yaml')])

    expect(exitCode, stderr).toBe(0)
    for (const name of ['mariadb', 'rabbitmq', 'memcached', 'keystone', 'glance', 'horizon'])
      expect(stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'))
  })

  it('contains the programs of images as executable files', async () => {
    const files = await carriedFiles()
    const images = join(import.meta.dirname, '../../images')

    const programs = await programsBelow(images)

    expect(programs).toContain('guest/make-disk')
    expect(await programsBelow(join(files, 'images'))).toEqual(programs)
  })

  it('contains the chart of the operator', async () => {
    const chart = join(home, 'operator-chart')
    const words = ['operator', 'install', '--image', 'i', '--namespace', 'openstack', '--chart', chart]

    const {exitCode, stderr} = await alone(words)

    expect(exitCode, stderr).toBe(0)
    expect((await readdir(join(chart, 'templates'))).sort()).toEqual([
      'NOTES.txt',
      'accounts.yaml',
      'deletion-guard.yaml',
      'deployments.yaml',
    ])
  })

  it('draws graphs with the Graphviz inside', async () => {
    const {exitCode, stdout, stderr} = await alone(['graph', '--format', 'svg'])

    expect(exitCode, stderr).toBe(0)
    expect(stdout).toMatch(/<svg .*keystone.*<\/svg>/s)
  })

  it('prints the commit of its build', async () => {
    const {stdout} = await alone(['version', '--output', 'json'])
    expect(JSON.parse(stdout)).toMatchObject({
      commit: expect.stringMatching(/^[0-9a-f]{40}$/),
      form: 'executable',
      platform: `${process.platform}-${process.arch}`,
    })
  })

  it('prints the license and its full text for Node and every bundled package', async () => {
    const {exitCode, stdout} = await alone(['version', '--licenses'])

    const line = '='.repeat(80)
    const [, ...parts] = stdout.split(`${line}\n`)
    const titles = parts.filter((_, index) => index % 2 === 0)
    const texts = parts.filter((_, index) => index % 2 === 1)
    expect(exitCode).toBe(0)
    expect(titles.join('')).toMatch(/^kk \(Apache-2.0\)\nNode\.js v.*@oclif\/core .*@viz-js\/viz .*js-yaml /s)
    expect(texts.filter((text) => text.trim().length < 200)).toEqual([])
  })

  it('contains the documentation', async () => {
    const {exitCode, stdout} = await alone(['docs', 'tls'])

    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^TLS\n/)
    expect(stdout).toMatch(/^What is covered$/m)
  })

  it.each([{NODE_OPTIONS: '--require /nonexistent'}, {NODE_OPTIONS: '--no-such-option'}])(
    'ignores the variable %j',
    async (env) => {
      const {exitCode, stdout, stderr} = await alone(['graph'], env)

      expect([exitCode, stderr]).toEqual([0, ''])
      expect(stdout).toContain('glance')
    },
  )

  it.each([
    [['grahp'], 'did you mean kk graph?'],
    [['values', 'spilt'], 'did you mean kk values split?'],
    [['graph', '--formta', 'svg'], 'did you mean --format?'],
  ])('reports %j as a usage error with a suggestion', async (args, hint) => {
    const {exitCode, stdout, stderr} = await alone(args)

    expect([exitCode, stdout]).toEqual([2, ''])
    expect(stderr).toContain('error KK_USAGE: ')
    expect(stderr).toContain(hint)
  })

  it('reports a missing helm, cluster or toolbox', async () => {
    const plan = await alone(['plan'])
    const values = await alone(['values', 'show', 'glance', '--computed'])
    const sandbox = await alone(['sandbox', 'up'], {KK_TOOLBOX: join(home, 'no-programs')})

    expect([plan.exitCode, plan.stderr]).toEqual([2, expect.stringContaining('KK_KUBECONFIG')])
    expect([values.exitCode, values.stderr]).toEqual([2, expect.stringContaining('KK_HELM_MISSING')])
    expect([sandbox.exitCode, sandbox.stderr]).toEqual([2, expect.stringContaining('KK_TOOLBOX')])
  })
})

describe('colour', () => {
  it.each([
    ['into a pipe', [], {}, false],
    ['with FORCE_COLOR', [], {FORCE_COLOR: '1'}, true],
    ['with --color', ['--color'], {}, true],
    ['with FORCE_COLOR and --no-color', ['--no-color'], {FORCE_COLOR: '1'}, false],
    ['with FORCE_COLOR and NO_COLOR', [], {FORCE_COLOR: '1', NO_COLOR: '1'}, false],
  ] as const)('%s', async (_name, flags, env, expected) => {
    const graph = await alone(['graph', ...flags], env)
    const error = await alone(['graph', 'none.yaml', ...flags], env)

    expect([graph.exitCode, graph.stdout.includes(ESCAPE)]).toEqual([0, expected])
    expect([error.exitCode, error.stderr.includes(ESCAPE)]).toEqual([2, expected])
  })
})
