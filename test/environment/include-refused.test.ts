import {expect, it} from 'vitest'
import {loadEnvironment} from '../../src/environment/load.ts'
import {readEnvironment} from '../../src/environment/read.ts'
import {type Files, writeFiles} from '../charts/support/write-files.ts'

it.each<[string, Files, string, string]>([
  [
    'a missing file',
    {'a.yaml': 'kk:\n  include: [comon.yaml]\n', 'common.yaml': 'nova: {}\n'},
    'a.yaml:2:13: the included file comon.yaml cannot be read: there is no such file',
    'did you mean common.yaml?',
  ],
  [
    'a missing file of an included one',
    {
      'a.yaml': 'kk: {include: [sub/b.yaml]}\n',
      'sub/b.yaml': 'kk:\n  releases:\n    nova: {values: [nova.yaml]}\n',
    },
    'sub/b.yaml:3:21: the values file sub/nova.yaml cannot be read: there is no such file',
    'its name is relative to sub/b.yaml',
  ],
  [
    'a file that is not text',
    {'a.yaml': 'kk: {include: [sub]}\n', 'sub/b.yaml': ''},
    'a.yaml:1:16: the included file sub cannot be read: it is a directory',
    'relative to a.yaml',
  ],
  [
    'a file that includes itself',
    {'a.yaml': 'kk: {include: [./a.yaml]}\n'},
    'a.yaml:1:16: these files include each other: a.yaml → a.yaml',
    'remove this name from kk.include',
  ],
  [
    'a cycle',
    {
      'a.yaml': 'kk: {include: [sub/b.yaml]}\n',
      'sub/b.yaml': '# b\nkk: {include: [../a.yaml]}\n',
    },
    'sub/b.yaml:2:16: these files include each other: a.yaml → sub/b.yaml → a.yaml',
    'remove this name from kk.include',
  ],
  [
    'a key that is duplicate in an included file',
    {'a.yaml': 'kk: {include: [b.yaml]}\nnova: {x: 1}\n', 'b.yaml': 'nova:\n  x: 1\n  x: 2\n'},
    'b.yaml:3:3: the key "x" is duplicate, first in line 2',
    'keep one of them',
  ],
  [
    'a word that the two YAMLs read differently, in a file of values',
    {'a.yaml': 'kk: {releases: {nova: {values: [v.yaml]}}}\n', 'v.yaml': 'a: 1\nt: 1:30\n'},
    'v.yaml:2:4: YAML 1.1 reads this word as a number in base 60',
    'quotes',
  ],
  [
    'an unknown key in an included file',
    {'a.yaml': 'kk: {include: [b.yaml]}\n', 'b.yaml': '# b\nkk:\n  namspace: x\n'},
    'b.yaml:3:3: kk.namspace: expected one of the keys name, include,',
    'did you mean "namespace"?',
  ],
  [
    'a section that is a list in an included file, also if this file has a map',
    {'a.yaml': 'kk: {include: [b.yaml]}\nnova: {}\n', 'b.yaml': 'glance: {}\nnova: [x]\n'},
    'b.yaml:2:1: nova: expected a map of values, got a list',
    'kk schema environment',
  ],
  [
    'a list as values',
    {'a.yaml': 'kk: {releases: {nova: {values: [v.yaml]}}}\n', 'v.yaml': '\n- 1\n'},
    'v.yaml:2:1: expected a map of values, got a list',
    'kk schema environment',
  ],
  [
    'two documents as values',
    {'a.yaml': 'kk: {releases: {nova: {values: [v.yaml]}}}\n', 'v.yaml': 'a: 1\n---\nb: 1\n'},
    'v.yaml:3:1: expected one document, got a second one',
    'keep one',
  ],
  [
    'an address',
    {'a.yaml': 'kk: {include: ["https://example.org/b.yaml"]}\n'},
    'a.yaml:1:16: kk.include.0: expected the path of a file, got "https://example.org/b.yaml"',
    'kk schema environment',
  ],
  [
    'standard input',
    {'a.yaml': 'kk: {include: ["-"]}\n'},
    'a.yaml:1:16: kk.include.0: expected the path of a file, got "-"',
    'kk schema environment',
  ],
  [
    'values of what is no release',
    {'a.yaml': 'kk: {releases: {global: {values: [v.yaml]}}}\n', 'v.yaml': 'a: 1\n'},
    'a.yaml:1:17: kk.releases.global: expected the name of a release',
    'kk schema environment',
  ],
])('%s is refused', async (_, files, message, hint) => {
  await expect(loadEnvironment({file: 'a.yaml', cwd: writeFiles(files)})).rejects.toMatchObject({
    exit: 2,
    message: expect.stringContaining(message),
    hint: expect.stringContaining(hint),
  })
})

it.each(['kk: {include: [/etc/passwd]}\n', 'kk: {releases: {nova: {values: [/etc/passwd]}}}\n'])(
  'an environment that is only a text, %j, reads no file',
  (text) => {
    expect(() => readEnvironment({file: 'cloud.yaml', text, directory: '/'})).toThrow(
      expect.objectContaining({
        code: 'KK_ENVIRONMENT',
        message: expect.stringMatching(
          /^cloud.yaml:1:\d+: expected an environment in one document, got the name of a file$/,
        ),
        hint: expect.stringContaining('kk values split FILE --merged'),
      }),
    )
  },
)
