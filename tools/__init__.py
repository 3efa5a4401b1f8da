"""The command line and the benchmarks."""
