import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'
import {onTestFinished} from 'vitest'
import {sha256} from '../../src/images/registry/content.ts'

/**
 * Serves an artifact of these files until the test ends, as registries do, and returns its reference; `said`
 * is what the manifest is about, if the files are to be others.
 */
export async function serveArtifact(files: readonly string[], said = files): Promise<string> {
  const layers = said.map((text) => ({
    ...{mediaType: 'application/yaml', digest: sha256(text)},
    size: Buffer.byteLength(text),
  }))
  const manifest = JSON.stringify({schemaVersion: 2, layers})
  const place = '/v2/clouds/production'
  const answers = new Map([[`${place}/manifests/${sha256(manifest)}`, manifest]])
  for (const [index, {digest}] of layers.entries()) answers.set(`${place}/blobs/${digest}`, files[index]!)
  const server = createServer(({url}, response) => {
    const answer = answers.get(url!)
    response.writeHead(answer === undefined ? 404 : 200).end(answer)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void server.close())
  return `127.0.0.1:${(server.address() as AddressInfo).port}/clouds/production@${sha256(manifest)}`
}
