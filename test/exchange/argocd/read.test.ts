import {describe, expect, it} from 'vitest'
import type {Values} from '../../../src/base/values.ts'
import {importArgocd} from '../../../src/exchange/argocd/read.ts'

function application(name: string, wave: number, {helm = {}, spec = {}, annotations = {}} = {}): Values {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: {
      name,
      namespace: 'argocd',
      annotations: {'argocd.argoproj.io/sync-wave': String(wave), ...annotations},
    },
    spec: {
      project: 'default',
      destination: {namespace: 'openstack', server: 'https://kubernetes.default.svc'},
      source: {repoURL: 'registry.example.org/charts', chart: name, targetRevision: '1.2.3', helm},
      ...spec,
    },
  }
}

function imported(objects: readonly Values[], showSecrets = false) {
  const documents = objects.map((value) => ({file: 'apps.yaml', value}))
  return importArgocd({path: 'apps.yaml', documents, name: 'cloud', showSecrets})
}

const RECORDS = expect.stringMatching(/^Helm records: Argo CD keeps none/)

describe('importing Argo CD Applications', () => {
  it('makes each release require all of the previous wave', () => {
    const {releases, charts, lost} = imported([
      application('horizon', 5),
      application('mariadb', -1),
      application('memcached', -1),
      application('keystone', 2),
    ])

    expect(releases.map(({name, requires}) => [name, requires])).toEqual([
      ['horizon', ['keystone']],
      ['mariadb', []],
      ['memcached', []],
      ['keystone', ['mariadb', 'memcached']],
    ])
    expect(charts).toEqual([{oci: 'oci://registry.example.org/charts'}])
    expect(lost).toEqual([expect.stringMatching(/^waves: /), RECORDS])
  })

  it('reads valuesObject or values, with parameters on top', () => {
    const [text, object] = imported([
      application('one', 0, {
        helm: {
          values: 'a: 1\nb: {c: null}\n',
          parameters: [
            {name: 'b.d', value: 'x,y'},
            {name: 'e', value: '10'},
            {name: 'f', value: '10', forceString: true},
          ],
        },
      }),
      application('two', 0, {helm: {values: 'a: 1\n', valuesObject: {b: 2}, releaseName: 'second'}}),
    ]).releases

    expect(text!.values).toEqual({a: 1, b: {c: null, d: 'x,y'}, e: 10, f: '10'})
    expect(object).toMatchObject({name: 'second', values: {b: 2}})
  })

  it.each([
    ['{a,b}', ['a', 'b']],
    ['{a\\,b,c}', ['a,b', 'c']],
    ['a,b', 'a,b'],
    ['a\\,b', 'a,b'],
    ['a\\b', 'ab'],
    ['a$$b', 'a$b'],
    ['$ARGOCD_APP_NAME-x', 'one-x'],
    ['${ARGOCD_APP_NAMESPACE}x', 'openstackx'],
    ['cost: 5$', 'cost: 5$'],
    ['$.x', '$.x'],
    ['a${', 'a'],
  ])('interprets the parameter %j as Argo CD passes it to helm', (value, expected) => {
    const {releases, lost} = imported([application('one', 0, {helm: {parameters: [{name: 'p', value}]}})])

    expect(releases[0]!.values).toEqual({p: expected})
    expect(lost).toEqual([RECORDS])
  })

  it.each([
    [
      'v-$KUBE_VERSION',
      {},
      'the parameter p of one: $KUBE_VERSION is known only to Argo CD; specify the value',
    ],
    [
      '${HOME}/x',
      {p: '/x'},
      '${HOME} in the parameter p of one is empty, as in Argo CD, which has no such variable',
    ],
    [
      '58467965',
      {p: 58467965},
      expect.stringMatching(/^the parameter p of one is a number, which .*: quote it if/),
    ],
  ])('lists the parameter %j, which differs here', (value, values, line) => {
    const {releases, lost} = imported([application('one', 0, {helm: {parameters: [{name: 'p', value}]}})])

    expect(releases[0]!.values).toEqual(values)
    expect(lost).toEqual([line, RECORDS])
  })

  it('protects Applications that are kept on deletion', () => {
    const {releases} = imported([
      application('one', 0, {annotations: {'argocd.argoproj.io/sync-options': 'Delete=false,Prune=false'}}),
      application('two', 0, {spec: {syncPolicy: {syncOptions: ['Delete=false']}}}),
      application('three', 0),
    ])

    expect(releases.map(({protected: isProtected}) => isProtected)).toEqual([true, true, undefined])
  })

  it.each([
    [
      {spec: {source: {repoURL: 'registry.example.org/charts', chart: 'one', targetRevision: 1.1}}},
      'targetRevision of one: expected a string, got 1.1; put it in quotes',
    ],
    [{helm: {valueFiles: ['x.yaml']}}, 'valueFiles of helm of one: an environment cannot express it'],
    [{helm: {skipCrds: true}}, 'skipCrds of helm of one: an environment cannot express it'],
    [
      {spec: {ignoreDifferences: [{kind: 'X'}]}},
      'ignoreDifferences of one: an environment cannot express it',
    ],
    [
      {spec: {destination: {namespace: 'a', server: 'https://other'}}},
      'the cluster https://other of one: an environment belongs to one cluster',
    ],
    [
      {spec: {destination: {namespace: 'a', server: 'https://user:words@other'}}},
      'the cluster https://other of one: an environment belongs to one cluster',
    ],
    [
      {
        spec: {
          source: undefined,
          sources: [
            {repoURL: 'https://x', chart: 'one'},
            {repoURL: 'https://y', ref: 'v'},
          ],
        },
      },
      'sources of one besides its chart: an environment cannot express them',
    ],
    [{spec: {syncPolicy: {syncOptions: ['Replace=true']}}}, 'Replace=true of one: an option of Argo CD only'],
    [
      {helm: {valuesObject: {auth: {password: 'x'}}}},
      'secrets of one, omitted: auth.password; --show-secrets writes them',
    ],
  ])('with %j lists what is lost', (more, sentence) => {
    expect(imported([application('one', 0, more)]).lost).toContain(sentence)
  })

  it('skips Applications without a chart, and lists what needs them', () => {
    const plain = application('plain', 0, {
      spec: {source: {repoURL: 'https://git.example.org/x', path: 'apps'}},
    })

    const {releases, lost} = imported([plain, application('web', 1)])

    expect(releases.map(({name, requires}) => [name, requires])).toEqual([['web', []]])
    expect(lost).toContain('plain is skipped: it installs no chart of a repository')
  })

  it('expands ApplicationSets with list generators, and lists those with other generators', () => {
    const {metadata: _, ...template} = application('{{name}}', 0)
    const set = (name: string, generators: readonly object[]): Values => ({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'ApplicationSet',
      metadata: {name},
      spec: {generators, template: {...template, metadata: {name: '{{ .name }}'}}},
    })

    const {releases, lost} = imported([
      set('lists', [{list: {elements: [{name: 'one'}, {name: 'two'}]}}]),
      set('clusters', [{clusters: {}}]),
      set('short', [{list: {elements: [{other: 'x'}]}}]),
    ])

    expect(releases.map(({name, chart}) => [name, chart.name])).toEqual([
      ['one', 'one'],
      ['two', 'two'],
    ])
    expect(lost.filter((each) => each.startsWith('the ApplicationSet'))).toEqual([
      expect.stringMatching(/^the ApplicationSet clusters is skipped: its generators are not all lists/),
      expect.stringMatching(
        /^the ApplicationSet short is skipped: its template uses more than the names of values/,
      ),
    ])
  })

  it('fails without an Application', () => {
    expect(() => imported([])).toThrow(expect.objectContaining({code: 'KK_IMPORT', exit: 2}))
  })
})
