import {execa} from 'execa'
import {describe, expect, it} from 'vitest'
import {useCharts} from './support/charts.ts'
import {find} from './support/objects.ts'

const charts = await useCharts()

interface Cloud {
  /** The oldest nova-compute of each cell. */
  readonly oldest: readonly (number | null)[]
  /** The annotation of the Deployments. */
  readonly known?: string
  /** When they were installed; the script runs at noon. */
  readonly created?: string
  readonly without?: string
}

/**
 * Returns what the script patches, by the name of the Deployment: the annotation, and whether it restarts.
 */
async function patches({oldest, known, created = '00:00', without = ''}: Cloud) {
  const script = find(await charts.render('nova'), 'ConfigMap', 'nova-bin').data!['nova-unpin.py']!
  const annotations = known === undefined ? {} : {'kk.openstack.org/oldest-compute': known}
  const metadata = {annotations, creationTimestamp: `2026-11-29T${created}:00Z`, generation: 2}
  const counts = {replicas: 1, updatedReplicas: 1, availableReplicas: 1}
  const deployment = {metadata, spec: {replicas: 1}, status: {observedGeneration: 2, ...counts}}
  const program = `
import json, os, sys, types
sys.modules["service-status"] = types.SimpleNamespace(
    databases=lambda _: range(${oldest.length}), select=lambda cell, _: [{"oldest": FOUND[cell]}])
FOUND = json.loads(os.environ["FOUND"])
${script.split('\nif __name__ ==')[0]}
class Clock(datetime.datetime):
    @classmethod
    def now(cls, zone):
        return cls(2026, 11, 29, 12, tzinfo=zone)
datetime.datetime = Clock
def request(method, path, body=None):
    name = path.split("/")[-1]
    if name == os.environ["WITHOUT"]:
        raise urllib.error.HTTPError(path, 404, "not found", None, None)
    if method == "PATCH":
        print(json.dumps([name, body]))
    return json.loads(os.environ["DEPLOYMENT"])
${script.slice(script.indexOf('\nif __name__ =='))}`
  const {stdout} = await execa('python3', ['-c', program], {
    env: {
      ...{FOUND: JSON.stringify(oldest), DEPLOYMENT: JSON.stringify(deployment)},
      ...{WITHOUT: without, POD_NAMESPACE: 'openstack'},
    },
  })
  const lines = stdout.split('\n').filter((line) => line.startsWith('['))
  return Object.fromEntries(
    lines.map((line) => {
      const [name, patch] = JSON.parse(line)
      const version = patch.metadata.annotations['kk.openstack.org/oldest-compute']
      return [name, [version, patch.spec !== undefined]]
    }),
  )
}

describe("nova's API and conductor", () => {
  const all = (...result: readonly [string, boolean]) => ({'nova-api': result, 'nova-conductor': result})

  it.each<[string, Cloud, object]>([
    ['the last nova-compute was upgraded', {oldest: [68, 70], known: '66'}, all('68', true)],
    ['it was upgraded by the first chart that has the job', {oldest: [68]}, all('68', true)],
    [
      'there is no conductor',
      {oldest: [68], known: '66', without: 'nova-conductor'},
      {'nova-api': ['68', true]},
    ],
  ])('restart when %s', async (_, cloud, expected) => {
    expect(await patches(cloud)).toEqual(expected)
  })

  it.each<[string, Cloud, object]>([
    ['a node of any cell has the old one', {oldest: [68, 66], known: '66'}, {}],
    ['nothing has changed', {oldest: [68], known: '68'}, {}],
    ['there is no nova-compute', {oldest: [null]}, {}],
    ['an old node has returned', {oldest: [66], known: '68'}, all('66', false)],
    ['they were installed a moment ago', {oldest: [68], created: '11:05'}, all('68', false)],
  ])('keep running if %s', async (_, cloud, expected) => {
    expect(await patches(cloud)).toEqual(expected)
  })

  it.each(['Job', 'CronJob'])('may be restarted by the %s, and nothing else', async (kind) => {
    const objects = await charts.render('nova')
    const {rules = []} = find(objects, 'Role', kind === 'Job' ? 'nova-unpin' : 'nova-update-pins')

    expect(rules).toContainEqual({
      ...{apiGroups: ['apps'], resources: ['deployments'], resourceNames: ['nova-api', 'nova-conductor']},
      verbs: ['get', 'patch'],
    })
    expect(rules.filter(({verbs}) => verbs?.includes('patch'))).toHaveLength(1)
  })
})
