import {KkCommand} from '../../cli/command.ts'
import {documentFlags} from '../../cli/flags.ts'
import {optionalPlaceArguments, overridesFlags, showSecretsFlag} from '../../cli/overrides/flags.ts'
import {storeBase, withOverrides} from '../../cli/overrides/open-overrides.ts'
import {namedPlaces} from '../../cli/overrides/places.ts'
import {overridesHistoryText} from '../../report/overrides/overrides-text.ts'

export default class OverridesHistory extends KkCommand {
  static override summary = "Show the changes to the deployer's overrides: who, when, and what."
  static override description = 'Newest first, for all charts or for one. Secrets are masked.'
  static override examples = ['kk overrides history', 'kk overrides history rabbitmq openstack --output json']
  static override args = optionalPlaceArguments
  static override flags = {...showSecretsFlag, ...documentFlags, ...overridesFlags}

  override async run(): Promise<void> {
    const {args, flags} = await this.parse(OverridesHistory)
    const words = [args.chart, args.namespace].filter((word) => word !== undefined)
    const [of] = words.length === 0 ? [] : namedPlaces(words)
    const purpose = {changes: false, say: this.console.say, base: () => storeBase(flags)}
    const entries = await withOverrides(flags, purpose, (service) =>
      service.history(of, {showSecrets: flags['show-secrets']}),
    )
    this.console.document(flags.output, {entries}, (palette) => overridesHistoryText(entries, palette))
  }
}
