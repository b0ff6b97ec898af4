import {isEmpty} from '../../base/values.ts'
import {
  chartPackage,
  type Exported,
  type ExportedFiles,
  type ExportedGroup,
  type ExportedRelease,
  releasesOf,
  secretsFile,
  valuesFile,
  valuesFiles,
} from '../exported.ts'

/** Returns an environment as a shell script of plain helm commands, with the values of each release beside it. */
export function helmScript(exported: Exported): ExportedFiles {
  const lines = [
    '#!/bin/sh',
    `# The environment ${exported.name}: helm alone, in the order of kk. LOST.md says what it does not do.`,
    "# Further words are given to each helm: ./deploy.sh --kube-context production. HELM names another helm's path.",
    'set -eu',
    'cd "$(dirname "$0")"',
    'helm="${HELM:-helm}"',
    ...preamble(exported),
    ...exported.groups.flatMap((group) => ['', ...groupLines(group, exported)]),
  ]
  return new Map([['deploy.sh', `${lines.join('\n')}\n`], ...valuesFiles(exported)])
}

/** The script ends before it changes anything where secrets are missing: helm would install without them. */
function preamble(exported: Exported): readonly string[] {
  const names = releasesOf(exported)
    .filter(({secrets}) => secrets.length > 0)
    .map(({name}) => name)
  if (names.length === 0) return []
  if (exported.sops) return ['command -v sops > /dev/null || { echo "sops is not on the PATH" >&2; exit 1; }']
  return [
    '# A file of values for each release that has secrets: LOST.md says how to write them.',
    'secrets="${SECRETS:-secrets}"',
    `for name in ${names.join(' ')}; do`,
    '  [ -s "$secrets/$name.yaml" ] || { echo "$secrets/$name.yaml is missing or empty: see LOST.md" >&2; exit 1; }',
    'done',
  ]
}

/** The members of a group wait for each other, so their helms run side by side. */
function groupLines(group: ExportedGroup, exported: Exported): readonly string[] {
  const [first, ...others] = group
  if (others.length === 0) return installLines(first!, exported)
  return [
    `# These need each other: ${group.map(({name}) => name).join(', ')}`,
    ...group.flatMap((release, at) => ['{', ...installLines(release, exported), `} & job${at}=$!`]),
    'failed=0',
    ...group.map((_, at) => `wait "$job${at}" || failed=1`),
    '[ "$failed" = 0 ]',
  ]
}

function installLines(release: ExportedRelease, {sops}: Exported): readonly string[] {
  const {name, namespace, values, secrets, timeoutSeconds, hooksAfter} = release
  const isSealed = sops && secrets.length > 0
  const words = [
    `"$helm" upgrade --install ${name} ${chartWords(release)}`,
    `--namespace ${namespace} --create-namespace`,
    `--reset-values --timeout ${timeoutSeconds}s`,
    // With hooks that come after, helm would wait for pods that wait for these hooks.
    ...(hooksAfter ? [] : ['--wait']),
    ...(isEmpty(values) ? [] : [`--values ${valuesFile(release)}`]),
    ...(secrets.length === 0 ? [] : [isSealed ? '--values -' : `--values "$secrets/${name}.yaml"`]),
    '"$@"',
  ]
  const command = words.join(' \\\n  ')
  if (!isSealed) return [command]
  // By a variable, so that the script ends where sops fails.
  return [`opened="$(sops --decrypt ${secretsFile(release)})"`, `printf '%s\\n' "$opened" | ${command}`]
}

function chartWords({chart}: ExportedRelease): string {
  const {name, version, source} = chart
  if (source === undefined) return quoted(chartPackage(chart))
  if (source.kind === 'oci') return `${quoted(`${source.url}/${name}`)} --version ${quoted(version)}`
  return `${name} --repo ${quoted(source.url)} --version ${quoted(version)}`
}

/** Returns a word as the shell takes it as it stands. */
function quoted(word: string): string {
  return /^[\w./:@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
