import {expect, it} from 'vitest'
import {testHooks} from '../../src/cluster/test-hooks.ts'

const hook = (name: string, events: string) =>
  `apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\n  annotations: {helm.sh/hook: "${events}"}\n`

it('the tests are the hooks that helm test runs, by each of its names', () => {
  const hooks = [
    hook('new', 'test'),
    hook('old', 'test-success'),
    hook('both', 'post-install, test'),
    hook('job', 'post-upgrade'),
  ]

  expect(testHooks({hooks}).map(({metadata}) => metadata.name)).toEqual(['new', 'old', 'both'])
})
