import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {dump} from 'js-yaml'
import {describe, expect, it} from 'vitest'
import {testDirectory} from '../support/test-directory.ts'
import {useCharts} from './support/charts.ts'
import {written} from './support/monitoring.ts'
import {find, ofKind} from './support/objects.ts'
import {promtool} from './support/promtool.ts'

const charts = await useCharts()

interface Job {
  readonly job_name: string
  readonly metrics_path?: string
  readonly honor_labels?: boolean
  readonly kubernetes_sd_configs?: readonly object[]
  readonly relabel_configs: readonly Readonly<Record<string, unknown>>[]
  readonly metric_relabel_configs?: readonly object[]
}
interface Dashboard {
  readonly uid: string
  readonly panels: readonly {readonly id: number; readonly targets: readonly {readonly expr: string}[]}[]
}
it('prometheus sends alerts to the release’s own Alertmanager, and asks a target of the deployer', async () => {
  const own = {static_configs: [{targets: ['192.0.2.1:9100']}]}
  const {prometheus, alertmanager} = await written(charts, {
    conf: {
      prometheus: {scrape_configs: {own}},
      alertmanager: {route: {receiver: 'team'}, receivers: {team: {webhook_configs: [{url: 'http://a/b'}]}}},
    },
  })

  expect(prometheus.alerting.alertmanagers).toEqual([
    {static_configs: [{targets: ['monitoring-alertmanager:9093']}]},
  ])
  expect(prometheus.scrape_configs).toEqual([
    expect.objectContaining({job_name: 'prometheus'}),
    expect.objectContaining({job_name: 'alertmanager'}),
    expect.objectContaining({job_name: 'mariadb', metrics_path: '/probe'}),
    expect.objectContaining({job_name: 'memcached', metrics_path: '/scrape'}),
    expect.objectContaining({job_name: 'objects'}),
    {job_name: 'own', ...own},
    expect.objectContaining({job_name: 'pods'}),
  ])
  expect(alertmanager.receivers).toEqual([
    {name: 'none'},
    {name: 'team', webhook_configs: [{url: 'http://a/b'}]},
  ])
})

describe('for a Prometheus of the Prometheus operator', () => {
  interface PodMonitor {
    readonly selector: object
    readonly podMetricsEndpoints: readonly {
      readonly path: string
      readonly honorLabels: boolean
      readonly relabelings: readonly Readonly<Record<string, unknown>>[]
      readonly metricRelabelings?: readonly object[]
    }[]
  }
  const operator = {enabled: true, labels: {release: 'kube-prometheus-stack'}}
  const withOperator = async (values: object = {}) =>
    (await charts.render('monitoring', {values: {prometheus_operator: operator, ...values}})).filter(
      ({apiVersion}) => apiVersion.startsWith('monitoring.coreos.com/'),
    )

  it('the pods that Prometheus discovers are PodMonitors with the same labels', async () => {
    const {prometheus} = await written(charts)
    const monitors = ofKind(await withOperator(), 'PodMonitor')

    const jobs = (prometheus.scrape_configs as readonly Job[]).filter((job) => job.kubernetes_sd_configs)
    expect(monitors.map(({metadata}) => metadata.name)).toEqual(
      jobs.map(({job_name}) => `monitoring-${job_name}`),
    )
    for (const [index, {metadata, spec}] of monitors.entries()) {
      const job = jobs[index]!
      const {selector, podMetricsEndpoints} = spec as unknown as PodMonitor
      const [endpoint] = podMetricsEndpoints
      expect(metadata.labels).toMatchObject(operator.labels)
      expect([selector, podMetricsEndpoints.length]).toEqual([{}, 1])
      expect(endpoint!.path).toBe(job.metrics_path ?? '/metrics')
      expect(endpoint!.honorLabels).toBe(job.honor_labels ?? false)
      expect(endpoint!.relabelings).toEqual([
        ...job.relabel_configs.map(({source_labels, target_label, ...rest}) => ({
          ...rest,
          ...(source_labels !== undefined && {sourceLabels: source_labels}),
          ...(target_label !== undefined && {targetLabel: target_label}),
        })),
        {targetLabel: 'job', replacement: job.job_name},
      ])
      expect(endpoint!.metricRelabelings).toEqual(job.metric_relabel_configs)
    }
  })

  it('the alerts are a PrometheusRule, without those that are removed', async () => {
    const conf = {alerts: {nodes: null, storage: {CephWarning: null}}}
    const {rules} = await written(charts, {conf})
    const {metadata, spec} = find(await withOperator({conf}), 'PrometheusRule', 'monitoring-alerts')

    const groups = (spec as {readonly groups: readonly {readonly name: string; readonly rules: object[]}[]})
      .groups
    expect(metadata.labels).toMatchObject(operator.labels)
    const bare = (found: readonly object[]) => found.map((rule) => ({...rule, expr: ''}))
    expect(bare(groups.flatMap((group) => group.rules))).toEqual(bare(rules))
    expect(groups.map(({name}) => name)).not.toContain('nodes')
    expect(JSON.stringify(groups)).not.toContain('"CephWarning"')
  })

  it('the alerts look at the targets of their namespace only', async () => {
    const {spec} = find(await withOperator(), 'PrometheusRule', 'monitoring-alerts')
    const file = join(testDirectory(), 'rules.yml')
    await writeFile(file, dump(spec))
    const at = (namespace: string) => ({
      [`up{namespace="${namespace}",job="x",pod="a"}`]: '0x30',
      [`mysql_up{namespace="${namespace}",pod="a"}`]: '0x30',
      [`kk_service_state{namespace="${namespace}",release="a",state="unhealthy"}`]: '1x30',
      [`ceph_health_status{namespace="${namespace}",pod="a"}`]: '2x30',
    })
    const fired = async (namespace: string) => {
      const input_series = Object.entries(at(namespace)).map(([series, values]) => ({series, values}))
      const alert_rule_test = ['TargetDown', 'MariaDBNotRead', 'ServiceUnhealthy', 'CephError'].map(
        (alertname) => ({eval_time: '25m', alertname, exp_alerts: []}),
      )
      const tests = [{interval: '1m', input_series, alert_rule_test}]
      const test = join(testDirectory(), 'test.yml')
      await writeFile(test, dump({rule_files: [file], evaluation_interval: '1m', tests}))
      const {stdout, stderr} = await execa(await promtool(), ['test', 'rules', test], {reject: false})
      return [...`${stdout}${stderr}`.matchAll(/alertname: (\w+)/g)].map(([, name]) => name)
    }

    const {stdout} = await execa(await promtool(), ['check', 'rules', file])
    expect(stdout).toContain('SUCCESS')
    expect(await fired('another')).toEqual([])
    expect(new Set(await fired('openstack'))).toEqual(
      new Set(['TargetDown', 'MariaDBNotRead', 'ServiceUnhealthy', 'CephError']),
    )
  })

  it('there are none unless it is enabled, and a job that cannot be one is refused', async () => {
    const withJobs = (scrape_configs: object) => withOperator({conf: {prometheus: {scrape_configs}}})

    expect(await withOperator({prometheus_operator: {enabled: false}})).toEqual([])
    await expect(withJobs({own: {static_configs: [{targets: ['192.0.2.1:9100']}]}})).rejects.toThrow(
      'conf.prometheus.scrape_configs.own cannot be a PodMonitor, because of static_configs',
    )
    await expect(withJobs({pods: {scheme: 'https'}})).rejects.toThrow('because of scheme')
    await expect(withJobs({pods: {kubernetes_sd_configs: [{role: 'node'}]}})).rejects.toThrow(
      'because of kubernetes_sd_configs',
    )
  })

  it('the chart has no Prometheus and Alertmanager of its own if they are removed', async () => {
    const values = {components: {server: null, alertmanager: null}, tests: {test: null}}
    const objects = await charts.render('monitoring', {values: {...values, prometheus_operator: operator}})

    const names = objects.map(({metadata}) => metadata.name)
    expect(names).not.toContain('monitoring-server')
    expect(names).not.toContain('monitoring-alertmanager')
    expect(names).toContain('monitoring-objects')
  })
})

it('each panel of a dashboard has a valid query, and Grafana finds the dashboards by their label', async () => {
  const objects = await charts.render('monitoring')
  const {metadata, data} = find(objects, 'ConfigMap', 'monitoring-dashboards')
  const boards = Object.values(data!).map((text) => JSON.parse(text) as Dashboard)
  const panels = boards.flatMap((board) => board.panels)

  expect(metadata.labels).toMatchObject({grafana_dashboard: '1'})
  expect(new Set(boards.map(({uid}) => uid)).size).toBe(boards.length)
  for (const {panels: of} of boards) expect(new Set(of.map(({id}) => id)).size).toBe(of.length)
  const exprs = panels.flatMap(({targets}) => targets.map(({expr}) => expr))
  expect(exprs.length).toBeGreaterThan(30)
  const rules = exprs.map((expr, index) => ({
    record: `panel:${index}`,
    expr: expr.replaceAll('$namespace', 'openstack'),
  }))
  const file = join(testDirectory(), 'panels.yml')
  await writeFile(file, dump({groups: [{name: 'panels', rules}]}))
  const {stdout} = await execa(await promtool(), ['check', 'rules', file])
  expect(stdout).toContain(`SUCCESS: ${exprs.length} rules found`)
})

it('Prometheus scrapes each member by its name through the exporter, and none without an exporter', async () => {
  const {prometheus} = await written(charts)
  const without = await written(charts, {manifests: {deployment_mariadb_exporter: false}})

  const labels = ({
    relabel_configs,
  }: {
    readonly relabel_configs: readonly Readonly<Record<string, string>>[]
  }) => Object.fromEntries(relabel_configs.map(({target_label, replacement}) => [target_label, replacement]))
  const jobs = new Map(prometheus.scrape_configs.map((job: {job_name: string}) => [job.job_name, job]))
  expect(labels(jobs.get('mariadb') as never)).toMatchObject({
    __param_target: '${1}.${2}-peers.${3}.svc.cluster.local:${4}',
    __address__: 'monitoring-mariadb-exporter.openstack.svc.cluster.local:9104',
  })
  const tls = {internal: true, issuer: {name: 'cloud'}}
  const {spec} = (await charts.render('mariadb', {values: {tls}})).find(({kind}) => kind === 'Certificate')!
  expect((spec as {readonly dnsNames: readonly string[]}).dnsNames).toContain(
    '*.mariadb-server-peers.openstack.svc.cluster.local',
  )
  const names = without.prometheus.scrape_configs.map((job: {job_name: string}) => job.job_name)
  expect(names).not.toContain('mariadb')
  expect(names).toContain('memcached')
})

it('the exporter of MariaDB has only its own password, and verifies certificates if TLS is on', async () => {
  const objects = await charts.render('monitoring', {values: {tls: {internal: true, secret: 'tls'}}})
  const {spec} = find(objects, 'Deployment', 'monitoring-mariadb-exporter') as unknown as {
    readonly spec: {
      readonly template: {
        readonly spec: Readonly<
          Record<
            string,
            readonly {readonly name: string; readonly env?: readonly {readonly name: string}[]}[]
          >
        >
      }
    }
  }

  const {containers, initContainers} = spec.template.spec
  const secrets = (name: string) =>
    [...containers!, ...initContainers!]
      .find((each) => each.name === name)!
      .env!.map((each) => each.name)
      .filter((each) => each.includes('PASSWORD'))
  expect(secrets(containers![0]!.name)).toEqual(['MYSQLD_EXPORTER_PASSWORD'])
  expect(secrets('account').toSorted()).toEqual(['DB_ADMIN_PASSWORD', 'DB_PASSWORD'])
  expect(find(objects, 'ConfigMap', 'monitoring-etc').data!['my.cnf']).toContain('ssl-ca = /etc/tls/ca.crt')
})

it.each([
  ['monitoring', ['server', 'alertmanager', 'objects', 'mariadb-exporter', 'memcached-exporter']],
  ['probers', ['prober']],
])('%s has one pod of each, however many other components have', async (chart, components) => {
  const objects = await charts.render(chart, {values: {pod: {replicas: 3}}})

  const replicas = objects.flatMap(({kind, metadata, spec}) =>
    ['Deployment', 'StatefulSet'].includes(kind)
      ? [[metadata.name, (spec as {readonly replicas: number}).replicas]]
      : [],
  )
  expect(Object.fromEntries(replicas)).toEqual(
    Object.fromEntries(components.map((name) => [`${chart}-${name}`, 1])),
  )
})

it('only Alertmanager has the addresses to which alerts are sent', async () => {
  const objects = await charts.render('monitoring')
  const holders = objects.filter((object) => JSON.stringify(object).includes('"path":"delivery.json"'))

  expect(holders.map(({kind, metadata}) => `${kind}/${metadata.name}`)).toEqual([
    'StatefulSet/monitoring-alertmanager',
  ])
})

it('Prometheus may ask pods behind network policies for metrics', async () => {
  const values = {manifests: {network_policy: true}, network_policy: {nodes: []}}
  for (const [chart, name, port] of [
    ['rabbitmq', 'rabbitmq-server', 'prometheus'],
    ['rabbitmq', 'rabbitmq-status', 'metrics'],
    ['probers', 'probers-prober', 'record'],
  ] as const) {
    const policy = find(await charts.render(chart, {values}), 'NetworkPolicy', name) as unknown as {
      readonly spec: {readonly ingress: readonly {from?: object[]; ports: readonly {port: string}[]}[]}
    }
    const open = policy.spec.ingress.filter(({from}) =>
      from?.some((each) => 'podSelector' in each && Object.keys(each.podSelector as object).length === 0),
    )
    expect(
      open.flatMap(({ports}) => ports.map((each) => each.port)),
      name,
    ).toContain(port)
  }
})
