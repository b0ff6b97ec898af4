import {resolve} from 'node:path'
import type {
  ChangeOptions,
  HelmVersion,
  OperationOptions,
  ReleaseCall,
  RollbackCall,
  TemplateOptions,
  TestCall,
  UninstallCall,
} from './helm.ts'

/** The cluster that helm uses; omitted fields default to those of the kubeconfig. */
export interface ClusterFlags {
  readonly kubeconfig?: string
  readonly context?: string
}

type Major = HelmVersion['major']

/** The number of revisions that helm keeps of a release. */
const MAX_HISTORY = 10

/*
 * Never --wait, --atomic or --rollback-on-failure: a chart whose pods wait for hook jobs would deadlock, and
 * a failed install would remove a shared release. Helm 4 without --wait waits only for hooks, as helm 3 does.
 * All flags are valid in both majors without deprecation warning, except --server-side.
 */

export function installArguments(
  major: Major,
  call: ReleaseCall,
  options: ChangeOptions,
  cluster: ClusterFlags,
): string[] {
  const labels = Object.entries(options.labels).filter(([, value]) => value !== null)
  return [
    'install',
    ...(options.createNamespace ? ['--create-namespace'] : []),
    ...(options.replace ? ['--replace'] : []),
    ...(major === 4 ? ['--server-side=true'] : []),
    ...(major === 4 && options.forceConflicts ? ['--force-conflicts'] : []),
    ...changeFlags(options, Object.fromEntries(labels)),
    ...clusterFlags(cluster),
    ...releaseFlags(call),
  ]
}

/** With neither --reset-values nor --reuse-values, helm reuses the old values if the new ones are empty. */
export function upgradeArguments(
  major: Major,
  call: ReleaseCall,
  options: ChangeOptions,
  cluster: ClusterFlags,
): string[] {
  return [
    'upgrade',
    '--reset-values',
    '--history-max',
    String(MAX_HISTORY),
    ...(major === 4 ? ['--server-side=auto'] : []),
    ...(major === 4 && options.forceConflicts ? ['--force-conflicts'] : []),
    ...changeFlags(options, options.labels),
    ...clusterFlags(cluster),
    ...releaseFlags(call),
  ]
}

/** `helm rollback` accepts neither labels nor a description, and prints no JSON. */
export function rollbackArguments(
  major: Major,
  {name, namespace, revision}: RollbackCall,
  {timeoutSeconds}: OperationOptions,
  cluster: ClusterFlags,
): string[] {
  return [
    'rollback',
    '--history-max',
    String(MAX_HISTORY),
    ...(major === 4 ? ['--server-side=auto'] : []),
    '--timeout',
    `${timeoutSeconds}s`,
    ...clusterFlags(cluster),
    ...['--namespace', namespace, '--', name, String(revision)],
  ]
}

/**
 * Returns the arguments of `helm uninstall`, the same for both majors. Dependent objects are deleted in the
 * background; the history is deleted, too.
 */
export function uninstallArguments(
  {name, namespace}: UninstallCall,
  {timeoutSeconds}: OperationOptions,
  cluster: ClusterFlags,
): string[] {
  return [
    ...['uninstall', '--cascade', 'background', '--timeout', `${timeoutSeconds}s`],
    ...clusterFlags(cluster),
    ...['--namespace', namespace, '--', name],
  ]
}

/** Returns the arguments of `helm test`, the same for both majors; the timeout applies to each test. */
export function testArguments(
  {name, namespace, filter = {except: []}}: TestCall,
  {timeoutSeconds}: OperationOptions,
  cluster: ClusterFlags,
): string[] {
  const filters =
    'only' in filter
      ? filter.only.map((hook) => `name=${hook}`)
      : filter.except.map((hook) => `!name=${hook}`)
  return [
    ...['test', '--timeout', `${timeoutSeconds}s`],
    ...filters.flatMap((each) => ['--filter', each]),
    ...clusterFlags(cluster),
    ...['--namespace', namespace, '--', name],
  ]
}

/**
 * Returns the arguments of an upgrade that changes nothing, the same for both majors; its revision is one
 * more than the last one that helm finds.
 */
export function previewArguments(call: ReleaseCall, cluster: ClusterFlags): string[] {
  return [
    ...['upgrade', '--reset-values', '--dry-run=server', '--output', 'json'],
    ...clusterFlags(cluster),
    ...releaseFlags(call),
  ]
}

/**
 * Returns the arguments of `helm template`. Unless `looksUp` is set, `lookup` finds nothing and no cluster is
 * contacted. The content of `crds/` is omitted for upgrades, which ignore it.
 */
export function templateArguments(
  call: ReleaseCall,
  options: TemplateOptions,
  cluster: ClusterFlags,
): string[] {
  return [
    'template',
    ...(options.looksUp ? ['--dry-run=server', ...clusterFlags(cluster)] : []),
    ...(options.withTests ? [] : ['--skip-tests']),
    ...(options.isUpgrade ? [] : ['--include-crds']),
    ...(options.kubeVersion ? ['--kube-version', options.kubeVersion] : []),
    ...(options.apiVersions ?? []).flatMap((version) => ['--api-versions', version]),
    ...(options.isUpgrade ? ['--is-upgrade'] : []),
    ...(options.skipSchema ? ['--skip-schema-validation'] : []),
    ...(options.showOnly ?? []).flatMap((template) => ['--show-only', template]),
    ...releaseFlags(call),
  ]
}

/**
 * Returns the flags of a change. Helm removes a label if its value is the string `null` (mergeCustomLabels in
 * upgrade.go).
 */
function changeFlags(options: ChangeOptions, labels: Readonly<Record<string, string | null>>): string[] {
  return [
    '--timeout',
    `${options.timeoutSeconds}s`,
    ...(options.takeOwnership ? ['--take-ownership'] : []),
    ...Object.entries(labels).flatMap(([key, value]) => ['--labels', `${key}=${value ?? 'null'}`]),
    ...(options.description ? ['--description', options.description] : []),
    '--output',
    'json',
  ]
}

function clusterFlags({kubeconfig, context}: ClusterFlags): string[] {
  return [
    ...(kubeconfig ? ['--kubeconfig', kubeconfig] : []),
    ...(context ? ['--kube-context', context] : []),
  ]
}

/** Returns the flags of a release. Helm never searches an absolute chart path in a repository. */
function releaseFlags(call: ReleaseCall): string[] {
  return ['--namespace', call.namespace, '--values', '-', '--', call.name, resolve(call.chart)]
}
