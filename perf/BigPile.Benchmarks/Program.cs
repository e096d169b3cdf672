using BenchmarkDotNet.Running;
using BigPile.Benchmarks;

BenchmarkSwitcher.FromAssembly(typeof(Program).Assembly).Run(Jobs.Without(args), Jobs.ConfigFor(args));
