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

/** The cluster that helm talks to; what is left out is kubeconfig's own. */
export interface ClusterFlags {
  readonly kubeconfig?: string
  readonly context?: string
}

type Major = HelmVersion['major']

/** Revisions that helm keeps of a release. */
const HISTORY = 10

/*
 * Never --wait, --atomic or --rollback-on-failure: a chart whose pods wait for hook jobs would deadlock, and a
 * failed install would take a shared release away. Helm 4 without --wait waits for hooks only, as helm 3 does.
 * What is passed is valid on both majors without a warning of deprecation, but for --server-side.
 */

export function installArguments(
  major: Major,
  call: ReleaseCall,
  options: ChangeOptions,
  cluster: ClusterFlags,
): string[] {
  const given = Object.entries(options.labels).filter(([, value]) => value !== null)
  return [
    'install',
    ...(options.createNamespace ? ['--create-namespace'] : []),
    ...(options.replace ? ['--replace'] : []),
    ...(major === 4 ? ['--server-side=true'] : []),
    ...(major === 4 && options.forceConflicts ? ['--force-conflicts'] : []),
    ...changeFlags(options, Object.fromEntries(given)),
    ...clusterFlags(cluster),
    ...releaseFlags(call),
  ]
}

/** With neither --reset-values nor --reuse-values, helm takes the old values whenever the new ones are empty. */
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
    String(HISTORY),
    ...(major === 4 ? ['--server-side=auto'] : []),
    ...(major === 4 && options.forceConflicts ? ['--force-conflicts'] : []),
    ...changeFlags(options, options.labels),
    ...clusterFlags(cluster),
    ...releaseFlags(call),
  ]
}

/** Takes neither labels nor a description, and prints no JSON. */
export function rollbackArguments(
  major: Major,
  {name, namespace, revision}: RollbackCall,
  {timeoutSeconds}: OperationOptions,
  cluster: ClusterFlags,
): string[] {
  return [
    'rollback',
    '--history-max',
    String(HISTORY),
    ...(major === 4 ? ['--server-side=auto'] : []),
    '--timeout',
    `${timeoutSeconds}s`,
    ...clusterFlags(cluster),
    ...['--namespace', namespace, '--', name, String(revision)],
  ]
}

/**
 * Returns the arguments of `helm uninstall`, equal in both majors: what belongs to the objects goes with them, in the
 * background; the history goes too.
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

/** Returns the arguments of `helm test`, equal in both majors; the timeout is that of each test. */
export function testArguments(
  {name, namespace}: TestCall,
  {timeoutSeconds}: OperationOptions,
  cluster: ClusterFlags,
): string[] {
  return [
    ...['test', '--timeout', `${timeoutSeconds}s`],
    ...clusterFlags(cluster),
    ...['--namespace', namespace, '--', name],
  ]
}

/**
 * Returns the arguments of an upgrade that changes nothing, equal in both majors; the number of the revision follows
 * the last one that helm knows.
 */
export function previewArguments(call: ReleaseCall, cluster: ClusterFlags): string[] {
  return [
    ...['upgrade', '--reset-values', '--dry-run=server', '--output', 'json'],
    ...clusterFlags(cluster),
    ...releaseFlags(call),
  ]
}

/**
 * Unless it is to look objects up on the cluster, it knows none: `lookup` finds nothing, and nothing is contacted. No
 * upgrade touches what is in `crds/`.
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

/** Helm takes a label away when its value is the text `null` (mergeCustomLabels in upgrade.go). */
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

/** A chart that is given as an absolute path is never looked for in a repository. */
function releaseFlags(call: ReleaseCall): string[] {
  return ['--namespace', call.namespace, '--values', '-', '--', call.name, resolve(call.chart)]
}
