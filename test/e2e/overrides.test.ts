import {chmod, readFile, stat} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import type {PlanDocument} from '../../src/report/plan/plan-json.ts'
import {readYamlDocuments} from '../../src/yaml/yaml.ts'
import {atNight} from '../support/night.ts'
import {shownAfter} from '../support/overrides-document.ts'
import {type Corner, openCorner} from './support/corner.ts'

const FACTS = join(import.meta.dirname, '../fixtures/overrides')

/** Calls itself a plugin of the chart workload, with a secret place, and writes down what it is asked. */
const PROGRAM = `#!/bin/sh
request=$(cat)
echo "$request" >> "$(dirname "$0")/../asked"
case $request in
  *describe*) echo '{"chart":"workload","secrets":[{"name":"pin","kind":"password","path":["conf","pin"]}]}' ;;
  *) echo '{"values":{}}' ;;
esac
`

/** kk in a corner, with facts of a file and a store of its own. */
function overriding(corner: Corner, facts = 'bare-metal.yaml') {
  const env = {KK_FACTS: join(FACTS, facts), KK_STORE: join(corner.directory, 'store.sqlite')}
  return async (...args: string[]) => {
    const {exitCode, stdout, stderr} = await corner.kk(args, {env})
    return {exitCode, stdout: stdout === '' ? '' : `${stdout}\n`, stderr}
  }
}

describe.concurrent("the deployer's overrides", () => {
  it('are listed, updated, shown and deleted as in the documentation', async () => {
    const kk = overriding(await openCorner())
    const place = ['rabbitmq', 'openstack']

    const listed = await kk('helm-override-list')
    const updated = await kk('helm-override-update', ...place, '--reuse-values', '--set', 'pod.replicas=2')
    const shown = await kk('helm-override-show', ...place)
    const aliased = await kk('helm-overrides-show', ...place)
    const deleted = await kk('helm-override-delete', ...place)
    const again = await kk('helm-override-delete', ...place)

    expect(listed.stdout).toBe(shownAfter('helm-override-list'))
    expect(updated.stdout).toBe(shownAfter('helm-override-update'))
    expect(shown.stdout).toBe(shownAfter('helm-override-show'))
    expect(aliased.stdout).toBe(shown.stdout)
    expect(deleted.stdout).toBe(shownAfter('helm-override-delete'))
    expect(again).toEqual(deleted)
  })

  atNight(() => {
    it('are exported and imported, and their history shows who changed what', async () => {
      const kk = overriding(await openCorner())
      const place = ['rabbitmq', 'openstack']
      await kk('overrides', 'update', ...place, '--set', 'a=1')
      await kk('overrides', 'update', ...place, '--set', 'a=2')

      const exported = await kk('overrides', 'export', '--file', 'saved.yaml')
      await kk('overrides', 'delete', ...place)
      const imported = await kk('overrides', 'import', 'saved.yaml')
      const shown = await kk('overrides', 'show', ...place, '--output', 'json')
      const history = await kk('overrides', 'history', ...place, '--output', 'json')

      expect(exported).toEqual({exitCode: 0, stdout: '', stderr: ''})
      expect(imported.stdout).toBe('set overrides of rabbitmq in openstack\n')
      expect(JSON.parse(shown.stdout)).toMatchObject({user_overrides: 'a: 2\n'})
      expect(JSON.parse(history.stdout).entries).toMatchObject([
        {before: null, after: 'a: 2\n', who: expect.stringContaining('@')},
        {before: 'a: 2\n', after: null},
        {before: 'a: 1\n', after: 'a: 2\n'},
        {before: null, after: 'a: 1\n'},
      ])
    })
  })

  it('depend on the facts, which determine charts and overrides', async () => {
    const corner = await openCorner()
    const [few, many] = [overriding(corner), overriding(corner, 'without-telemetry.yaml')]

    const listed = await many('helm-override-list', '--output', 'json')
    const shown = await many('helm-override-show', 'rabbitmq', 'openstack')

    expect(JSON.parse(listed.stdout).charts).toHaveLength(14)
    expect(shown.stdout).toContain('{server: 3}')
    expect(shown.stdout).not.toBe((await few('helm-override-show', 'rabbitmq', 'openstack')).stdout)
  })

  it('are written for Armada to a file that only its owner can read, and are not printed', async () => {
    const corner = await openCorner()
    const kk = overriding(corner)

    const one = await kk(
      'helm-override-show',
      'rabbitmq',
      'openstack',
      '--format',
      'armada',
      '--file=one.yaml',
    )
    const all = await kk('overrides', 'show', '--all', '--format', 'armada')
    const helm = await kk('overrides', 'show', 'rabbitmq', 'openstack', '--format', 'helm')
    const alone = await kk('helm-override-show', 'rabbitmq', 'openstack', '--file=two.yaml')

    const file = join(corner.directory, 'one.yaml')
    expect(one).toMatchObject({exitCode: 0, stdout: ''})
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readFile(file, 'utf8')).toContain('  name: openstack-rabbitmq\n')
    expect(readYamlDocuments(all.stdout)).toHaveLength(17)
    expect(helm.stdout).toBe('pod:\n  replicas:\n    server: 1\n')
    expect(alone).toMatchObject({exitCode: 2, stderr: expect.stringContaining('KK_USAGE')})
  })

  it('come from an external plugin that describes itself once, and whose secrets are masked in the history', async () => {
    const corner = await openCorner(`kk:
  OWN
  releases: {web: {chart: workload}}
web: {}
`)
    await corner.write('plugins/workload', PROGRAM)
    await chmod(join(corner.directory, 'plugins/workload'), 0o755)
    const key = Buffer.alloc(32, 7).toString('base64')
    const env = {
      KK_PLUGINS: join(corner.directory, 'plugins'),
      KK_STORE: join(corner.directory, 'store.sqlite'),
      KK_STORE_KEY: key,
    }
    const asked = async (...args: string[]) => {
      await corner.write('asked', '')
      const {exitCode, stderr, stdout} = await corner.kk(args, {env})
      expect(exitCode, stderr).toBe(0)
      const requests = await readFile(join(corner.directory, 'asked'), 'utf8')
      return {stdout, describing: requests.split('"describe"').length - 1}
    }
    const place = ['workload', corner.name]

    const updated = await asked('overrides', 'update', ...place, '-e', 'env.yaml', '--set', 'conf.pin=1234')
    const explained = await asked('values', 'explain', 'web', '-e', 'env.yaml', '--overridden')
    const planned = await asked('plan', 'env.yaml')
    const history = await asked('overrides', 'history', ...place)

    for (const each of [updated, explained, planned, history]) expect(each.describing).toBe(1)
    for (const each of [explained, planned, history]) expect(each.stdout).not.toContain('1234')
    expect(history.stdout).toContain('pin')
  })

  it('change the plan of exactly the releases of that chart in that namespace, and are deployed to the cluster', async () => {
    const corner = await openCorner(`kk:
  OWN
  releases:
    here: {chart: workload}
    there: {chart: workload, namespace: NAME-2}
here: {}
there: {}
`)
    const kk = overriding(corner)
    const actions = async () => {
      const {stdout} = await kk('plan', 'env.yaml', '--output', 'json')
      return (JSON.parse(stdout) as PlanDocument).actions.map(({release, kind}) => [release, kind])
    }
    const place = ['workload', `${corner.name}-2`, '-e', 'env.yaml']
    await kk('overrides', 'update', ...place, '--set', 'conf.answer=41')
    expect(await kk('deploy', 'env.yaml')).toMatchObject({exitCode: 0})
    const before = await actions()

    await kk('overrides', 'update', ...place, '--set', 'conf.answer=42')
    const after = await actions()
    const {stdout: values} = await kk('values', 'show', 'there', '-e', 'env.yaml')

    const [here, there] = [`${corner.name}/here`, `${corner.name}-2/there`]
    expect(before).toEqual([
      [here, 'unchanged'],
      [there, 'unchanged'],
    ])
    expect(after).toEqual([
      [here, 'unchanged'],
      [there, 'upgrade'],
    ])
    expect(values).toBe('conf:\n  answer: 42\n')
  })
})
