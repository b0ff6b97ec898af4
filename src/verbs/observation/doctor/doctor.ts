import {asKkError} from '../../../errors.ts'
import {CHECKS} from './checks.ts'
import {type Facts, factsOf, type Patient} from './facts.ts'
import type {Check, Finding} from './finding.ts'

/**
 * Runs every check, all at once, and resolves with what they found, in the order of the checks; each has at least one
 * finding. What a check needs and is not there is said, and so is why it could not look. Changes nothing.
 */
export async function diagnose(
  patient: Patient,
  checks: readonly Check[] = CHECKS,
): Promise<readonly Finding[]> {
  const facts = factsOf(patient)
  const found = await Promise.all(checks.map((check) => findingsOf(check, facts, patient)))
  return found.flat()
}

async function findingsOf(check: Check, facts: Facts, patient: Patient): Promise<readonly Finding[]> {
  const {name, needs, fine} = check
  if (needs !== 'nothing' && !patient.cluster)
    return [{check: name, level: 'info', what: 'not checked: no cluster can be reached'}]
  if (needs === 'environment' && !patient.prepared)
    return [
      {
        check: name,
        level: 'info',
        what: 'not checked: it needs an environment file',
        advice: 'name the file: kk doctor FILE',
      },
    ]
  try {
    const found = await check.find(facts)
    if (found.length === 0) return [{check: name, level: 'ok', what: fine}]
    return found.map((each) => ({check: name, ...each}))
  } catch (error) {
    const {code, message, hint} = asKkError(error)
    if (code === 'KK_BUG') throw error
    const advice = hint === undefined ? {} : {advice: hint}
    return [{check: name, level: 'warning', what: `could not be checked: ${message}`, ...advice}]
  }
}
