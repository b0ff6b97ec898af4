import {Args} from '@oclif/core'
import {openEnvironmentIfAny, openFacts} from '../../cli/facts/open-facts.ts'
import {clusterFlags, documentFlags, environmentFlags, factsFlags, pluginsFlags} from '../../cli/flags.ts'
import {openPlugins} from '../../cli/open/plugins.ts'
import {showSecretsFlag} from '../../cli/overrides/flags.ts'
import {KkCommand} from '../../cli/program/command.ts'
import {activeCharts} from '../../overrides/system/active.ts'
import {factsRead} from '../../overrides/system/system-overrides.ts'
import {documentText} from '../../report/document.ts'
import {pluginOverrides} from '../../verbs/overrides/plugin-overrides.ts'

export default class RunPlugin extends KkCommand {
  static override summary = 'Print what a plugin makes of the facts: the system overrides of its chart.'
  static override description =
    'Changes nothing. The chart need not be active. Without a namespace, the first one that the plugin names. Secrets are masked.'
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
    const stated = {charts: {[args.chart]: args.namespace === undefined ? [] : [args.namespace]}}
    const [active] = await activeCharts({facts: stated, plugins})
    const environment = await openEnvironmentIfAny(flags, [])
    const {facts} = await openFacts(flags, environment, await factsRead([args.chart], plugins))
    const {chart, namespace = (await plugins.find(args.chart))!.namespaces[0]!} = args
    const overrides = await pluginOverrides({
      ...{active: [active!], chart, namespace, facts, plugins},
      showSecrets: flags['show-secrets'],
    })
    this.document(flags.output, {chart, namespace, overrides}, () => documentText(overrides, 'yaml'))
  }
}
