import {chownSync, globSync, readFileSync} from 'node:fs'
import {mkdtemp, rm, writeFile} from 'node:fs/promises'
import {type AddressInfo, createServer} from 'node:net'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {setTimeout as delay} from 'node:timers/promises'
import {execa} from 'execa'
import {Client} from 'pg'

/** A separate real PostgreSQL, on loopback, with a password. */
export interface TestServer {
  readonly port: number
  readonly password: string
  /** Creates an empty database; returns its URL. */
  newDatabase(): Promise<string>
  stop(): Promise<void>
}

const PASSWORD = 'wood/pecker@1'

/** Starts the newest PostgreSQL of Debian's package on this machine. Rejects if there is none. */
export async function startPostgres(): Promise<TestServer> {
  const directory = await mkdtemp(join(tmpdir(), 'kk-postgres-'))
  const user = ordinaryUser()
  if (user.uid !== undefined) chownSync(directory, user.uid, user.gid!)
  const data = join(directory, 'data')
  const passwordFile = join(directory, 'password')
  await writeFile(passwordFile, PASSWORD)
  await execa(
    binary('initdb'),
    [
      '-D',
      data,
      '-U',
      'kk',
      '--auth=scram-sha-256',
      `--pwfile=${passwordFile}`,
      '--no-sync',
      '--locale=C.UTF-8',
    ],
    {...user, cwd: directory},
  )
  const port = await freePort()
  const server = execa(
    binary('postgres'),
    ['-D', data, '-h', '127.0.0.1', '-p', String(port), '-k', '', '-F'],
    {
      ...user,
      cwd: directory,
      reject: false,
      stdio: 'ignore',
    },
  )
  const url = (name: string) => `postgres://kk:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/${name}`
  const administrator = await connect(url('postgres'))
  let databases = 0
  return {
    port,
    password: PASSWORD,
    async newDatabase() {
      databases += 1
      await administrator.query(`create database kk${databases}`)
      return url(`kk${databases}`)
    },
    async stop() {
      await administrator.end()
      server.kill('SIGQUIT')
      await server
      await rm(directory, {recursive: true})
    },
  }
}

function binary(name: string): string {
  const found = globSync(`/usr/lib/postgresql/*/bin/${name}`).sort().at(-1)
  if (found === undefined)
    throw new Error("PostgreSQL is not installed; it is in Debian's package postgresql")
  return found
}

/** PostgreSQL does not run as root: returns the user that its package created, else nobody. */
function ordinaryUser(): {uid?: number; gid?: number} {
  if (process.getuid?.() !== 0) return {}
  const users = readFileSync('/etc/passwd', 'utf8').split('\n')
  const entry = ['postgres', 'nobody']
    .map((name) => users.find((line) => line.startsWith(`${name}:`)))
    .find((line) => line !== undefined)
  const [, , uid, gid] = (entry ?? '').split(':')
  return {uid: Number(uid), gid: Number(gid)}
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const {port} = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function connect(url: string): Promise<Client> {
  const until = Date.now() + 60_000
  while (true) {
    const client = new Client(url)
    client.on('error', () => {})
    try {
      await client.connect()
      return client
    } catch (error) {
      if (Date.now() > until) throw error
      await delay(50)
    }
  }
}
