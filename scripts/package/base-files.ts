import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {buffer} from 'node:stream/consumers'
import {execa} from 'execa'
import {extract} from 'tar-stream'
import {type Entry, textEntry} from './archive.ts'
import {debianArchives, fetched, readDebianLock} from './debian.ts'
import type {Architecture} from './release.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Libraries with the loader, certificates, the shell, and their licences. */
const TAKEN =
  /^\.?\/?(usr\/lib(?:64)?\/(?:[\w-]+-linux-gnu\/)?(?:lib|ld-)[\w+.-]+\.so[\w.]*|usr\/share\/ca-certificates\/mozilla\/.+\.crt|usr\/bin\/busybox|usr\/share\/doc\/[^/]+\/copyright)$/

const CERTIFICATE = 'usr/share/ca-certificates/'

const linkTo = (path: string, target: string): Entry => ({path, content: {linkTo: target}})

/**
 * The paths of directories that Debian has moved below `/usr`, and the programs that busybox provides here.
 */
const LINKS = [
  ...['bin', 'lib', 'lib64'].map((path) => linkTo(path, `usr/${path}`)),
  ...['sh', 'sha256sum'].map((name) => linkTo(`usr/bin/${name}`, 'busybox')),
]

/**
 * Returns what kk and helm need in an otherwise empty image: Debian's files, which are downloaded once, into
 * `cache`, the dependency check of the charts' pods, and the script that runs the operator.
 */
export async function baseFiles(arch: Architecture, cache: string): Promise<readonly Entry[]> {
  const lock = readDebianLock()
  const archives = await debianArchives(lock)
  const packages = await Promise.all(lock.packages[arch].map((each) => fetched(each, {cache, archives})))
  const files = (await Promise.all(packages.map(filesOf))).flat()
  const certificates = files.filter(({path}) => path.startsWith(CERTIFICATE))
  const scripts = ['kubernetes-entrypoint', 'kk-operator'].map((name) => ({
    ...{path: `usr/local/bin/${name}`, mode: 0o755},
    content: readFileSync(join(ROOT, 'images/kk', name)),
  }))
  return [
    ...LINKS,
    ...files.filter(({path}) => !path.startsWith(CERTIFICATE)),
    // In the format of update-ca-certificates(8).
    textEntry('etc/ssl/certs/ca-certificates.crt', certificates.map(({content}) => content).join('')),
    ...scripts,
  ]
}

async function filesOf(deb: string): Promise<readonly Entry[]> {
  const {stdout} = await execa('dpkg-deb', ['--fsys-tarfile', deb], {
    encoding: 'buffer',
    stripFinalNewline: false,
  })
  const archive = extract()
  archive.end(stdout)
  const entries: Entry[] = []
  for await (const entry of archive) {
    const {name, type, linkname, mode = 0o644} = entry.header
    const path = TAKEN.exec(name)?.[1]
    const bytes = await buffer(entry)
    if (path === undefined) continue
    if (type === 'symlink' && linkname) entries.push({path, content: {linkTo: linkname}})
    if (type === 'file') entries.push({path, mode: mode & 0o755, content: bytes})
  }
  return entries.toSorted((a, b) => (a.path < b.path ? -1 : 1))
}
