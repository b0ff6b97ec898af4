import {Flags} from '@oclif/core'
import {KkError} from '../base/errors.ts'
import {KkCommand} from '../cli/command.ts'
import {requireConfirmation} from '../cli/console.ts'
import {releasesArgument, renderFlags} from '../cli/flags.ts'
import {openUsersHelm} from '../cli/open/cluster.ts'
import {openOnCluster} from '../cli/open/open.ts'
import {openSecrets} from '../cli/open/secrets.ts'
import {changeFlags, streamFlags} from '../cli/run/flags.ts'
import {statusCommand, targetArguments} from '../cli/run/repeat-command.ts'
import {notOperatedCheck, printResult, runChoices, showPlan, showRun} from '../cli/run/run.ts'
import {splitArguments} from '../environment/choose.ts'
import type {Cluster} from '../kubernetes/cluster.ts'
import {releaseName} from '../release.ts'
import {adoptionDocument, adoptionText} from '../report/adoption-text.ts'
import type {Palette} from '../report/colour.ts'
import {runDocument} from '../report/run/run-json.ts'
import {type PlannedAdoption, planAdoption} from '../verbs/change/adopt.ts'

export default class Adopt extends KkCommand {
  static override summary =
    'Take over releases that were installed without kk, after showing the differences.'
  static override description =
    'Shows what an upgrade with the chart and values of this environment would change (chart, values and objects, with secrets masked), then asks for confirmation. Without a terminal, --yes is required. Only adds labels to the latest Helm release record: the objects change with the next deploy. A release of another environment is refused unless --former-owner names that environment, as after renaming an environment or when moving releases between environments.'
  static override usage = '[RELEASE...] [FILE] [FLAGS]'
  static override examples = [
    'Show what a deploy would change.\nkk adopt keystone environments/all-in-one.yaml --sandbox --dry-run',
    'kk adopt mariadb keystone environments/all-in-one.yaml --sandbox --yes',
    'After the environment was renamed.\nkk adopt environments/all-in-one.yaml --former-owner staging --sandbox --dry-run',
  ]
  static override args = releasesArgument
  static override flags = {
    ...renderFlags,
    'former-owner': Flags.string({
      aliases: ['owner'],
      summary:
        'The environment that owns the releases now. Without release names, takes over its releases with a section in the file or, if the file contains all its releases, all of them.',
      helpValue: 'ENVIRONMENT',
    }),
    yes: changeFlags.yes,
    'dry-run': changeFlags['dry-run'],
    'no-wait': changeFlags['no-wait'],
    message: changeFlags.message,
    ...streamFlags,
  }

  override async run(): Promise<void> {
    const {flags, argv} = await this.parse(Adopt)
    const words = argv as string[]
    const {'former-owner': from, yes} = flags
    if (from === undefined && splitArguments(words).releases.length === 0) throw noRelease()
    const opened = await openOnCluster(flags, words)
    await using cluster = opened.cluster
    if (from === opened.prepared.environment.name) throw sameOwner(from)
    const prepared = (await openSecrets(opened.prepared, flags, cluster)).planned
    const helm = await openUsersHelm(flags, cluster)
    const planned = await planAdoption(prepared, opened.releases, {cluster, helm, from})
    const context = {flags, console: this.console, reports: undefined}
    const document = adoptionDocument(planned)
    const isIdle = planned.adoptions.length === 0
    const view = {document, isIdle, isAnswer: true, ...notOperatedCheck(cluster.leases, planned.plan)}
    const text = (palette: Palette) => adoptionText(planned, palette)
    if ((await showPlan(planned.plan, context, {...view, text})) !== undefined) return
    if (!yes) await confirmAdoption(planned, cluster)

    const names = planned.adoptions.map(({release}) => releaseName(release))
    const place = targetArguments(prepared.environment.file, flags)
    const retryCommand = `kk adopt ${names.join(' ')} ${place}${from === undefined ? '' : ` --former-owner ${from}`}`
    const commands = {retryCommand, status: statusCommand(prepared.environment, flags)}
    const choices = runChoices(flags, {verb: 'adopt', scope: {names, install: false}})
    const {state, exit} = await showRun(planned.run(choices), {...context, choices, commands})
    printResult({...document, ...runDocument(state)}, context)
    if (exit === 0) this.console.say(`next: kk plan ${place}`)
    process.exitCode = exit
  }
}

function noRelease(): KkError {
  return new KkError('KK_USAGE', 'expected the name of a release that kk did not install', {
    hint: 'kk plan lists such releases as "to adopt"; for example: kk adopt keystone environments/all-in-one.yaml',
  })
}

function sameOwner(owner: string): KkError {
  return new KkError('KK_USAGE', `--former-owner ${owner} is the environment of the file itself`, {
    hint: '--former-owner names the environment that owns the releases now',
  })
}

async function confirmAdoption({adoptions}: PlannedAdoption, {context}: Cluster): Promise<void> {
  const names = adoptions.map(({release}) => releaseName(release)).join(', ')
  const from = adoptions[0]?.from
  const whose = from === undefined ? '' : ` from the environment "${from}"`
  const hint = 'check the differences above, then pass --yes'
  return requireConfirmation(`take over ${names}${whose} on ${context}?`, hint)
}
