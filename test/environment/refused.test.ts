import {expect, it} from 'vitest'
import {asKkError, type ErrorCode} from '../../src/base/errors.ts'
import {readEnvironment} from '../../src/environment/read.ts'

/** Three lines, as most files begin. */
const OWN = 'name: test\n  namespace: test\n  charts: [charts]'

it.each<[string, string, ErrorCode, string, string]>([
  [
    'broken YAML',
    'kk:\n  OWN\nstanding: {replicas: 2\n',
    'KK_YAML',
    'FILE:6:1: ',
    'correct the YAML at that place',
  ],
  [
    'a tab for indentation',
    'kk:\n  OWN\nstanding:\n\treplicas: 2\n',
    'KK_YAML',
    'FILE:6:1: ',
    'correct the YAML at that place',
  ],
  [
    'a key that comes twice',
    'kk:\n  OWN\nstanding:\n  replicas: 2\n  replicas: 3\n',
    'KK_YAML',
    'FILE:7:3: the key "replicas" is duplicate, first in line 6',
    'keep one of them',
  ],
  [
    'a word that the two YAMLs read differently',
    'kk:\n  OWN\nstanding: {replicas: 1:30}\n',
    'KK_YAML',
    'FILE:5:22: YAML 1.1 reads this word as a number in base 60',
    'quotes',
  ],
  [
    'an unknown key of kk',
    'kk:\n  OWN\n  namspace: elsewhere\nstanding: {replicas: 2}\n',
    'KK_ENVIRONMENT',
    'FILE:5:3: kk.namspace: expected one of the keys name, include, namespace, context, charts, features, infer, secrets, given, conf, readiness, releases, got "namspace"',
    'did you mean "namespace"?',
  ],
  [
    'an unknown setting of a release',
    'kk:\n  OWN\n  releases: {standing: {chart: workload, timout: 5m}}\nstanding: {replicas: 2}\n',
    'KK_ENVIRONMENT',
    'FILE:5:42: kk.releases.standing.timout: expected one of the keys',
    'did you mean "timeout"?',
  ],
  [
    'a setting of the wrong kind',
    'kk:\n  OWN\n  releases: {standing: {chart: workload, timeout: soon}}\nstanding: {replicas: 2}\n',
    'KK_ENVIRONMENT',
    'FILE:5:42: kk.releases.standing.timeout: expected a time such as 20m, 1h30m or 90s, longer than 0s and at most 399h, got "soon"',
    'kk schema environment',
  ],
  [
    'a section that is not a map',
    'kk:\n  OWN\n  releases: {standing: {chart: workload}}\nstanding: [replicas]\n',
    'KK_ENVIRONMENT',
    'FILE:6:1: standing: expected a map of values, got a list',
    'kk schema environment',
  ],
])('kk refuses an environment file with %s', (_, text, code, says, hint) => {
  const read = () => readEnvironment({file: 'FILE', text: text.replace('OWN', OWN), directory: '/'})

  expect(refusalOf(read)).toEqual({
    code,
    exit: 2,
    message: expect.stringContaining(says),
    hint: expect.stringContaining(hint),
  })
})

function refusalOf(read: () => unknown) {
  try {
    return read()
  } catch (error) {
    const {code, exit, message, hint} = asKkError(error)
    return {code, exit, message, hint}
  }
}
