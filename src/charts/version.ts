import type {SemVer} from 'semver'
import coerce from 'semver/functions/coerce.js'
import compare from 'semver/functions/compare.js'
import parse from 'semver/functions/parse.js'
import satisfies from 'semver/functions/satisfies.js'
import validRange from 'semver/ranges/valid.js'

/**
 * Returns true for a string that Helm accepts as the version of a chart: `1.2.3`, `v1.2`, `1.2.3-rc.1+build`.
 */
export function isVersion(version: string): boolean {
  return /^v?\d+(\.\d+){0,2}(-[\w.-]+)?(\+[\w.-]+)?$/.test(version)
}

/** Returns true for a string that is one version, not a range. */
export function isExactVersion(constraint: string): boolean {
  return isVersion(constraint) && parse(constraint) !== null
}

/**
 * Returns true if a version satisfies a constraint as Helm's library (Masterminds/semver) reads it: a comma
 * is "and", `!=` excludes, and pre-releases count only if the constraint names one. No version satisfies a
 * malformed constraint.
 */
export function satisfiesConstraint(version: string, constraint: string): boolean {
  const subject = read(version)
  if (!subject) return false
  const includePrerelease = /\d-[0-9A-Za-z]/.test(constraint.replaceAll(/\s-\s/g, ' '))
  return constraint.split('||').some((alternative) => {
    const excluded = [...alternative.matchAll(/!=\s*([^\s,]+)/g)].map(([, other]) => read(other!))
    if (excluded.some((other) => other && compare(subject, other) === 0)) return false
    const rest = alternative
      .replaceAll(/!=\s*[^\s,]+/g, ' ')
      .replaceAll('=>', '>=')
      .replaceAll('=<', '<=')
      .replaceAll(',', ' ')
    return validRange(rest) !== null && satisfies(subject, rest, {includePrerelease})
  })
}

/** Orders versions from old to new. */
export function compareVersions(a: string, b: string): number {
  return compare(read(a) ?? '0.0.0', read(b) ?? '0.0.0')
}

function read(version: string): SemVer | null {
  return parse(version) ?? (isVersion(version) ? coerce(version, {includePrerelease: true}) : null)
}
