using System;
using System.Net;

namespace BigPile.Http.FastPath;

/// <summary>Writes the fast path's reads to the request log of the full stack.</summary>
/// <remarks>
/// Only reads that the fast path answers are counted; the stack logs its own. Thread safety: all members may be called concurrently.
/// </remarks>
internal interface IReadLog
{
    /// <summary>Whether a sample of the reads is logged now.</summary>
    bool IsOn { get; }

    /// <summary>Counts an answered read for the sample.</summary>
    /// <returns>Whether to log this read.</returns>
    bool CountRead();

    /// <summary>Logs a read.</summary>
    /// <param name="method">The method.</param>
    /// <param name="table">The table's name, as in the target.</param>
    /// <param name="key">The key, as in the target: printable ASCII.</param>
    /// <param name="client">The client's address.</param>
    /// <param name="authorization">The Authorization header that proved an API key; empty: no key was required.</param>
    /// <param name="status">The response status.</param>
    /// <param name="elapsed">How long the response took.</param>
    void Write(
        string method, ReadOnlySpan<char> table, ReadOnlySpan<byte> key, EndPoint? client, ReadOnlySpan<byte> authorization, int status,
        TimeSpan elapsed);
}
