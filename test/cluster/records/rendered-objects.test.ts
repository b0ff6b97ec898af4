import {expect, test} from 'vitest'
import {renderedObjects} from '../../../src/cluster/records/rendered-objects.ts'

const pod = (name: string, hook: string) =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}, annotations: {helm.sh/hook: "${hook}"}}\n`

test('a revision has its hooks as helm renders them again, but no tests', () => {
  const manifest = 'apiVersion: v1\nkind: Service\nmetadata: {name: api}\n'
  const hooks = [pod('migrate', 'pre-upgrade,post-install'), pod('smoke', 'test'), pod('old', 'test-success')]

  const names = renderedObjects({manifest, hooks}).map(({metadata}) => metadata.name)

  expect(names).toEqual(['api', 'migrate'])
})
