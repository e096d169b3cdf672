using System;
using BigPile.Perf.Loads;

namespace BigPile.Perf.Sequences;

/// <summary>What the phases do to a file, or to a database in it.</summary>
/// <remarks>
/// Thread safety: the workers call <see cref="Set"/>, <see cref="Get"/> and <see cref="Remove"/> concurrently, each for records of its own;
/// all else belongs to the thread that owns the load.
/// </remarks>
internal interface ISequence : IDisposable
{
    /// <summary>Whether there is a phase that removes.</summary>
    bool CanRemove { get; }

    void Open(SequencePhase phase);

    void Set(Worker worker, int start, int end);

    /// <exception cref="LoadException">What was read is not what was written.</exception>
    void Get(Worker worker, int start, int end);

    /// <exception cref="LoadException">A record was gone.</exception>
    void Remove(Worker worker, int start, int end);

    /// <summary>Ends a writing phase, within its time: hands to the system what the process still buffers.</summary>
    void Synchronize();

    /// <summary>Checks the totals after a phase, outside of its time.</summary>
    /// <exception cref="LoadException">It is something else.</exception>
    void Check(SequencePhase phase);

    void Close();
}
