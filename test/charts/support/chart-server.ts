import {createHash} from 'node:crypto'
import {readFile} from 'node:fs/promises'
import {createServer, type IncomingMessage, type ServerResponse} from 'node:http'
import type {AddressInfo} from 'node:net'
import {basename} from 'node:path'

export interface ServedPackage {
  readonly name: string
  readonly version: string
  /** A package of `helm package`. */
  readonly path: string
}

export interface ChartServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` or `oci://127.0.0.1:<port>/charts`. */
  readonly url: string
  /** The requested paths, in order. */
  readonly requests: readonly string[]
}

interface ServerOptions {
  /** With these, every request without them is refused with 401. */
  readonly credentials?: {readonly username: string; readonly password: string}
}

type Answer = (path: string, response: ServerResponse) => Promise<void>

/** A repository of charts in the layout of `helm repo index`: `index.yaml` and the packages next to it. */
export async function serveRepository(
  packages: readonly ServedPackage[],
  options: ServerOptions = {},
): Promise<ChartServer> {
  const files = await Promise.all(
    packages.map(async (served) => ({...served, bytes: await readFile(served.path)})),
  )
  const index = {
    apiVersion: 'v1',
    entries: Object.fromEntries(
      Map.groupBy(files, ({name}) => name)
        .entries()
        .map(([name, versions]) => [
          name,
          versions.map(({version, path, bytes}) => ({
            apiVersion: 'v2',
            name,
            version,
            urls: [basename(path)],
            digest: sha256(bytes),
          })),
        ]),
    ),
  }
  return serve('http', options, async (path, response) => {
    if (path === '/index.yaml') {
      response.end(JSON.stringify(index))
      return
    }
    const file = files.find((served) => `/${basename(served.path)}` === path)
    if (!file) throw new NotFound()
    response.end(file.bytes)
  })
}

/**
 * The reading half of the OCI distribution protocol, with the packages as `helm push` stores them under
 * `charts/`.
 */
export async function serveRegistry(
  packages: readonly ServedPackage[],
  options: ServerOptions = {},
): Promise<ChartServer> {
  const blobs = new Map<string, {type: string; bytes: Buffer}>()
  const tags = new Map<string, string>()
  const keep = (type: string, bytes: Buffer) => {
    const digest = `sha256:${sha256(bytes)}`
    blobs.set(digest, {type, bytes})
    return {mediaType: type, digest, size: bytes.length}
  }
  for (const {name, version, path} of packages) {
    const manifest = {
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      config: keep(
        'application/vnd.cncf.helm.config.v1+json',
        Buffer.from(JSON.stringify({apiVersion: 'v2', name, version})),
      ),
      layers: [keep('application/vnd.cncf.helm.chart.content.v1.tar+gzip', await readFile(path))],
    }
    const {digest} = keep(manifest.mediaType, Buffer.from(JSON.stringify(manifest)))
    tags.set(`charts/${name}:${version}`, digest)
  }

  const server = await serve('oci', options, async (path, response) => {
    if (path === '/v2/') {
      response.end('{}')
      return
    }
    const [, name = '', kind = '', reference = ''] =
      /^\/v2\/(.+)\/(manifests|blobs|tags)\/(.+)$/.exec(path) ?? []
    if (kind === 'tags') {
      const found = [...tags.keys()].filter((tag) => tag.startsWith(`${name}:`))
      if (found.length === 0) throw new NotFound()
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({name, tags: found.map((tag) => tag.slice(name.length + 1))}))
      return
    }
    const digest = reference.startsWith('sha256:') ? reference : tags.get(`${name}:${reference}`)
    const blob = digest === undefined ? undefined : blobs.get(digest)
    if (!digest || !blob) throw new NotFound()
    response.setHeader('content-type', blob.type)
    response.setHeader('content-length', blob.bytes.length)
    response.setHeader('docker-content-digest', digest)
    response.end(blob.bytes)
  })
  return {...server, url: `${server.url}/charts`, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]()}
}

class NotFound extends Error {}

async function serve(
  scheme: 'http' | 'oci',
  {credentials}: ServerOptions,
  answer: Answer,
): Promise<ChartServer> {
  const requests: string[] = []
  const expected =
    credentials &&
    `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64')}`

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const path = new URL(request.url ?? '/', 'http://server').pathname
    requests.push(path)
    if (expected && request.headers.authorization !== expected) {
      response.writeHead(401, {'www-authenticate': 'Basic realm="charts"'}).end()
      return
    }
    await answer(path, response)
  }
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      const body = JSON.stringify({errors: [{code: 'NAME_UNKNOWN', message: String(error)}]})
      response
        .writeHead(error instanceof NotFound ? 404 : 500, {'content-type': 'application/json'})
        .end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const {port} = server.address() as AddressInfo
  return {
    url: `${scheme}://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
