import {documentFlags} from '../../cli/flags.ts'
import {openPlugins} from '../../cli/open/plugins.ts'
import {localOverridesFlags, optionalPlaceArguments, showSecretsFlag} from '../../cli/overrides/flags.ts'
import {namedEnvironment, onStore} from '../../cli/overrides/open-overrides.ts'
import {namedPlaces} from '../../cli/overrides/places.ts'
import {KkCommand} from '../../cli/program/command.ts'
import {overridesHistoryText} from '../../report/overrides/history-text.ts'
import {pathsOf} from '../../verbs/overrides/facts-base.ts'
import {overridesHistory} from '../../verbs/overrides/history.ts'

export default class OverridesHistory extends KkCommand {
  static override summary = "Show who changed the deployer's overrides, when, and what."
  static override description = 'Newest first; of all charts, or of one. Secrets are masked.'
  static override examples = [
    '<%= config.bin %> overrides history',
    '<%= config.bin %> overrides history rabbitmq openstack --output json',
  ]
  static override args = optionalPlaceArguments
  static override flags = {...showSecretsFlag, ...documentFlags, ...localOverridesFlags}

  override async run(): Promise<void> {
    const {args, flags} = await this.parse(OverridesHistory)
    const words = [args.chart, args.namespace].filter((word) => word !== undefined)
    const [of] = words.length === 0 ? [] : namedPlaces(words)
    const plugins = await openPlugins(flags)
    const how = {
      of,
      showSecrets: flags['show-secrets'],
      secretPaths: pathsOf(plugins),
    }
    const environment = await namedEnvironment(flags)
    const purpose = {changes: false, say: (line: string) => this.say(line), environment}
    const entries = await onStore(flags, purpose, async (store) =>
      store ? overridesHistory(store, how) : [],
    )
    this.document(flags.output, {entries}, (palette) => overridesHistoryText(entries, palette))
  }
}
