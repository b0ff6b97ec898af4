import {TOPICS} from './oclif.ts'
import {
  type ArgumentReference,
  COMMANDS,
  type CommandReference,
  type FlagReference,
  wordsOf,
} from './reference.ts'

/** The shells that kk writes completions for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/** Returns the script by which a shell completes kk's commands, flags and their values. */
export function completionScript(shell: Shell): string {
  return SCRIPTS[shell]()
}

/**
 * What a word is completed with: `words` of the table, or what the script itself looks for. `releases` come from the environment file,
 * by kk; `release=` and `release:` are the start of `RELEASE=FILE` and `RELEASE:KEY=VALUE`.
 */
type Candidates =
  | `words ${string}`
  | 'files'
  | 'directories'
  | 'environments'
  | 'releases'
  | 'release='
  | 'release:'
  | 'owner'
  | 'nothing'

const BY_FLAG: Readonly<Record<string, Candidates>> = {
  environment: 'environments',
  yaml: 'environments',
  release: 'releases',
  confirm: 'releases',
  owner: 'owner',
}

const BY_VALUE: Readonly<Record<string, Candidates>> = {
  FILE: 'files',
  PATH: 'files',
  'FILE|URL': 'files',
  'KIND=FILE': 'words junit= trace= html= json=',
  DIR: 'directories',
  'RELEASE=FILE': 'release=',
  'RELEASE:KEY=VALUE': 'release:',
}

const BY_ARGUMENT: Readonly<Record<string, Candidates>> = {
  releases: 'releases',
  release: 'releases',
  from: 'releases',
  to: 'releases',
  file: 'environments',
  helmfile: 'environments',
  plan: 'files',
  directory: 'directories',
  charts: 'directories',
  destination: 'directories',
}

function candidatesOf({type, name, options, helpValue = ''}: FlagReference): Candidates | undefined {
  if (type === 'boolean') return undefined
  if (options) return `words ${options.join(' ')}`
  return BY_FLAG[name] ?? BY_VALUE[helpValue] ?? 'nothing'
}

function argumentOf(argument: ArgumentReference | undefined): Candidates {
  if (argument?.options) return `words ${argument.options.join(' ')}`
  return BY_ARGUMENT[argument?.name ?? ''] ?? 'nothing'
}

interface Described {
  readonly word: string
  readonly summary: string
}

/** The table of commands as the scripts ask for it: by the words that are typed already. */
interface Tables {
  /** What follows the words of a topic; those of `''` come first. */
  readonly below: ReadonlyMap<string, readonly Described[]>
  readonly flags: ReadonlyMap<string, readonly Described[]>
  readonly arguments: ReadonlyMap<string, Candidates>
  /** By the flag, or by the command and the flag where commands differ. */
  readonly values: ReadonlyMap<string, Candidates>
}

const VISIBLE = COMMANDS.filter(({hidden}) => !hidden)

function tables(): Tables {
  const byFlag = Map.groupBy(
    VISIBLE.flatMap((command) => Object.values(command.flags).map((flag) => ({command, flag}))),
    ({flag}) => flag.name,
  )
  const values = new Map<string, Candidates>()
  for (const uses of byFlag.values()) {
    const isSame = new Set(uses.map(({flag}) => candidatesOf(flag))).size === 1
    for (const {command, flag} of uses) {
      const candidates = candidatesOf(flag)
      if (candidates === undefined) continue
      for (const word of spellings(flag))
        values.set(isSame ? word : `${wordsOf(command)} ${word}`, candidates)
    }
  }
  return {
    below: belowOf(VISIBLE),
    flags: new Map(
      VISIBLE.map((command) => [wordsOf(command), Object.values(command.flags).flatMap(described)]),
    ),
    arguments: new Map(
      VISIBLE.map((command) => [wordsOf(command), argumentOf(Object.values(command.args)[0])]),
    ),
    values,
  }
}

function belowOf(all: readonly CommandReference[]): ReadonlyMap<string, readonly Described[]> {
  const below = new Map<string, Map<string, string>>()
  for (const command of all) {
    const words = wordsOf(command).split(' ')
    for (const [at, word] of words.entries()) {
      const isWhole = at === words.length - 1
      const summary = isWhole ? command.summary : TOPICS[word as keyof typeof TOPICS]
      const before = words.slice(0, at).join(' ')
      const others = below.get(before) ?? new Map<string, string>()
      if (isWhole || !others.has(word)) others.set(word, summary ?? '')
      below.set(before, others)
    }
  }
  return new Map(
    [...below].map(([before, words]) => [before, [...words].map(([word, summary]) => ({word, summary}))]),
  )
}

function spellings({name, char}: FlagReference): readonly string[] {
  return [`--${name}`, ...(char === undefined ? [] : [`-${char}`])]
}

function described(flag: FlagReference): readonly Described[] {
  const words = [`--${flag.name}`, ...(flag.allowNo ? [`--no-${flag.name}`] : [])]
  return words.map((word) => ({word, summary: flag.summary}))
}

/** The branches of a `case` of bash and zsh: keys with the same text share one. */
function branches(entries: Iterable<readonly [string, string]>): string {
  const byText = Map.groupBy(entries, ([, text]) => text)
  return [...byText]
    .map(([text, keys]) => `    ${keys.map(([key]) => quoted(key)).join('|')}) ${text} ;;`)
    .join('\n')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** The words that lead to a command or to a topic. */
function known({below}: Tables): string {
  return [...below]
    .flatMap(([before, words]) => words.map(({word}) => (before === '' ? word : `${before} ${word}`)))
    .join('|')
}

function assigned(name: string, map: ReadonlyMap<string, Candidates>): string {
  return branches([...map].map(([key, candidates]) => [key, `${name}=${quoted(candidates)}`] as const))
}

function bash(): string {
  const all = tables()
  const listOf = (map: ReadonlyMap<string, readonly Described[]>, name: string) =>
    branches(
      [...map].map(
        ([key, words]) => [key, `${name}=${quoted(words.map(({word}) => word).join(' '))}`] as const,
      ),
    )
  return `# Completion of kk for bash, made by kk completion bash.
_kk_names() { "\${COMP_WORDS[0]}" __names "$1" "\${words[@]:1}" 2>/dev/null; }

_kk() {
  local line=\${COMP_LINE:0:COMP_POINT}
  local -a words
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  local cur=\${words[-1]} prev=\${words[-2]} id= next= below= flags= argument= takes= i
  for ((i = 1; i < \${#words[@]} - 1; i++)); do
    next=\${id:+$id }\${words[i]}
    [[ '|${known(all)}|' == *"|$next|"* ]] || break
    id=$next
  done
  if [[ $cur == --*=* ]]; then prev=\${cur%%=*} cur=\${cur#*=}; fi
  case $id in
${listOf(all.below, 'below')}
  esac
  case $id in
${listOf(all.flags, 'flags')}
  esac
  case $id in
${assigned('argument', all.arguments)}
  esac
  case $prev in
${assigned('takes', new Map([...all.values].filter(([key]) => !key.includes(' '))))}
  esac
  case "$id $prev" in
${assigned('takes', new Map([...all.values].filter(([key]) => key.includes(' '))))}
  esac
  if [[ -z $takes && $cur == -* ]]; then takes="words $flags"
  elif [[ -z $takes && -n $below && $id == "\${words[*]:1:\${#words[@]}-2}" ]]; then takes="words $below"; [[ $argument == releases || $argument == environments ]] && takes+=" $(_kk_names releases)"
  elif [[ -z $takes ]]; then takes=$argument
  fi
  COMPREPLY=()
  local IFS=$'\\n'
  case $takes in
    words*) COMPREPLY=($(IFS=$' \\n'; compgen -W "\${takes#words}" -- "$cur")) ;;
    files) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")) ;;
    directories) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")) ;;
    environments|releases)
      compopt -o filenames
      COMPREPLY=($(compgen -d -- "$cur") $(compgen -f -- "$cur" | grep -E '\\.ya?ml$'))
      [[ $takes == releases ]] && COMPREPLY+=($(compgen -W "$(_kk_names releases)" -- "$cur")) ;;
    release=|release:)
      compopt -o nospace
      if [[ $cur == *=* && $takes == release= ]]; then compopt -o filenames; COMPREPLY=($(compgen -P "\${cur%%=*}=" -f -- "\${cur#*=}"))
      else COMPREPLY=($(compgen -S "\${takes#release}" -W "$(_kk_names releases)" -- "$cur")); fi ;;
    owner) COMPREPLY=($(compgen -W "$(_kk_names environment)" -- "$cur")) ;;
  esac
  # Readline completes only what stands behind the last = or :.
  local last=\${COMP_LINE:0:COMP_POINT}; last=\${last##*[[:space:]]}
  if [[ $last == *[=:]* ]]; then
    local before=\${cur%"\${cur##*[=:]}"}
    COMPREPLY=("\${COMPREPLY[@]#"$before"}")
  fi
}
complete -F _kk kk
`
}

function zsh(): string {
  const all = tables()
  const listOf = (map: ReadonlyMap<string, readonly Described[]>, name: string) =>
    branches(
      [...map].map(([key, words]) => {
        const items = words.map(({word, summary}) => quoted(`${word}:${summary}`))
        return [key, `${name}=(${items.join(' ')})`] as const
      }),
    )
  return `#compdef kk
# Completion of kk for zsh, made by kk completion zsh.
_kk_names() { "$words[1]" __names $1 "\${(@)words[2,-1]}" 2>/dev/null }

_kk() {
  local id= next= argument= takes= prev=$words[CURRENT-1] i
  local -a below flags names
  for ((i = 2; i < CURRENT; i++)); do
    next=\${id:+$id }$words[i]
    [[ '|${known(all)}|' == *"|$next|"* ]] || break
    id=$next
  done
  if [[ $PREFIX == --*=* ]]; then
    prev=\${PREFIX%%=*}
    compset -P 1 '*='
  fi
  case $id in
${listOf(all.below, 'below')}
  esac
  case $id in
${listOf(all.flags, 'flags')}
  esac
  case $id in
${assigned('argument', all.arguments)}
  esac
  case $prev in
${assigned('takes', new Map([...all.values].filter(([key]) => !key.includes(' '))))}
  esac
  case "$id $prev" in
${assigned('takes', new Map([...all.values].filter(([key]) => key.includes(' '))))}
  esac
  if [[ -z $takes && $PREFIX == -* ]]; then _describe -o flag flags; return; fi
  if [[ -z $takes ]]; then
    takes=$argument
    (( $#below && i == CURRENT )) && _describe command below
  fi
  [[ $takes == release* ]] && names=(\${(f)"$(_kk_names releases)"})
  case $takes in
    words*) names=(\${=takes#words }); compadd -S '' -a names ;;
    files) _files ;;
    directories) _files -/ ;;
    environments) _files -g '*.(yaml|yml)' ;;
    releases) compadd -a names; _files -g '*.(yaml|yml)' ;;
    release=)
      if compset -P 1 '*='; then _files; else compadd -S = -a names; fi ;;
    release:) compadd -S : -a names ;;
    owner) names=(\${(f)"$(_kk_names environment)"}); compadd -a names ;;
  esac
}
if [[ $funcstack[1] == _kk ]]; then _kk "$@"; else compdef _kk kk; fi
`
}

function fish(): string {
  const all = tables()
  const cases = (entries: Iterable<readonly [string, string]>) => {
    const byText = Map.groupBy(entries, ([, text]) => text)
    return [...byText]
      .map(([text, keys]) => `    case ${keys.map(([key]) => fishQuoted(key)).join(' ')}\n      ${text}`)
      .join('\n')
  }
  const listOf = (map: ReadonlyMap<string, readonly Described[]>) =>
    cases(
      [...map].map(([key, words]) => {
        const items = words.map(({word, summary}) => fishQuoted(`${word}\t${summary}`))
        return [key, `printf '%s\\n' ${items.join(' ')}`] as const
      }),
    )
  const echoed = (map: ReadonlyMap<string, Candidates>) =>
    cases([...map].map(([key, candidates]) => [key, `echo ${fishQuoted(candidates)}`] as const))
  return `# Completion of kk for fish, made by kk completion fish.
function __kk_below
  switch $argv[1]
${listOf(all.below)}
  end
end

function __kk_flags
  switch $argv[1]
${listOf(all.flags)}
  end
end

function __kk_argument
  switch $argv[1]
${echoed(all.arguments)}
  end
end

function __kk_takes
  switch "$argv[1] $argv[2]"
${echoed(new Map([...all.values].filter(([key]) => key.includes(' '))))}
    case '*'
      switch $argv[2]
${echoed(new Map([...all.values].filter(([key]) => !key.includes(' '))))}
      end
  end
end

function __kk_complete
  set -l words (commandline -opc)
  set -l cur (commandline -ct)
  set -l id ''
  set -l rest 0
  for word in $words[2..-1]
    set -l next (string trim -- "$id $word")
    if not string match -q -- "*|$next|*" '|${known(all)}|'
      set rest 1
      break
    end
    set id $next
  end
  set -l prev $words[-1]
  set -l before ''
  if string match -q -- '--*=*' $cur
    set prev (string split -m 1 = -- $cur)[1]
    set before "$prev="
    set cur (string split -m 1 = -- $cur)[2]
  end
  set -l takes (__kk_takes $id $prev)
  if test -z "$takes"; and string match -q -- '-*' $cur
    __kk_flags $id
    return
  end
  if test -z "$takes"
    set takes (__kk_argument $id)
    test $rest = 0; and __kk_below $id
  end
  switch "$takes"
    case 'words *'
      string split ' ' -- (string replace 'words ' '' -- $takes) | string replace -r '^' -- "$before"
    case files
      __fish_complete_path $cur | string replace -r '^' -- "$before"
    case directories
      __fish_complete_directories $cur '' | string replace -r '^' -- "$before"
    case environments releases
      __fish_complete_path $cur | string match -r '.*(?:/|\\.ya?ml)(?:\\t.*)?$' | string replace -r '^' -- "$before"
      test $takes = releases; and $words[1] __names releases $words[2..-1] 2>/dev/null
    case 'release=' 'release:'
      $words[1] __names releases $words[2..-1] 2>/dev/null | string replace -r '$' -- (string replace release '' -- $takes)
    case owner
      $words[1] __names environment $words[2..-1] 2>/dev/null
  end
end

complete -c kk -f -a '(__kk_complete)'
`
}

/** fish keeps everything between single quotes but these two; tabs stand between a word and what it means. */
function fishQuoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

const SCRIPTS = {bash, zsh, fish} satisfies Record<Shell, () => string>
