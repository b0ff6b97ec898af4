import {relative} from 'node:path'
import type {Reporter, TestModule} from 'vitest/node'

const SHOWN = 20

interface FileTime {
  readonly file: string
  readonly milliseconds: number
}

/** A reporter for vitest that prints the slowest files; vitest finds it by `--reporter=PATH`. */
export default function slowestFilesReporter(): Reporter {
  return {
    onTestRunEnd(modules) {
      const times = modules.map((module) => ({
        file: relative('.', module.moduleId),
        milliseconds: timeOf(module),
      }))
      console.log(slowestFiles(times))
    },
  }
}

/** The printed table: seconds and file, the slowest first. */
export function slowestFiles(times: readonly FileTime[]): string {
  const slowest = times.toSorted((a, b) => b.milliseconds - a.milliseconds).slice(0, SHOWN)
  const lines = slowest.map(
    ({file, milliseconds}) => `${(milliseconds / 1000).toFixed(1).padStart(7)} s  ${file}`,
  )
  return ['', `the slowest of ${times.length} files:`, ...lines].join('\n')
}

/** Imports, set-up and tests, in wall time, which other load on the machine affects. */
function timeOf(module: TestModule): number {
  const {environmentSetupDuration, prepareDuration, collectDuration, setupDuration, duration} =
    module.diagnostic()
  return environmentSetupDuration + prepareDuration + collectDuration + setupDuration + duration
}
