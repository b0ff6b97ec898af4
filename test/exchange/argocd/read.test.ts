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

const RECORDS = expect.stringMatching(/^records of helm: Argo CD keeps none/)

describe('Applications', () => {
  it('become releases, each after all of the wave before it', () => {
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

  it('have the values of their object, or their text, and parameters on top', () => {
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
  ])('have a parameter %j as Argo CD gives it to helm', (value, expected) => {
    const {releases, lost} = imported([application('one', 0, {helm: {parameters: [{name: 'p', value}]}})])

    expect(releases[0]!.values).toEqual({p: expected})
    expect(lost).toEqual([RECORDS])
  })

  it.each([
    [
      'v-$KUBE_VERSION',
      {},
      'the parameter p of one: $KUBE_VERSION is known to Argo CD alone; state the value',
    ],
    [
      '${HOME}/x',
      {p: '/x'},
      '${HOME} in the parameter p of one is empty, as in Argo CD, which knows no such variable',
    ],
    [
      '58467965',
      {p: 58467965},
      expect.stringMatching(/^the parameter p of one is a number, which .* in quotes/),
    ],
  ])('name a parameter %j that is not the same here', (value, values, line) => {
    const {releases, lost} = imported([application('one', 0, {helm: {parameters: [{name: 'p', value}]}})])

    expect(releases[0]!.values).toEqual(values)
    expect(lost).toEqual([line, RECORDS])
  })

  it('that are kept when they are deleted are protected', () => {
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
      'targetRevision of one: expected a text, got 1.1; put it in quotes',
    ],
    [{helm: {valueFiles: ['x.yaml']}}, 'valueFiles of helm of one: an environment has no place for it'],
    [{helm: {skipCrds: true}}, 'skipCrds of helm of one: an environment has no place for it'],
    [
      {spec: {ignoreDifferences: [{kind: 'X'}]}},
      'ignoreDifferences of one: an environment has no place for it',
    ],
    [
      {spec: {destination: {namespace: 'a', server: 'https://other'}}},
      'the cluster https://other of one: an environment is of one cluster',
    ],
    [
      {spec: {destination: {namespace: 'a', server: 'https://user:words@other'}}},
      'the cluster https://other of one: an environment is of one cluster',
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
      'sources of one beside its chart: an environment has no place for them',
    ],
    [{spec: {syncPolicy: {syncOptions: ['Replace=true']}}}, 'Replace=true of one: an option of Argo CD'],
    [
      {helm: {valuesObject: {auth: {password: 'x'}}}},
      'secrets of one, left out: auth.password; --show-secrets writes them',
    ],
  ])('with %j name what is lost', (more, sentence) => {
    expect(imported([application('one', 0, more)]).lost).toContain(sentence)
  })

  it('that are no chart are left out, and what waits for them says so', () => {
    const plain = application('plain', 0, {
      spec: {source: {repoURL: 'https://git.example.org/x', path: 'apps'}},
    })

    const {releases, lost} = imported([plain, application('web', 1)])

    expect(releases.map(({name, requires}) => [name, requires])).toEqual([['web', []]])
    expect(lost).toContain('plain is left out: it is no chart of a repository')
  })

  it('of an ApplicationSet of lists are expanded, those of other generators are named', () => {
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
      expect.stringMatching(/^the ApplicationSet clusters is left out: its generators are no lists/),
      expect.stringMatching(
        /^the ApplicationSet short is left out: its template is more than names of values/,
      ),
    ])
  })

  it('that are missing are an error', () => {
    expect(() => imported([])).toThrow(expect.objectContaining({code: 'KK_IMPORT', exit: 2}))
  })
})
