import {asKkError} from '../base/errors.ts'
import {isApiError} from '../kubernetes/api/api-error.ts'
import type {Cluster} from '../kubernetes/cluster.ts'
import {CHECKS} from './checks.ts'
import {type Examination, factsOf, type Subject} from './facts.ts'
import type {Check, Finding} from './finding.ts'

/**
 * Runs all checks concurrently and resolves with their findings, at least one for each, in the order of the
 * checks. A check without its cluster or environment, or that failed, has a finding that reports this.
 * Changes nothing.
 */
export async function diagnose(
  subject: Subject,
  checks: readonly Check[] = CHECKS,
): Promise<readonly Finding[]> {
  const facts = factsOf(subject)
  const findings = await Promise.all(checks.map((check) => findingsOf(check, facts, subject)))
  return findings.flat()
}

async function findingsOf(check: Check, facts: Examination, subject: Subject): Promise<readonly Finding[]> {
  const {name, needs, okMessage: fine} = check
  if (needs !== 'nothing' && !subject.cluster)
    return [{check: name, level: 'info', what: 'not checked: no cluster can be reached'}]
  if (needs === 'environment' && !subject.prepared)
    return [
      {
        check: name,
        level: 'info',
        what: 'not checked: it needs an environment file',
        advice: 'pass the file: kk doctor FILE',
      },
    ]
  try {
    const results = await check.run(facts)
    if (results.length === 0) return [{check: name, level: 'ok', what: fine}]
    return results.map((each) => ({check: name, ...each}))
  } catch (error) {
    const {code, message, hint} = asKkError(error)
    if (code === 'KK_BUG') throw error
    const advice = hint === undefined ? {} : {advice: hint}
    return [{check: name, level: 'warning', what: `could not be checked: ${message}`, ...advice}]
  }
}

export type Reached = {readonly cluster: Cluster} | {readonly cluster: undefined; readonly trouble: Finding}

/**
 * Returns the cluster if it answers and authenticates the user, whatever the permissions; otherwise a finding
 * with the error.
 */
export async function reach(open: () => Promise<Cluster>): Promise<Reached> {
  let cluster: Cluster | undefined
  try {
    cluster = await open()
    await cluster.apiServer.identity()
    return {cluster}
  } catch (error) {
    const {code, message, hint} = asKkError(error)
    if (code === 'KK_BUG') throw error
    if (cluster && code === 'KK_FORBIDDEN' && !isApiError(error, 401)) return {cluster}
    await cluster?.close()
    const advice = hint === undefined ? {} : {advice: hint}
    return {cluster: undefined, trouble: {check: 'cluster', level: 'problem', what: message, ...advice}}
  }
}
