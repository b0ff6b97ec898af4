import {mkdtemp, rm, writeFile} from 'node:fs/promises'
import {type AddressInfo, createServer} from 'node:net'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {execa} from 'execa'
import {expect} from 'vitest'

/** A login, and its line of an htpasswd file (bcrypt). */
export const LOGIN = {
  username: 'operator',
  password: 'pass/word 1',
  line: 'operator:$2b$05$kkkkkkkkkkkkkkkkkkkkk.pjJ7NJzZYCfspJf4JZ918zm1BwF5lnS\n',
}

interface Registry extends AsyncDisposable {
  /** `127.0.0.1:<port>` */
  readonly host: string
}

/** Debian's docker-registry on the loopback, without TLS; with a login, it serves nobody else. */
export async function startRegistry(login?: typeof LOGIN): Promise<Registry> {
  const directory = await mkdtemp(join(tmpdir(), 'kk-registry-'))
  const host = `127.0.0.1:${await freePort()}`
  const configuration = join(directory, 'config.yml')
  const passwords = join(directory, 'htpasswd')
  await writeFile(passwords, login?.line ?? '')
  await writeFile(
    configuration,
    JSON.stringify({
      version: 0.1,
      log: {level: 'error'},
      storage: {filesystem: {rootdirectory: directory}},
      http: {addr: host},
      ...(login && {auth: {htpasswd: {realm: 'charts', path: passwords}}}),
    }),
  )
  const registry = execa('docker-registry', ['serve', configuration], {reject: false})
  const answer = () =>
    fetch(`http://${host}/v2/`).then(
      ({status}) => status,
      () => 0,
    )
  await expect.poll(answer, {timeout: 20_000}).toBe(login ? 401 : 200)
  return {
    host,
    async [Symbol.asyncDispose]() {
      registry.kill()
      await registry
      await rm(directory, {recursive: true})
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const {port} = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
