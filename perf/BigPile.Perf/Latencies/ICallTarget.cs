using System;

namespace BigPile.Perf.Latencies;

/// <summary>What single calls are made to: entries with numbers.</summary>
/// <remarks>Thread safety: threads may call at once, each with a buffer of its own, and for entries that no other one changes.</remarks>
internal interface ICallTarget : IDisposable
{
    Pile Pile { get; }

    /// <summary>Reads an entry, and returns whether it is the one that was put.</summary>
    bool Get(int number, byte[] buffer);

    /// <summary>Puts a new entry.</summary>
    bool Put(int number, byte[] buffer);

    /// <summary>Replaces the value of an existing entry.</summary>
    bool Replace(int number, byte[] buffer);

    /// <summary>Removes an entry, and returns whether it existed.</summary>
    bool Remove(int number);
}
