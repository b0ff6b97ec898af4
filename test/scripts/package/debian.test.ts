import {createHash} from 'node:crypto'
import {readFile} from 'node:fs/promises'
import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'
import {join} from 'node:path'
import {expect, it, onTestFinished} from 'vitest'
import {debianArchives, fetched, readDebianLock} from '../../../scripts/package/debian.ts'
import {writeFiles} from '../../charts/support/write-files.ts'

const CONTENT = 'a package'
const PACKAGE = {
  name: 'libc6',
  version: '2.41-12',
  path: 'pool/main/g/glibc/libc6_2.41-12_amd64.deb',
  sha256: createHash('sha256').update(CONTENT).digest('hex'),
}

/** An archive of Debian, with its address; it has nothing without an answer. */
async function archive(answer?: string): Promise<string> {
  const server = createServer(({url}, response) => {
    if (answer !== undefined && url === `/debian/${PACKAGE.path}`) response.end(answer)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/debian/`
}

it('a package that is no longer in the archive is downloaded from its snapshot, and cached', async () => {
  const cache = join(writeFiles({}), 'cache')
  const archives = [await archive(), await archive('what somebody changed'), await archive(CONTENT)]

  const file = await fetched(PACKAGE, {cache, archives})

  expect(await readFile(file, 'utf8')).toBe(CONTENT)
  expect(await fetched(PACKAGE, {cache, archives: []})).toBe(file)
})

it('a package in neither place is an error with a hint', async () => {
  const [gone, changed] = [await archive(), await archive('what somebody changed')]

  await expect(
    fetched(PACKAGE, {cache: '/nowhere', archives: [gone, changed, 'http://nowhere.invalid/']}),
  ).rejects.toThrow(
    new RegExp(
      [
        `^expected a package of Debian 13 with SHA-256 ${PACKAGE.sha256}:`,
        `  ${gone}${PACKAGE.path}: 404`,
        `  ${changed}${PACKAGE.path}: other bytes, [0-9a-f]{64}`,
        `  http://nowhere.invalid/${PACKAGE.path}: (?:ENOTFOUND|EAI_AGAIN)`,
        '.*npm run package -- --lock-debian.*$',
      ].join('\n'),
    ),
  )
})

it('the lock has the same packages for each architecture, and a snapshot that contains them', async () => {
  const lock = readDebianLock()
  const names = Object.values(lock.packages).map((packages) => packages.map(({name}) => name))

  expect(names[0]).toEqual(names[1])
  expect(names[0]).toContain('libc6')
  expect((await debianArchives(lock)).at(-1)).toMatch(
    /^https:\/\/snapshot\.debian\.org\/archive\/debian\/\d{8}T\d{6}Z\/$/,
  )
})
