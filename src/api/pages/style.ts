import {HTML_STYLE} from '../../report/files/html-style.ts'

/** The style of all pages: that of the HTML report, and what only pages have. */
export const PAGE_STYLE = `${HTML_STYLE}
.good { color: var(--succeeded); } .bad { color: var(--failed); } .change { color: var(--skipped); }
.accent { color: var(--link); } .strong { font-weight: 600; }
svg .good { --strong: var(--succeeded); --soft: var(--succeeded-soft); }
svg .bad { --strong: var(--failed); --soft: var(--failed-soft); }
svg .change { --strong: var(--skipped); --soft: var(--skipped-soft); }
svg .quiet { --strong: var(--other); --soft: var(--other-soft); }
nav[aria-label=kk] { border-bottom: 1px solid var(--line); padding-bottom: .6rem; margin-bottom: 1rem; }
nav a[aria-current=page] { color: var(--text); font-weight: 600; text-decoration: none; }
main:focus { outline: none; }
section h3 { color: inherit; margin: 1.4rem 0 .5rem; }
.skip { position: absolute; left: -99rem; } .skip:focus { position: static; }
button, .button { display: inline-block; font: inherit; padding: .3rem .9rem; color: var(--text); background: var(--panel);
  border: 1px solid var(--quiet); border-radius: .3rem; text-decoration: none; cursor: pointer; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
textarea { width: 100%; min-height: 14rem; box-sizing: border-box; padding: .4rem; color: inherit; background: transparent;
  border: 1px solid var(--quiet); }
pre, textarea, code { font: .875rem/1.45 ui-monospace, monospace; }
pre { max-height: none; white-space: pre-wrap; overflow-wrap: anywhere; }
.layers { display: grid; grid-template-columns: repeat(auto-fit, minmax(18rem, 1fr)); gap: 1rem; }
.won { background: var(--succeeded-soft); }
.problem { border-left: .3rem solid var(--failed); padding: .3rem .8rem; overflow-wrap: anywhere; }
.done { border-left: .3rem solid var(--succeeded); padding: .3rem .8rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: .4rem 0; }
dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
.busy::before { content: ""; display: inline-block; width: .8em; height: .8em; margin-right: .5em; border-radius: 50%;
  border: 2px solid var(--quiet); border-top-color: transparent; animation: turn 1s linear infinite; }
@keyframes turn { to { transform: rotate(1turn); } }
@media (prefers-reduced-motion: reduce) { .busy::before { animation: none; } }
`
