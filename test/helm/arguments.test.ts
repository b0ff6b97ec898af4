import {describe, expect, it} from 'vitest'
import {
  installArguments,
  previewArguments,
  rollbackArguments,
  templateArguments,
  testArguments,
  uninstallArguments,
  upgradeArguments,
} from '../../src/helm/arguments.ts'

const call = {
  name: 'keystone',
  namespace: 'openstack',
  chart: '/run/charts/key,stone',
  values: {secret: 's3same'},
}
const change = {
  labels: {owner: 'cloud', 'uses.kk/x': null},
  timeoutSeconds: 300,
  description: 'deploy, again',
}

describe('helm install', () => {
  it.each([
    [3, []],
    [4, ['--server-side=true']],
  ] as const)('builds the arguments for helm %i', (major, own) => {
    expect(installArguments(major, call, {...change, createNamespace: true}, {})).toEqual([
      'install',
      '--create-namespace',
      ...own,
      ...[
        '--timeout',
        '300s',
        '--labels',
        'owner=cloud',
        '--description',
        'deploy, again',
        '--output',
        'json',
      ],
      ...['--namespace', 'openstack', '--values', '-', '--', 'keystone', '/run/charts/key,stone'],
    ])
  })
})

describe('helm upgrade', () => {
  it.each([
    [3, []],
    [4, ['--server-side=auto']],
  ] as const)('resets values and removes labels by null with helm %i', (major, own) => {
    expect(upgradeArguments(major, call, change, {kubeconfig: '/k/config', context: 'prod'})).toEqual([
      ...['upgrade', '--reset-values', '--history-max', '10'],
      ...own,
      ...['--timeout', '300s', '--labels', 'owner=cloud', '--labels', 'uses.kk/x=null'],
      ...['--description', 'deploy, again', '--output', 'json'],
      ...['--kubeconfig', '/k/config', '--kube-context', 'prod'],
      ...['--namespace', 'openstack', '--values', '-', '--', 'keystone', '/run/charts/key,stone'],
    ])
  })
})

const back = {name: 'keystone', namespace: 'openstack', revision: 3, values: {secret: 's3same'}}

describe('helm rollback', () => {
  it.each([
    [3, []],
    [4, ['--server-side=auto']],
  ] as const)('names the revision, without labels and values, with helm %i', (major, own) => {
    const cluster = {kubeconfig: '/k/config', context: 'prod'}

    expect(rollbackArguments(major, back, {timeoutSeconds: 300}, cluster)).toEqual([
      ...['rollback', '--history-max', '10', ...own, '--timeout', '300s'],
      ...['--kubeconfig', '/k/config', '--kube-context', 'prod'],
      ...['--namespace', 'openstack', '--', 'keystone', '3'],
    ])
  })
})

const PROD = {kubeconfig: '/k/config', context: 'prod'}

describe('helm template', () => {
  it('does not contact a cluster', () => {
    const options = {
      kubeVersion: '1.36.0',
      apiVersions: ['a/v1', 'b/v1'],
      isUpgrade: true,
      showOnly: ['templates/a.yaml'],
    }

    expect(templateArguments(call, options, PROD)).toEqual([
      ...['template', '--skip-tests', '--kube-version', '1.36.0'],
      ...[
        '--api-versions',
        'a/v1',
        '--api-versions',
        'b/v1',
        '--is-upgrade',
        '--show-only',
        'templates/a.yaml',
      ],
      ...['--namespace', 'openstack', '--values', '-', '--', 'keystone', '/run/charts/key,stone'],
    ])
  })

  it('renders crds/ only for an installation because upgrades ignore it', () => {
    expect(templateArguments(call, {}, {})).toContain('--include-crds')
    expect(templateArguments(call, {isUpgrade: true}, {})).not.toContain('--include-crds')
  })

  it('passes the cluster for lookups', () => {
    expect(templateArguments(call, {looksUp: true, isUpgrade: true}, PROD)).toEqual([
      ...['template', '--dry-run=server', '--kubeconfig', '/k/config', '--kube-context', 'prod'],
      ...['--skip-tests', '--is-upgrade'],
      ...['--namespace', 'openstack', '--values', '-', '--', 'keystone', '/run/charts/key,stone'],
    ])
  })
})

it('previews an upgrade as a dry run that resets values', () => {
  expect(previewArguments(call, PROD)).toEqual([
    ...['upgrade', '--reset-values', '--dry-run=server', '--output', 'json'],
    ...['--kubeconfig', '/k/config', '--kube-context', 'prod'],
    ...['--namespace', 'openstack', '--values', '-', '--', 'keystone', '/run/charts/key,stone'],
  ])
})

it.each([
  ['install', installArguments(4, call, change, {})],
  ['upgrade', upgradeArguments(4, call, change, {})],
  ['rollback', rollbackArguments(4, back, {timeoutSeconds: 300}, {})],
  ['template', templateArguments(call, {}, {})],
  ['upgrade, as a preview,', previewArguments(call, {})],
])('never waits, rolls back, forces or passes a value on the command line in helm %s', (_, words) => {
  expect(words.join(' ')).not.toMatch(/--wait|--atomic|--rollback-on-failure|--force|--set|--debug|s3same/)
})

it.each([
  ['install', 3, installArguments, ['--take-ownership']],
  ['install', 4, installArguments, ['--force-conflicts', '--take-ownership']],
  ['upgrade', 3, upgradeArguments, ['--take-ownership']],
  ['upgrade', 4, upgradeArguments, ['--force-conflicts', '--take-ownership']],
] as const)(
  'helm %s of helm %i has the flags to take over objects and fields if requested',
  (_, major, words, taken) => {
    const given = words(major, call, {...change, takeOwnership: true, forceConflicts: true}, {})

    expect(given.filter((word) => /^--(?:take|force)/.test(word))).toEqual(taken)
  },
)

describe('helm uninstall', () => {
  it('waits for nothing, keeps no history and deletes in the background, in both majors', () => {
    const words = uninstallArguments(
      call,
      {timeoutSeconds: 300},
      {kubeconfig: '/home/u/kubeconfig', context: 'production'},
    )

    expect(words).toEqual([
      ...['uninstall', '--cascade', 'background', '--timeout', '300s'],
      ...['--kubeconfig', '/home/u/kubeconfig', '--kube-context', 'production'],
      ...['--namespace', 'openstack', '--', 'keystone'],
    ])
  })
})

describe('helm test', () => {
  it('passes the timeout of each test, and the release last', () => {
    const cluster = {kubeconfig: '/k/config', context: 'prod'}

    expect(testArguments({...call, values: {}}, {timeoutSeconds: 90}, cluster)).toEqual([
      ...['test', '--timeout', '90s', '--kubeconfig', '/k/config', '--kube-context', 'prod'],
      ...['--namespace', 'openstack', '--', 'keystone'],
    ])
  })

  it.each([
    [{only: ['a', 'b']}, ['--filter', 'name=a', '--filter', 'name=b']],
    [{except: ['a', 'b']}, ['--filter', '!name=a', '--filter', '!name=b']],
    [{except: []}, []],
  ])('selects hooks by name: %j', (filter, selected) => {
    const words = testArguments({...call, values: {}, filter}, {timeoutSeconds: 90}, {})

    expect(words).toEqual([
      'test',
      '--timeout',
      '90s',
      ...selected,
      '--namespace',
      'openstack',
      '--',
      'keystone',
    ])
  })
})
