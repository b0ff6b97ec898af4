import {KK_NAMESPACE} from '../lease/lease.ts'
import type {RunRecord} from './run-record.ts'

/** Labels by which records are found. */
export const RUN_LABEL = 'kk.openstack.org/run'
export const ENVIRONMENT_LABEL = 'kk.openstack.org/environment'

/** Raised when a kk that reads the present form would misread the next. */
const FORM = '1'

export interface RunConfigMap {
  readonly metadata: {readonly name: string; readonly labels?: Readonly<Record<string, string>>}
  readonly data?: Readonly<Record<string, string>>
}

export function configMapName(run: string): string {
  return `kk-run-${run}`
}

/** The ConfigMap of a record, as it is applied. */
export function configMapOf(record: RunRecord): object {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: configMapName(record.id),
      namespace: KK_NAMESPACE,
      labels: {[RUN_LABEL]: record.id, [ENVIRONMENT_LABEL]: record.environment},
    },
    data: {form: FORM, run: JSON.stringify(record)},
  }
}

/** The record in a ConfigMap; undefined when a newer kk wrote it, or somebody edited it to something else. */
export function recordIn({data}: RunConfigMap): RunRecord | undefined {
  if (data?.form !== FORM || data.run === undefined) return undefined
  try {
    const record: unknown = JSON.parse(data.run)
    return isRecord(record) ? record : undefined
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is RunRecord {
  const {id, environment, releases} = (value ?? {}) as Partial<RunRecord>
  return typeof id === 'string' && typeof environment === 'string' && Array.isArray(releases)
}
