import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {createInterface} from 'node:readline'
import type {Readable} from 'node:stream'
import {execa} from 'execa'
import {testDirectory} from './test-directory.ts'

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
  const directory = testDirectory()
  const configuration = join(directory, 'config.yml')
  const passwords = join(directory, 'htpasswd')
  await writeFile(passwords, login?.line ?? '')
  await writeFile(
    configuration,
    JSON.stringify({
      version: 0.1,
      log: {level: 'info', accesslog: {disabled: true}},
      storage: {filesystem: {rootdirectory: directory}},
      http: {addr: '127.0.0.1:0'},
      ...(login && {auth: {htpasswd: {realm: 'charts', path: passwords}}}),
    }),
  )
  const registry = execa('docker-registry', ['serve', configuration], {
    reject: false,
    buffer: false,
    stdout: 'ignore',
  })
  const host = await listening(registry)
  return {
    host,
    async [Symbol.asyncDispose]() {
      registry.kill()
      await registry
    },
  }
}

/**
 * The port is the registry's from the first: one that was looked for before it starts is somebody else's by
 * then, now and then.
 */
async function listening({stderr}: {readonly stderr: Readable}): Promise<string> {
  const said: string[] = []
  // What it says later is read, too, or it would wait for that.
  const lines = createInterface(stderr).on('line', (line) => said.push(line))
  return new Promise((resolve, reject) => {
    lines.on('line', (line) => {
      const host = /listening on (127\.0\.0\.1:\d+)/.exec(line)?.[1]
      if (host !== undefined) resolve(host)
    })
    lines.once('close', () => reject(new Error(`docker-registry has ended: ${said.join('\n')}`)))
  })
}
