using System;
using System.Diagnostics;
using System.Linq;
using BigPile.Memory.Checking;

namespace BigPile.Memory.Tests.Concurrency;

/// <summary>Plants mistakes in all threads, until it is disposed; only for tests that run alone.</summary>
/// <remarks>
/// It is one field for all threads: a value of the calling thread's context would take longer to read than the races last that a mistake
/// opens. With a mistake planted, assertions are silent: a litmus test counts outcomes.
/// </remarks>
internal sealed class PlantedMutation : TraceListener
{
    private readonly Predicate<string>? _outer = Mutations.Planted;
    private readonly TraceListener[] _outerListeners = [.. Trace.Listeners.Cast<TraceListener>()];
    private string? _name;

    internal PlantedMutation()
    {
        Mutations.Planted = name => ReferenceEquals(name, _name);
        Trace.Listeners.Clear();
        Trace.Listeners.Add(this);
    }

    /// <summary>Plants a mistake in the place of the one before. Called while no thread uses what it concerns.</summary>
    /// <param name="name">Its name, a literal; null plants none.</param>
    internal void Plant(string? name) => _name = name;

    public override void Fail(string? message, string? detailMessage)
    {
        if (_name == null)
            throw new InvalidOperationException($"An assertion has failed: {message}");
    }

    public override void Write(string? message)
    {
    }

    public override void WriteLine(string? message)
    {
    }

    protected override void Dispose(bool disposing)
    {
        Mutations.Planted = _outer;
        Trace.Listeners.Clear();
        Trace.Listeners.AddRange(_outerListeners);
        base.Dispose(disposing);
    }
}
