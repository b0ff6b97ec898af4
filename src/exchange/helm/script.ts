import {shellWord} from '../../base/shell.ts'
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

/** Returns an environment as a shell script of plain helm commands, with the values files of the releases. */
export function helmScript(exported: Exported): ExportedFiles {
  const lines = [
    '#!/bin/sh',
    `# The environment ${exported.name}, deployed by helm alone in kk's order. LOST.md lists what the script does not do.`,
    '# Arguments are passed to each helm: ./deploy.sh --kube-context production. HELM is the path of another helm.',
    'set -eu',
    'cd "$(dirname "$0")"',
    'helm="${HELM:-helm}"',
    ...preamble(exported),
    ...exported.groups.flatMap((group) => ['', ...groupLines(group, exported)]),
  ]
  return new Map([['deploy.sh', `${lines.join('\n')}\n`], ...valuesFiles(exported)])
}

/** The script exits before any change if secrets are missing: helm would install without them. */
function preamble(exported: Exported): readonly string[] {
  const names = releasesOf(exported)
    .filter(({secrets}) => secrets.length > 0)
    .map(({name}) => name)
  if (names.length === 0) return []
  if (exported.sops) return ['command -v sops > /dev/null || { echo "sops is not on the PATH" >&2; exit 1; }']
  return [
    '# Each release with secrets needs a values file: LOST.md describes how to write it.',
    'secrets="${SECRETS:-secrets}"',
    `for name in ${names.join(' ')}; do`,
    '  [ -s "$secrets/$name.yaml" ] || { echo "$secrets/$name.yaml is missing or empty: see LOST.md" >&2; exit 1; }',
    'done',
  ]
}

/** The members of a group wait for each other, so their helm commands run concurrently. */
function groupLines(group: ExportedGroup, exported: Exported): readonly string[] {
  const [first, ...rest] = group
  if (rest.length === 0) return installLines(first!, exported)
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
  const isEncrypted = sops && secrets.length > 0
  const args = [
    `"$helm" upgrade --install ${name} ${chartArguments(release)}`,
    `--namespace ${namespace} --create-namespace`,
    `--reset-values --timeout ${timeoutSeconds}s`,
    // If hooks run after the rest, helm would wait for pods that wait for these hooks.
    ...(hooksAfter ? [] : ['--wait']),
    ...(isEmpty(values) ? [] : [`--values ${valuesFile(release)}`]),
    ...(secrets.length === 0 ? [] : [isEncrypted ? '--values -' : `--values "$secrets/${name}.yaml"`]),
    '"$@"',
  ]
  const command = args.join(' \\\n  ')
  if (!isEncrypted) return [command]
  // A variable, so that the script exits if sops fails.
  return [`opened="$(sops --decrypt ${secretsFile(release)})"`, `printf '%s\\n' "$opened" | ${command}`]
}

function chartArguments({chart}: ExportedRelease): string {
  const {name, version, source} = chart
  if (source === undefined) return shellWord(chartPackage(chart))
  if (source.kind === 'oci') return `${shellWord(`${source.url}/${name}`)} --version ${shellWord(version)}`
  return `${name} --repo ${shellWord(source.url)} --version ${shellWord(version)}`
}
