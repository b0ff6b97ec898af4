import {mkdir, readFile, stat, truncate, writeFile} from 'node:fs/promises'
import type {AddressInfo} from 'node:net'
import {createServer} from 'node:net'
import {join} from 'node:path'
import {execa} from 'execa'
import {beforeAll, describe, expect, it} from 'vitest'
import {waitFor} from '../e2e/support/cluster.ts'
import {testDirectory} from '../support/test-directory.ts'
import {useCharts} from './support/charts.ts'
import {find} from './support/objects.ts'

const charts = await useCharts()
const source = find(await charts.render('nova'), 'ConfigMap', 'nova-bin').data!['nova-remote.py']!
const HOST = '127.0.0.1'

/** An authority, and a key and certificate of it for a node at HOST. */
async function makePki(): Promise<string> {
  const directory = testDirectory()
  const openssl = (...words: readonly string[]) => execa('openssl', words, {cwd: directory})
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout']
  await openssl(...['req', '-x509', ...key, 'ca.key', '-subj', '/CN=ca', '-out', 'ca-cert.pem'])
  await openssl(...['req', ...key, 'server-key.pem', '-subj', '/CN=node', '-out', 'node.csr'])
  await writeFile(
    join(directory, 'node.cnf'),
    `subjectAltName = IP:${HOST}\nauthorityKeyIdentifier = keyid\n`,
  )
  const issuer = ['-CA', 'ca-cert.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'node.cnf']
  await openssl(...['x509', '-req', '-in', 'node.csr', ...issuer, '-out', 'server-cert.pem'])
  return directory
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve))
  const {port} = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

let port: number
let pki: string
let instances: string

/** The script on a node with this key and certificate. */
function run(args: readonly string[], certificate = pki) {
  const text = source
    .replace('PORT = 8022', `PORT = ${port}`)
    .replace('/var/lib/libvirt/pki/current', certificate)
    .replace('/var/lib/nova/instances', instances)
  return execa('python3', ['-c', text, ...args], {env: {POD_IP: HOST}, reject: false, all: true})
}

/** As nova starts it. */
const ssh = (...command: readonly string[]) => run(['ssh', '-o', 'BatchMode=yes', HOST, ...command])
const scp = (from: string, to: string) => run(['scp', '-C', '-r', from, `${HOST}:${to}`])

beforeAll(async () => {
  port = await freePort()
  pki = await makePki()
  instances = testDirectory()
  const server = run(['serve'])
  await waitFor(async () => (await ssh('mkdir', '-p', join(instances, 'first'))).exitCode === 0, {
    until: 'the other node answers',
  })
  return async () => {
    server.kill('SIGKILL')
    await server
  }
})

describe('what nova does on another node', () => {
  it('creates files and directories, and removes them', async () => {
    const directory = join(instances, 'one')
    const file = join(directory, 'test.tmp')

    expect(await ssh('mkdir', '-p', directory)).toMatchObject({exitCode: 0})
    expect(await ssh('touch', file)).toMatchObject({exitCode: 0})
    expect((await stat(file)).size).toBe(0)
    expect(await ssh('rm', file)).toMatchObject({exitCode: 0})
    await expect(stat(file)).rejects.toThrow('ENOENT')
    expect(await ssh('rm', '-rf', directory)).toMatchObject({exitCode: 0})
    await expect(stat(directory)).rejects.toThrow('ENOENT')
  })

  it('copies a disk with its holes, also over an earlier one', async () => {
    const disk = join(testDirectory(), 'disk')
    await writeFile(disk, 'the start of a disk')
    await truncate(disk, 64 << 20)
    const target = join(instances, 'first/disk')
    await writeFile(target, 'of an attempt before')

    const {exitCode, all} = await scp(disk, target)

    expect(exitCode, all).toBe(0)
    const copy = await stat(target)
    expect(copy.size).toBe(64 << 20)
    expect(copy.blocks * 512).toBeLessThan(1 << 20)
    expect((await readFile(target)).equals(await readFile(disk))).toBe(true)
  })

  it('copies a directory into another', async () => {
    const directory = join(testDirectory(), 'swtpm')
    await mkdir(join(directory, 'tpm2'), {recursive: true})
    await writeFile(join(directory, 'tpm2/state'), 'state')

    const {exitCode, all} = await scp(directory, join(instances, 'first'))

    expect(exitCode, all).toBe(0)
    expect(await readFile(join(instances, 'first/swtpm/tpm2/state'), 'utf8')).toBe('state')
  })

  it('is reported if it fails', async () => {
    const {exitCode, all} = await ssh('rm', join(instances, 'missing'))

    expect(exitCode).toBe(1)
    expect(all).toMatch(/^ssh: 127\.0\.0\.1: rm: cannot remove/)
  })

  it.each([
    ['of a path elsewhere', ['rm', '-rf', '/etc/passwd'], '/etc/passwd is not below'],
    ['of a path out of the directory', ['touch', '../../etc/new'], '../../etc/new is not below'],
    ['of another command', ['chmod', '777', 'first'], "['chmod', '777'] is no command of nova"],
  ])('is refused: %s', async (_, command, message) => {
    const path = command.at(-1) === 'first' ? join(instances, 'first') : command.at(-1)!

    const {exitCode, all} = await ssh(...command.slice(0, -1), path)

    expect(exitCode).toBe(1)
    expect(all).toContain(message)
  })

  it('is refused to a node of another authority', async () => {
    const foreign = await makePki()
    // It trusts the other node; it is not trusted.
    await writeFile(join(foreign, 'ca-cert.pem'), await readFile(join(pki, 'ca-cert.pem')))

    const {exitCode} = await run(['ssh', HOST, 'mkdir', '-p', join(instances, 'foreign')], foreign)

    expect(exitCode).toBe(1)
    await expect(stat(join(instances, 'foreign'))).rejects.toThrow('ENOENT')
  })

  it('is not tried on a node of another authority', async () => {
    const foreign = await makePki()

    const {exitCode, all} = await run(['ssh', HOST, 'mkdir', '-p', join(instances, 'foreign')], foreign)

    expect(exitCode).toBe(1)
    expect(all).toContain('certificate verify failed')
  })
})
