import {describe, expect, it} from 'vitest'
import {HELMS} from '../support/helms.ts'
import {useCharts} from './support/charts.ts'
import {find, type KubernetesObject} from './support/objects.ts'

const charts = await useCharts()

async function render(build: object, more: object = {}): Promise<KubernetesObject[]> {
  const conf = {build: {registry: 'registry.example.org', ...build}, ...more}
  return charts.render('kolla-builder', {values: {conf}, global: {}})
}

function files(objects: readonly KubernetesObject[]): Readonly<Record<string, string>> {
  return find(objects, 'ConfigMap', 'kolla-builder-etc').data ?? {}
}

describe('the builder', () => {
  it.each(HELMS)('passes helm lint of %s', async (helm) => {
    expect(await charts.lint(['kolla-builder'], {helm, global: {}})).toBe('')
  })

  it('has the images to build, the files to use and the target registry', async () => {
    const containerfiles = {'keystone/Containerfile': 'FROM scratch\n'}

    const data = files(await render({names: ['keystone'], containerfiles}))

    expect(JSON.parse(data['what.json']!)).toEqual({
      registry: 'registry.example.org',
      plain_http: false,
      names: ['keystone'],
      containerfiles,
    })
    expect(JSON.parse(data['build.json']!)).toMatchObject({command: 'kolla-builder'})
  })

  it('builds again when a line of a Containerfile changes, and only then', async () => {
    const name = async (text: string) =>
      find(await render({containerfiles: {'keystone/Containerfile': text}}), 'Job', 'kolla-builder').metadata
        .name

    expect(await name('FROM a\n')).toBe(await name('FROM a\n'))
    expect(await name('FROM a\n')).not.toBe(await name('FROM b\n'))
  })

  it('passes its configuration to the builder of kolla', async () => {
    const data = files(await render({}, {kolla_build: {DEFAULT: {base: 'debian', namespace: 'kolla'}}}))

    expect(data['kolla-build.conf']).toContain('base = debian')
    expect(data['build.json']).toContain('/etc/kolla/kolla-build.conf')
  })

  it("has kolla's own ways to change a build, where its builder looks for them", async () => {
    const more = {
      kolla_build: {'openstack-base': {type: 'local', location: '/etc/kolla/requirements'}},
      template_override: '{% extends parent_template %}\n',
      repos: {debian: {}},
      constraints: 'keystone===27.0.0\n',
    }

    const data = files(await render({}, more))

    const {config_files: placed} = JSON.parse(data['build.json']!) as {config_files: {dest: string}[]}
    expect(placed.map(({dest}) => dest).sort()).toEqual([
      '/etc/kolla-builder/what.json',
      '/etc/kolla/kolla-build.conf',
      '/etc/kolla/repos.yaml',
      '/etc/kolla/requirements/upper-constraints.txt',
      '/etc/kolla/template-override.j2',
    ])
    expect(data['repos.yaml']).toContain('debian: {}')
    expect(data['template-override.j2']).toBe('{% extends parent_template %}\n')
  })
})
