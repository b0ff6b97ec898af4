import {existsSync} from 'node:fs'
import {readdir, readFile} from 'node:fs/promises'
import {join} from 'node:path'

/** A package in an image. */
export interface Package {
  readonly type: 'deb' | 'pypi' | 'golang'
  readonly name: string
  readonly version: string
}

const PYTHON_ROOTS = ['var/lib/kolla/venv/lib/python3/site-packages', 'usr/local/lib/python3/dist-packages']

/** Returns all packages below the mounted root of an image: Debian's, and those that pip installed. */
export async function readPackages(root: string): Promise<readonly Package[]> {
  const status = await readFile(join(root, 'var/lib/dpkg/status'), 'utf8')
  const python = await Promise.all(PYTHON_ROOTS.map((place) => pythonPackages(join(root, place))))
  return [...debianPackages(status), ...python.flat()].sort((a, b) => (key(a) < key(b) ? -1 : 1))
}

/** Returns the packages that dpkg's status file lists as installed. */
function debianPackages(status: string): readonly Package[] {
  return status.split(/\n\n+/).flatMap((paragraph) => {
    const field = (name: string) => new RegExp(`^${name}: (.+)$`, 'm').exec(paragraph)?.[1]
    const [name, version] = [field('Package'), field('Version')]
    const installed = field('Status') === 'install ok installed'
    return installed && name && version ? [{type: 'deb' as const, name, version}] : []
  })
}

/** Returns the packages that pip installed: it leaves a directory `PyMySQL-1.1.0.dist-info` for each. */
async function pythonPackages(directory: string): Promise<readonly Package[]> {
  if (!existsSync(directory)) return []
  const entries = await readdir(directory)
  return entries.flatMap((entry) => {
    const {name, version} = /^(?<name>.+)-(?<version>[^-]+)\.dist-info$/.exec(entry)?.groups ?? {}
    return name && version
      ? [{type: 'pypi' as const, name: name.toLowerCase().replaceAll(/[-_.]+/g, '-'), version}]
      : []
  })
}

/**
 * Returns the version of an image: the version of one of its packages, without Debian's epoch and Go's `v`.
 */
export function imageVersion(wanted: string, packages: readonly Package[], kk: string): string {
  if (wanted === 'kk') return kk
  const match = packages.find(({type, name}) => `${type}/${name}` === wanted)
  return match ? match.version.replace(/^(\d+:|v)/, '') : 'unknown'
}

function key({type, name}: Package): string {
  return `${type}/${name}`
}
