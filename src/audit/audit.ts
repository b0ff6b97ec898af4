import {setTimeout as wait} from 'node:timers/promises'
import type {SeenPod} from '../kubernetes/exec/exec.ts'
import {compare} from './compare.ts'
import {type Finding, findingKey} from './finding.ts'
import {type GatherPorts, type GatherScope, gather, type NotAsked, unknownMigrations} from './gather.ts'

/** The result of an audit. */
export interface Audit {
  readonly findings: readonly Finding[]
  readonly asked: readonly string[]
  readonly notAsked: readonly NotAsked[]
  readonly pods: readonly SeenPod[]
}

/** Operations that change several services have passed between them after this time. */
const SETTLE_MS = 10_000

/** Findings from another source than the pods of services, or why it could not be read. */
export type OtherFindings =
  | {readonly source: string; readonly findings: readonly Finding[]}
  | {readonly source: string; readonly reason: string}

interface AuditInput {
  readonly ports: GatherPorts
  readonly scope: GatherScope
  readonly other: () => Promise<OtherFindings>
  /** Waits between the two readings. */
  readonly settle?: () => Promise<unknown>
}

/**
 * Gathers the facts and compares them. If something is wrong, does both again after some seconds: what is
 * gone by then was an operation in progress, and no finding.
 */
export async function audit({settle = () => wait(SETTLE_MS), ...input}: AuditInput): Promise<Audit> {
  const first = await auditOnce(input)
  if (first.findings.length === 0) return first
  await settle()
  const second = await auditOnce(input)
  const suspected = new Set(first.findings.map(findingKey))
  return {...second, findings: second.findings.filter((each) => suspected.has(findingKey(each)))}
}

/** Reads the sources of a finding once more. */
export async function auditAgain(ports: GatherPorts, scope: GatherScope): Promise<Omit<Audit, 'asked'>> {
  const {facts, notAsked, pods} = await gather(ports, scope)
  return {findings: compare(facts), notAsked, pods}
}

async function auditOnce({ports, scope, other}: AuditInput): Promise<Audit> {
  const [{facts, asked, pods, ...rest}, more] = await Promise.all([gather(ports, scope), other()])
  const found = compare(facts)
  const notAsked = [...rest.notAsked, ...unknownMigrations(facts.schemas)]
  if ('reason' in more) {
    const {source, reason} = more
    return {findings: found, asked, notAsked: [...notAsked, {source, reason}], pods}
  }
  return {findings: [...found, ...more.findings], asked: [...asked, more.source], notAsked, pods}
}
