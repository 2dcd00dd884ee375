// assistant is what the operator calls it.
export const assistant = document.documentElement.dataset.name || 'Deputy'

// isDemo says whether the people of the demo may be chosen.
export const isDemo = document.documentElement.dataset.demo === 'true'
