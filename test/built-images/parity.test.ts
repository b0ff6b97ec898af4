import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {containerOf} from './support/container.ts'
import {
  DEBIAN_PACKAGES,
  type Differences,
  PACKAGES_OF_IMAGES,
  PROGRAMS,
  VIRTUAL_ENVIRONMENT,
} from './support/differences.ts'
import {IMAGES, imageOf} from './support/images.ts'

const RELEASE = '2026.1'
const VENV = '/var/lib/kolla/venv/bin'
const LOOK = await readFile(join(import.meta.dirname, 'support/look.py'), 'utf8')

/** The names of images that both releases have, of Debian's packages and of PyPI's. */
const NAMES = IMAGES.map(({name}) => name).filter((name) =>
  IMAGES.some((image) => image.name === `${name}-${RELEASE}` && image.version.startsWith('pypi/')),
)

interface Look {
  /** Who brought each: a package of Debian, the virtual environment (`venv`), or a directory. */
  readonly programs: Readonly<Record<string, string>>
  readonly rules: Readonly<Record<string, readonly string[]>>
  readonly execDirs: Readonly<Record<string, readonly string[]>>
  readonly modules: readonly string[]
}

async function lookInto(name: string): Promise<Look> {
  const container = await containerOf(imageOf(name))
  const {exitCode, says} = await container.run(`python3 - <<'PYTHON'\n${LOOK}\nPYTHON`, {user: 'root'})
  expect(exitCode, says).toBe(0)
  return JSON.parse(says) as Look
}

/** The programs that one of two images has alone, but for those of which a table has the reason. */
function unexplained(
  {programs}: Look,
  other: Look,
  reasons: {readonly owners: Differences; readonly names: Differences},
): readonly string[] {
  return Object.entries(programs)
    .filter(([name]) => !(name in other.programs))
    .filter(([name, owner]) => !(owner in reasons.owners || name in reasons.names))
    .map(([name, owner]) => `${name} of ${owner}`)
    .sort()
}

describe.each(NAMES)('%s', (name) => {
  it('has the same programs, sudo rules, exec_dirs and LDAP modules in both releases', async () => {
    const [old, next] = [await lookInto(name), await lookInto(`${name}-${RELEASE}`)]

    const ofImage = PACKAGES_OF_IMAGES.filter(([images]) => images.test(name)).map(([, packages]) => packages)
    const owners = Object.assign({}, DEBIAN_PACKAGES, ...ofImage) as Differences
    const lost = unexplained(old, next, {owners, names: PROGRAMS})
    const gained = unexplained(next, old, {owners: {}, names: VIRTUAL_ENVIRONMENT})
    expect({lost, gained}).toEqual({lost: [], gained: []})
    expect(next.modules).toEqual(old.modules)
    expect(JSON.parse(JSON.stringify(next.rules).replaceAll(`${VENV}/`, '/usr/bin/'))).toEqual(old.rules)
    for (const [file, [directories]] of Object.entries(next.execDirs)) {
      expect(directories, file).toMatch(new RegExp(`^${VENV},`))
      const before = old.execDirs[file]?.[0]
      if (before !== undefined) expect(directories, file).toBe(`${VENV},${before}`)
    }
  })
})
