import {Args, Flags} from '@oclif/core'
import {KkCommand} from '../../cli/command.ts'
import {clusterFlags, documentFlags, environmentFlags, helmFlags, valueFlags} from '../../cli/flags.ts'
import {namespaceFlag, rotate} from '../../cli/secrets.ts'

export default class SecretsRotate extends KkCommand {
  static override summary = 'Make a new value for a password or key, and say which releases get it.'
  static override description =
    'Shows the plan of the installed releases that use it, and asks. They go on with the former value until the next kk deploy or kk upgrade of them. Without a terminal it exits 3 unless --yes is given.'
  static override examples = [
    '<%= config.bin %> secrets rotate identity.glance.password -e environments/all-in-one.yaml --sandbox --dry-run',
    '<%= config.bin %> secrets rotate identity.glance.password -e environments/all-in-one.yaml --sandbox --yes',
  ]
  static override args = {
    name: Args.string({description: 'Its name, as kk secrets list shows it.', required: true}),
  }
  static override flags = {
    ...environmentFlags,
    ...namespaceFlag,
    yes: Flags.boolean({char: 'y', summary: 'Do not ask before changing anything.'}),
    'dry-run': Flags.boolean({summary: 'Show which releases it concerns, and change nothing.'}),
    ...valueFlags,
    ...documentFlags,
    ...clusterFlags,
    ...helmFlags,
  }

  override async run(): Promise<void> {
    const {args, flags} = await this.parse(SecretsRotate)
    const rotated = await rotate(args.name, flags, this.console)
    const {name, namespace, next} = rotated
    const said = rotated.rotated ? `${name} in ${namespace} has a new value` : 'nothing was changed'
    this.console.document(flags.output, rotated, () => `${said}\n`)
    if (rotated.rotated && next !== undefined) this.console.say(`next: ${next}`)
  }
}
