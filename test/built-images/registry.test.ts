import {join} from 'node:path'
import {execa} from 'execa'
import {expect, it} from 'vitest'
import {startRegistry} from '../support/registry.ts'

const ROOT = join(import.meta.dirname, '../..')

async function kk(...args: readonly string[]) {
  return execa(process.execPath, [join(ROOT, 'bin/kk.ts'), ...args], {cwd: ROOT})
}

interface Document {
  readonly images: readonly {readonly name: string; readonly outcome: string; readonly digest: string}[]
}

it('a pushed image is not pushed again, and values refer to its digest', async () => {
  await using server = await startRegistry()
  const registry = server.host

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
