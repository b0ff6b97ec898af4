import {quoted} from '../../base/shell.ts'
import {branches, cases, commandPaths, type Described, type Tables} from './tables.ts'

/** Returns the completion script for zsh. */
export function zsh(all: Tables): string {
  const formatList = (map: ReadonlyMap<string, readonly Described[]>, name: string) =>
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
    [[ '|${commandPaths(all)}|' == *"|$next|"* ]] || break
    id=$next
  done
  if [[ $PREFIX == --*=* ]]; then
    prev=\${PREFIX%%=*}
    compset -P 1 '*='
  fi
${cases(all, formatList)}
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
