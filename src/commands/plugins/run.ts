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
  static override summary = 'Print what a plugin makes of the facts: the system overrides of its chart.'
  static override description =
    'Changes nothing. The chart need not be active. Without a namespace, the first one that the plugin declares; any other must be declared by it or by the environment. Secrets are masked.'
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
    const found = await chartFor(chart, environment?.charts ?? [{kind: 'built-in'}], finding)
    const {namespace, overrides, dialect, unread} = await runPlugin({
      plugins,
      chart,
      found,
      namespace: args.namespace,
      environment,
      facts: async (names) => (await openFacts(flags, environment, names)).facts,
      showSecrets: flags['show-secrets'],
    })
    const document = {chart, namespace, ...(dialect && {dialect}), overrides, unread}
    this.console.document(flags.output, document, () => documentText(overrides, 'yaml'))
    if (found && dialect === undefined)
      this.console.say(`the chart in ${found.origin} speaks neither kk's dialect nor openstack-helm's`)
    for (const path of unread) this.console.say(`the chart in ${found?.origin} does not read ${path}`)
  }
}

/** Undefined where no source has it: then what is known of charts of the name counts. */
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
