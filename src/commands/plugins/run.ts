import {Args} from '@oclif/core'
import {openEnvironmentIfAny, openFacts} from '../../cli/facts/open-facts.ts'
import {clusterFlags, documentFlags, environmentFlags, factsFlags, pluginsFlags} from '../../cli/flags.ts'
import {openPlugins} from '../../cli/open/plugins.ts'
import {showSecretsFlag} from '../../cli/overrides/flags.ts'
import {KkCommand} from '../../cli/program/command.ts'
import {documentText} from '../../report/document.ts'
import {runPlugin} from '../../verbs/facts/run-plugin.ts'

export default class RunPlugin extends KkCommand {
  static override summary = 'Print what a plugin makes of the facts: the system overrides of its chart.'
  static override description =
    'Changes nothing. The chart need not be active. Without a namespace, the first one that the plugin declares; any other must be declared by it or by the environment. Secrets are masked.'
  static override examples = [
    '<%= config.bin %> plugins run rabbitmq --facts facts.yaml',
    '<%= config.bin %> plugins run ingress kube-system --sandbox --output json',
  ]
  static override args = {
    chart: Args.string({description: 'The chart.', required: true}),
    namespace: Args.string({description: 'The namespace.'}),
  }
  static override flags = {
    ...environmentFlags,
    ...pluginsFlags,
    ...factsFlags,
    ...clusterFlags,
    ...showSecretsFlag,
    ...documentFlags,
  }

  override async run(): Promise<void> {
    const {flags, args} = await this.parse(RunPlugin)
    const plugins = await openPlugins(flags)
    const environment = await openEnvironmentIfAny(flags, [])
    const {chart} = args
    const {namespace, overrides} = await runPlugin({
      plugins,
      chart,
      namespace: args.namespace,
      environment,
      facts: async (names) => (await openFacts(flags, environment, names)).facts,
      showSecrets: flags['show-secrets'],
    })
    this.document(flags.output, {chart, namespace, overrides}, () => documentText(overrides, 'yaml'))
  }
}
