import {mkdir, readdir, readFile, rm, stat, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeEach, describe, expect, it} from 'vitest'
import {readDocument} from '../../src/environment/read.ts'
import {splitFiles, writeSplit} from '../../src/verbs/split.ts'
import {testDirectory} from '../support/test-directory.ts'

const TEXT = 'global: {a: 1}\nkeystone: {b: 2}\nglance: {}\n'

/** The files of a document without duplicate keys. */
function split(text: string, releases: readonly string[] = []): ReadonlyMap<string, string> {
  return splitFiles(readDocument({file: 'e.yaml', text, directory: '/'}), releases)
}

describe('the files of a split', () => {
  it('are those of all sections, or of the named releases', () => {
    expect([...split(TEXT).keys()]).toEqual(['keystone', 'glance'])
    expect([...split(TEXT, ['glance']).keys()]).toEqual(['glance'])
  })

  it('are refused for an unknown release, with a suggestion', () => {
    expect(() => split(TEXT, ['keyston'])).toThrow(
      expect.objectContaining({
        code: 'KK_UNKNOWN_RELEASE',
        message: 'e.yaml has no section "keyston"',
        hint: 'did you mean keystone?',
      }),
    )
  })
})

it.each([
  [
    'b: &b {123: own}\na: {<<: *b, "123": over}\n',
    'the key "123" is of two types here, int and string, and << merges',
  ],
  ['a: {l: [!!str, x]}\n', 'e.yaml:1:9: the tag !!str is directly before ","'],
  ['a: {}\n---\nb: {}\n', 'e.yaml:3:1: expected one document'],
  ['../evil: {}\n', 'e.yaml:1:1: ../evil: expected the name of a release'],
  ['a: {b: 1}\nc: text\n', 'e.yaml:2:1: c: expected a map of values, got a string'],
  ['a: [1]\n', 'e.yaml:1:1: a: expected a map of values, got a list'],
  ['a: {t: 1:30}\n', 'e.yaml:1:8: YAML 1.1 reads this word as a number in base 60'],
  ['a: {b\n', 'e.yaml:2:1: '],
])('a split of %j is refused', (text, message) => {
  expect(() => split(text)).toThrow(
    expect.objectContaining({exit: 2, message: expect.stringContaining(message)}),
  )
})

it('a duplicate key has the last value, as values.py wrote it, with a warning', () => {
  const text =
    'global:\n  region: us\nceph:\n  ceph:\n    foo: bar\n    foo:\n      hoo: woo\nkeystone: {a: 1}\nkeystone: {b: 2}\n'
  const warnings: string[] = []

  const document = readDocument({
    file: 'e.yaml',
    text,
    directory: '/',
    onDuplicate: (message) => warnings.push(message),
  })

  const files = splitFiles(document, [])

  expect(Object.fromEntries(files)).toEqual({
    ceph: 'global:\n  region: us\nceph:\n  foo:\n    hoo: woo\n',
    keystone: 'global:\n  region: us\nb: 2\n',
  })
  expect(warnings).toEqual([
    'e.yaml:6:5: the key "foo" is duplicate, first in line 5',
    'e.yaml:9:1: the key "keystone" is duplicate, first in line 8',
  ])
})

it('each anchor of a split file has a unique name', () => {
  const text = 'global: {a: &a [1], b: *a}\nnova: {c: &c [2], d: *c}\n'

  const files = split(text)

  expect(files.get('nova')).toBe('global:\n  a: &id001\n  - 1\n  b: *id001\nc: &id002\n- 2\nd: *id002\n')
})

describe('writing a split', () => {
  let home: string
  beforeEach(async () => {
    home = testDirectory()
  })

  const files = (...names: string[]) => new Map(names.map((name) => [name, `of: ${name}\n`]))
  const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)

  it('uses a new directory that only its owner can read', async () => {
    const {directory, paths} = await writeSplit(files('nova'), {directory: undefined, partial: false})

    expect(directory).toMatch(/\/helm\w{6}$/)
    expect(paths).toEqual([join(directory, 'nova.yaml')])
    expect(await readFile(join(directory, 'nova.yaml'), 'utf8')).toBe('of: nova\n')
    expect([await mode(directory), await mode(join(directory, 'nova.yaml'))]).toEqual(['700', '600'])
    await rm(directory, {recursive: true})
  })

  it('creates the specified directory', async () => {
    const directory = join(home, 'deep/values')

    const {paths} = await writeSplit(files('nova'), {directory, partial: false})

    expect(paths).toEqual([join(directory, 'nova.yaml')])
    expect((await readdir(directory)).sort()).toEqual(['.kk-split', 'nova.yaml'])
    expect([await mode(directory), await mode(join(directory, 'nova.yaml'))]).toEqual(['700', '600'])
  })

  it('replaces an earlier split and removes its other files', async () => {
    await writeSplit(files('nova', 'glance'), {directory: home, partial: false})
    await mkdir(join(home, '.kk-split-left-by-a-killed-one'))

    await writeSplit(files('nova', 'cinder'), {directory: home, partial: false})

    expect((await readdir(home)).sort()).toEqual(['.kk-split', 'cinder.yaml', 'nova.yaml'])
  })

  it('of some releases keeps the files of the others', async () => {
    await writeSplit(files('nova', 'glance'), {directory: home, partial: false})
    await writeSplit(new Map([['nova', 'new: true\n']]), {directory: home, partial: true})
    await writeSplit(files('cinder'), {directory: home, partial: true})

    expect((await readdir(home)).sort()).toEqual(['.kk-split', 'cinder.yaml', 'glance.yaml', 'nova.yaml'])
    expect(await readFile(join(home, 'nova.yaml'), 'utf8')).toBe('new: true\n')
  })

  it('fails with an error if the directory cannot be created', async () => {
    const files = new Map([['mariadb', 'a: 1\n']])

    await expect(writeSplit(files, {directory: '/proc/nope', partial: false})).rejects.toMatchObject({
      code: 'KK_FILE',
    })
  })

  it('never writes to a directory with other files', async () => {
    await writeSplit(files('nova'), {directory: home, partial: false})
    await writeFile(join(home, 'mine.txt'), 'mine')

    await expect(writeSplit(files('glance'), {directory: home, partial: false})).rejects.toMatchObject({
      code: 'KK_DIRECTORY_IN_USE',
      message: `${home} holds files that kk did not write: mine.txt`,
      exit: 3,
    })
    expect((await readdir(home)).sort()).toEqual(['.kk-split', 'mine.txt', 'nova.yaml'])
  })

  it('fails with an error if the path is not a directory', async () => {
    await writeFile(join(home, 'file'), '')

    await expect(
      writeSplit(files('nova'), {directory: join(home, 'file'), partial: false}),
    ).rejects.toMatchObject({
      code: 'KK_FILE',
      message: expect.stringMatching(/^the directory .*file cannot be created/),
    })
  })
})
