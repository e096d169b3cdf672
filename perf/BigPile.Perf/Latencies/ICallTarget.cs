using System;

namespace BigPile.Perf.Latencies;

/// <summary>What single calls are made to: entries with numbers.</summary>
/// <remarks>Thread safety: threads may call at once, each with a buffer of its own, and for entries that no other one changes.</remarks>
internal interface ICallTarget : IDisposable
{
    Pile Pile { get; }

    /// <summary>Reads an entry, and tells whether it is the one that was put.</summary>
    bool Get(int number, byte[] buffer);

    /// <summary>Puts a new entry.</summary>
    bool Put(int number, byte[] buffer);

    /// <summary>Puts another value under an entry that is there.</summary>
    bool Replace(int number, byte[] buffer);

    /// <summary>Removes an entry, and tells whether it was there.</summary>
    bool Remove(int number);
}
