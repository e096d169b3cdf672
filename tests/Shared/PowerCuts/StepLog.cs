using System;
using System.Collections.Generic;

namespace BigPile.Testing;

/// <summary>The last steps of a run.</summary>
internal sealed class StepLog
{
    private const int Kept = 12;

    private readonly Queue<string> _steps = new();

    /// <summary>Called before a step begins.</summary>
    internal Action? Beginning { get; set; }

    internal void Add(string step)
    {
        Beginning?.Invoke();
        _steps.Enqueue(step);
        if (_steps.Count > Kept)
            _steps.Dequeue();
    }

    public override string ToString() => string.Join(", ", _steps);
}
