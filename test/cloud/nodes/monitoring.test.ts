import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {kubectl} from '../../aio/support/node.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {NAMESPACE, succeed} from '../support/cloud.ts'
import {pushImages} from '../support/images.ts'
import {query} from '../support/in-server.ts'
import {useCloud} from '../support/node-guests.ts'
import {phase} from '../support/phase.ts'
import {series} from '../support/prometheus.ts'
import {expectConsistent, withMonitoring} from '../support/several-nodes.ts'

/** The images of the charts `monitoring` and `probers`. */
const IMAGES = [
  ...['toolbox', 'prometheus-server', 'prometheus-alertmanager', 'kube-state-metrics'],
  ...['node', 'mysqld', 'memcached', 'libvirt'].map((what) => `prometheus-${what}-exporter`),
]

/** Of exporters, and in no panel. */
const ASKED_BY_ALERTS = [
  ...['mysql_up == 1', 'mysql_global_status_access_denied_errors', 'mysql_global_variables_max_connections'],
  ...['memcached_up == 1', 'memcached_current_connections', 'memcached_max_connections'],
  ...['memcached_items_evicted_total', 'libvirt_up == 1', 'kube_statefulset_created{statefulset=~".+-mgr"}'],
  'kube_daemonset_created{daemonset=~".*libvirt"}',
]

useCloud()
let file: string
beforeAll(async () => {
  await pushImages(...IMAGES)
  file = await withMonitoring()
  await phase('monitoring deployed', () => succeed(['deploy', file, '--yes']))
}, 1_800_000)
// A claim would keep its node from being removed in a later test.
const CLAIMS = ['data-monitoring-server-0', 'data-monitoring-alertmanager-0']
afterAll(async () => {
  const confirmed = CLAIMS.flatMap((claim) => ['--confirm-data', claim])
  await succeed(['remove', file, 'monitoring', 'probers', '--delete-data', ...confirmed, '--yes'])
})

interface Dashboard {
  readonly title: string
  readonly panels: readonly {readonly title: string; readonly targets: readonly {readonly expr: string}[]}[]
}

async function dashboards(): Promise<readonly Dashboard[]> {
  const found = ['get', 'configmaps', '--all-namespaces', '--selector', 'grafana_dashboard=1']
  const {items} = JSON.parse(await kubectl([...found, '--output', 'json'])) as {
    readonly items: readonly {readonly data: Readonly<Record<string, string>>}[]
  }
  return items.flatMap(({data}) => Object.values(data)).map((text) => JSON.parse(text) as Dashboard)
}

describe('monitoring: a cloud on three nodes', () => {
  it('is measured: each panel of each dashboard has data, and no alert fires', async () => {
    const panels = (await dashboards()).flatMap(({title, panels: of}) =>
      of.map((panel) => ({...panel, title: `${title}: ${panel.title}`})),
    )
    expect(panels.length).toBeGreaterThan(30)

    await succeed(['test', file, 'monitoring', 'probers'])
    let empty: readonly string[] = []
    await waitFor(
      async () => {
        const results = await Promise.all(
          panels.map(async ({title, targets}) => {
            const found = await Promise.all(
              targets.map(({expr}) => series(NAMESPACE, expr.replaceAll('$namespace', NAMESPACE))),
            )
            return found.some((each) => each.length === 0) ? [title] : []
          }),
        )
        empty = results.flat()
        return empty.length === 0
      },
      {until: 'each panel has data', seconds: 300},
    ).catch(() => undefined)

    expect(empty).toEqual([])
    // The disk and the clock of the machine are what they are.
    const alerts = await series(
      NAMESPACE,
      'ALERTS{alertstate="firing",alertname!~"NodeDisk.*|NodeClock|CephWarning"}',
    )
    expect(alerts.map(({metric}) => metric['alertname'])).toEqual(['Watchdog'])
  })

  it('has what its alerts ask for', async () => {
    for (const name of ASKED_BY_ALERTS) expect(await series(NAMESPACE, name), name).not.toEqual([])
  })

  it('lets the exporter of MariaDB see no row', async () => {
    const grants = await query(NAMESPACE, 'mariadb-server-0', 'SHOW GRANTS FOR monitoring')

    expect(grants).toEqual([
      expect.stringMatching(/^GRANT PROCESS, BINLOG MONITOR, (?:SLAVE|REPLICA) MONITOR ON \*\.\* TO /),
    ])
    await expectConsistent()
  })
})
