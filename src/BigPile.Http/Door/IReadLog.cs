using System;

namespace BigPile.Http.Door;

/// <summary>The request log of the full stack, for the reads that the door answers.</summary>
/// <remarks>
/// Only reads that are answered here are counted: one that is left to the stack is the stack's to log. Thread safety: all members may be
/// called concurrently.
/// </remarks>
internal interface IReadLog
{
    /// <summary>Whether some of the reads are logged at the moment.</summary>
    bool IsOn { get; }

    /// <summary>Counts a read that was answered.</summary>
    /// <returns>Whether it is one to log.</returns>
    bool Take();

    /// <summary>Logs a read.</summary>
    /// <param name="method">The method.</param>
    /// <param name="table">The table's name, as it stood in the target.</param>
    /// <param name="key">The key, as it stood there: printable ASCII.</param>
    /// <param name="status">The answer's status.</param>
    /// <param name="elapsed">How long the answer took.</param>
    void Write(string method, ReadOnlySpan<char> table, ReadOnlySpan<byte> key, int status, TimeSpan elapsed);
}
