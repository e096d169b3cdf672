using System;

namespace BigPile.Perf.Standard;

/// <summary>One load of the standard set.</summary>
/// <param name="Title">What runs, for the progress.</param>
/// <param name="Run">Runs it, and adds what it measured.</param>
internal sealed record StandardStep(string Title, Action<StepContext> Run);
