"""What every room asks of an argument, at its public functions, in one grammar: "X must be …; got …"."""
