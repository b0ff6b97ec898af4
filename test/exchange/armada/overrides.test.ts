import {describe, expect, it} from 'vitest'
import {mergeValues} from '../../../src/base/merge.ts'
import {armadaStream, mergeArmada} from '../../../src/exchange/armada/overrides.ts'
import {helmValues} from '../../../src/exchange/helm/write.ts'
import {readYaml, readYamlDocuments} from '../../../src/yaml/yaml.ts'

const RABBITMQ = {name: 'rabbitmq', namespace: 'openstack', values: {pod: {replicas: 2}}}
const INGRESS = {name: 'ingress', namespace: 'kube-system', values: {}}

const MANIFEST = `---
schema: armada/Chart/v1
metadata: {schema: metadata/Document/v1, name: openstack-rabbitmq}
data:
  chart_name: rabbitmq
  release: rabbitmq
  namespace: openstack
  wait:
    timeout: 600
    labels: {release_group: kk-rabbitmq}
    resources: [{type: job}, {type: statefulset, min_ready: 100%}]
    native: {enabled: false}
  protected: {continue_processing: false}
  test: {enabled: true, timeout: 300}
  upgrade:
    no_hooks: false
    pre: {delete: [{type: job, labels: {release_group: kk-rabbitmq}}]}
  delete: {timeout: 300}
  values: {pod: {replicas: {server: 1}, tolerations: [a, b]}, keep: 1}
  source: {type: local, location: ./charts, subpath: rabbitmq}
  dependencies: []
---
schema: armada/ChartGroup/v1
metadata: {schema: metadata/Document/v1, name: openstack-infra}
data: {sequenced: true, chart_group: [openstack-rabbitmq]}
---
schema: armada/Manifest/v1
metadata: {schema: metadata/Document/v1, name: kk-manifest}
data: {release_prefix: kk, chart_groups: [openstack-infra]}
`

function manifest(text: string) {
  return {file: 'manifest.yaml', documents: readYamlDocuments(text)}
}

describe('overrides for Armada', () => {
  it('have a document header around the values', () => {
    expect(armadaStream([RABBITMQ])).toBe(
      [
        '---',
        'schema: armada/Chart/v1',
        'metadata:',
        '  name: openstack-rabbitmq',
        '  schema: metadata/Document/v1',
        'data:',
        '  values:',
        '    pod:',
        '      replicas: 2',
        '',
      ].join('\n'),
    )
  })

  it('form one stream of documents for several charts', () => {
    const documents = readYamlDocuments(armadaStream([RABBITMQ, INGRESS]))

    expect(documents).toMatchObject([
      {metadata: {name: 'openstack-rabbitmq'}, data: {values: {pod: {replicas: 2}}}},
      {metadata: {name: 'kube-system-ingress'}, data: {values: {}}},
    ])
  })

  it('merged over the chart documents of a manifest are valid, and equal to what helm would merge', () => {
    const before = manifest(MANIFEST)

    const [chart, ...rest] = mergeArmada(before, [RABBITMQ])

    const [given, ...others] = before.documents as {readonly data: {readonly values: object}}[]
    expect(chart).toMatchObject({data: {release: 'rabbitmq', values: {pod: {replicas: 2}, keep: 1}}})
    expect(chart?.data).toMatchObject({values: mergeValues({...given?.data.values}, RABBITMQ.values)})
    expect(rest).toEqual(others)
  })

  it('split a string over a list at its commas, as Armada does', () => {
    const [chart] = mergeArmada(manifest(MANIFEST), [{...RABBITMQ, values: {pod: {tolerations: 'x, y'}}}])

    expect(chart).toMatchObject({data: {values: {pod: {tolerations: ['x', 'y'], replicas: {server: 1}}}}})
  })

  it.each([
    ['has no document armada/Chart/v1 named kube-system-ingress', MANIFEST, [INGRESS]],
    [
      'manifest.yaml, document 1 (openstack-rabbitmq): data: expected the key "release"',
      MANIFEST.replace('  release: rabbitmq\n', ''),
      [RABBITMQ],
    ],
    [
      'data.wait.native.enabled',
      MANIFEST.replace('native: {enabled: false}', 'native: {enabled: "no"}'),
      [RABBITMQ],
    ],
    ['data.colour', MANIFEST.replace('  delete:', '  colour: red\n  delete:'), [RABBITMQ]],
    ['manifest.yaml, document 1: expected a map', '- a\n', [RABBITMQ]],
  ])('are rejected with "%s"', (message, text, charts) => {
    expect(() => mergeArmada(manifest(text), charts)).toThrow(message)
  })
})

describe('overrides for helm', () => {
  it('are the plain values, and an empty map if there are none', () => {
    expect(helmValues(RABBITMQ)).toBe('pod:\n  replicas: 2\n')
    expect(readYaml(helmValues(INGRESS))).toEqual({})
  })
})
