"""Benchmarks against peers: interleaved in one run, as paired ratios, beside the machine's own limits."""
