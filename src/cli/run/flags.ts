import {Flags} from '@oclif/core'
import {KkError} from '../../base/errors.ts'
import {
  adoptStoreFlags,
  type ClusterFlags,
  clusterFlags,
  type EnvironmentFlags,
  environmentFlags,
  type FlagValues,
  type HelmFlags,
  helmFlags,
  type LockFlags,
  lockFlags,
  type OptionalFlags,
  renderFlags,
  type ValueFlags,
} from '../flags.ts'

/** The flags of commands that run a change. */
export const changeFlags = {
  yes: Flags.boolean({char: 'y', summary: 'Do not ask for confirmation before changing anything.'}),
  'dry-run': Flags.boolean({summary: 'Show the plan and change nothing.'}),
  concurrency: Flags.integer({
    summary: 'The number of concurrent helm processes (default: 8, fewer if memory is low).',
    min: 1,
    helpValue: 'N',
  }),
  'fail-fast': Flags.boolean({summary: 'Start no further actions after the first failure.'}),
  'no-wait': Flags.boolean({
    summary: 'Fail immediately if another helm process is working on a release, instead of waiting.',
  }),
  message: Flags.string({
    char: 'm',
    summary: 'The reason for the change, for the record of the run; kk history shows it.',
    helpValue: 'TEXT',
  }),
}

/** Controls fields with another manager. */
export const conflictFlags = {
  'force-conflicts': Flags.boolean({
    summary: 'Let helm 4 take over fields from other field managers, such as kubectl edit.',
  }),
}

/** Confirms the deletion of data by a change. */
export const dataFlags = {
  'confirm-data': Flags.string({
    summary:
      'Confirm one claim or namespace that a chart hook deletes and re-creates, losing its data; may be repeated.',
    helpValue: 'NAME',
    multiple: true,
    multipleNonGreedy: true,
  }),
}

/** The flags that confirm the deletion of data. */
export type DataFlags = OptionalFlags<typeof dataFlags>

/** Controls releases that drifted although their inputs have not changed. */
export const driftFlags = {
  'correct-drift': Flags.boolean({
    summary: 'Also upgrade releases that drifted on the cluster; kk drift shows the drift.',
  }),
}

/** Control how a failed run is undone. */
export const onFailureFlags = {
  'on-failure': Flags.option({
    summary:
      'If a release fails: keep the changes, or roll the failed releases, or all releases that the run changed, back to their last healthy revision.',
    options: ['keep', 'rollback-failed', 'rollback-run'] as const,
    default: 'keep',
    helpGroup: 'FAILURE',
  })(),
  'remove-new': Flags.boolean({
    summary:
      'With a rollback: remove the releases that the run installed, unless they are protected or used; data stays.',
    helpGroup: 'FAILURE',
  }),
  'keep-schema': Flags.boolean({
    summary: 'With a rollback: also roll back across a migration; the newer schema stays.',
    helpGroup: 'FAILURE',
  }),
}

/** Controls upgrade paths that OpenStack does not support. */
export const versionFlags = {
  'force-version': Flags.boolean({
    summary:
      'Continue although OpenStack does not support the upgrade from one of its releases to the other.',
  }),
}

/** Controls the checks of new images. */
export const upgradeCheckFlags = {
  'skip-upgrade-checks': Flags.boolean({
    summary:
      'Do not ask the services whether they are healthy, and their new images whether they can replace the old ones.',
  }),
}

/** Adds to what a forecast follows from. */
export const forecastFlags = {
  history: Flags.string({
    summary:
      'Expect the times of these runs, too: a file with the output of kk history --output json, such as that of another cluster.',
    helpValue: 'FILE',
  }),
}

/** The summary of `--cluster-objects`, for the Job of a run and for the operator. */
export const CLUSTER_OBJECTS =
  'Allow kk in the cluster to create the cluster-scoped objects of its own charts: ClusterRoles, StorageClasses, IngressClasses and CSIDrivers.'

/** The flags for a run by a Job in the cluster. */
export const inClusterFlags = {
  'in-cluster': Flags.boolean({
    summary:
      'Run the change in a Job in the cluster, and follow it; after Ctrl-C it continues in the cluster.',
    helpGroup: 'JOB',
    dependsOn: ['image'],
    exclusive: ['test', 'history'],
  }),
  image: Flags.string({
    summary: 'The image of kk, which includes helm.',
    helpValue: 'IMAGE',
    helpGroup: 'JOB',
    dependsOn: ['in-cluster'],
  }),
  'job-namespace': Flags.string({
    summary: 'The namespace of the Job (default: kk-system).',
    helpValue: 'NAME',
    helpGroup: 'JOB',
    dependsOn: ['in-cluster'],
  }),
  'cluster-objects': Flags.boolean({
    summary: CLUSTER_OBJECTS,
    helpGroup: 'JOB',
    dependsOn: ['in-cluster'],
  }),
  detach: Flags.boolean({
    summary: 'Do not follow the Job, and print the ID of the run.',
    helpGroup: 'JOB',
    dependsOn: ['in-cluster'],
  }),
}
type InClusterFlags = OptionalFlags<typeof inClusterFlags>

/** Delegates a change to the operator, which reads only the file and the overrides. */
export const viaFlags = {
  via: Flags.option({
    summary:
      'Let the operator that manages the environment make the change: pass it the file and the overrides, and follow it; after Ctrl-C it continues in the cluster.',
    options: ['operator'] as const,
    helpGroup: 'OPERATOR',
    exclusive: [
      ...['in-cluster', 'set', 'set-string', 'values', 'plugins', 'facts', 'locked'],
      ...['concurrency', 'fail-fast', 'no-wait'],
      ...[
        'message',
        'force-conflicts',
        'force-version',
        'correct-drift',
        'prepull',
        'adopt-store',
        'confirm-data',
      ],
      ...['on-failure', 'remove-new', 'keep-schema', 'test'],
    ],
  })(),
}

/** The namespace of a Job that runs, as `kk run follow` and `kk run list` take it. */
export const jobNamespaceFlags = {
  'job-namespace': Flags.string({
    summary: 'The namespace of the Job.',
    helpValue: 'NAME',
    default: 'kk-system',
    aliases: ['namespace'],
  }),
}

/** The same, as Jobs of any version of kk pass it to `kk run start`. */
export const runNamespaceFlags = {
  namespace: Flags.string({
    char: 'n',
    summary: 'The namespace of the Job.',
    helpValue: 'NAME',
    default: 'kk-system',
  }),
}

const REPORT = {
  summary:
    'Write a report of the run to a file, also if the run fails: junit, trace, html or json; may be repeated.',
  helpValue: 'KIND=FILE',
  multiple: true,
  multipleNonGreedy: true,
} as const

/** Writes report files of the run. */
export const reportFlags = {report: Flags.string({...REPORT, exclusive: ['dry-run']})}

/** Writes report files of a run in another process, which has no dry run. */
export const followedReportFlags = {report: Flags.string(REPORT)}

/** Selects the output format: one document, or the stream of events. */
export const streamFlags = {
  output: Flags.option({
    char: 'o',
    summary: 'The output format; ndjson streams the events.',
    options: ['text', 'json', 'yaml', 'ndjson'] as const,
    default: 'text',
  })(),
}

/** Runs the tests after a change. */
export const testFlags = {
  test: Flags.boolean({
    summary:
      'After a run that succeeds, run the tests of all releases as kk test does; a failed test exits 1, and the changes stay.',
  }),
}

/** The flags of a deploy: the environment and its values, how to deploy them, and the output. */
export const deployFlags = {
  ...renderFlags,
  ...adoptStoreFlags,
  ...changeFlags,
  ...versionFlags,
  ...upgradeCheckFlags,
  ...forecastFlags,
  ...lockFlags,
  ...conflictFlags,
  ...dataFlags,
  ...streamFlags,
  ...onFailureFlags,
  ...testFlags,
  ...reportFlags,
}

/** The flag that only a deploy has. */
export const prepullFlags = {
  prepull: Flags.boolean({
    summary:
      'Pull the images of later releases while the first ones start (default: on the all-in-one node).',
    allowNo: true,
  }),
}

/** The flags that control a run and its output. */
export type RunFlags = FlagValues<typeof streamFlags> &
  ClusterFlags &
  HelmFlags &
  OptionalFlags<typeof changeFlags> &
  OptionalFlags<typeof reportFlags>

/** The flags that control how a failed run is undone. */
export type OnFailureFlags = OptionalFlags<typeof onFailureFlags>

export type ChangeFlags = RunFlags &
  EnvironmentFlags &
  ValueFlags &
  OnFailureFlags &
  OptionalFlags<typeof versionFlags> &
  OptionalFlags<typeof upgradeCheckFlags> &
  Partial<OptionalFlags<typeof forecastFlags>> &
  LockFlags &
  OptionalFlags<typeof conflictFlags> &
  DataFlags &
  OptionalFlags<typeof prepullFlags> &
  OptionalFlags<typeof testFlags> &
  InClusterFlags &
  Partial<OptionalFlags<typeof viaFlags>>

/** The flags of a deploy for verbs that change installed releases one after another. */
export const upgradeFlags = {
  ...deployFlags,
  concurrency: Flags.integer({
    summary: 'The number of releases to change concurrently, each until its gate has passed (default: 1).',
    min: 1,
    helpValue: 'N',
  }),
}

/** Extend the removal of named releases. */
export const namedRemovalFlags = {
  'with-dependents': Flags.boolean({
    summary: 'Also remove the releases of this environment that require them.',
    helpGroup: 'REMOVAL',
  }),
  purge: Flags.boolean({
    summary:
      'Also delete the data of the releases in other services, unless it is shared: catalog entries, service users, databases; each release must be confirmed by name.',
    helpGroup: 'REMOVAL',
  }),
}

/** The flags of a command that removes releases. */
export const removalFlags = {
  ...environmentFlags,
  confirm: Flags.string({
    summary:
      'Confirm by name a release that is protected, that --purge deletes data of, or that loses a shared object; may be repeated.',
    helpValue: 'NAME',
    multiple: true,
    multipleNonGreedy: true,
    helpGroup: 'REMOVAL',
  }),
  'delete-data': Flags.boolean({
    summary: 'Delete PersistentVolumeClaims, each confirmed by name; without this flag all data stays.',
    helpGroup: 'REMOVAL',
  }),
  'confirm-data': Flags.string({
    summary: 'Confirm one claim to delete, with --delete-data; may be repeated.',
    helpValue: 'CLAIM',
    multiple: true,
    multipleNonGreedy: true,
    helpGroup: 'REMOVAL',
  }),
  'ignore-record': Flags.string({
    summary: 'Do not treat this unreadable record as a user of releases; may be repeated.',
    helpValue: 'NAMESPACE/NAME',
    multiple: true,
    multipleNonGreedy: true,
    helpGroup: 'REMOVAL',
  }),
  ...changeFlags,
  ...streamFlags,
  ...reportFlags,
  ...clusterFlags,
  ...helmFlags,
}
export type RemovalFlags = FlagValues<typeof removalFlags> & OptionalFlags<typeof namedRemovalFlags>

/**
 * Throws `KK_USAGE` for flags that a run in the cluster, or the operator, does not support, such as local
 * plugins.
 */
export function expectForCluster(flags: ChangeFlags): void {
  if (flags.image === '') throw new KkError('KK_USAGE', 'expected an image, found --image ""')
  const flag = flags.via ? '--via' : '--in-cluster'
  const isElsewhere = flags['in-cluster'] || flags.via
  if (!isElsewhere || (flags.plugins ?? process.env.KK_PLUGINS ?? '') === '') return
  throw new KkError('KK_USAGE', 'plugins are programs of this machine, and cannot run in the cluster', {
    hint: `omit ${flag}; or omit --plugins and KK_PLUGINS, and set what they generate as values`,
  })
}
