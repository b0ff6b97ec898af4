import {SAVED_FORMAT, type SavedPlan, type SavedRelease} from '../../../src/plan/saved/saved-plan.ts'

/** A release of a saved plan: deployed at revision 2, and to be upgraded. */
export function savedRelease(name: string, changed: Partial<SavedRelease> = {}): SavedRelease {
  return {
    release: `openstack/${name}`,
    kind: 'upgrade',
    chart: {name, version: '0.1.0'},
    inputs: `inputs-of-${name}`,
    layers: {chart: 'c0', flags: 'f0', section: 's0'},
    requires: [],
    stated: true,
    protected: false,
    record: {uid: `uid-${name}`, resourceVersion: '7', revision: 2, status: 'deployed'},
    ...changed,
  }
}

/** A saved plan of `env.yaml`: mariadb, then keystone. */
export function saved(changed: Partial<SavedPlan> = {}): SavedPlan {
  return {
    kind: 'kk-plan',
    format: SAVED_FORMAT,
    kk: '0.1.0',
    schema: 1,
    savedAt: '2026-11-21T08:30:00.000Z',
    verb: 'deploy',
    scope: {names: [], install: true},
    environment: {name: 'cloud', file: 'env.yaml', absolute: '/srv/env.yaml', relative: 'env.yaml'},
    values: [],
    cluster: {context: 'production', server: 'https://one:6443', uid: 'uid-1', version: 'v1.36.0'},
    releases: [savedRelease('mariadb'), savedRelease('keystone', {requires: ['openstack/mariadb:ready']})],
    ...changed,
  }
}
