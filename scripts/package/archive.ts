/** Archives whose bytes depend only on their contents: sorted, owned by root, and with one time. */
import {buffer} from 'node:stream/consumers'
import {promisify} from 'node:util'
import {gzip} from 'node:zlib'
import {pack} from 'tar-stream'

/** A file, or else a symbolic link, by its path from the root of the archive. */
export interface Entry {
  readonly path: string
  /** Of a file, by default 0644. */
  readonly mode?: number
  readonly content: Buffer | {readonly linkTo: string}
}

/** Empty directories, with their modes. */
type Empty = Readonly<Record<string, number>>

export function textEntry(path: string, text: string): Entry {
  return {path, content: Buffer.from(text)}
}

interface TarOptions {
  readonly time: Date
  /** A prefix of each path, such as `./`. */
  readonly start?: string
  readonly empty?: Empty
}

/** A tar file of the entries, and of their parent directories. */
export async function tar(
  entries: readonly Entry[],
  {time, start = '', empty = {}}: TarOptions,
): Promise<Buffer> {
  const archive = pack()
  const bytes = buffer(archive)
  const owner = {uid: 0, gid: 0, uname: 'root', gname: 'root', mtime: time}
  for (const path of directoriesOf(entries))
    archive.entry({name: `${start}${path}/`, type: 'directory', mode: 0o755, ...owner})
  for (const [path, mode] of Object.entries(empty))
    archive.entry({name: `${start}${path}/`, type: 'directory', mode, ...owner})
  for (const {path, mode = 0o644, content} of entries.toSorted(byPath)) {
    const name = `${start}${path}`
    if ('linkTo' in content)
      archive.entry({name, type: 'symlink', mode: 0o777, linkname: content.linkTo, ...owner})
    else archive.entry({name, mode, ...owner}, content)
  }
  archive.finalize()
  return bytes
}

function byPath(a: Entry, b: Entry): number {
  return a.path < b.path ? -1 : 1
}

function directoriesOf(entries: readonly Entry[]): readonly string[] {
  const all = entries.flatMap(({path}) => {
    const parts = path.split('/').slice(0, -1)
    return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
  })
  return [...new Set(all)].sort()
}

/** Compressed by Node's zlib, which has one version per release of Node; without a name or a time. */
export function gzipped(bytes: Buffer): Promise<Buffer> {
  return promisify(gzip)(bytes)
}

/** An archive of ar(5), as for Debian packages. */
export function ar(members: readonly (readonly [string, Buffer])[], time: Date): Buffer {
  const parts = members.flatMap(([name, bytes]) => {
    const seconds = String(time.getTime() / 1000)
    const head = [
      name.padEnd(16),
      seconds.padEnd(12),
      ...['0', '0'].map((id) => id.padEnd(6)),
      '100644'.padEnd(8),
      String(bytes.length).padEnd(10),
      '`\n',
    ]
    return [Buffer.from(head.join('')), bytes, Buffer.from(bytes.length % 2 === 1 ? '\n' : '')]
  })
  return Buffer.concat([Buffer.from('!<arch>\n'), ...parts])
}
