import {mkdtemp, rm, writeFile} from 'node:fs/promises'
import {type AddressInfo, createServer} from 'node:net'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {execa} from 'execa'
import {expect, it, onTestFinished} from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const {port} = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Debian's docker-registry on the loopback; ends with the test. */
async function startRegistry(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'kk-registry-'))
  const address = `127.0.0.1:${await freePort()}`
  const configuration = join(directory, 'config.yml')
  await writeFile(
    configuration,
    `version: 0.1\nlog: {level: error}\nstorage: {filesystem: {rootdirectory: ${directory}}}\nhttp: {addr: '${address}'}\n`,
  )
  const registry = execa('docker-registry', ['serve', configuration], {reject: false})
  onTestFinished(async () => {
    registry.kill()
    await registry
    await rm(directory, {recursive: true})
  })
  await expect
    .poll(
      () =>
        fetch(`http://${address}/v2/`).then(
          ({status}) => status,
          () => 0,
        ),
      {timeout: 20_000},
    )
    .toBe(200)
  return address
}

async function kk(...args: readonly string[]) {
  return execa(process.execPath, [join(ROOT, 'bin/kk.ts'), ...args], {cwd: ROOT})
}

interface Document {
  readonly images: readonly {readonly name: string; readonly outcome: string; readonly digest: string}[]
}

it('what is pushed once is not pushed again, and values name its digest', async () => {
  const registry = await startRegistry()

  const first = await kk('images', 'build', 'memcached', '--push', registry, '--output', 'json')
  const second = await kk('images', 'build', 'memcached', '--push', registry)
  const values = await kk('images', 'values', 'memcached', '--registry', registry)

  const pushed = (JSON.parse(first.stdout) as Document).images.find(({name}) => name === 'memcached')
  expect(pushed).toMatchObject({outcome: 'unchanged', digest: expect.stringMatching(/^sha256:/)})
  expect(second.stderr).toContain('memcached: the registry has it already')
  expect(values.stdout).toContain(
    `memcached: ${registry}/kk/memcached:2025.1-debian-trixie@${pushed?.digest}`,
  )
  const manifest = await fetch(`http://${registry}/v2/kk/memcached/manifests/${pushed?.digest}`, {
    headers: {accept: 'application/vnd.oci.image.manifest.v1+json'},
  })
  expect(manifest.status).toBe(200)
})
