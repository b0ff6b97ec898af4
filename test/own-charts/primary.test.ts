import {execa} from 'execa'
import {describe, expect, it} from 'vitest'
import {useCharts} from './support/charts.ts'
import {find, ofKind} from './support/objects.ts'

const charts = await useCharts()
const objects = await charts.render('mariadb', {values: {pod: {replicas: 3}}})

interface Member {
  readonly ready?: boolean
  readonly labelled?: boolean
  readonly going?: boolean
}

/**
 * What the chart's script does in one look as a member, with the API and the client of the database written
 * down.
 */
async function look(own: number, members: readonly Member[], wasPrimary = false): Promise<string[]> {
  const [script] = find(objects, 'ConfigMap', 'mariadb-bin').data!['mariadb-primary.py']!.split(
    '\nprimary = ',
  )
  const items = members.map(({ready = true, labelled = false, going = false}, index) => ({
    metadata: {
      name: `mariadb-server-${index}`,
      labels: labelled ? {'kk.openstack.org/primary': 'true'} : {},
      ...(going && {deletionTimestamp: 'now'}),
    },
    status: {conditions: [{type: 'Ready', status: ready ? 'True' : 'False'}]},
  }))
  const program = `${script}
def request(method, path, body=None):
    if method == "GET":
        return {"items": json.loads(${JSON.stringify(JSON.stringify(items))})}
    print(path.rpartition("-")[2], body["metadata"]["labels"][LABEL])
def cut_off():
    print("cut off")
choose(${wasPrimary ? 'True' : 'False'})`
  const env = {POD_NAME: `mariadb-server-${own}`, POD_NAMESPACE: 'openstack'}
  const {stdout} = await execa('python3', ['-c', program], {env})
  return stdout.split('\n').filter((line) => line !== '')
}

describe('the primary of the database', () => {
  it('is the only target of the Service', () => {
    const led = ofKind(objects, 'Service').filter(
      ({spec}) => 'kk.openstack.org/primary' in (spec?.selector ?? {}),
    )

    expect(led.map(({metadata}) => metadata.name)).toEqual(['mariadb-server'])
  })

  it.each<[string, number, readonly Member[], string[]]>([
    ['is the first ready member if there is none', 1, [{ready: false}, {}, {}], ['1 true']],
    ['is set by the first ready member only', 2, [{ready: false}, {}, {}], []],
    ['stays after the first member returns', 0, [{}, {labelled: true}, {}], []],
    ['changes when it terminates', 0, [{}, {labelled: true, going: true}], ['1 None', '0 true']],
    ['changes when it is not ready', 0, [{}, {labelled: true, ready: false}], ['1 None', '0 true']],
    ['is reduced to one after two were set', 0, [{labelled: true}, {labelled: true}], ['1 None']],
  ])('%s', async (_, own, members, done) => {
    expect((await look(own, members)).filter((line) => !line.startsWith('clients'))).toEqual(done)
  })

  it('disconnects its clients after a change of the primary', async () => {
    expect(await look(1, [{labelled: true}, {}], true)).toEqual([
      'clients go to mariadb-server-0 now',
      'cut off',
    ])
  })

  it('keeps its clients while no member can replace it', async () => {
    expect(await look(1, [{ready: false}, {ready: false}], true)).toEqual([])
  })
})
