import {describe, expect, it} from 'vitest'
import {palette} from '../../../src/report/colour.ts'
import {planText} from '../../../src/report/plan/plan-text.ts'
import {viewText} from '../../../src/report/text/view.ts'
import {action, MIXED_PLAN, plan} from '../support/plans.ts'

describe('the text of a plan', () => {
  it('marks inferred requirements of changed releases', () => {
    const requires = [
      {
        release: 'openstack/mariadb',
        kind: 'ready',
        inferred: ['keystone/templates/job.yaml: Job/sync waits'],
      },
      {release: 'openstack/memcached', kind: 'ready'},
    ] as const
    const actions = [action('keystone', 'install', {requires}), action('nova', 'unchanged', {requires})]

    const lines = viewText(planText(plan({actions}), palette(0))).split('\n')

    expect(lines.filter((line) => line.includes('as inferred'))).toEqual([
      expect.stringMatching(/ requires, as inferred, mariadb$/),
    ])
  })

  it.each([
    {of: ['mariadb', 'keystone'], line: undefined},
    {of: ['mariadb', 'keystone', 'nova'], line: 'longest path: mariadb → keystone → nova'},
  ])('shows the longest path of changes unless it is short: $line', ({of, line}) => {
    const chain = of.map((name, index) =>
      action(name, 'install', {
        requires: of
          .slice(0, index)
          .map((each) => ({release: `openstack/${each}` as const, kind: 'ready' as const})),
      }),
    )
    const actions = [...chain, action('horizon', 'unchanged'), action('memcached', 'install')]

    const lines = viewText(planText(plan({actions}), palette(0))).split('\n')

    expect(lines.find((each) => each.startsWith('longest path'))).toBe(line)
  })

  it('counts secrets to be generated, and lists them on request', () => {
    const one = plan({
      actions: [action('keystone', 'install')],
      newSecrets: ['openstack/identity.admin.password'],
    })
    const two = {...one, newSecrets: [...one.newSecrets!, 'openstack/oslo_db.keystone.password']}

    expect(viewText(planText(one, palette(0)))).toContain(
      'note: 1 new secret, made when this is run (kk plan --secrets names them)\n',
    )
    expect(viewText(planText(two, palette(0), {namesSecrets: true}))).toContain(
      'note: 2 new secrets, made when this is run: openstack/identity.admin.password, openstack/oslo_db.keystone.password\n',
    )
  })

  it.each([
    'objects of it are gone, and are made again',
    'drifted: Deployment/memcached spec.replicas; Service/memcached is gone',
  ])('counts re-created objects: %s', (reason) => {
    const actions = [
      action('memcached', 'upgrade', {reasons: [reason]}),
      action('keystone', 'upgrade', {reasons: ['charts/keystone changed']}),
    ]

    expect(viewText(planText(plan({actions}), palette(0)))).toContain(
      'plan: 2 to upgrade (1 because objects of it are gone)\n',
    )
  })

  it('names the cluster first, then each release with its reason, then the counts', () => {
    expect(viewText(planText(MIXED_PLAN, palette(0)))).toMatchInlineSnapshot(`
      "cluster      kk-sandbox (https://127.0.0.1:6443, Kubernetes v1.36.3)
      environment  all-in-one (environments/all-in-one.yaml)

        = unchanged         mariadb    mariadb 0.1.0    revision 3  unchanged
        … await             rabbitmq   rabbitmq 0.1.0   revision 3  revision 3 has not passed its gate
        ○ check             memcached  memcached 0.1.0  revision 3  required by keystone
        ~ upgrade           keystone   keystone 0.1.0   revision 3  section keystone of environments/all-in-one.yaml changed
                                                                    charts/keystone changed
        # relabel           glance     glance 0.1.0     revision 3  requirements changed: rabbitmq added
        + install           nova       nova 0.1.0                   not installed
                                                                    starts together with neutron
        + install           neutron    neutron 0.1.0                not installed
                                                                    starts together with nova
        - no longer wanted  heat                                    the file no longer names it
        ? foreign           redis                                   kk did not install it

      plan: 2 to install, 1 to upgrade, 1 to await, 1 to relabel, 1 to check, 1 unchanged, 1 no longer wanted (left as it is), 1 foreign (not installed by kk, left alone)
      "
    `)
  })

  it('shows the namespace of each release if there are several', () => {
    const actions = [
      action('ingress', 'unchanged', {reasons: ['unchanged']}),
      action('ingress', 'upgrade', {
        release: 'kube-system/ingress',
        group: ['kube-system/ingress'],
        reasons: ['its section changed', 'so did its chart'],
      }),
    ]
    const bystanders = [{release: 'openstack/heat', state: 'foreign', note: 'kk did not install it'}] as const

    expect(viewText(planText(plan({actions, bystanders}), palette(0)))).toMatchInlineSnapshot(`
      "cluster      kk-sandbox (https://127.0.0.1:6443, Kubernetes v1.36.3)
      environment  all-in-one (environments/all-in-one.yaml)

        = unchanged  ingress  openstack    ingress 0.1.0  revision 3  unchanged
        ~ upgrade    ingress  kube-system  ingress 0.1.0  revision 3  its section changed
                                                                      so did its chart
        ? foreign    heat     openstack                               kk did not install it

      plan: 1 to upgrade, 1 unchanged, 1 foreign (not installed by kk, left alone)
      "
    `)
  })

  it('puts many unchanged releases on one line', () => {
    const names = Array.from({length: 12}, (_, index) => `service-${index}`)
    const actions = [action('keystone', 'upgrade'), ...names.map((name) => action(name, 'unchanged'))]

    expect(viewText(planText(plan({actions}), palette(0)))).toMatchInlineSnapshot(`
      "cluster      kk-sandbox (https://127.0.0.1:6443, Kubernetes v1.36.3)
      environment  all-in-one (environments/all-in-one.yaml)

        ~ upgrade  keystone  keystone 0.1.0  revision 3
        = 12 unchanged: service-0, service-1, service-2, service-3, service-4, service-5, service-6, service-7, service-8, service-9, service-10, service-11

      plan: 1 to upgrade, 12 unchanged
      "
    `)
  })

  it('is short if there is nothing to do', () => {
    expect(viewText(planText(plan({}), palette(0)))).toMatchInlineSnapshot(`
      "cluster      kk-sandbox (https://127.0.0.1:6443, Kubernetes v1.36.3)
      environment  all-in-one (environments/all-in-one.yaml)

      plan: no releases
      "
    `)
  })

  it('colours installs and upgrades', () => {
    const text = viewText(planText(MIXED_PLAN, palette(1)))

    expect(text).toContain('\u001b[32m+ install\u001b[39m')
    expect(text).toContain('\u001b[33m~ upgrade\u001b[39m')
  })
})
