using System;
using System.Net;

namespace BigPile.Http.FastPath;

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
    bool CountRead();

    /// <summary>Logs a read.</summary>
    /// <param name="method">The method.</param>
    /// <param name="table">The table's name, as it stood in the target.</param>
    /// <param name="key">The key, as it stood there: printable ASCII.</param>
    /// <param name="client">The address of whoever opened the connection.</param>
    /// <param name="authorization">The header by which the request proved an API key; empty: nobody was asked for one.</param>
    /// <param name="status">The answer's status.</param>
    /// <param name="elapsed">How long the answer took.</param>
    void Write(
        string method, ReadOnlySpan<char> table, ReadOnlySpan<byte> key, EndPoint? client, ReadOnlySpan<byte> authorization, int status,
        TimeSpan elapsed);
}
