"""Published benchmarks and the tools around them."""
