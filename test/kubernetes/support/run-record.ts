import type {RunRecord, RunRelease} from '../../../src/kubernetes/records/runs.ts'
import {id} from '../../graph/graph-of.ts'

/** Returns the record of a run: by default, a deploy of all-in-one that has begun. */
export function runRecord(more: Partial<RunRecord> = {}): RunRecord {
  return {
    id: 'r1',
    environment: 'all-in-one',
    file: 'all-in-one.yaml',
    verb: 'deploy',
    scope: {names: [], install: true},
    who: 'operator@host',
    process: {host: 'host', pid: 1},
    startedAt: '2026-11-21T08:00:00.000Z',
    outcome: 'running',
    releases: [],
    ...more,
  }
}

/** Returns what a run has done with a release: by default, an upgrade from revision 1 that waits. */
export function runRelease(name: string, more: Partial<RunRelease> = {}): RunRelease {
  return {
    release: id(name),
    kind: 'upgrade',
    before: 1,
    gatedBefore: 1,
    inputs: 'a',
    outcome: 'waiting',
    ...more,
  }
}
