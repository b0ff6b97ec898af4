import type {Action, ActionKind, Plan} from '../../../src/plan/plan.ts'
import {releaseId} from '../../../src/release.ts'

/** An action on a release in `openstack`, of a chart of its name, that requires nothing. */
export function action<K extends ActionKind>(
  name: string,
  kind: K,
  differs: Partial<Action<K>> = {},
): Action {
  const release = releaseId('openstack', name)
  return {
    release,
    kind,
    reasons: [],
    chart: {name, version: '0.1.0', appVersion: '2025.2'},
    requires: [],
    group: [release],
    revision: kind === 'install' ? 0 : 3,
    inputs: 'c0ffee',
    protected: false,
    ...differs,
  } as unknown as Action
}

export function plan(differs: Partial<Plan>): Plan {
  return {
    environment: 'all-in-one',
    file: 'environments/all-in-one.yaml',
    cluster: {context: 'kk-sandbox', server: 'https://127.0.0.1:6443', uid: '6a0c', version: 'v1.36.3'},
    actions: [],
    bystanders: [],
    ...differs,
  }
}

/** One of everything. */
export const MIXED_PLAN = plan({
  actions: [
    action('mariadb', 'unchanged', {reasons: ['unchanged'], protected: true}),
    action('rabbitmq', 'await', {reasons: ['revision 3 has not passed its gate']}),
    action('memcached', 'check', {reasons: ['required by keystone']}),
    action('keystone', 'upgrade', {
      reasons: ['section keystone of environments/all-in-one.yaml changed', 'charts/keystone changed'],
      requires: [{release: 'openstack/mariadb', kind: 'ready'}],
    }),
    action('glance', 'relabel', {reasons: ['requirements changed: rabbitmq added']}),
    action('nova', 'install', {
      reasons: ['not installed'],
      group: ['openstack/nova', 'openstack/neutron'],
      requires: [{release: 'openstack/neutron', kind: 'applied'}],
    }),
    action('neutron', 'install', {
      reasons: ['not installed'],
      group: ['openstack/nova', 'openstack/neutron'],
    }),
  ],
  bystanders: [
    {
      release: 'openstack/heat',
      state: 'no-longer-wanted',
      owner: 'all-in-one',
      note: 'the file no longer names it',
    },
    {release: 'openstack/redis', state: 'foreign', note: 'kk did not install it'},
  ],
})
