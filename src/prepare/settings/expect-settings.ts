import {KkError} from '../../base/errors.ts'
import {releaseName} from '../../release.ts'
import {nameProblems} from '../setting-notes.ts'
import {confProblems, type Settings} from './conf-problems.ts'
import {ingressProblems} from './ingress-problems.ts'
import {keyProblems} from './key-problems.ts'
import {allowAdvice, type SettingProblem} from './setting-problem.ts'

interface CheckedSettings {
  /**
   * Whether to check names and keys, too. A plan finds these otherwise: by its notes, and by helm, which
   * compares all values with the schemas of the charts.
   */
  readonly keys?: boolean
}

/**
 * Throws `KK_VALUES` with each value that a user sets and nothing reads. Returns notes on the values of which
 * that is uncertain, and on deprecated options.
 */
export async function expectSettings(
  settings: Settings,
  checked: CheckedSettings = {},
): Promise<readonly string[]> {
  const problems = await settingProblems(settings, checked)
  const errors = problems.filter(({level}) => level === 'problem')
  if (errors.length === 0) return problems.map(settingNote)
  const bySubject = Map.groupBy(errors, ({subject}) => subject)
  const lines = [...bySubject].flatMap(([subject, same]) => [
    `${subject}:`,
    ...same.map(({what}) => `  ${what}`),
  ])
  const allowed = errors.flatMap(({allow}) => allow ?? [])
  throw new KkError('KK_VALUES', lines.join('\n'), {
    hint: ['correct the values', ...(allowed.length > 0 ? [allowAdvice(allowed)] : [])].join('; '),
  })
}

/**
 * Returns the values that users set and nothing reads, and deprecated options. A value of `global`, or of a
 * section with several releases, is reported once.
 */
export async function settingProblems(
  settings: Settings,
  {keys = false}: CheckedSettings = {},
): Promise<readonly SettingProblem[]> {
  const ofKeys = keys
    ? [...(await keyProblems(settings)), ...nameProblems(settings), ...ingressProblems(settings)]
    : []
  const problems = [...ofKeys, ...(await confProblems(settings))]
  const first = new Map(problems.toReversed().map((problem) => [problem.what, problem]))
  return problems.filter((problem) => first.get(problem.what) === problem)
}

/** Returns a warning or a note for each of `settingProblems`, for commands that show values all the same. */
export async function settingWarnings(
  settings: Settings,
  checked?: CheckedSettings,
): Promise<readonly string[]> {
  const problems = await settingProblems(settings, checked)
  return problems.map(
    (problem) => `${problem.level === 'info' ? 'note' : 'warning'}: ${settingNote(problem)}`,
  )
}

function settingNote({release, what, allow}: SettingProblem): string {
  return `${releaseName(release)}: ${what}${allow === undefined ? '' : `; ${allowAdvice([allow])}`}`
}
