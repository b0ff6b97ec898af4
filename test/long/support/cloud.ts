/**
 * What the environment under test is to be; each differs from the one before in the values of every release.
 */
export type Version = 'first' | 'second' | 'third'

const NUMBER: Readonly<Record<Version, number>> = {first: 1, second: 2, third: 3}

/** Releases of `cloud`, what others require first. */
export const RELEASES = ['db', 'cache', 'keystone', 'api'] as const

/**
 * A small cloud: a database with a claim, a cache, a service with a migration Job whose name ends in its
 * version, and one with hooks. Its edges are `ready` and `applied`.
 */
export function cloud(version: Version): string {
  const replicas = NUMBER[version]
  return `
kk:
  OWN
  releases:
    db: {chart: workload}
    cache: {chart: workload}
    keystone: {chart: workload, requires: [db]}
    api: {chart: workload, requires: [keystone, {release: cache, kind: applied}]}
db: {replicas: ${replicas}, claim: general}
cache: {replicas: ${replicas}, auth: {password: correct-horse-${replicas}}}
keystone: {replicas: ${replicas}, job: {migration: true, version: ${replicas}}}
api: {replicas: ${replicas}, job: {hook: "post-install,post-upgrade"}}
`
}

/** A smaller one: a database with a claim, and what requires it. */
export function pair(version: Version): string {
  const replicas = NUMBER[version]
  return `
kk:
  OWN
  releases:
    db: {chart: workload}
    api: {chart: workload, requires: [db]}
db: {replicas: ${replicas}, claim: general}
api: {replicas: ${replicas}}
`
}
