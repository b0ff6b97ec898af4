import {Flags} from '@oclif/core'
import type {ExitCode} from '../base/errors.ts'
import {KkCommand} from '../cli/command.ts'
import {type Console, type Output, requireConfirmation} from '../cli/console.ts'
import {clusterFlags, documentFlags, environmentFlags, fileArgument} from '../cli/flags.ts'
import {openChosenCluster} from '../cli/open/cluster.ts'
import {openEnvironment} from '../cli/open/open.ts'
import {changeFlags} from '../cli/run/flags.ts'
import {targetArguments} from '../cli/run/repeat-command.ts'
import {auditText, repairedText} from '../report/audit-text.ts'
import {builtInFiles} from '../state/assets.ts'
import {type AuditedCloud, type AuditReport, auditCloud, type Repaired} from '../verbs/audit.ts'

export default class Audit extends KkCommand {
  static override summary = 'Compare what the services of a cloud record about the same objects.'
  static override description =
    'Reads the databases of the services, libvirt, OVN, Open vSwitch, Ceph and RabbitMQ in their pods, and reports each inconsistency with the command that repairs it. Operations in progress are no inconsistencies: what looks wrong is read again after ten seconds. Changes nothing without --repair. Exits 1 if there are inconsistencies, with --detailed-exitcode 4, and 1 if a source could not be read.'
  static override usage = '[FILE] [FLAGS]'
  static override examples = [
    'kk audit cloud.yaml',
    'kk audit cloud.yaml --output json --detailed-exitcode',
    'Show what would be repaired.\nkk audit cloud.yaml --repair --dry-run',
  ]
  static override args = fileArgument
  static override flags = {
    ...environmentFlags,
    'detailed-exitcode': Flags.boolean({summary: 'Exit 4 instead of 1 if there are inconsistencies.'}),
    repair: Flags.boolean({
      summary:
        'Repair allocations of Placement, the databases of OVN, orphan ports of Open vSwitch, and replicas of queues, after a confirmation.',
    }),
    yes: {...changeFlags.yes, dependsOn: ['repair']},
    'dry-run': {
      ...changeFlags['dry-run'],
      summary: 'With --repair: show what would be repaired, and change nothing.',
      dependsOn: ['repair'],
    },
    ...clusterFlags,
    ...documentFlags,
  }

  override async run(): Promise<void> {
    const {flags, args} = await this.parse(Audit)
    const {environment} = await openEnvironment(flags, args.file === undefined ? [] : [args.file])
    await using cluster = await openChosenCluster(flags, environment)
    const audited = await auditCloud(cluster, {
      environment,
      files: await builtInFiles(process.env),
      now: Date.now(),
      place: targetArguments(environment.file, flags),
      onProgress: progressOf(this.console),
    })
    const repaired = flags.repair
      ? await this.repairAll(audited, cluster.context, flags)
      : this.show(audited.report, flags.output)
    process.exitCode = exitCode(audited.report, repaired, flags['detailed-exitcode'])
  }

  /** Prints the report. Returns that nothing was repaired. */
  private show(report: AuditReport, output: Output): readonly Repaired[] {
    this.console.document(output, report, (palette) => auditText(report, palette))
    return []
  }

  /** Shows the safe repairs, asks for confirmation, executes them in order, and prints what they did. */
  private async repairAll(
    {report, repairs, execute}: AuditedCloud,
    context: string,
    {output, yes, 'dry-run': dryRun}: RepairFlags,
  ): Promise<readonly Repaired[]> {
    if (output === 'text') this.show(report, output)
    if (repairs.length === 0) this.console.say('there is nothing that kk repairs')
    else
      this.console.say([dryRun ? 'would execute:' : 'to execute:', ...repairs.map(({text}) => `  ${text}`)])
    if (repairs.length > 0 && !dryRun && !yes) {
      const question = `execute these commands on ${context}?`
      await requireConfirmation(question, 'check the list above, then pass --yes')
    }
    const repaired: Repaired[] = []
    for (const each of dryRun ? [] : repairs) repaired.push(await execute(each))
    const planned = repairs.map(({text}) => text)
    this.console.document(output, {...report, planned, repaired}, (palette) =>
      repairedText(repaired, palette),
    )
    return repaired
  }
}

interface RepairFlags {
  readonly output: Output
  readonly yes: boolean
  readonly 'dry-run': boolean
}

/** Findings that were repaired do not count; a source that was not read always does. */
function exitCode(
  {findings, notAsked}: AuditReport,
  repaired: readonly Repaired[],
  isDetailed: boolean,
): ExitCode {
  if (notAsked.length > 0 || repaired.some(({succeeded}) => !succeeded)) return 1
  const done = new Set(repaired.map(({command}) => command))
  const left = findings.filter(({repair}) => !done.has(repair))
  if (left.length === 0) return 0
  return isDetailed ? 4 : 1
}

/** Returns a function that shows which source is being read, on a terminal. */
function progressOf(console: Console): (source: string) => void {
  if (process.stderr.isTTY !== true) return () => undefined
  return (source) => console.say(console.palette('stderr').quiet(`reading ${source}`))
}
