// Data too large for a state. None yet.
const pageData = () => ({});
const modelData = () => ({});
