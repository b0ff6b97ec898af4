import {existsSync} from 'node:fs'
import {join} from 'node:path'
import {asKkError, type ExitCode} from '../../base/errors.ts'
import {readLock, withLockedVersions} from '../../charts/lock-file.ts'
import {argument} from '../../cli/argument.ts'
import {KkCommand} from '../../cli/command.ts'
import type {Console} from '../../cli/console.ts'
import {type ClusterFlags, clusterFlags, type HelmFlags, helmFlags} from '../../cli/flags.ts'
import {openChosenCluster} from '../../cli/open/cluster.ts'
import {prepareWithDocument} from '../../cli/open/open.ts'
import {change} from '../../cli/run/change.ts'
import {type ChangeFlags, runNamespaceFlags} from '../../cli/run/flags.ts'
import {VERSION} from '../../cli/version.ts'
import {readEnvironment} from '../../environment/read.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import type {RunRecord} from '../../kubernetes/records/runs.ts'
import {readStoreDocument} from '../../overrides/user/document.ts'
import {readNamedFile} from '../../state/files/named-file.ts'
import {expectSameInputs} from '../../verbs/change/resume.ts'
import {openRunLog} from '../../verbs/in-cluster/run-log.ts'
import {
  ENVIRONMENT_FILE,
  expectSamePlan,
  FACTS_FILE,
  OVERRIDES_FILE,
  REQUEST_FILE,
  type RunRequest,
  valuesFile,
} from '../../verbs/in-cluster/run-request.ts'

export default class RunStart extends KkCommand {
  static override hidden = true
  static override summary = 'Start or resume an in-cluster run from its files.'
  static override description =
    'The pods of kk deploy --in-cluster run this command. A pod that replaces another resumes from the state of the cluster. Progress is written to the ConfigMap that kk run follow reads.'
  static override examples = ['kk run start /run/kk']
  static override args = {
    directory: argument({description: 'The directory with the files of the run.', required: true}),
  }
  static override flags = {...runNamespaceFlags, ...clusterFlags, ...helmFlags}

  override async run(): Promise<void> {
    const {flags, args} = await this.parse(RunStart)
    const request = JSON.parse(await readNamedFile(join(args.directory, REQUEST_FILE))) as RunRequest
    await using cluster = await openChosenCluster(flags, undefined)
    const log = await openRunLog(cluster.objects, flags.namespace, request.id)
    if (log.before.end) {
      this.console.say(`run ${request.id} has ended already`)
      process.exitCode = log.before.end.exit
      return
    }
    const files = {...flags, directory: args.directory}
    const before = await previousRun(cluster, request.id)
    if (before?.outcome === 'failed') {
      await log.end({exit: 1})
      process.exitCode = 1
      return
    }
    try {
      const exit = await startOrResume(request, {files, before, view: log, console: this.console})
      if (before?.outcome === 'running')
        await cluster.runs.write({...before, outcome: 'interrupted', endedAt: new Date().toISOString()})
      // After a signal the next pod resumes the run.
      const problem = exit === 130 || exit === 143 ? undefined : await log.end({exit})
      if (problem) this.console.say(`the end of the run could not be written: ${problem.message}`)
      process.exitCode = exit
    } catch (caught) {
      const {code, message, hint, log: lines, exit} = asKkError(caught)
      await log.end({exit, error: {code, message, hint, log: lines}})
      throw caught
    }
  }
}

/** Returns the record of the run of the previous pod; undefined for the first pod. */
async function previousRun({runs}: Cluster, id: string): Promise<RunRecord | undefined> {
  let last = await runs.read(id)
  const all = last ? await runs.list(last.environment) : []
  for (let next = last; next; next = all.find(({of}) => of === last!.id)) last = next
  return last
}

interface StartContext {
  readonly files: ClusterFlags & HelmFlags & {readonly directory: string}
  readonly before: RunRecord | undefined
  readonly view: Awaited<ReturnType<typeof openRunLog>>
  readonly console: Console
}

/** Starts the run, or resumes it if `before` is set. */
async function startOrResume(
  request: RunRequest,
  {files, before, view, console}: StartContext,
): Promise<ExitCode> {
  const {id, verb, scope, who, file} = request
  const {directory, helm, kubeconfig, context} = files
  const inDirectory = (name: string) => join(directory, name)
  const readIfExists = async (name: string) =>
    existsSync(inDirectory(name)) ? await readNamedFile(inDirectory(name)) : undefined
  const flags: ChangeFlags = {
    ...(request.flags as Partial<ChangeFlags>),
    ...{helm, kubeconfig, context, output: 'text', yes: true},
    values: request.values.map((release, index) => `${release}=${inDirectory(valuesFile(index))}`),
    ...(existsSync(inDirectory(FACTS_FILE)) && {facts: inDirectory(FACTS_FILE)}),
  }
  const open = async () => {
    const text = await readNamedFile(inDirectory(ENVIRONMENT_FILE))
    const original = readEnvironment({file, text, directory})
    const lock = flags.locked ? await readLock(original) : undefined
    // The context is one of the machine that requested the run.
    const environment = {...(lock ? withLockedVersions(original, lock) : original), context: undefined}
    const overrides = await readIfExists(OVERRIDES_FILE)
    const document = overrides === undefined ? NO_OVERRIDES : readStoreDocument(overrides, OVERRIDES_FILE)
    const cluster = await openChosenCluster(flags, environment)
    const {isThrowaway} = request
    return {
      prepared: await prepareWithDocument(environment, document, {...flags, cluster, isThrowaway}),
      releases: scope.names,
      cluster,
    }
  }
  return change({
    ...{verb, flags, console, open, view},
    argv: [],
    scope: () => scope,
    startSandbox: false,
    account: before ? {of: before.id, who} : {id, who},
    expect: ({plan}) =>
      before ? expectSameInputs(before, plan, `kk ${verb} ${file}`) : expectSamePlan(request, plan, VERSION),
  })
}

const NO_OVERRIDES = {identity: undefined, overrides: [], secrets: []}
