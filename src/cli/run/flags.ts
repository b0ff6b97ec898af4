import {Flags} from '@oclif/core'
import {KkError} from '../../base/errors.ts'
import {
  adoptStoreFlags,
  type ClusterFlags,
  clusterFlags,
  type EnvironmentFlags,
  environmentFlags,
  type FlagValues,
  type Given,
  type HelmFlags,
  helmFlags,
  type LockFlags,
  lockFlags,
  renderFlags,
  type ValueFlags,
} from '../flags.ts'

/** How a change is run. */
export const changeFlags = {
  yes: Flags.boolean({char: 'y', summary: 'Do not ask before changing anything.'}),
  'dry-run': Flags.boolean({summary: 'Show the plan and change nothing.'}),
  concurrency: Flags.integer({
    summary: 'How many helms run at once (default: 8, less if memory is short).',
    min: 1,
    helpValue: 'N',
  }),
  'fail-fast': Flags.boolean({summary: 'Start nothing more after the first failure.'}),
  'no-wait': Flags.boolean({
    summary: "Fail at once when somebody else's helm is at work on a release, instead of waiting.",
  }),
  message: Flags.string({
    char: 'm',
    summary: 'Why, for the record of the run: kk history shows it.',
    helpValue: 'TEXT',
  }),
}

/** How fields are treated that somebody else manages. */
export const conflictFlags = {
  'force-conflicts': Flags.boolean({
    summary: 'Let helm 4 take fields from those who manage them now, such as kubectl edit.',
  }),
}

/** Data that goes with a change. */
export const dataFlags = {
  'confirm-data': Flags.string({
    summary:
      'Confirm one claim or namespace that a hook of a chart deletes and makes again, so that its data goes; may be repeated.',
    helpValue: 'NAME',
    multiple: true,
    multipleNonGreedy: true,
  }),
}

/** The flags that give up data. */
export type DataFlags = Given<typeof dataFlags>

/** How releases are treated that drifted though their inputs are the same. */
export const driftFlags = {
  'correct-drift': Flags.boolean({
    summary: 'Upgrade also what drifted on the cluster: kk drift shows what that is.',
  }),
}

/** How a failed run is undone. */
export const onFailureFlags = {
  'on-failure': Flags.option({
    summary:
      'When a release fails: keep what was done, or return the failed ones, or all that the run touched, to the last revision whose gate had passed.',
    options: ['keep', 'rollback-failed', 'rollback-run'] as const,
    default: 'keep',
    helpGroup: 'FAILURE',
  })(),
  'remove-new': Flags.boolean({
    summary: 'With a rollback: remove what the run installed, unless it is protected or used; data stays.',
    helpGroup: 'FAILURE',
  }),
  'keep-schema': Flags.boolean({
    summary: 'With a rollback: go back across a migration, too; the newer schema stays.',
    helpGroup: 'FAILURE',
  }),
}

/** How ways between releases are treated that OpenStack does not support. */
export const versionFlags = {
  'force-version': Flags.boolean({
    summary: 'Go on though OpenStack does not support the way from one of its releases to the other.',
  }),
}

/** The summary of `--cluster-objects`, of whoever deploys in the cluster. */
export const CLUSTER_OBJECTS =
  "Let it make the objects of the whole cluster that kk's own charts have: ClusterRoles, and classes and drivers of volumes and ingresses."

/** How a run is done by a Job in the cluster, and not here. */
export const inClusterFlags = {
  'in-cluster': Flags.boolean({
    summary: 'Have a Job in the cluster do it, and follow that: Ctrl-C leaves it at work.',
    helpGroup: 'JOB',
    dependsOn: ['image'],
  }),
  image: Flags.string({
    summary: 'The image of kk, which has helm in it.',
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
    summary: 'Do not follow the Job, and print the id of the run.',
    helpGroup: 'JOB',
    dependsOn: ['in-cluster'],
  }),
}
type InClusterFlags = Given<typeof inClusterFlags>

/** Who makes a change, where that is not kk here. The operator reads the file and the overrides, and nothing else. */
export const viaFlags = {
  via: Flags.option({
    summary:
      'Have the operator do it, which drives the environment: give it the file and the overrides, and follow it; Ctrl-C leaves it at work.',
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
      ...['on-failure', 'remove-new', 'keep-schema'],
    ],
  })(),
}

/** Where the Job of a run in the cluster is. */
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
    'Write a report of the run to a file, also when it fails: junit, trace, html or json; may be repeated.',
  helpValue: 'KIND=FILE',
  multiple: true,
  multipleNonGreedy: true,
} as const

/** Files about the run. */
export const reportFlags = {report: Flags.string({...REPORT, exclusive: ['dry-run']})}

/** Files about a run that somebody else does: there is no dry run of it. */
export const followedReportFlags = {report: Flags.string(REPORT)}

/** One document, or the stream of events. */
export const streamFlags = {
  output: Flags.option({
    summary: 'The form of the output; ndjson streams the events.',
    options: ['text', 'json', 'yaml', 'ndjson'] as const,
    default: 'text',
  })(),
}

/** The environment and its values, how they are brought to the cluster, and what is told of that. */
export const deployFlags = {
  ...renderFlags,
  ...adoptStoreFlags,
  ...changeFlags,
  ...versionFlags,
  ...lockFlags,
  ...conflictFlags,
  ...dataFlags,
  ...streamFlags,
  ...onFailureFlags,
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

/** How a run is done, and shown. */
export type RunFlags = FlagValues<typeof streamFlags> &
  ClusterFlags &
  HelmFlags &
  Given<typeof changeFlags> &
  Given<typeof reportFlags>

/** The flags that say how a failed run is undone. */
export type OnFailureFlags = Given<typeof onFailureFlags>

export type ChangeFlags = RunFlags &
  EnvironmentFlags &
  ValueFlags &
  OnFailureFlags &
  Given<typeof versionFlags> &
  LockFlags &
  Given<typeof conflictFlags> &
  DataFlags &
  Given<typeof prepullFlags> &
  InClusterFlags &
  Partial<Given<typeof viaFlags>>

/** The flags of a deploy for verbs that change what is installed, one release after the other. */
export const upgradeFlags = {
  ...deployFlags,
  concurrency: Flags.integer({
    summary: 'How many releases are changed at once, each until its gate has passed (default: 1).',
    min: 1,
    helpValue: 'N',
  }),
}

/** How far the removal of named releases goes. */
export const namedRemovalFlags = {
  'with-dependents': Flags.boolean({
    summary: 'Remove what requires them, too, as far as it belongs to this environment.',
    helpGroup: 'REMOVAL',
  }),
  purge: Flags.boolean({
    summary:
      'Also take away what the releases alone have in other services: entries in the catalogue, service users, databases; each release is confirmed by its name.',
    helpGroup: 'REMOVAL',
  }),
}

/** All of a command that removes releases. */
export const removalFlags = {
  ...environmentFlags,
  confirm: Flags.string({
    summary:
      'Confirm a release by its name: a protected one, one to purge, or one that loses an object; may be repeated.',
    helpValue: 'NAME',
    multiple: true,
    multipleNonGreedy: true,
    helpGroup: 'REMOVAL',
  }),
  'delete-data': Flags.boolean({
    summary: 'Delete volume claims, each confirmed by its name; without it all data stays.',
    helpGroup: 'REMOVAL',
  }),
  'confirm-data': Flags.string({
    summary: 'Confirm one claim whose data may go, with --delete-data; may be repeated.',
    helpValue: 'CLAIM',
    multiple: true,
    multipleNonGreedy: true,
    helpGroup: 'REMOVAL',
  }),
  'ignore-record': Flags.string({
    summary: 'Do not count a record that cannot be read as a user; may be repeated.',
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
export type RemovalFlags = FlagValues<typeof removalFlags> & Given<typeof namedRemovalFlags>

/** Throws `KK_USAGE` for what a run in the cluster, or the operator, cannot have: it runs no programs of this machine. */
export function expectForCluster(flags: ChangeFlags): void {
  if (flags.image === '') throw new KkError('KK_USAGE', 'expected an image, found --image ""')
  const flag = flags.via ? '--via' : '--in-cluster'
  const isElsewhere = flags['in-cluster'] || flags.via
  if (!isElsewhere || (flags.plugins ?? process.env.KK_PLUGINS ?? '') === '') return
  throw new KkError('KK_USAGE', 'plugins are programs of this machine, and cannot run in the cluster', {
    hint: `leave ${flag} out; or leave --plugins and KK_PLUGINS out, and state what they make as values`,
  })
}
