import {quoted} from '../../base/shell.ts'
import {branches, cases, commandPaths, type Described, type Tables} from './tables.ts'

/** Returns the completion script for bash. */
export function bash(all: Tables): string {
  const formatList = (map: ReadonlyMap<string, readonly Described[]>, name: string) =>
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
    [[ '|${commandPaths(all)}|' == *"|$next|"* ]] || break
    id=$next
  done
  if [[ $cur == --*=* ]]; then prev=\${cur%%=*} cur=\${cur#*=}; fi
${cases(all, formatList)}
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
  # Readline completes only the part after the last = or :.
  local last=\${COMP_LINE:0:COMP_POINT}; last=\${last##*[[:space:]]}
  if [[ $last == *[=:]* ]]; then
    local before=\${cur%"\${cur##*[=:]}"}
    COMPREPLY=("\${COMPREPLY[@]#"$before"}")
  fi
}
complete -F _kk kk
`
}
