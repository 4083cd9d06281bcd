import { formatCount } from '../format/number.ts'
import { ROLE_LOOKS } from '../states/role.ts'
import type { StateMachineProps } from './state-machine.tsx'
import { rateOf } from './rate.ts'
import classes from './state-machine.module.css'

/** The states below each other, each with where its messages go. */
export function StateList({ nodes, edges, onSelect }: Omit<StateMachineProps, 'label'>) {
  return (
    <ul className={classes.list}>
      {nodes.map(({ state, role, count }) => {
        const { word, color } = ROLE_LOOKS[role]
        const name = `${state}, ${word}: ${formatCount(count)}`
        return (
          <li key={state} style={{ borderLeftColor: `var(--mantine-color-${color}-filled)` }}>
            {onSelect ? (
              <button type="button" role="link" onClick={() => onSelect(state)}>
                {name}
              </button>
            ) : (
              <span>{name}</span>
            )}
            {edges
              .filter(({ from, to }) => from === state && to !== state)
              .map((edge) => (
                <div key={edge.to} className={classes.way}>
                  to {edge.to}
                  {rateOf(edge) === '' ? '' : `, ${rateOf(edge)}`}
                </div>
              ))}
          </li>
        )
      })}
    </ul>
  )
}
