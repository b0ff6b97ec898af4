import {readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {
  type Lock,
  type LockedChart,
  lockDifferences,
  readLock,
  withLockedVersions,
  writeLock,
} from '../../src/charts/lock-file.ts'
import {readEnvironment} from '../../src/environment/read.ts'
import {writeFiles} from './support/write-files.ts'

const NOTHING: ReadonlySet<string> = new Set()

function locked(charts: Lock['charts'] = {}, images: Lock['images'] = {}): Lock {
  return {charts, images}
}

function chart(version: string, digest: string, from?: string): LockedChart {
  return {chart: 'keystone', version, digest, ...(from !== undefined && {from})}
}

describe('a lock', () => {
  const place = (name: string, directory: string) => ({name, directory, file: `${name}.yaml`})

  it('is read as it was written, together with that of another environment, sorted', async () => {
    const directory = writeFiles({})
    const one = locked({'openstack/keystone': chart('1.0.0', 'sha256:a')}, {'b:1': null, 'a:1': 'sha256:b'})
    const other = locked({'openstack/glance': chart('2.0.0', 'sha256:c', 'oci://registry/charts')})

    await writeLock(place('one', directory), one)
    const file = await writeLock(place('other', directory), other)

    expect(await readLock(place('one', directory))).toEqual(one)
    expect(await readLock(place('other', directory))).toEqual(other)
    expect(await readLock(place('third', directory))).toBeUndefined()
    const text = await readFile(file, 'utf8')
    expect(text.indexOf('a:1')).toBeLessThan(text.indexOf('b:1'))
    await writeLock(place('one', directory), one)
    expect(await readFile(file, 'utf8')).toBe(text)
  })

  it('keeps the digest of an image that cannot be resolved now', async () => {
    const at = place('one', writeFiles({}))
    await writeLock(at, locked({}, {'a:1': 'sha256:a', 'b:1': 'sha256:b'}))

    await writeLock(at, locked({}, {'a:1': null}))

    expect(await readLock(at)).toEqual(locked({}, {'a:1': 'sha256:a'}))
  })

  it('that is invalid is refused', async () => {
    const directory = writeFiles({})
    await writeFile(join(directory, 'kk.lock'), 'environments: {one: {charts: [], images: {}}}\n')

    await expect(readLock(place('one', directory))).rejects.toMatchObject({code: 'KK_FILE'})
  })

  it('has no path for standard input', async () => {
    await expect(readLock({...place('one', '/'), file: '-'})).rejects.toMatchObject({code: 'KK_USAGE'})
  })
})

describe('an environment differs from its lock', () => {
  const [a, b] = ['sha256:a', 'sha256:b']

  it.each<[string, Lock, Lock, readonly string[]]>([
    ['not at all', locked({k: chart('1.0.0', a)}, {i: a}), locked({k: chart('1.0.0', a)}, {i: a}), []],
    [
      'by a version',
      locked({k: chart('1.0.0', a)}),
      locked({k: chart('1.0.1', b)}),
      ['k: keystone 1.0.0 is locked, not keystone 1.0.1'],
    ],
    [
      'by the content of a version',
      locked({k: chart('1.0.0', a)}),
      locked({k: chart('1.0.0', b)}),
      [`k: keystone 1.0.0 has other content: ${a} is locked, not ${b}`],
    ],
    [
      'by releases',
      locked({k: chart('1.0.0', a)}),
      locked({l: chart('1.0.0', a)}),
      ['k: is locked, but the environment does not have it', 'l: keystone 1.0.0 is not locked'],
    ],
    ['by the digest of an image', locked({}, {i: a}), locked({}, {i: b}), [`i: ${a} is locked, not ${b}`]],
    [
      'by images',
      locked({}, {i: a}),
      locked({}, {j: a}),
      ['i: is locked, but nothing uses it', 'j: is not locked'],
    ],
    ['not by what cannot be resolved', locked({}, {i: a, j: null}), locked({}, {i: null, j: b}), []],
  ])('%s', (_, before, now, expected) => {
    expect(lockDifferences(before, now, NOTHING).map(({what}) => what)).toEqual(expected)
  })

  it('not by a chart whose digest the environment file states', () => {
    const [before, now] = [locked({k: chart('1.0.0', a)}), locked({k: chart('1.0.1', b)})]

    expect(lockDifferences(before, now, new Set([b]))).toEqual([])
  })
})

describe('with a lock the version of a chart is', () => {
  const version = (kk: string, lock: LockedChart) => {
    const text = `kk: {${kk}}\nkeystone: {}\n`
    const environment = readEnvironment({file: 'cloud.yaml', text, directory: '/'})
    return withLockedVersions(environment, locked({'openstack/keystone': lock})).releases.get('keystone')
      ?.version
  }
  const remote = chart('1.0.0', 'sha256:a', 'oci://registry.example.org/charts')
  const from = 'charts: [oci://registry.example.org/charts]'
  const registry = 'oci: "oci://registry.example.org/charts"'

  it.each([
    ['the locked one of a registry', from, '1.0.0'],
    ['the locked one in a range', `${from}, releases: {keystone: {version: ^1.0}}`, '1.0.0'],
    [
      'what the file says, which the lock does not fit',
      `${from}, releases: {keystone: {version: ^2.0}}`,
      '^2.0',
    ],
    ['the locked one in a range of its source', `charts: [{${registry}, version: ^1.0}]`, '1.0.0'],
    [
      'what its source says, which the lock does not fit',
      `charts: [{${registry}, version: ^2.0}, oci://o/o]`,
      undefined,
    ],
    [
      'the locked one in a range of a mirror',
      'charts: [{oci: "oci://mirror.example.org/charts", version: ^1.0}]',
      '1.0.0',
    ],
    ['that of another chart', `${from}, releases: {keystone: {chart: other}}`, undefined],
    ['that of a directory', 'charts: [charts]', undefined],
    [
      'that of the digest in the file',
      `charts: [{oci: "oci://registry.example.org/charts", digest: "sha256:${'0'.repeat(64)}"}]`,
      undefined,
    ],
  ])('%s', (_, kk, expected) => {
    expect(version(kk, remote)).toBe(expected)
  })
})
