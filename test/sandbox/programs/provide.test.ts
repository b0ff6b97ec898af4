import {createHash} from 'node:crypto'
import {mkdir, readdir, readFile, rm, stat, writeFile} from 'node:fs/promises'
import {createServer, type ServerResponse} from 'node:http'
import type {AddressInfo} from 'node:net'
import {join} from 'node:path'
import {execa} from 'execa'
import {beforeAll, beforeEach, describe, expect, it, onTestFinished, vi} from 'vitest'
import {pollUntil} from '../../../src/base/poll.ts'
import {provideTools, type Release} from '../../../src/sandbox/programs/provide.ts'
import releases from '../../../src/sandbox/programs/releases.json' with {type: 'json'}
import {findTool, SANDBOX_TOOLS} from '../../../src/state/tools.ts'
import {openProxy} from '../../support/proxy.ts'
import {testDirectory} from '../../support/test-directory.ts'

const SERVER = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl']
const ARCH = process.arch === 'x64' ? 'amd64' : process.arch

type Answer = (response: ServerResponse, content: Buffer) => void

/**
 * Sends half, and closes the connection as soon as that half is in the file: what is not read yet is lost.
 */
const cut: Answer = (response, content) => {
  const half = Math.floor(content.length / 2)
  const isWritten = async () => {
    const names = await readdir(cache('.downloads'))
    const parts = names.filter((name) => name.endsWith('server.tar.gz.part'))
    const sizes = await Promise.all(parts.map(async (name) => (await stat(cache('.downloads', name))).size))
    return sizes.includes(half)
  }
  response.writeHead(200, {'content-length': content.length})
  response.write(content.subarray(0, half))
  void pollUntil(isWritten, {interval: 5}).then(() => response.destroy())
}
const silent: Answer = () => {}
const unavailable: Answer = (response) => void response.writeHead(503).end()

interface TestServer {
  readonly port: number
  /** `PATH` or `PATH RANGE` of each request. */
  readonly asked: string[]
  /**
   * How the next requests of a path are answered, first to last; then with the file, or what is missing of
   * it.
   */
  readonly answers: Map<string, Answer[]>
}

/** Starts a server of these files, which continues downloads as the projects' servers do. */
async function openServer(files: ReadonlyMap<string, Buffer>): Promise<TestServer> {
  const asked: string[] = []
  const answers = new Map<string, Answer[]>()
  const server = createServer(({url = '', headers: {range}}, response) => {
    asked.push([url, ...(range === undefined ? [] : [range])].join(' '))
    const content = files.get(url)
    const answer = answers.get(url)?.shift()
    if (content === undefined) return void response.writeHead(404).end()
    if (answer !== undefined) return answer(response, content)
    const start = Number(/bytes=(\d+)-/.exec(range ?? '')?.[1] ?? 0)
    const rest = content.subarray(start)
    if (start > 0 && rest.length === 0) return void response.writeHead(416).end()
    response.writeHead(start > 0 ? 206 : 200, {'content-length': rest.length}).end(rest)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {port: (server.address() as AddressInfo).port, asked, answers}
}

/** A program that leaves a trace if it is executed. */
const program = (version: string) =>
  `#!/bin/sh\ntouch "$(dirname "$0")/executed"\necho Kubernetes ${version}\n`

let files: ReadonlyMap<string, Buffer>
beforeAll(async () => {
  files = await released(testDirectory())
})

let directory: string
let env: NodeJS.ProcessEnv
let server: TestServer
let lines: string[]
beforeEach(async () => {
  directory = testDirectory()
  env = {XDG_CACHE_HOME: join(directory, 'cache'), PATH: join(directory, 'path')}
  server = await openServer(files)
  lines = []
})

const cache = (...path: string[]) => join(directory, 'cache/kk/toolbox', ...path)

/** The files of small releases, by their paths on the server. */
async function released(root: string): Promise<Map<string, Buffer>> {
  const bin = join(root, 'server/bin')
  await mkdir(bin, {recursive: true})
  for (const name of [...SERVER, 'etcd']) await writeFile(join(bin, name), program('v1.36.9'), {mode: 0o755})
  const archive = async (...names: string[]) => {
    const paths = names.map((name) => `server/bin/${name}`)
    const argv = ['--create', '--gzip', '--directory', root, ...paths]
    return Buffer.from((await execa('tar', argv, {encoding: 'buffer'})).stdout)
  }
  return new Map([
    ['/v1.36.9/server.tar.gz', await archive(...SERVER)],
    ['/v3.6.13/etcd.tar.gz', await archive('etcd')],
    ...['kwok', 'kwokctl', 'helm4'].map((name) => [`/v1/${name}`, Buffer.from(program('v1'))] as const),
  ])
}

/** The table of these releases on a host. */
function table(host = '127.0.0.1'): Record<string, Release> {
  const entry = (version: string, file: string, programs: Record<string, string>): Release => {
    const digest = createHash('sha256')
      .update(files.get(`/${version}/${file}`)!)
      .digest('hex')
    const url = `http://${host}:${server.port}/VERSION/${file}`
    return {version, url, programs, checksums: {[ARCH]: `sha256:${digest}`}}
  }
  const inArchive = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, `server/bin/${name}`]))
  return {
    kubernetes: entry('v1.36.9', 'server.tar.gz', inArchive(SERVER)),
    etcd: entry('v3.6.13', 'etcd.tar.gz', inArchive(['etcd'])),
    kwok: entry('v1', 'kwok', {kwok: ''}),
    kwokctl: entry('v1', 'kwokctl', {kwokctl: ''}),
    helm: entry('v1', 'helm4', {helm4: ''}),
  }
}

async function provide(more: Partial<Parameters<typeof provideTools>[0]> = {}) {
  return provideTools({env, onProgress: (line) => lines.push(line), releases: table(), ...more})
}

async function onPath(version: string): Promise<void> {
  await mkdir(join(directory, 'path'))
  for (const name of SANDBOX_TOOLS)
    await writeFile(join(directory, 'path', name), program(version), {mode: 0o755})
}

describe('the programs of a sandbox', () => {
  it('are downloaded, verified and kept, once per machine', async () => {
    const tools = await provide()
    const [key] = (await readdir(cache())).filter((name) => /^[0-9a-f]{16}$/.test(name))
    const bin = cache(key!, 'bin')
    await provide()

    expect(tools).toEqual({
      ...Object.fromEntries(SANDBOX_TOOLS.map((name) => [name, join(bin, name)])),
      'kwok-kubelet': join(bin, 'kwok'),
    })
    expect(findTool('helm4', env)).toBe(join(bin, 'helm4'))
    expect((await execa(join(bin, 'helm'))).stdout).toBe('Kubernetes v1')
    expect(server.asked.toSorted()).toEqual([...files.keys()].toSorted())
    expect(await readdir(cache())).toEqual(expect.arrayContaining([key, 'current']))
    expect(await readdir(cache())).not.toContain('.downloads')
  })

  it('are refused with another checksum, before anything of them is executed', async () => {
    const wrong = table()
    const etcd = {...wrong.etcd!, checksums: {[ARCH]: `sha256:${'0'.repeat(64)}`}}
    const compile = vi.fn(async () => {})

    const refused = provide({releases: {...wrong, etcd}, instead: compile})

    await expect(refused).rejects.toMatchObject({
      code: 'KK_TOOLBOX',
      message: expect.stringContaining('etcd.tar.gz is not the file with the checksum sha256:000'),
    })
    expect(compile).not.toHaveBeenCalled()
    expect((await readdir(cache())).filter((name) => name !== '.downloads')).toEqual([])
    expect((await readdir(cache('.downloads'))).filter((name) => name.includes('etcd'))).toEqual([])
  })

  it('are resumed where a connection was cut', async () => {
    const path = '/v1.36.9/server.tar.gz'
    const size = files.get(path)!.length
    server.answers.set(path, [cut])

    const tools = await provide()

    expect((await execa(tools.kubectl)).stdout).toBe('Kubernetes v1.36.9')
    expect(server.asked.filter((each) => each.startsWith(path))).toEqual([
      path,
      `${path} bytes=${Math.floor(size / 2)}-`,
    ])
  })

  it('are resumed by a later process', async () => {
    const path = '/v1.36.9/server.tar.gz'
    server.answers.set(path, [cut, unavailable, unavailable])
    await expect(provide()).rejects.toMatchObject({code: 'KK_TOOLBOX'})
    const before = server.asked.length

    await provide()

    expect(server.asked.slice(before).find((each) => each.startsWith(path))).toMatch(/ bytes=[1-9]\d*-$/)
    expect(lines).toContainEqual(expect.stringMatching(/cannot be downloaded: .*server\.tar\.gz: HTTP 503/))
  })

  it('come through the proxy of the environment', async () => {
    const proxy = await openProxy()
    env = {...env, HTTP_PROXY: proxy.url}

    const tools = await provide({releases: table('releases.invalid')})

    expect((await stat(tools.etcd)).mode & 0o777).toBe(0o755)
    expect(proxy.asked).toContain(`GET http://releases.invalid:${server.port}/v3.6.13/etcd.tar.gz`)
    expect(proxy.asked).toHaveLength(5)
  })

  it('are made in another way if a server does not answer within seconds', async () => {
    server.answers.set('/v1/kwok', [silent, silent])

    const tools = await provide({patience: 100, instead: () => onPath('v1.36.9')})

    expect(tools.etcd).toBe(join(directory, 'path/etcd'))
    expect(lines).toContainEqual(expect.stringContaining(`127.0.0.1:${server.port} sent nothing for 0.1 s`))
  })

  it('are reported as missing if there is no other way', async () => {
    server.answers.set('/v1/kwok', [silent, silent])

    await expect(provide({patience: 100})).rejects.toMatchObject({
      code: 'KK_TOOLBOX',
      message: expect.stringContaining('etcd, kube-apiserver'),
    })
  })

  it('are not downloaded for an architecture without checksums', async () => {
    const all = table()

    const provided = provide({releases: {...all, etcd: {...all.etcd!, checksums: {}}}})

    await expect(provided).rejects.toMatchObject({code: 'KK_TOOLBOX'})
    expect(lines).toEqual([expect.stringContaining('kk knows no checksum of http://127.0.0.1')])
    expect(server.asked).toEqual([])
  })

  it.each([
    [
      'are those on PATH if the minor version of Kubernetes is that of the release',
      'v1.36.2',
      'path/kubectl',
    ],
    ['are downloaded if those on PATH are of another minor version', 'v1.30.2', 'cache/kk/toolbox/'],
  ])('%s', async (_, version, place) => {
    await onPath(version)

    const {kubectl} = await provide()

    expect(kubectl).toContain(join(directory, place))
    expect(server.asked.length > 0).toBe(version === 'v1.30.2')
  })

  it('are those of KK_TOOLBOX without a request, and the missing ones are named', async () => {
    await mkdir(join(directory, 'given'))
    env = {...env, KK_TOOLBOX: join(directory, 'given')}

    await expect(provide()).rejects.toMatchObject({code: 'KK_TOOLBOX'})
    expect(server.asked).toEqual([])
  })

  it('are kept in KK_TOOLBOX_ARCHIVES, from which another machine takes them', async () => {
    env = {...env, KK_TOOLBOX_ARCHIVES: join(directory, 'archives')}
    await provide()
    const asked = server.asked.length
    await rm(cache(), {recursive: true})

    await provide()

    expect(server.asked).toHaveLength(asked)
    expect(await readdir(join(directory, 'archives'))).toHaveLength(5)
  })
})

it('the table of releases has the versions that are compiled, and complete checksums', async () => {
  const modules = await readFile(join(import.meta.dirname, '../../../toolbox/kubebox/go.mod'), 'utf8')
  const all: Readonly<Record<string, Release>> = releases

  expect(modules).toContain(`k8s.io/kubernetes ${releases.kubernetes.version}\n`)
  expect(modules).toContain(`go.etcd.io/etcd/server/v3 ${releases.etcd.version}\n`)
  for (const {version} of [releases.kwok, releases.kwokctl])
    expect(modules).toContain(`sigs.k8s.io/kwok ${version}\n`)
  for (const {checksums} of Object.values(all))
    for (const each of Object.values(checksums))
      expect(each).toMatch(/^sha256:[0-9a-f]{64}$|^sha512:[0-9a-f]{128}$/)
})
