import {asKkError} from '../../base/errors.ts'
import type {Chart} from '../../charts/chart.ts'
import {type ChartFinding, findChart} from '../../charts/find-chart.ts'
import {argument} from '../../cli/argument.ts'
import {KkCommand} from '../../cli/command.ts'
import {clusterFlags, documentFlags, environmentFlags, factsFlags, pluginsFlags} from '../../cli/flags.ts'
import {openFinding} from '../../cli/open/charts.ts'
import {openFacts, openPlugins} from '../../cli/open/layers.ts'
import {openEnvironmentIfAny} from '../../cli/open/open.ts'
import {showSecretsFlag} from '../../cli/overrides/flags.ts'
import type {ChartSource} from '../../environment/environment.ts'
import {documentText} from '../../report/document.ts'
import {runPlugin} from '../../verbs/facts/run-plugin.ts'

export default class RunPlugin extends KkCommand {
  static override summary = 'Print the system overrides that a plugin generates from the facts.'
  static override description =
    'Changes nothing. The chart need not be active. Without a namespace, uses the first one that the plugin declares; another namespace must be declared by the plugin or the environment. Secrets are masked.'
  static override examples = [
    'kk plugins run rabbitmq --facts facts.yaml',
    'kk plugins run ingress kube-system --sandbox --output json',
  ]
  static override args = {
    chart: argument({description: 'The chart.', required: true}),
    namespace: argument({description: 'The namespace.'}),
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
    await using finding = openFinding(undefined)
    const source = await chartFor(chart, environment?.charts ?? [{kind: 'built-in'}], finding)
    const {namespace, overrides, dialect, unread} = await runPlugin({
      plugins,
      chart,
      foundChart: source,
      namespace: args.namespace,
      environment,
      facts: async (names) => (await openFacts(flags, environment, names)).facts,
      showSecrets: flags['show-secrets'],
    })
    const document = {chart, namespace, ...(dialect && {dialect}), overrides, unread}
    this.console.document(flags.output, document, () => documentText(overrides, 'yaml'))
    if (source && dialect === undefined)
      this.console.say(
        `the chart in ${source.origin} follows neither the values conventions of kk nor those of openstack-helm`,
      )
    for (const path of unread) this.console.say(`the chart in ${source?.origin} does not read ${path}`)
  }
}

/**
 * Returns the chart; undefined if no source has it: then the built-in knowledge about charts of this name
 * applies.
 */
async function chartFor(
  name: string,
  sources: readonly ChartSource[],
  finding: ChartFinding,
): Promise<Chart | undefined> {
  try {
    return await findChart({name}, sources, finding)
  } catch (error) {
    if (asKkError(error).code === 'KK_CHART_NOT_FOUND') return undefined
    throw error
  }
}
