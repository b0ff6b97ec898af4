import {Flags} from '@oclif/core'
import {argument} from '../../cli/argument.ts'
import {KkCommand} from '../../cli/command.ts'
import {requireConfirmation} from '../../cli/console.ts'
import {documentFlags, renderFlags} from '../../cli/flags.ts'
import {openOnCluster} from '../../cli/open/open.ts'
import {clusterSecrets, readSecrets} from '../../cli/open/secrets.ts'
import {targetArguments} from '../../cli/run/repeat-command.ts'
import {namespaceFlag} from '../../cli/secrets.ts'
import {releaseName} from '../../release.ts'
import {planText} from '../../report/plan/plan-text.ts'
import {planRotation} from '../../verbs/secrets/rotate-secret.ts'
import {secretNeeds} from '../../verbs/secrets/secret-needs.ts'
import {withSharedSecrets} from '../../verbs/secrets/shared-secrets.ts'

export default class SecretsRotate extends KkCommand {
  static override summary = 'Generate a new value for a password or key, and show which releases use it.'
  static override description =
    'Shows the plan of the installed releases that use it, and asks for confirmation. They keep the former value until their next kk deploy or kk upgrade. Without a terminal, exits 3 unless --yes is given.'
  static override examples = [
    'kk secrets rotate identity.glance.password -e environments/all-in-one.yaml --sandbox --dry-run',
    'kk secrets rotate identity.glance.password -e environments/all-in-one.yaml --sandbox --yes',
  ]
  static override args = {
    name: argument({description: 'The name of the secret, as shown by kk secrets list.', required: true}),
  }
  static override flags = {
    ...renderFlags,
    ...namespaceFlag,
    yes: Flags.boolean({char: 'y', summary: 'Do not ask for confirmation before changing anything.'}),
    'dry-run': Flags.boolean({summary: 'Show the affected releases, and change nothing.'}),
    ...documentFlags,
  }

  override async run(): Promise<void> {
    const {args, flags} = await this.parse(SecretsRotate)
    const {name} = args
    const isDry = flags['dry-run']
    const opened = await openOnCluster(flags, [])
    await using cluster = opened.cluster
    const {environment} = opened.prepared
    const namespace = flags.namespace ?? environment.namespace
    const prepared = await withSharedSecrets(opened.prepared)
    const needs = await secretNeeds(prepared)
    const stored = new Map([
      ...(await readSecrets(cluster, [namespace])),
      ...(await clusterSecrets(environment, needs, cluster)),
    ])
    const {plan, secret, releases} = await planRotation(prepared, cluster, {
      namespace,
      name,
      needs,
      stored,
    })
    this.console.say(planText(plan, this.console.palette('stderr')))
    if (!isDry && !flags.yes) {
      const question = `generate a new value for ${name} in ${namespace}? These releases get it with their next upgrade.`
      await requireConfirmation(question, 'check the plan above, then pass --yes')
    }
    if (!isDry) await cluster.secrets.add(namespace, [secret], {replace: true})

    const place = targetArguments([environment.file, ...releases.map(releaseName)].join(' '), flags)
    const next = releases.length === 0 ? {} : {next: `kk upgrade ${place}`}
    const outcome = isDry ? 'nothing was changed' : `${name} in ${namespace} has a new value`
    this.console.document(flags.output, {namespace, name, rotated: !isDry, releases, ...next}, () => outcome)
    if (!isDry && next.next !== undefined) this.console.say(`next: ${next.next}`)
  }
}
