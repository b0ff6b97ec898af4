import type {RunChoices} from '../../verbs/change/start-run.ts'

/** Verbs that change what is in use: one release after the other, each through its gate, unless the user says otherwise. */
const CAREFUL: ReadonlySet<string> = new Set(['upgrade', 'update', 'reconfigure'])

/** How much a verb does at once; `concurrency` is what the user says. */
export function paceOf(
  verb: string,
  concurrency: number | undefined,
): Pick<RunChoices, 'concurrency' | 'pace'> {
  if (!CAREFUL.has(verb)) return {concurrency, pace: 'helm'}
  return {concurrency: concurrency ?? 1, pace: 'gate'}
}
