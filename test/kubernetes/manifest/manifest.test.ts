import {describe, expect, it} from 'vitest'
import {
  parseManifest,
  readableObjects,
  testHooks,
  upgradedObjects,
} from '../../../src/kubernetes/manifest/manifest.ts'

const names = (yaml: string) => parseManifest(yaml).map(({kind, metadata}) => `${kind}/${metadata.name}`)

describe('a rendered stream', () => {
  it('has its objects in order, without empty documents', () => {
    const yaml = `---
# Source: a/templates/a.yaml
apiVersion: v1
kind: Service
metadata: {name: a}
---
# nothing
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: b}
`

    expect(names(yaml)).toEqual(['Service/a', 'Deployment/b'])
  })

  it('has the items of a List in its place', () => {
    const item = (name: string) => `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}}`

    expect(
      names(`{apiVersion: v1, kind: List, items: [${item('a')}, ${item('b')}]}\n---\n${item('c')}`),
    ).toEqual(['ConfigMap/a', 'ConfigMap/b', 'ConfigMap/c'])
  })

  it('that is empty has no objects', () => {
    expect(parseManifest('')).toEqual([])
  })

  it.each([
    ['text', 'it is a string'],
    ['[1]', 'it is a list'],
    ['kind: A', 'it has no apiVersion'],
    ['apiVersion: v1', 'it has no kind'],
    ['{apiVersion: v1, kind: Secret, metadata: {}}', 'a Secret has no metadata.name'],
  ])('with the document %s is an error: %s', (yaml, message) => {
    expect(() => parseManifest(yaml)).toThrow(
      expect.objectContaining({code: 'KK_RENDER', message: expect.stringContaining(message)}),
    )
  })

  it.each([
    ['kind: A', 'KK_RENDER', 'db/templates/b.yaml renders a document that is not a Kubernetes object'],
    ['a: 1\nb: c: d', 'KK_YAML', 'db/templates/b.yaml:2:5: '],
  ])('names the chart and the file of the document %j', (text, code, says) => {
    const file = (name: string, content: string) => `---\n# Source: db/templates/${name}.yaml\n${content}\n`
    const yaml = file('a', '{apiVersion: v1, kind: Secret, metadata: {name: a}}') + file('b', text)

    expect(() => parseManifest(yaml)).toThrow(
      expect.objectContaining({code, message: expect.stringContaining(says)}),
    )
  })
})

it('an arbitrary stream is read with its valid objects and the first error', () => {
  const map = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n'
  const job = 'apiVersion: batch/v1\nkind: Job\nmetadata: {generateName: migrate-}\n'

  const {objects, fault} = readableObjects(`---\n${map}---\n# Source: gen/templates/job.yaml\n${job}`)

  expect(objects.map(({metadata}) => metadata.name)).toEqual(['a'])
  expect(fault).toContain('gen/templates/job.yaml renders a document that is not a Kubernetes object')
  expect(readableObjects(map)).toEqual({objects: parseManifest(map)})
})

describe('the hooks of a revision', () => {
  const hook = (name: string, events: string) =>
    `apiVersion: v1\nkind: Pod\nmetadata: {name: ${name}, annotations: {helm.sh/hook: "${events}"}}\n`

  it('are tests if helm test runs them, by either event name', () => {
    const hooks = [
      hook('new', 'test'),
      hook('old', 'test-success'),
      hook('both', 'post-install, test'),
      hook('job', 'post-upgrade'),
    ]

    expect(testHooks({hooks}).map(({metadata}) => metadata.name)).toEqual(['new', 'old', 'both'])
  })

  it('are rendered again by an upgrade, except tests', () => {
    const manifest = 'apiVersion: v1\nkind: Service\nmetadata: {name: api}\n'
    const hooks = [
      hook('migrate', 'pre-upgrade,post-install'),
      hook('smoke', 'test'),
      hook('old', 'test-success'),
    ]

    const found = upgradedObjects({manifest, hooks}).map(({metadata}) => metadata.name)

    expect(found).toEqual(['api', 'migrate'])
  })
})
